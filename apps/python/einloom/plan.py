"""`plan`: what Einloom would do, before anything runs: cost, bytes, memory of each rank, and why."""
from __future__ import annotations

import json
import os
import warnings
from typing import Any, Dict, List, Optional, Sequence, Union

from .checked import whole_number
from .errors import program_error
from .graph.document import Document, Outputs, save, write_graph
from .options import check_options
from .programs.find import program
from .programs.process import Ended, run_program
from .programs.workspace import Workspace

PathLike = Union[str, "os.PathLike[str]"]


class Plan:
    """A plan for a number of ranks. It prints as einplan's summary, and shows itself as a page in a notebook."""

    def __init__(self, document: Document, options: Sequence[str], explanation: Dict[str, Any],
                 notes: Sequence[str] = ()):
        self._document, self._options = document, list(options)
        self._explanation = explanation
        self.notes = list(notes)

    @property
    def explanation(self) -> Dict[str, Any]:
        """All that `einplan --explain=json` says."""
        return self._explanation

    @property
    def graph(self) -> str:
        """The graph that is planned."""
        return self._document.text

    @property
    def ranks(self) -> int:
        return int(self.explanation["ranks"])

    @property
    def strategy(self) -> str:
        return str(self.explanation["strategy"])

    @property
    def tasks(self) -> int:
        return int(self.explanation["tasks"])

    @property
    def flops(self) -> float:
        return float(self.explanation["flops"])

    @property
    def cost(self) -> Dict[str, float]:
        """The published worst-case cost in elements: join, agg, repart and total."""
        return dict(self.explanation["cost"])

    @property
    def bytes(self) -> Dict[str, int]:
        """Bytes that move, as predicted: in all, and those of the busiest rank."""
        return dict(self.explanation["bytes"])

    @property
    def peaks(self) -> List[int]:
        """The most bytes of blocks that each rank holds at a time."""
        return list(self.explanation["peak_bytes"])

    @property
    def peak(self) -> int:
        """The largest of them."""
        return max(self.peaks, default=0)

    @property
    def seconds(self) -> Optional[float]:
        """How long a run is predicted to take on the machines of `cluster`."""
        return self.explanation.get("timing", {}).get("seconds")

    def explain(self) -> str:
        """For each node what was chosen, what was rejected, and why."""
        return self._einplan("--explain")

    def html(self) -> str:
        """The same as a page with the graph drawn."""
        return self._einplan("--explain=html")

    def __str__(self) -> str:
        """einplan's summary and its notes, without what it says of files: there are none of this plan."""
        lines = self._einplan().rstrip("\n").splitlines()
        lines = [line for line in lines if not line.startswith(("  written ", "  batch "))]
        return "\n".join(lines + [f"  note            {note}" for note in self.notes])

    def __repr__(self) -> str:
        found = self.explanation
        return (f"einloom.Plan(ranks={found['ranks']}, strategy={found['strategy']!r}, "
                f"bytes={found['bytes']['total']}, peak={self.peak})")

    def _repr_html_(self) -> str:
        from html import escape
        style = "width:100%;height:36em;border:1px solid #ccc"
        return f'<iframe srcdoc="{escape(self.html())}" style="{style}"></iframe>'

    def _einplan(self, *words: str) -> str:
        return _dry_run(self._document, [*self._options, *words]).output


def plan(outputs: Outputs, ranks: int = 1, **options: Any) -> Plan:
    """The plan for these outputs on so many ranks.

    Options are those of einplan, as `cluster="nodes.json"`, `memory="8GiB"`, `decompose="megatron"`,
    `time_limit=5`, `reproducible=True`, and the graph's `mesh`, `sharding` and `parts`.

    >>> import einloom as el
    >>> A, B = el.input("A", (300, 200)), el.input("B", (200, 400))
    >>> p = el.plan({"C": A @ B}, ranks=4)
    >>> p.ranks, len(p.peaks), p.cost["total"] > 0
    (4, 4, True)
    """
    check_options(plan, options, _OPTIONS, others_too=True)
    ranks = whole_number(ranks, "ranks", 1)
    extra = _graph_options(options)
    document, words = write_graph(outputs, extra=extra), ["-n", str(ranks), *option_words(options)]
    ended = _dry_run(document, [*words, "--explain=json"])
    warn_of(ended.messages, stacklevel=3)
    return Plan(document, words, json.loads(ended.output), notes_in(ended.messages))


class Script(str):
    """A batch script as text. `summary` says what was planned, for which machine, and where results will be."""

    summary: str


def batch(outputs: Outputs, path: PathLike, ranks: int = 1, kind: str = "slurm", **options: Any) -> Script:
    """Saves the graph as `save` does, plans it, and gives the batch script to submit in that folder.

    The schedule is written beside the graph. `kind` is `slurm`, or `mpirun` for the plain command; options are those of
    `plan`. Without `cluster=` nodes and memory are those that Slurm's sinfo lists, or of this machine.
    """
    check_options(batch, options, _OPTIONS, others_too=True)
    ranks = whole_number(ranks, "ranks", 1)
    extra = _graph_options(options)
    path = os.path.abspath(os.fspath(path))
    names = save(outputs, path, **extra)
    folder, name = os.path.split(path)
    words = [name, "-n", str(ranks), *option_words(options), "-o", f"{name.rpartition('.')[0] or name}.sched"]
    ended = _ended([*words, "--batch", kind], folder)
    script = Script(ended.output)
    files = [os.path.join(folder, "results", f"{one.replace('/', '.')}.npy") for one in names]
    machine = next((line[len(_FOR):].rstrip(".") for line in script.splitlines() if line.startswith(_FOR)), "")
    told = [("machine", machine), ("results", ", ".join(files[:4]) + (", ..." if len(files) > 4 else "")),
            ("described in", _described())]
    script.summary = "\n".join([*ended.messages, *(f"  {key:<16}{value}" for key, value in told if value)])
    return script


_FOR = "# Nodes, cores and memory are for "


def _described() -> str:
    """Where docs/slurm.md is: in the checkout, or installed."""
    here = os.path.abspath(__file__)
    while os.path.dirname(here) != here:
        here = os.path.dirname(here)
        for place in ("docs/slurm.md", "share/doc/einloom/docs/slurm.md"):
            if os.path.exists(os.path.join(here, place)):
                return os.path.join(here, place)
    return ""


def _graph_options(options: Dict[str, Any]) -> Dict[str, Any]:
    """Takes those options that are entries of the graph."""
    return {key: options.pop(key) for key in ("mesh", "sharding", "parts") if isinstance(options.get(key), dict)}


_WARNING, _NOTE = "einplan: warning: ", "einplan: note: "


def notes_in(messages: Sequence[str]) -> List[str]:
    """What is sound and hardly meant, and what is made dense, of einplan's messages."""
    return [line[len(_NOTE):] for line in messages if line.startswith(_NOTE)]


def warn_of(messages: Sequence[str], stacklevel: int) -> None:
    """Einplan's warnings and notes as Python's."""
    for line in messages:
        if line.startswith(_WARNING):
            warnings.warn(line[len(_WARNING):], RuntimeWarning, stacklevel=stacklevel)
    for note in notes_in(messages):
        warnings.warn(note, UserWarning, stacklevel=stacklevel)


def _dry_run(document: Document, words: Sequence[str]) -> Ended:
    with Workspace() as workspace:
        graph = workspace.write_graph(document, only_planned=True)
        return _ended([os.path.basename(graph), *words, "--dry-run"], workspace.folder)


def _ended(words: Sequence[str], folder: str) -> Ended:
    ended = run_program([program("einplan"), *words], folder)
    if ended.code:
        raise program_error("\n".join(ended.messages), ended.code)
    return ended


def option_words(options: Dict[str, Any]) -> List[str]:
    """Options as the programs take them: `memory="8GiB"` is `--memory 8GiB`, `verify=True` is `--verify`.

    >>> option_words({"memory": "8GiB", "time_limit": 5, "reproducible": True, "cluster": None})
    ['--memory', '8GiB', '--time-limit', '5', '--reproducible']
    """
    words: List[str] = []
    for key, value in options.items():
        name = "--" + key.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(name)
        elif name == "--verify":
            words.append(f"{name}={value}")
        else:
            words += [name, os.path.abspath(value) if isinstance(value, os.PathLike) or key in _FILES else str(value)]
    return words


# Of einplan, as other names for them mean; it refuses what it has not itself.
_OPTIONS = ("memory", "device_memory", "cluster", "decompose", "reproducible")
_FILES = ("cluster", "spill_dir", "checkpoint", "trace", "plan_in", "plan_out", "report", "inputs_below")
