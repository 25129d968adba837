"""docs/cli.md: what the programs say with --help, as one page."""
from __future__ import annotations

import re

from help_text import Option, Program

_HEAD = """# Command lines

The options of `einplan`, `einrun` and `eintool` as their `--help` says them. This page is generated: after a change of
an option run `scripts/reference/make_reference.py --markdown docs/cli.md build/bin`. Exit codes are in the
[README](../README.md#exit-codes); the same text is in the man pages einplan(1), einrun(1) and eintool(1).
"""
_COLUMNS = 120


def wrapped(words: str, first: str, then: str) -> list[str]:
    """Lines of at most 120 columns."""
    lines, line = [], first
    for word in words.split():
        if len(line) + len(word) + (0 if line.endswith(" ") else 1) > _COLUMNS and line.strip():
            lines.append(line.rstrip())
            line = then
        line += word if line.endswith(" ") or not line else " " + word
    return lines + [line.rstrip()]


_CODE = (r"-{1,2}[a-z][\w-]*(?:=\w+|\[=\w+\])?|--|\[=?[a-z][^]]*\]"   # options; shapes
         r"|[\w.]*_[\w.]*\w|max\([^)]*\)")
_MARKUP = re.compile(rf"(?<![\w`])({_CODE})(?![\w`])|(?<= )-(?= )|^-(?= )")


def _plain(text: str) -> str:
    """Text in which nothing is markup: options, shapes and names with underscores stand as code."""
    return _MARKUP.sub(r"`\g<0>`", text)


def facts(option: Option) -> str:
    """What is not in its form: default, limits, what it goes with."""
    said = []
    if option.required:
        said.append("required")
    if option.limits:
        said.append(option.limits.replace(" - ", " to "))
    if option.default:
        said.append("default " + option.default)
    if option.needs:
        said.append("with " + ", ".join(option.needs))
    if option.excludes:
        said.append("without " + ", ".join(option.excludes))
    return "; ".join(said)


def _entry(option: Option) -> list[str]:
    known = facts(option)
    text = _plain(option.text[0]) if option.text else ""
    lines = wrapped(text + (f" ({_plain(known)})" if known else ""), f"- `{option.form}`: ", "  ")
    for line in option.text[1:]:
        name, _, meaning = line.partition("  ")
        lines += wrapped(_plain(meaning), f"  - `{name}`: ", "    ")
    return lines


def _section(program: Program, level: str) -> list[str]:
    lines = ["", f"{level} {program.name}", ""]
    lines += wrapped(_plain(program.summary), "", "")
    lines += ["", "```", f"{program.name} {program.usage}", "```"]
    if program.arguments:
        lines += [""] + [line for option in program.arguments for line in _entry(option)]
    shown = [option for option in program.options if option.names[-1] not in ("--help", "--version")]
    if shown:
        lines += [] if program.arguments else [""]
        lines += [line for option in shown for line in _entry(option)]
    if program.footer:
        lines += ["", "```"] + program.footer + ["```"]
    for command in program.commands:
        lines += _section(command, level + "#")
    return lines


def page(programs: list[Program]) -> str:
    return _HEAD + "\n".join(line for program in programs for line in _section(program, "##")) + "\n"
