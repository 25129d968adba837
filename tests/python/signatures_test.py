#!/usr/bin/env python3
"""Each function that NumPy has too takes NumPy's parameters, by its names and in its order: signatures_test.py

A parameter at another place would be taken for something else without a word. The first one, the array, may have
another name. Exits with 77 (skipped) where NumPy is missing.
"""
import inspect
import sys

from tested_module import el, np

# Functions of another kind under NumPy's name; parameters behind `**options`.
OTHERS = {"load", "save", "array", "asarray", "empty", "zeros", "ones", "random", "reshape"}
OF_UFUNCS = ("out", "where", "dtype")
BESIDE = {("matmul", "where"), ("vecdot", "where"), ("vecdot", "dtype")}
REFUSED = {"quantile": {"weights"}, "percentile": {"weights"}}  # of NumPy 2: they raise TypeError


def parameters(function):
    return list(inspect.signature(function, follow_wrapped=True).parameters.values())


def faults_of(theirs, ours):
    """What is wrong with the parameters of ours."""
    given, found = parameters(theirs), parameters(ours)
    names = [one.name for one in found]
    any_number = any(one.kind == one.VAR_POSITIONAL for one in found)
    for place, one in enumerate(given[1:], 1):
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            continue
        if one.name in ("x2", "out") and theirs.__module__.startswith(("numpy.linalg", "numpy.fft")):
            continue  # NumPy's a and b here; NumPy 2's name of the second operand there
        if one.name not in names and one.name not in REFUSED.get(theirs.__name__, ()):
            yield f"takes no {one.name}"
        if one.name not in names:
            continue
        mine = found[names.index(one.name)]
        if mine.kind == mine.POSITIONAL_ONLY:
            yield f"does not take {one.name} by name"
        if one.kind != one.KEYWORD_ONLY and not any_number:
            if mine.kind == mine.KEYWORD_ONLY or names.index(one.name) != place:
                yield f"takes {one.name} at another place than {place}"


def main():
    faults, compared = [], 0
    for module, ours in ((np, el), (np.linalg, el.linalg), (np.fft, el.fft)):
        for name in sorted(set(dir(module)) - OTHERS):
            theirs = getattr(module, name)
            function = getattr(ours, name, None) if not name.startswith("_") else None
            if function is None or function is theirs or not callable(theirs) or isinstance(theirs, type):
                continue
            if isinstance(theirs, np.ufunc):
                names = [one.name for one in parameters(function)]
                if theirs.nout == 1 and theirs.nin < 3 and name != "positive":
                    faults += [f"{module.__name__}.{name} takes no {one}" for one in OF_UFUNCS
                               if one not in names and not (name.startswith(("bitwise", "invert"))
                                                            or (name, one) in BESIDE)]
                compared += 1
                continue
            try:
                faults += [f"{module.__name__}.{name} {fault}" for fault in faults_of(theirs, function)]
            except ValueError:
                continue  # one of NumPy's without a signature
            compared += 1
    print("\n".join(faults))
    print(f"{compared} functions compared")
    return 1 if faults or compared < 200 else 0


if __name__ == "__main__":
    sys.exit(main())
