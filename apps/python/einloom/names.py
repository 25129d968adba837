"""Names for nodes: the variable that the caller's statement assigns, so that a graph reads as the program does.

`H = el.relu(X @ W)` makes two nodes in one statement. The last one, which the variable will hold, keeps the name H; the
product inside is part of that statement's expression and loses it. A statement that assigns nothing gives no name; then
nodes are called after what they compute. Of a line with several statements (`A = f(); b = g()`) the one that is being
run counts where Python says which (3.11 and later), and none before.
"""
from __future__ import annotations

import ast
import linecache
import re
import sys
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, Optional

_ASSIGNED = re.compile(r"^\s*([A-Za-z_]\w*)\s*(?::[^=]+)?(?:[-+*/@%&|]|\*\*|//)?=(?!=)")
_HOLDS_OTHERS = re.compile(r"\s*(?:async|if|for|while|with|else|elif|try|finally|except|class|def)\b")
_PACKAGE = __name__.rpartition(".")[0]


class Line(NamedTuple):
    """Where a node was made: the frame and line, the place in its code, and the variable that is assigned."""

    frame: int
    number: int
    place: int
    variable: Optional[str]
    statement: int = 0  # of those on the line


def calling_line() -> Optional[Line]:
    """The line outside this package that is being run."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    if frame is None:
        return None
    if frame.f_code.co_name == "<lambda>":  # the line assigns what the function is given to
        return Line(id(frame), frame.f_lineno, frame.f_lasti, None)
    text = linecache.getline(frame.f_code.co_filename, frame.f_lineno, frame.f_globals)
    variable, statement = _assigned(text, frame)
    return Line(id(frame), frame.f_lineno, frame.f_lasti, variable, statement)


def _assigned(text: str, frame: Any) -> tuple[Optional[str], int]:
    """The variable that the running statement assigns, and the statement's number on its line."""
    found = _ASSIGNED.match(text)
    if ";" not in text and not _HOLDS_OTHERS.match(text):
        return (found[1] if found else None), 0
    statements, column = _statements(text), _column(frame)
    if statements is not None and len(statements) == 1 and found:
        return found[1], 0
    if statements is None or column is None:
        return None, -1
    begun = [number for number, (begin, _) in enumerate(statements) if begin <= column]
    return (statements[begun[-1]][1], begun[-1]) if begun else (None, -1)


@lru_cache(maxsize=256)
def _statements(text: str) -> Optional[list[tuple[int, Optional[str]]]]:
    """Where each simple statement of a line begins, in bytes, and what it assigns; None for a part of a longer one."""
    line = text.strip()
    before = len(text.encode()) - len(text.lstrip().encode())
    for prefix, suffix in (("", ""), ("if 1: pass\n", ""), ("try: pass\n", ""), ("", "\nfinally: pass")):
        try:
            tree = ast.parse(prefix + line + suffix)
        except (SyntaxError, ValueError):
            continue
        row = 2 if prefix else 1
        found = []
        for node in ast.walk(tree):
            if not isinstance(node, ast.stmt) or node.lineno != row:
                continue
            if hasattr(node, "body") or hasattr(node, "cases"):  # one that holds others
                continue
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            named = target if isinstance(target, ast.Name) else None
            found.append((node.col_offset + before, named.id if named is not None else None))
        return sorted(found, key=lambda each: each[0]) or None
    return None


def _column(frame: Any) -> Optional[int]:
    """The byte of its line at which what a frame runs begins; None where Python does not say, or on another line."""
    positions = getattr(frame.f_code, "co_positions", None)
    if positions is None or frame.f_lasti < 0:
        return None
    line, _, column, _ = next(islice(positions(), frame.f_lasti // 2, None), (None,) * 4)
    return column if line == frame.f_lineno else None


def is_part(inner: Optional[Line], outer: Optional[Line]) -> bool:
    """Whether a node was made on the way to another one of its statement (and not in an earlier turn of a loop)."""
    return (inner is not None and outer is not None and inner[:2] == outer[:2] and inner.place < outer.place
            and inner.statement == outer.statement)
