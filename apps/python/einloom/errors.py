"""What goes wrong: errors of the three programs with their exit codes, and refusals of this module.

A refusal says what was expected, what was found and how to fix it, as the programs do.
"""
from __future__ import annotations

import re
from typing import List, NamedTuple, Optional

_FAULT = re.compile(r"^(?P<file>[^\s:][^:\n]*): (?P<place>/\S*): (?P<what>.*)$", re.MULTILINE)


class Fault(NamedTuple):
    """One fault of a graph or another file, as a program reports it."""

    file: str
    place: str
    found: str
    mend: str


class Error(Exception):
    """An error of Einloom: its text is that of the program, `code` its exit code, `faults` the places in files."""

    def __init__(self, text: str, code: Optional[int] = None):
        super().__init__(text)
        self.code = code
        self.faults: List[Fault] = [_fault(match) for match in _FAULT.finditer(text)]

    @property
    def place(self) -> str:
        """JSON pointer of the first fault, or nothing."""
        return self.faults[0].place if self.faults else ""

    @property
    def found(self) -> str:
        """What was found there."""
        return self.faults[0].found if self.faults else str(self)

    @property
    def mend(self) -> str:
        """How to fix it."""
        return self.faults[0].mend if self.faults else ""


class InputError(Error, ValueError):
    """Bad input: a graph, a shape, a file (exit code 3)."""


class NotComputed(InputError):
    """Elements of a lazy array that are asked for before the run."""


class AxisError(InputError, IndexError):
    """An axis or an index beyond the shape."""


class DTypeError(Error, TypeError):
    """A type that Einloom does not have, or that an operation does not take."""


class OutOfMemory(Error, MemoryError):
    """No schedule fits in the budget (exit code 4)."""


class VerificationError(Error):
    """A result differs from what was computed in another way (exit code 5)."""


class Stopped(Error):
    """The run was stopped early and has a checkpoint: the same call goes on from it (exit code 75)."""


_KINDS = {3: InputError, 4: OutOfMemory, 5: VerificationError, 75: Stopped}


def program_error(text: str, code: int) -> Error:
    """The error for a program that ended with this code and said this."""
    return _KINDS.get(code, Error)(text or f"ended with exit code {code}", code)


def refuse(what: str, expected: str, found: str, mend: str) -> InputError:
    """A refusal in the words of the programs: place, expected, found, fix."""
    return InputError(f"{what}: expected {expected}, found {found}; {mend}")


def _fault(match: "re.Match[str]") -> Fault:
    what, _, mend = match["what"].partition("; ")
    return Fault(match["file"], match["place"], what, mend)
