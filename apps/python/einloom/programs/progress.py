"""Progress of a run: one line that is rewritten, in a terminal or below a notebook's cell; elsewhere nothing."""
from __future__ import annotations

import re
import sys
from typing import Any, Optional

_LINE = re.compile(r"^einrun: +(?P<percent>\d+) % \((?P<text>.*)$")
_WIDTH = 30


class Progress:
    """Takes einrun's lines of progress. `how` is auto, bar or off."""

    def __init__(self, how: str = "auto"):
        self._notebook: Optional[Any] = _notebook() if how == "auto" else None
        self._terminal = how == "bar" or how == "auto" and self._notebook is None and sys.stderr.isatty()
        self._shown = False

    def take(self, line: str) -> bool:
        """Whether the line was one of progress."""
        found = _LINE.match(line)
        if not found:
            return False
        self._show(int(found["percent"]), f"({found['text']}")
        return True

    def end(self) -> None:
        """Leaves no line behind."""
        if self._shown and self._terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
        if self._notebook is not None and self._shown:
            self._notebook.update(_raw(""))

    def _show(self, percent: int, text: str) -> None:
        done = percent * _WIDTH // 100
        bar = f"einloom [{'#' * done}{'.' * (_WIDTH - done)}] {percent} % {text}"
        if self._terminal:
            sys.stderr.write(f"\r{bar}\x1b[K")
            sys.stderr.flush()
        elif self._notebook is not None:
            if self._shown:
                self._notebook.update(_raw(bar))
            else:
                self._notebook.display(_raw(bar))
        self._shown = True


def _notebook() -> Optional[Any]:
    """A display of IPython's, where this is a notebook's kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import DisplayHandle  # type: ignore
    return DisplayHandle()


def _raw(text: str) -> Any:
    class Line:
        def _repr_mimebundle_(self, **_: Any) -> Any:
            return {"text/plain": text}

        def __repr__(self) -> str:
            return text

    return Line()
