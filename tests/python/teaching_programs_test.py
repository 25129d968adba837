#!/usr/bin/env python3
"""Runs programs of teaching material twice, with NumPy and with Einloom, and compares: teaching_programs_test.py RANKS

Programs are functions of the module; none of them knows which one it was given. All of them are one graph and one run:
the 25 examples, and others that were written for NumPy alone, which also assign, choose by masks and change in place.
Exits with 77 (skipped) where NumPy is missing.
"""
import copy
import sys

from tested_module import MODULE, el, np

sys.path.insert(0, str(MODULE.parents[1] / "examples" / "python"))
import learning  # noqa: E402
import science  # noqa: E402
import taught_learning  # noqa: E402
import taught_networks  # noqa: E402
import taught_science  # noqa: E402


def both(programs):
    """What NumPy computes, and what Einloom is to compute, by program and result."""
    expected, lazy = {}, {}
    for number, (program, inputs) in enumerate(programs.items()):
        given = inputs(np.random.default_rng(number)) if callable(inputs) else inputs
        for name, value in program(np, **copy.deepcopy(given)).items():  # programs may change what they are given
            expected[f"{program.__name__}.{name}"] = value
        tensors = {name: el.tensor(value) if isinstance(value, np.ndarray) else value for name, value in given.items()}
        for name, value in program(el, **tensors).items():
            lazy[f"{program.__name__}.{name}"] = el.asarray(value)
    return expected, lazy


def differs(found, expected):
    """What is wrong with a result, or nothing."""
    expected = np.asarray(expected)
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return f"is {found.dtype}{found.shape}, NumPy's is {expected.dtype}{expected.shape}"
    if expected.dtype.kind in "iub":
        return "" if np.array_equal(found, expected) else f"differs in {np.count_nonzero(found != expected)} places"
    distance = np.max(np.abs(found - expected), initial=0.0)
    near = np.allclose(found, expected, rtol=1e-9, atol=1e-9, equal_nan=True)
    return "" if near else f"differs by up to {distance:.3g}"


def main():
    examples = {**learning.PROGRAMS, **science.PROGRAMS}
    taught = {**taught_learning.PROGRAMS, **taught_networks.PROGRAMS, **taught_science.PROGRAMS}
    expected, lazy = both({**examples, **taught})
    results = el.run(lazy, ranks=int(sys.argv[1]), progress="off")
    faults = {name: fault for name in expected if (fault := differs(results[name], expected[name]))}
    for name, fault in faults.items():
        print(f"{name} {fault}")
    wrong = {name.partition(".")[0] for name in faults}
    for what, programs in (("programs", examples), ("programs that were written for NumPy", taught)):
        equal = sum(program.__name__ not in wrong for program in programs)
        print(f"{equal} of {len(programs)} {what} equal NumPy's")
    return 1 if faults or len(examples) != 25 or len(taught) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
