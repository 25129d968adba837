"""One program, from its start to its end: its messages are passed on line by line, and it ends when Python is told to.

The program has a process group of its own. On Ctrl-C the group is told to end, gently at first; `eintool run` ends its
launcher and the ranks. If Python itself is killed, the kernel tells the program (Linux).
"""
from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence

_PATIENCE = 5.0  # seconds between one signal and the next
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


class Ended(NamedTuple):
    """What a program left: its exit code, its standard output, the lines of its messages."""

    code: int
    output: str
    messages: List[str]


def run_program(command: Sequence[str], folder: Optional[str] = None, variables: Optional[Dict[str, str]] = None,
                on_message: Optional[Callable[[str], bool]] = None) -> Ended:
    """Runs a program to its end. Lines of messages that `on_message` takes (by returning true) are not kept."""
    messages: List[str] = []
    # Standard output goes to a file, so that neither of the two can fill up while the other is read.
    with _unnamed_file() as output:
        process = subprocess.Popen(list(command), cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.PIPE, env={**(variables or {}), **os.environ},
                                   start_new_session=True, preexec_fn=_end_with_parent)
        try:
            assert process.stderr is not None
            for raw in process.stderr:
                line = raw.decode("utf-8", "replace").rstrip("\n")
                if on_message is None or not on_message(line):
                    messages.append(line)
            process.wait()
        finally:
            _end(process)
        output.seek(0)
        return Ended(process.returncode, output.read().decode("utf-8", "replace"), messages)


def version() -> str:
    """Which version the programs are; the module is of the same."""
    from .find import program
    return run_program([program("einplan"), "--version"]).output.split()[-1]


def _unnamed_file():  # type: ignore[no-untyped-def]
    import tempfile
    return tempfile.TemporaryFile()


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ends a program that still runs, with all of its group."""
    for how in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            break
        try:
            os.killpg(process.pid, how)
            process.wait(_PATIENCE)
        except ProcessLookupError:
            break
        except subprocess.TimeoutExpired:
            continue
        except KeyboardInterrupt:
            continue
    if process.stderr is not None:
        process.stderr.close()


def _end_with_parent() -> None:
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
