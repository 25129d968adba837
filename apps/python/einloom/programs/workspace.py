"""The folder in which a graph, its tensors and its results lie while the programs work on them."""
from __future__ import annotations

import filecmp
import os
import shutil
import tempfile
from typing import Any, Dict, Optional, Union

import numpy as np

from ..errors import InputError
from ..graph.document import Document
from ..sources import Csr


class Workspace:
    """A temporary folder, removed at the end; or a folder that stays until the run has ended well (for checkpoints)."""

    def __init__(self, folder: Optional[str] = None):
        self.lasting = folder is not None
        try:
            if folder is None:
                self.folder = tempfile.mkdtemp(prefix="einloom-")
            else:
                self.folder = os.path.abspath(folder)
                os.makedirs(self.folder, exist_ok=True)
        except OSError as error:
            place = folder or "TMPDIR"
            raise InputError(f"{place}: expected a folder to write to, found {error}; name another") from error

    def __enter__(self) -> "Workspace":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None or not self.lasting:
            shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def write_graph(self, document: Document, only_planned: bool = False) -> str:
        """The graph and its files; those that planning looks at alone, if nothing is to be run."""
        fresh = self.path("fresh")
        os.makedirs(fresh, exist_ok=True)
        document.data.write(fresh, only_planned)
        for name in os.listdir(fresh):
            self._settle(os.path.join(fresh, name), self.path(name))
        os.rmdir(fresh)
        graph = self.path("graph.json")
        with open(graph, "w", encoding="utf-8") as file:
            file.write(document.text + "\n")
        return graph

    def write_inputs(self, inputs: Dict[str, Union[np.ndarray, Csr]]) -> Dict[str, str]:
        """A file for each input that is given for a run."""
        files = {}
        for number, (name, content) in enumerate(inputs.items()):
            ending = ".npz" if isinstance(content, Csr) else ".npy"
            files[name] = self.path(f"input-{number}{ending}")
            new = f"{files[name]}.new{ending}"
            if isinstance(content, Csr):
                content.write(new)
            else:
                np.save(new, content)
            self._settle(new, files[name])
        return files

    @staticmethod
    def _settle(new: str, path: str) -> None:
        """A file that is as before keeps its time, so that a checkpoint still belongs to it."""
        if os.path.exists(path) and filecmp.cmp(new, path, shallow=False):
            os.remove(new)
        else:
            os.replace(new, path)
