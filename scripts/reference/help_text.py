"""What a program says of itself with --help, as a value.

Example: read_program("build/bin/eintool").commands[0].name is "validate".
"""
from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Option:
    """An option, or an argument without a name."""

    names: list[str]                # "-n", "--ranks"; of an argument the one word that stands for it
    value: str = ""                 # what follows it: "FILE", "INT"; nothing: a switch
    value_may_be_left_out: bool = False   # --explain or --explain=json
    default: str = ""
    required: bool = False
    repeated: bool = False
    limits: str = ""                # "1 - 4096"
    choices: list[str] = field(default_factory=list)
    choices_in_text: bool = False   # the text names them
    needs: list[str] = field(default_factory=list)
    excludes: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)   # lines

    @property
    def form(self) -> str:
        """As it is written on a command line."""
        if not self.value:
            return ", ".join(self.names)
        value = "|".join(self.choices) if self.choices and not self.choices_in_text else self.value
        joined = f"[={value}]" if self.value_may_be_left_out else f" {value}"
        return ", ".join(self.names) + joined + (" ..." if self.repeated else "")


@dataclass
class Program:
    """A program, or a command of one."""

    name: str                       # "eintool make"
    summary: str = ""
    usage: str = ""                 # behind the name
    arguments: list[Option] = field(default_factory=list)
    options: list[Option] = field(default_factory=list)
    commands: list["Program"] = field(default_factory=list)
    footer: list[str] = field(default_factory=list)
    version: str = ""


# The left half of a line: names, what kind of value, and what it goes with.
_NAMES = r"(?P<names>(?:-\w)?,?(?:--[\w-]+)?(?:,--[\w-]+)*|[A-Z][A-Z_]*)"
_VALUE = (r"(?P<value> (?!REQUIRED)[A-Z]+(?:=[A-Z]+)?(?![a-z]))?(?P<implied>\{\w*\})?"
          r"(?: ?:(?:\{(?P<choices>[^}]*)\}|\w+ in \[(?P<limits>[^]]*)\]))?(?P<default>=\S+)?")
_WITH = (r"(?P<required> REQUIRED)?(?P<repeated> \.\.\.|\(\d+x\))?"
         r"(?: Needs:(?P<needs>(?: (?:--?[\w-]+|[A-Z]+)(?= |$))+))?"
         r"(?: Excludes:(?P<excludes>(?: (?:--?[\w-]+|[A-Z]+)(?= |$))+))?")
_LEFT = re.compile("^  " + _NAMES + _VALUE + _WITH + r"(?:\s+(?P<text>\S.*))?$")
_TEXT_COLUMN = 30


def _option(line: str) -> Option:
    found = _LEFT.match(line)
    if not found or not found["names"]:
        raise ValueError(f"expected an option as CLI11 prints it, found {line!r}; mend scripts/reference/help_text.py")
    words = lambda group: (found[group] or "").split()
    names = found["names"].split(",")
    argument = not names[0].startswith("-")
    return Option(
        names=names,
        value="" if argument else (found["value"] or ("TEXT" if found["implied"] else "")).strip(),
        value_may_be_left_out=found["implied"] is not None,
        default=(found["default"] or "=")[1:],
        required=found["required"] is not None,
        repeated=found["repeated"] is not None,
        limits=found["limits"] or "",
        choices=(found["choices"] or "").split(",") if found["choices"] else [],
        needs=words("needs"), excludes=words("excludes"),
        text=[found["text"]] if found["text"] else [])


_ALTERNATIVES = re.compile(   # of text: "auto (a GPU if there is one), reference, cpu or cuda; ..."
    r"(?:^|: )((?:[a-z][\w-]*(?: \([^)]*\))?, )+[a-z][\w-]*(?: or [a-z][\w-]*)?)(?:$|;|:(?= ))")


def _choices_in(text: list[str]) -> list[str]:
    """Those that stand in words: "auto, bar, plain or off", or a table of a name and what it means."""
    table = [found[1] for line in text[1:] if (found := re.match(r"([a-z0-9][\w-]*)  +\S", line))]
    if table:
        return table
    found = _ALTERNATIVES.search(text[0]) if text else None
    if not found:
        return []
    plain = re.sub(r" \([^)]*\)", "", found[1])
    return re.split(r", | or ", plain)


def _joined_choices(option: Option) -> list[str]:
    """Of an option whose text has "--explain[=text], --explain=json"."""
    if not option.value_may_be_left_out:
        return []
    return re.findall(re.escape(option.names[-1]) + r"\[?=([a-z]+)", " ".join(option.text))


def parse(name: str, text: str) -> Program:
    """The text of --help of the program, or command, called `name`."""
    program = Program(name)
    section = "summary"
    for line in text.rstrip().split("\n"):
        if line.startswith("Usage: "):
            program.usage = re.sub(r"\(\d+x\)", "...", line.split(name.split()[-1], 1)[1].strip())
            section = "usage"
        elif line in ("Positionals:", "Options:", "Subcommands:"):
            section = line[:-1]
        elif section == "summary":
            program.summary = (program.summary + " " + line.strip()).strip()
        elif section == "footer" or (section != "usage" and line and not line.startswith(" ")):
            section = "footer"
            program.footer.append(line)
        elif section == "Subcommands" and line.strip():
            program.commands.append(Program(f"{name} {line.split()[0]}"))
        elif section in ("Positionals", "Options") and line.strip():
            into = program.arguments if section == "Positionals" else program.options
            if line.startswith(" " * _TEXT_COLUMN):
                into[-1].text.append(line[_TEXT_COLUMN:])
            else:
                into.append(_option(line))
    for option in program.arguments + program.options:
        if not option.choices:
            option.choices = _choices_in(option.text) or _joined_choices(option)
            option.choices_in_text = bool(option.choices)
    return program


def _said(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def read_program(path: Path) -> Program:
    """With its commands, each of which is asked too."""
    program = parse(path.name, _said([str(path), "--help"]))
    program.version = _said([str(path), "--version"]).split()[-1]
    program.commands = [
        parse(command.name, _said([str(path), command.name.split()[-1], "--help"])) for command in program.commands]
    return program
