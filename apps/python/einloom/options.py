"""Options by the names that other programs have for them: what to write in their place."""
from __future__ import annotations

import inspect
from difflib import get_close_matches
from typing import Any, Callable, Collection, List, Mapping

_OTHERS = {
    "ranks": "n np nprocs nproc num_procs processes num_processes nranks n_ranks num_ranks ntasks n_tasks num_tasks "
             "workers num_workers n_workers max_workers world_size n_jobs mpi_size size procs",
    "threads": "nthreads n_threads num_threads threads_per_rank omp_num_threads cpus ncpus num_cpus n_cpus "
               "cores ncores num_cores n_cores cpus_per_task cpus_per_rank",
    "memory": "mem memory_limit mem_limit max_memory max_mem memory_budget mem_budget budget ram memory_per_rank "
              "mem_per_rank mem_per_cpu",
    "device_memory": "gpu_memory gpu_mem vram gpu_memory_limit device_mem",
    "out": "output outputs_dir output_dir out_dir outdir output_folder results_dir results_folder folder",
    "inputs": "feed feed_dict input args",
    "checkpoint": "checkpoint_dir checkpoint_folder ckpt ckpt_dir",
    "spill_dir": "spill scratch scratch_dir tmp tmp_dir tmpdir temp_dir disk",
    "reproducible": "deterministic",
    "decompose": "strategy",
    "launcher": "mpirun_args mpi_args mpirun_options srun_args launcher_args",
    "cluster": "machine machines cluster_file",
}
_INSTEAD = {other: ours for ours, others in _OTHERS.items() for other in others.split()}


def check_options(function: Callable[..., Any], options: Mapping[str, Any], known: Collection[str],
                  others_too: bool = False) -> None:
    """Refuses options that the function has not; with `others_too` only such as are meant otherwise.

    >>> check_options(lambda outputs, ranks=1, **options: None, {"memory": "8GiB"}, ["memory"])
    """
    own = _own(function)
    for key, value in options.items():
        if key in known or key in own:
            continue
        meant = _INSTEAD.get(key, "")
        if meant in known or meant in own:
            mend = f"write {meant}={value!r}" if len(repr(value)) < 40 else f"write {meant}="
        elif meant and others_too:
            mend = f"{meant}= is an option of einloom.run"
        elif others_too:
            continue
        else:
            near = get_close_matches(key, [*own, *known], n=1, cutoff=0.75)
            mend = f'did you mean "{near[0]}"?' if near else f"it has {', '.join([*own, *sorted(known)])}"
        raise TypeError(f"{function.__name__}() has no option {key!r}; {mend}")


def _own(function: Callable[..., Any]) -> List[str]:
    parameters = inspect.signature(function).parameters.values()
    return [one.name for one in parameters if one.kind is not one.VAR_KEYWORD]
