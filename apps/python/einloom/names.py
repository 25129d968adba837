"""Names for nodes: that of the variable which the caller's line assigns, so that a graph reads as the program does.

`H = el.relu(X @ W)` makes two nodes on one line. The last one, which the variable will hold, keeps the name H; the
product inside is part of that line's expression and loses it. A line that assigns nothing gives no name; then nodes are
called after what they compute.
"""
from __future__ import annotations

import linecache
import re
import sys
from typing import Any, NamedTuple, Optional

_ASSIGNED = re.compile(r"^\s*([A-Za-z_]\w*)\s*(?::[^=]+)?(?:[-+*/@%&|]|\*\*|//)?=(?!=)")
_PACKAGE = __name__.rpartition(".")[0]


class Line(NamedTuple):
    """Where a node was made: the frame and line, the place in its code, and the variable that the line assigns."""

    frame: int
    number: int
    place: int
    variable: Optional[str]


def calling_line() -> Optional[Line]:
    """The line outside this package that is being run."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    if frame is None:
        return None
    if frame.f_code.co_name == "<lambda>":  # the line assigns what the function is given to
        return Line(id(frame), frame.f_lineno, frame.f_lasti, None)
    found = _ASSIGNED.match(linecache.getline(frame.f_code.co_filename, frame.f_lineno, frame.f_globals))
    return Line(id(frame), frame.f_lineno, frame.f_lasti, found[1] if found else None)


def is_part(inner: Optional[Line], outer: Optional[Line]) -> bool:
    """Whether a node was made on the way to another one of the same line (and not in an earlier turn of a loop)."""
    return (inner is not None and outer is not None and inner[:2] == outer[:2] and inner.place < outer.place)
