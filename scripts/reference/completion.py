"""What bash and zsh offer behind a program's name, from what it says with --help."""
from __future__ import annotations

import re

from help_text import Option, Program


_NUMBERS = ("INT", "UINT", "FLOAT", "SIZE", "TIME", "DTYPE", "NAME", "NAME=NUMBER")   # for which nothing is offered
_CASE = " " * 12


def _all_options(program: Program, programs: list[Program]) -> list[Option]:
    """`eintool run` hands those of einplan and einrun on. --help comes last, for all."""
    own = [option for option in program.options if "--help" not in option.names]
    if program.name == "eintool run":
        known = {"--help", "--version"}.union(*(option.names for option in own))
        for other in programs:
            for option in other.options if other.name in ("einplan", "einrun") else []:
                if not known.intersection(option.names):
                    own.append(option)
                    known.update(option.names)
    return own


def _kinds(program: Program) -> dict[str, list[str]]:
    """Of `eintool make`, each kind's own options: they stand below the others."""
    kinds: dict[str, list[str]] = {}
    for line in program.footer:
        if kind := re.match(r"  ([a-z][\w-]*)( [A-Z]|$)", line):
            kinds[kind[1]] = []
        elif option := re.match(r"      (--[\w-]+)", line):
            kinds[list(kinds)[-1]].append(option[1])
    return kinds


def _words(program: Program, programs: list[Program]) -> str:
    names = [name + ("=" if option.value_may_be_left_out and option.choices and name.startswith("--") else "")
             for option in _all_options(program, programs) for name in option.names]
    names += sorted({option for options in _kinds(program).values() for option in options})
    return " ".join(names)


def _first_words(program: Program) -> list[str]:
    """What may stand first behind the program's name, beside a file."""
    if program.commands:
        return [command.name.split()[-1] for command in program.commands]
    return list(_kinds(program)) or (program.arguments[0].choices if program.arguments else [])


def _values_of(program: Program, programs: list[Program]) -> list[str]:
    """Branches of a case: options whose values are few words, and those with a value of any other kind."""
    lines, numbers, others = [], [], []
    for option in _all_options(program, programs):
        joined = option.value_may_be_left_out or not option.value
        if option.choices:
            values = " ".join(option.choices)
            lines.append(f'{_CASE}{"|".join(option.names)}) values="{values}"{" only_joined=1" if joined else ""} ;;')
        elif not joined:
            (numbers if option.value in _NUMBERS else others).extend(option.names)
    if numbers:
        lines.append(f'{_CASE}{"|".join(numbers)}) return ;;')
    if others:
        lines.append(f'{_CASE}{"|".join(others)}) files=1 ;;')
    return lines


_BASH = """# bash completion of {name}; generated from its --help (scripts/reference).
_{name}()
{{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
    local joined="" values="" files="" only_joined="" options="" first="" command={command} at={at}
    COMPREPLY=()
    # --explain=json comes as three words.
    if [ "$word" = "=" ]; then word="" joined=1; fi
    if [ "$before" = "=" ]; then before=${{COMP_WORDS[COMP_CWORD - 2]}} joined=1
    elif [ -n "$joined" ]; then before=${{COMP_WORDS[COMP_CWORD - 1]}}; fi
    case "$command" in
{branches}    esac
    if [ -n "$values" ] && {{ [ -z "$only_joined" ] || [ -n "$joined" ]; }}; then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
    elif [ -n "$files" ] || [ -n "$joined" ]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options --help" -- "$word")
        if [[ ${{COMPREPLY[0]}} == *= ]]; then compopt -o nospace; fi
    elif [ -n "$first" ] && [ "$COMP_CWORD" -eq "$at" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$first" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames
    fi
}}
complete -F _{name} {name}
"""


def _branch(pattern: str, program: Program, programs: list[Program]) -> str:
    lines = [f"    {pattern})", f'        options="{_words(program, programs)}"',
             f'        first="{" ".join(_first_words(program))}"']
    values = _values_of(program, programs)
    if values:
        lines += ['        case "$before" in'] + values + ["        esac"]
    return "\n".join(lines + ["        ;;"]) + "\n"


def bash(program: Program, programs: list[Program]) -> str:
    if program.commands:
        branches = "".join(_branch(command.name.split()[-1], command, programs) for command in program.commands)
        branches += (f'    *)\n        if [ "$COMP_CWORD" -gt 1 ]; then return; fi\n'
                     f'        options="--version" first="{" ".join(_first_words(program))}" at=1\n        ;;\n')
        return _BASH.format(name=program.name, command="${COMP_WORDS[1]}", at=2, branches=branches)
    return _BASH.format(name=program.name, command='""', at=0,
                        branches=_branch("*", program, programs))


def _quoted(text: str) -> str:
    """Inside single quotes, in a specification of _arguments: a colon would end the text."""
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def _zsh_specs(program: Program, programs: list[Program]) -> list[str]:
    specs = []
    for option in _all_options(program, programs):
        text = _quoted(option.text[0] if option.text else "")
        value = ""
        if option.value:
            action = f'({" ".join(option.choices)})' if option.choices else "_files"
            action = "" if option.value in _NUMBERS else action
            value = ("::" if option.value_may_be_left_out else ":") + f"{option.value}:{action}"
        for name in option.names:
            joined = "=-" if option.value_may_be_left_out and name.startswith("--") else ""
            alike = " ".join(option.names)
            front = "'*" if option.repeated else f"'({alike})"
            specs.append(f"{front}{name}{joined}[{text}]{value}'")
    for name in sorted({option for options in _kinds(program).values() for option in options}):
        specs.append(f"'{name}[of some kinds]'")
    first = _first_words(program)
    for place, argument in enumerate(program.arguments):
        if argument.repeated:
            specs.append(f"'*:{argument.names[0]}:_files'")
        else:
            action = f'({" ".join(first)})' if place == 0 and first else "_files"
            specs.append(f"'{place + 1}:{argument.names[0]}:{action}'")
    return specs


def zsh(programs: list[Program]) -> str:
    """One file for all of them."""
    lines = ["#compdef " + " ".join(program.name for program in programs),
             "# zsh completion; generated from the programs' --help (scripts/reference).", ""]
    functions = [program for program in programs if not program.commands]
    for program in programs:
        functions += program.commands
    for program in functions:
        lines += [f"_{program.name.replace(' ', '_')}() {{", "  _arguments -s \\"]
        lines += [f"    {spec} \\" for spec in _zsh_specs(program, programs)]
        lines += ["    '--help[say what there is]'", "}", ""]
    for program in programs:
        if not program.commands:
            continue
        lines += [f"_{program.name}() {{", "  if (( CURRENT == 2 )); then", "    local -a commands=("]
        lines += [f"      '{command.name.split()[-1]}:{_quoted(command.summary)}'" for command in program.commands]
        lines += ["    )", "    _describe command commands", "    return", "  fi",
                  "  local command=$words[2]", "  shift words", "  (( CURRENT-- ))",
                  f"  (( $+functions[_{program.name}_$command] )) && _{program.name}_$command", "}", ""]
    lines += ['case "$service" in'] + [f'  {program.name}) _{program.name} "$@" ;;' for program in programs] + ["esac"]
    return "\n".join(lines) + "\n"
