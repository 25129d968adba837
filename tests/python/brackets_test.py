#!/usr/bin/env python3
"""Brackets with random keys, read, written on and added to, compared with NumPy: brackets_test.py RANKS [SEED]

Keys are made of numbers, slices of any step, ..., None, arrays of indices (known and lazy) and masks; what NumPy does
not take is left out. All results are one graph and one run. Exits with 77 (skipped) where NumPy is missing.
"""
import random
import sys
import warnings

from tested_module import el, np

SHAPES = ((7,), (4, 5), (3, 4, 5), (2, 3, 1, 4))


def random_slice(pick, extent):
    bounds = [None, *range(-extent - 1, extent + 2)]
    return slice(pick.choice(bounds), pick.choice(bounds), pick.choice([None, 1, 2, -1, -2]))


def random_key(pick, shape):
    """A key as NumPy has it, and the same with some arrays lazy."""
    keys, lazy, place = [], [], 0
    width = pick.choice([(), (2,), (3,), (2, 3), (1,)])
    while place < len(shape) and pick.random() < 0.85:
        extent, kind = shape[place], pick.choice(["number", "slice", "slice", "whole", "array", "array", "mask", "new"])
        if kind == "new":
            keys.append(None)
            lazy.append(None)
            continue
        place += 1
        if kind == "array":
            array = np.array([pick.randrange(-extent, extent) for _ in range(int(np.prod(width)))]).reshape(width)
            keys.append(array)
            lazy.append(pick.choice([array, el.tensor(array), array.tolist(), el.tensor(array) + 0]))
        else:
            known = np.array([pick.random() < 0.5 for _ in range(extent)])
            key = {"number": pick.randrange(-extent, extent), "slice": random_slice(pick, extent),
                   "whole": slice(None), "mask": known}[kind]
            keys.append(key)
            lazy.append(el.tensor(known) if kind == "mask" and pick.random() < 0.5 else key)
    if pick.random() < 0.2:
        at = pick.randrange(len(keys) + 1)
        keys.insert(at, Ellipsis)
        lazy.insert(at, Ellipsis)
    return (keys[0], lazy[0]) if len(keys) == 1 and pick.random() < 0.5 else (tuple(keys), tuple(lazy))


def assign(module, array, key, value, how):
    """The same assignment for NumPy's arrays and lazy ones."""
    if how == "set":
        array[key] = value
    elif how == "add":
        array[key] += value
    else:
        getattr(module, how.partition(".")[0]).at(array, key, value)


def assigned(pick, draw, array, key, how):
    """The array of NumPy after an assignment, and the value."""
    chosen = array[key]
    value = draw.integers(-9, 9, chosen.shape).astype(float)
    if pick.random() < 0.3:
        value = float(pick.randrange(9))
    elif pick.random() < 0.4 and chosen.ndim:
        value = value[..., :1] if pick.random() < 0.5 else value[0]
    after = array.copy()
    assign(np, after, key, value, how)
    return after, value


def main():
    warnings.simplefilter("ignore")
    pick, draw = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 5), np.random.default_rng(3)
    graph, expected, faults, number = {}, {}, [], 0
    while len(expected) < 240:
        number += 1
        array = draw.integers(-9, 9, pick.choice(SHAPES)).astype(float)
        key, lazy_key = random_key(pick, array.shape)
        how = pick.choice(["read", "read", "set", "set", "add", "add.at", "maximum.at", "subtract.at"])
        name = f"{number} {how} {array.shape} [{key}]"
        has_new = any(one is None for one in (key if isinstance(key, tuple) else (key,)))
        try:
            wanted, value = (array[key], None) if how == "read" else assigned(pick, draw, array, key, how)
        except (IndexError, ValueError, TypeError):
            continue  # NumPy does not take it
        if has_new and how != "read":
            continue
        lazy = el.tensor(array)
        try:
            if how == "read":
                lazy = lazy[lazy_key]
            else:
                assign(el, lazy, lazy_key, value, how)
            expected[name], graph[f"case{number}"] = wanted, el.asarray(lazy)
        except (el.Error, AttributeError, TypeError) as error:
            faults.append(f"{name} is refused: {error}")
            expected[name], graph[f"case{number}"] = np.zeros(()), el.zeros(())
    results = el.run(graph, ranks=int(sys.argv[1]), progress="off", time_limit=1)
    for (name, wanted), found in zip(expected.items(), results.values()):
        if np.shape(found) != np.shape(wanted) or not np.array_equal(found, wanted):
            faults.append(f"{name} is {np.asarray(found).tolist()}, NumPy's {np.asarray(wanted).tolist()}")
    print("\n".join(faults))
    print(f"{len(expected) - len(faults)} of {len(expected)} brackets are as NumPy's")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
