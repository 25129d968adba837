"""Where a graph may be saved: under a name of a graph, and over no file that it reads or that is none of a graph."""
from __future__ import annotations

import os
from typing import Any, List, Mapping, Optional

from ..errors import refuse

# What writes the elements themselves into a file of such a name, and what ALL and ONE are in it.
_ELEMENTS = {
    "npy": "numpy.save(FILE, ONE)", "npz": "numpy.savez(FILE, **ALL)",
    "csv": "numpy.savetxt(FILE, ONE, delimiter=',')", "tsv txt dat": "numpy.savetxt(FILE, ONE)",
    "safetensors": "safetensors.numpy.save_file(dict(ALL), FILE)",
    "pt pth ckpt": "torch.save({name: torch.from_numpy(x) for name, x in ALL.items()}, FILE)",
    "pkl pickle": "pickle.dump(dict(ALL), open(FILE, 'wb'))", "mat": "scipy.io.savemat(FILE, dict(ALL))",
    "h5 hdf5 hdf": "h5py.File(FILE, 'w').create_dataset('x', data=ONE)",
    "mtx": "scipy.io.mmwrite(FILE, ONE)", "bin raw": "ONE.tofile(FILE)",
}


def graph_path(path: str, outputs: Any) -> str:
    """The path. @raises InputError for the name of a file of elements, or of a schedule"""
    ending = os.path.splitext(path)[1].lower()[1:]
    graph = os.path.splitext(path)[0] + ".json"
    if ending == "sched":
        raise refuse("save", "a name for the graph, as *.json", f"{path!r}, the name of a schedule",
                     f"write save(outputs, {graph!r}), and plan it: einplan {graph} -n 4")
    writes = next((how for endings, how in _ELEMENTS.items() if ending in endings.split()), None)
    if writes is None:
        return path
    names = list(outputs) if isinstance(outputs, Mapping) else []
    every = "einloom.run(outputs)"
    one = f"{every}[{names[0]!r}]" if names else every
    of_all = every if names else "{'x': " + every + "}"
    elements = writes.replace("FILE", repr(path)).replace("ONE", one).replace("ALL", of_all)
    raise refuse("save", "a name for the graph, as *.json", f"{path!r}, the name of a file of elements",
                 f"to save the graph, which einplan reads, write save(outputs, {graph!r}); to save the elements, "
                 f"{elements}")


def check_kept(path: str, beside: List[str], read: Mapping[str, str]) -> None:
    """What is written replaces no file that the graph reads, and no other file than a graph.

    @param beside  files of tensors that are written too  @param read  the names of tensors by the files they are in
    """
    here = {os.path.realpath(file): name for file, name in read.items()}
    for file in [path, *beside]:
        name = _same(file, here)
        if name is not None:
            raise refuse("save", "other files than those that the graph reads",
                         f"{file!r}, which tensor {name!r} is read from", "save it under another name, such as "
                         f"{os.path.splitext(path)[0] + '_graph.json'!r}")
    if not _may_be_graph(path):
        raise refuse("save", "a graph's file, or none, under that name", f"{path!r}, which is none and would be lost",
                     "give another name, or remove it first")


def _same(file: str, read: Mapping[str, str]) -> Optional[str]:
    found = read.get(os.path.realpath(file))
    if found is None and os.path.exists(file):
        found = next((name for other, name in read.items() if os.path.exists(other) and os.path.samefile(file, other)),
                     None)
    return found


def _may_be_graph(path: str) -> bool:
    """Whether nothing is there, or JSON, as far as its first sign says."""
    if not os.path.isfile(path):
        return True
    with open(path, "rb") as file:
        begin = file.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n")
    return not begin or begin.startswith(b"{")
