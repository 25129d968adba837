"""Names for nodes: the variable that holds an array when it is first read, so that a graph reads as the program does.

In `P = exp(Z - m)` the difference is held by no variable: what reads it is called P, as soon as P itself is read. A
function's parameter is a weak name: a variable of the caller that holds the same array counts before it. What is held
in a dict, a list or an object is called after its key, its place or its attribute: `params["W1"]` is W1. Only what the
running instructions have loaded is looked at, and compared with the array by identity: nothing is guessed from texts,
so programs without source (`python -c`, notebooks, `exec`) have names too. Nothing here raises.
"""
from __future__ import annotations

import dis
import sys
from bisect import bisect_right
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

_PACKAGE = __name__.rpartition(".")[0]
_PROGRAMS = {f"{_PACKAGE}.linalg"}  # written as programs are, so their variables are names too
_LOADS = ("LOAD_FAST", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR",
          "STORE_FAST_LOAD_FAST")
_MOST_FRAMES = 8     # of the program's own, from the running one outwards
_MOST_LOADED = 40    # names, from the running instruction backwards
_MOST_WITH_ENTRIES = 2  # of those frames: dicts, lists and objects of these are looked into
_MOST_INSIDE = 60    # entries of a dict, a list or an object: of longer ones none is looked at
_MOST_CODES = 4096   # whose names are kept
_VARIABLE_ARGUMENTS = 0x04  # of co_flags: the function has *args


class Held(NamedTuple):
    """What an array is called, and how good a name that is: a variable's, that of an entry (a key, an attribute), a
    parameter's, or only a place in a list."""

    variable: str
    rank: int
    code: Any = None  # of the function or module whose variable it is


VARIABLE, ENTRY, PARAMETER, PLACE = 3, 2, 1, 0


def calling_frame() -> Any:
    """The innermost frame outside this package."""
    frame: Any = sys._getframe(1)
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    return frame


def holder(frame: Any, is_it: Callable[[Any], bool]) -> Optional[Held]:
    """The outermost variable that holds it among those that the running lines have loaded; else an entry of what the
    running lines have loaded, else a parameter."""
    try:
        best: Optional[Held] = None
        for depth, user in enumerate(_users(frame)):
            found = _held_in(user, is_it, entries=depth < _MOST_WITH_ENTRIES)
            if found is not None and (best is None or found.rank > best.rank or found.rank == best.rank == VARIABLE):
                best = found
        return best
    except Exception:  # noqa: B902 - a program must not fail for a name
        return None


def name_of_argument(value: Any) -> Optional[str]:
    """What the calling line calls this value: X of `tensor(X)`."""
    try:
        frame = calling_frame()
        found = None if frame is None else _held_in(frame, lambda one: one is value, entries=True)
        return None if found is None else found.variable
    except Exception:  # noqa: B902
        return None


def _is_ours(frame: Any) -> bool:
    name = frame.f_globals.get("__name__", "")
    return isinstance(name, str) and name.partition(".")[0] == _PACKAGE and name not in _PROGRAMS


def _users(frame: Any) -> Iterator[Any]:
    """The program's frames, up to its module or cell."""
    count = 0
    while frame is not None and count < _MOST_FRAMES:
        if not _is_ours(frame):
            count += 1
            yield frame
            if frame.f_code.co_name.startswith(("<module", "<cell")):
                return
        frame = frame.f_back


def _held_in(frame: Any, is_it: Callable[[Any], bool], entries: bool) -> Optional[Held]:
    code = frame.f_code
    loaded = _loaded(code).before(frame.f_lasti)
    if not loaded:
        return None
    local, outside = frame.f_locals, frame.f_globals
    values = [(name, local[name] if name in local else outside.get(name)) for name in loaded]
    for name, value in values:
        if is_it(value):
            return Held(name, PARAMETER if _is_parameter(code, name) else VARIABLE, code)
    if not entries:
        return None
    return next((held._replace(code=code) for name, value in values for held in _held_inside(name, value, is_it)), None)


def _held_inside(name: str, value: Any, is_it: Callable[[Any], bool]) -> Iterator[Held]:
    """What it is called within a dict, a list or an object that a variable holds, or in one of those within it."""
    outer = _entries(name, value)
    for held, one in outer:
        if is_it(one):
            yield held
    for held, one in outer:
        for inner, each in _entries(held.variable, one):
            if is_it(each):
                yield inner


def _entries(name: str, value: Any) -> List[Tuple[Held, Any]]:
    kind = type(value)
    if kind in (list, tuple):
        return ([(Held(f"{name}{place}", PLACE), one) for place, one in enumerate(value)]
                if len(value) <= _MOST_INSIDE else [])
    if not issubclass(kind, dict):
        if kind.__module__.partition(".")[0] in ("builtins", "numpy", _PACKAGE) or issubclass(kind, type):
            return []
        try:
            value = object.__getattribute__(value, "__dict__")
        except AttributeError:
            return []
    if len(value) > _MOST_INSIDE:
        return []
    return [(Held(_name_of_key(name, key), ENTRY), one) for key, one in value.items()]


def _name_of_key(name: str, key: Any) -> str:
    if isinstance(key, str):
        return key.strip("_") or name
    return f"{name}{key}" if isinstance(key, int) else name


def _is_parameter(code: Any, name: str) -> bool:
    return name in code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]


class _Loaded:
    """The names that a code loads, by the places of its instructions."""

    def __init__(self, code: Any):
        self.code = code  # held, so that its id stays its own
        left_out = {"_"} | _rest_parameter(code)
        self._places: List[int] = []
        self._names: List[str] = []
        self._found: Dict[int, Tuple[str, ...]] = {}
        for each in dis.get_instructions(code):
            if each.opname.startswith(_LOADS):
                for name in each.argval if isinstance(each.argval, tuple) else (each.argval,):
                    if isinstance(name, str) and name.isidentifier() and name not in left_out:
                        self._places.append(each.offset)
                        self._names.append(name)

    def before(self, instruction: int) -> Tuple[str, ...]:
        """Those up to an instruction, the nearest first."""
        found = self._found.get(instruction)
        if found is None:
            end = bisect_right(self._places, instruction)
            found = tuple(dict.fromkeys(reversed(self._names[max(end - _MOST_LOADED, 0):end])))
            self._found[instruction] = found
        return found


def _rest_parameter(code: Any) -> Set[str]:
    """args of `def f(*args)`: nobody's name for what is in it."""
    if not code.co_flags & _VARIABLE_ARGUMENTS:
        return set()
    return {code.co_varnames[code.co_argcount + code.co_kwonlyargcount]}


_codes: Dict[int, _Loaded] = {}


def _loaded(code: Any) -> _Loaded:
    found = _codes.get(id(code))
    if found is None:
        if len(_codes) >= _MOST_CODES:
            _codes.clear()
        found = _codes[id(code)] = _Loaded(code)
    return found
