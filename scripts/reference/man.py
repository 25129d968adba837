"""A man page of a program, from what it says with --help."""
from __future__ import annotations

import re
from pathlib import Path

from help_text import Option, Program
from markdown import facts


def _roff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text)


def _bold(text: str) -> str:
    return ".B " + _roff(text).replace('"', '\\(dq')


def _entry(option: Option) -> list[str]:
    known = facts(option)
    lines = [".TP", _bold(option.form)]
    if option.text:
        lines.append(_roff(option.text[0]))
    for line in option.text[1:]:
        name, _, meaning = line.partition("  ")
        lines += [".br", f"\\fB{_roff(name)}\\fR: {_roff(meaning.strip())}"]
    if known:
        lines.append(_roff(f"({known})"))
    return lines if len(lines) > 2 else lines + ["\\&"]


def _options(program: Program) -> list[str]:
    return [line for option in program.arguments + program.options for line in _entry(option)]


def _commands(program: Program) -> list[str]:
    lines = [".SH COMMANDS"]
    for command in program.commands:
        lines += [".SS " + _roff(f"{command.name} {command.usage}"), _roff(command.summary)]
        lines += _options(command)
        if command.footer:
            lines += [".PP", ".nf"] + [_roff(line) if line else "\\&" for line in command.footer] + [".fi"]
    return lines


def exit_codes(readme: Path) -> list[tuple[str, str]]:
    """The table below "Exit codes" of README.md, its one place. @raises ValueError when it is not there"""
    section = readme.read_text(encoding="utf-8").partition("\n## Exit codes\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (\d+) \| (.*?) \|$", section, re.MULTILINE)
    if not rows:
        raise ValueError(f'{readme}: expected a table of exit codes below "## Exit codes", found none')
    return [(code, meaning.replace("`", "")) for code, meaning in rows]


def page(program: Program, others: list[str], codes: list[tuple[str, str]], description: str) -> str:
    """@param description  a line of what all of it is for"""
    summary = program.summary.split(":")[0].rstrip(".")
    lines = [f'.TH {program.name.upper()} 1 "" "Einloom {program.version}" "User Commands"',
             ".SH NAME", f"{program.name} \\- {_roff(summary[0].lower() + summary[1:])}",
             ".SH SYNOPSIS", _bold(program.name), _roff(program.usage),
             ".SH DESCRIPTION", _roff(program.summary), ".PP", _roff(description),
             ".SH OPTIONS"] + _options(program)
    if program.footer:
        lines += [".PP", ".nf"] + [_roff(line) if line else "\\&" for line in program.footer] + [".fi"]
    if program.commands:
        lines += _commands(program)
    lines.append(".SH EXIT STATUS")
    for code, meaning in codes:
        lines += [".TP", _bold(code), _roff(meaning)]
    lines += [".SH SEE ALSO", ", ".join(f"\\fB{other}\\fR(1)" for other in others) + ", \\fBmpirun\\fR(1)"]
    return "\n".join(lines) + "\n"
