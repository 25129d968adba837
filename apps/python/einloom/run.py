"""`run`: plans a graph, runs it on ranks, and gives the results as NumPy arrays.

One rank is einrun alone; more are started by `eintool run`: with srun inside a Slurm job, else with mpirun.
"""
from __future__ import annotations

import json
import os
import re
import time
import warnings
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np

from .array import Array
from .checked import whole_number
from .errors import program_error, refuse
from .graph.document import Document, write_graph
from .options import check_options
from .plan import PathLike, Plan, notes_in, option_words, warn_of
from .programs.find import program
from .programs.process import run_program
from .programs.progress import Progress
from .programs.workspace import Workspace
from .results import check_room, has_scipy, memory_of_this_machine, read_result
from .sources import Csr

# Options that are einplan's alone, einrun's alone, or both programs'.
_PLANNING = {"cluster", "decompose", "place", "parts", "time_limit", "limit", "cost_unit", "inputs_shared", "plan_in",
             "plan_out"}
_BOTH = {"memory", "device_memory", "reproducible", "inputs_below"}
_RUNNING = {"threads", "device", "verify", "verify_calls", "check_finite", "strict", "spill_dir", "trace", "stall",
            "every", "stop_at", "checkpoint_required", "allow_tf32", "gpu_aware", "repeat", "dense_outputs"}
_LAUNCHING = {"retries", "shrink"}
_OURS = re.compile(r"^(einrun|einplan|eintool|\S+\.json)[ :]")
_SHARED_CORES = re.compile(r"(\d+) ranks? x (\d+) threads? \(from (\S+)\) share (\d+) cores? on (\S+);")


class Results(Dict[str, Any]):
    """The results by name; `report` is what einrun reports of the run, `plan` the plan that was run.

    `report["seconds"]` are those of the ranks, `report["seconds_around"]` those of planning, and of all that was
    started, with launching and verifying.
    """

    report: Dict[str, Any]
    plan: Plan

    def __missing__(self, key: str) -> Any:
        raise KeyError(f"{key!r} is no result; there are {', '.join(map(repr, self)) or 'none'}")

    def __getattr__(self, name: str) -> Any:
        if name in self:
            raise AttributeError(f"results are read by their names: write results[{name!r}]")
        raise AttributeError(f"results have no {name!r}; they are a dict, with .report and .plan")


def run(outputs: Union[Array, Sequence[Array], Mapping[str, Any]], ranks: int = 1, *,
        inputs: Optional[Mapping[str, Any]] = None,
        checkpoint: Optional[PathLike] = None, out: Optional[PathLike] = None, progress: str = "auto",
        launcher: Sequence[str] = (), mesh: Optional[dict] = None, sharding: Optional[dict] = None,
        **options: Any) -> Any:
    """Computes the outputs on so many ranks.

    A dict gives `Results`, a list a list, one array one array. `inputs` has arrays for `einloom.input` tensors. With a
    `checkpoint` folder the same call goes on where an earlier one stopped. With `out` the results stay in that folder
    as files, and come as memory maps of them. `launcher` are options for mpirun or srun; others are those of einplan
    and einrun: `cluster=`, `memory=`, `threads=`, `device=`, `verify=`, `reproducible=`, `spill_dir=`, ...

    >>> import einloom as el
    >>> X = el.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> r = el.run({"G": X.T @ X})
    >>> r["G"]
    array([[10., 14.],
           [14., 20.]])
    >>> r.report["ranks"]
    1
    """
    for launcher_name, variable in (("mpirun", "OMPI_COMM_WORLD_SIZE"), ("srun", "SLURM_STEP_NUM_TASKS")):
        started = os.environ.get(variable, "1")
        if started != "1":
            raise refuse("run", "a program that was started alone, since it starts the ranks",
                         f"one that {launcher_name} started {started} times",
                         "start it as python3 PROGRAM; ranks= says how many ranks there are")
    check_options(run, options, _PLANNING | _BOTH | _RUNNING | _LAUNCHING)
    if isinstance(ranks, Array):
        raise refuse("run", "one array, or a list or dict of them", "arrays one by one", "write run([A, B])")
    if isinstance(outputs, (str, os.PathLike)):
        raise refuse("run", "one array, or a list or dict of them", f"the text {str(outputs)!r}",
                     "einloom.load reads an array; graphs in files are run by eintool run FILE -n RANKS")
    if callable(outputs):
        raise refuse("run", "one array, or a list or dict of them", "a function", "call it: run(f(X))")
    if isinstance(outputs, Mapping):
        named = dict(outputs)
    elif isinstance(outputs, (list, tuple)):
        named = {f"result{number}": one for number, one in enumerate(outputs)}
    else:
        named = {"result": outputs}
    extra = {key: value for key, value in (("mesh", mesh), ("sharding", sharding)) if value}
    if isinstance(options.get("parts"), dict):
        extra["parts"] = options.pop("parts")
    job = _Job(write_graph(named, extra=extra, keyed=isinstance(outputs, Mapping)), ranks, options, launcher)
    results = job.run(dict(inputs or {}), checkpoint, out, progress)
    if isinstance(outputs, Mapping):
        return results
    return list(results.values()) if isinstance(outputs, (list, tuple)) else results["result"]


class _Job:
    def __init__(self, document: Document, ranks: int, options: Dict[str, Any], launcher: Sequence[str]):
        self._document, self._launcher = document, list(launcher)
        self._ranks = whole_number(ranks, "ranks", 1)
        self._planning = {key: value for key, value in options.items() if key in _PLANNING | _BOTH}
        self._running = {key: value for key, value in options.items() if key in _BOTH | _RUNNING}
        self._launching = {key: value for key, value in options.items() if key in _LAUNCHING}

    def run(self, inputs: Dict[str, Any], checkpoint: Optional[PathLike], out: Optional[PathLike],
            progress: str) -> Results:
        checkpoint = None if checkpoint is None else os.path.abspath(os.fspath(checkpoint))
        with Workspace(None if checkpoint is None else f"{checkpoint}.work") as workspace:
            graph = workspace.write_graph(self._document)
            files = workspace.write_inputs(self._checked(inputs))
            begun = time.perf_counter()
            plan = self._plan(workspace, graph)
            planned = time.perf_counter()
            words = [part for name, file in files.items() for part in ("--input", f"{name}={file}")]
            if checkpoint is not None:
                words += ["--checkpoint", checkpoint]
            if not has_scipy():
                self._running["dense_outputs"] = True
            if not self._running.get("dense_outputs"):
                check_room(self._document, plan.explanation, memory_of_this_machine())
            if plan.explanation.get("spill", {}).get("bytes") and "spill_dir" not in self._running:
                words += ["--spill-dir", workspace.path("spill")]
            folder = workspace.path("results") if out is None else os.path.abspath(os.fspath(out))
            self._launch(workspace, [*words, "--out", folder], progress, checkpoint)
            ended = time.perf_counter()
            results = Results((key, read_result(folder, name, out is not None, self._document.sparse_arrays))
                              for key, name in self._document.outputs.items())
            with open(workspace.path("report.json"), encoding="utf-8") as file:
                results.report = json.load(file)
            results.report["seconds_around"] = {"planning": planned - begun, "running": ended - planned}
            results.plan = plan
            return results

    def _plan(self, workspace: Workspace, graph: str) -> Plan:
        words = ["-n", str(self._ranks), *option_words(self._planning)]
        ended = run_program([program("einplan"), graph, *words, "-o", workspace.path("graph.sched"), "--explain=json"],
                            workspace.folder)
        if ended.code:
            raise program_error(_readable(ended.messages, workspace), ended.code)
        warn_of(ended.messages, stacklevel=5)
        return Plan(self._document, words, json.loads(ended.output), notes_in(ended.messages))

    def _launch(self, workspace: Workspace, words: List[str], progress: str, checkpoint: Optional[str]) -> None:
        schedule = workspace.path("graph.sched")
        words = [schedule, *words, *option_words(self._running), "--report", workspace.path("report.json"),
                 "--progress", "off" if progress == "off" else "plain"]
        if self._ranks == 1 and checkpoint is None and not self._launcher:
            command = [program("einrun"), *words]
        else:
            command = [program("eintool"), "run", *words, "-n", str(self._ranks), *option_words(self._launching)]
            command += ["--", *self._launcher] if self._launcher else []
        shown = Progress(progress)
        try:
            ended = run_program(command, os.getcwd(), self._variables(), shown.take)
        finally:
            shown.end()
        if ended.code:
            raise program_error(_readable(ended.messages, workspace), ended.code)
        for line in ended.messages:
            if line.startswith("einrun: warning: "):
                told = _in_python(line[len("einrun: warning: "):])
                if told:
                    warnings.warn(told, RuntimeWarning, stacklevel=4)

    def _variables(self) -> Dict[str, str]:
        """Settings for more ranks than cores on this machine, where nothing else is set."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        if self._ranks <= cores or "SLURM_JOB_ID" in os.environ:
            return {}
        return {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
                "OMPI_MCA_hwloc_base_binding_policy": "none"}

    def _checked(self, inputs: Dict[str, Any]) -> Dict[str, Union[np.ndarray, Csr]]:
        wanted = self._document.inputs
        missing = [name for name in wanted if name not in inputs]
        strange = [name for name in inputs if name not in wanted]
        if missing:
            raise refuse("run", f"arrays for the inputs {', '.join(wanted)}",
                         f"none for {', '.join(missing)}" + (f" but one for {strange[0]!r}" if strange else ""),
                         f"give run(..., inputs={{{missing[0]!r}: array}})")
        if strange:
            raise refuse("run", f"the inputs {', '.join(wanted) or '(none)'}", f"{strange[0]!r}",
                         "name a tensor that einloom.input made")
        for name, value in inputs.items():
            if hasattr(value, "tocsr") and not wanted[name].sparse:
                raise refuse(f"run, input {name!r}", "an array", "a sparse matrix of SciPy's",
                             f"declare input({name!r}, {wanted[name].shape}, sparse=True), give .toarray() of it, or "
                             "write einloom.sparse of it in place of the input")
        found = {name: value if hasattr(value, "tocsr") else np.asarray(value) for name, value in inputs.items()}
        for name, value in found.items():
            if not np.can_cast(value.dtype, wanted[name].stored, "same_kind"):
                raise refuse(f"run, input {name!r}", f"elements of type {wanted[name].stored}", f"{value.dtype}",
                             "convert it with .astype")
            if value.shape != wanted[name].shape:
                transposed = value.shape == wanted[name].shape[::-1]
                raise refuse(f"run, input {name!r}", f"shape {wanted[name].shape}", f"{value.shape}",
                             f"transpose it (.T), or declare input({name!r}, {value.shape})" if transposed else
                             f"give one of that shape, or declare input({name!r}, {value.shape})")
        return {name: Csr.of(value, wanted[name].dtype) if hasattr(value, "tocsr") else
                value.astype(wanted[name].stored, copy=False) for name, value in found.items()}


def _in_python(warning: str) -> str:
    """A warning of einrun with Python's names of options; nothing where more ranks than cores were asked for alone."""
    shared = _SHARED_CORES.match(warning)
    if not shared:
        return warning
    ranks, threads, setting, cores, host = shared.groups()
    if int(threads) == 1:  # report["ranks_detail"] says that they share cores
        return ""
    given = "threads=" if setting == "--threads" else setting
    return (f"{ranks} ranks with {threads} threads each ({given}) share {cores} cores on {host}; give ranks and "
            f"threads= whose product is at most {cores}")


def _readable(messages: List[str], workspace: Workspace) -> str:
    """The messages, with the graph's name alone where the temporary folder stood."""
    kept = [line for line in messages if not line.startswith("einrun: warning: ")]
    said = [line for line in kept if _OURS.match(line)]
    if said:  # the launcher's words about a rank that failed say nothing more
        kept = kept[:next((place for place, line in enumerate(kept) if line.startswith("-----")), len(kept))] or said
    text = "\n".join(kept).replace(workspace.folder + os.sep, "")
    if any("attempt to run as root" in line for line in messages):
        text += ("\n\nAs root, in a container: set OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
                 "in the environment before the run.")
    if any("does not support recursive calls" in line or "found that mpirun started it" in line for line in messages):
        text += ("\n\nThis program was started by mpirun: start it alone, python3 PROGRAM; ranks= says how many "
                 "there are.")
    return text.strip()
