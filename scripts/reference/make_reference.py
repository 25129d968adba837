#!/usr/bin/env python3
"""What is written of the programs' own --help: make_reference.py BIN_FOLDER [--markdown FILE] [--into FOLDER]
    --markdown FILE  docs/cli.md
    --into FOLDER    man pages (man1/NAME.1), completion for bash (bash/NAME) and zsh (zsh/_einloom)
Needs Python 3.9 alone. The programs are asked, so nothing here says what an option means.
"""
from __future__ import annotations

import argparse
from pathlib import Path

import completion
import man
import markdown
from help_text import read_program

_PROGRAMS = ("einplan", "einrun", "eintool")
_WHAT_FOR = ("Einloom plans and runs graphs of extended Einstein summations on any number of MPI ranks: einplan makes "
             "a schedule of a graph, einrun runs it under mpirun or srun, eintool is everything around them.")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("bin", type=Path, help="folder of the programs")
    parser.add_argument("--markdown", type=Path, help="page to write")
    parser.add_argument("--into", type=Path, help="folder for man pages and completion")
    given = parser.parse_args()

    programs = [read_program(given.bin / name) for name in _PROGRAMS]
    if given.markdown:
        _write(given.markdown, markdown.page(programs))
    if given.into:
        codes = man.exit_codes(Path(__file__).resolve().parents[2] / "README.md")
        for program in programs:
            others = [name for name in _PROGRAMS if name != program.name]
            _write(given.into / "man1" / f"{program.name}.1", man.page(program, others, codes, _WHAT_FOR))
            _write(given.into / "bash" / program.name, completion.bash(program, programs))
        _write(given.into / "zsh" / "_einloom", completion.zsh(programs))


if __name__ == "__main__":
    main()
