"""Where the programs are: in EINLOOM_BIN, beside this module (a build or an installation), or in PATH."""
from __future__ import annotations

import os
import shutil
from functools import lru_cache
from pathlib import Path

from ..errors import Error


def program(name: str) -> str:
    """The path of einplan, einrun or eintool."""
    return _found(name, os.environ.get("EINLOOM_BIN"), os.environ.get("PATH"))


@lru_cache(maxsize=None)
def _found(name: str, chosen: "str | None", path: "str | None") -> str:
    if chosen:
        here = Path(chosen) / name
        if os.access(here, os.X_OK):
            return str(here)
        raise Error(f"EINLOOM_BIN: expected a folder with {name}, found {chosen}; correct it or unset it")
    for folder in Path(__file__).resolve().parents:
        for beside in (folder / "bin" / name, folder / "build" / "bin" / name):
            if os.access(beside, os.X_OK) and beside.is_file():
                return str(beside)
    in_path = shutil.which(name, path=path)
    if in_path is None:
        raise Error(f"{name}: expected it beside the module or in PATH, found it nowhere; build or install Einloom, or "
                    "set EINLOOM_BIN to the folder of its programs")
    return in_path
