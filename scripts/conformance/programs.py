"""Runs Einloom's programs on an instance in a temporary folder, and counts what came of it."""
import os
import shutil
import subprocess

import numpy as np


class Wrong(Exception):
    """What an instance did other than it should."""


class Programs:
    def __init__(self, binaries):
        self.binaries = os.path.abspath(binaries)
        self.mpiexec = shutil.which("mpirun") or shutil.which("mpiexec")

    def run(self, program, *words):
        """@return what it prints"""
        words = [os.path.join(self.binaries, program)] + [str(word) for word in words]
        return self.command(words)

    @staticmethod
    def command(words):
        done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            said = (done.stdout + done.stderr).strip().splitlines()[-3:]
            raise Wrong(f"{' '.join(words)}: exit code {done.returncode}: {' / '.join(said)}")
        return done.stdout

    def ranks(self, wanted):
        """Of these numbers those that can be started here."""
        return [ranks for ranks in wanted if ranks == 1 or self.mpiexec]

    def plan(self, graph, ranks, *options):
        return self.run("einplan", graph, "-n", ranks, "-o", "g.sched", *options)

    def results(self, graph, ranks, name, inputs=()):
        """Planned and run. @return the output of that name"""
        self.execute(graph, ranks, inputs)
        return np.load(f"results/{name}.npy")

    def execute(self, graph, ranks, inputs=()):
        """Planned and run: all outputs in the folder results."""
        self.plan(graph, ranks)
        words = [os.path.join(self.binaries, "einrun"), "g.sched", "--out", "results", "--quiet"]
        for given in inputs:
            words += ["--input", given]
        self.command(([self.mpiexec, "-n", str(ranks)] if ranks > 1 else []) + words)


def compare(what, found, expected, tolerance):
    """Of the largest element. @raise Wrong"""
    expected = np.asarray(expected)
    if found.shape != expected.shape:
        raise Wrong(f"{what}: shape {found.shape} where {expected.shape} was expected")
    scale = np.abs(expected).max() if expected.size else 0
    error = np.abs(found - expected).max() if expected.size else 0
    if not error <= tolerance * max(scale, 1e-300):
        raise Wrong(f"{what}: {error:.2e} apart, of {scale:.2e}")


class Table:
    """Counts of instances by target: how many there are, were imported, planned, and equal what NumPy gives."""
    STEPS = ("imported", "planned", "equal")

    def __init__(self):
        self.rows = {}
        self.computed = {}  # by target: whether any is, or should have been
        self.wrong = []
        self.left_out = []

    def take(self, target, name, steps):
        """@param steps  a generator that yields the name of each step behind it; what it raises is told"""
        row = self.rows.setdefault(target, dict.fromkeys(("instances",) + self.STEPS, 0))
        row["instances"] += 1
        try:
            for step in steps:
                row[step] += 1
                self.computed[target] = self.computed.get(target, False) or step == "equal"
        except Wrong as wrong:
            self.computed[target] = True
            self.wrong.append(f"{target}, {name}: {wrong}")

    def leave_out(self, name, why):
        self.left_out.append(f"{name}: {why}")

    def text(self):
        width = max(map(len, self.rows), default=0)
        lines = ["target".ljust(width) + "".join(f"{head:>11}" for head in ("instances",) + self.STEPS)]
        for target, row in self.rows.items():
            counts = [str(count) for count in row.values()]
            if not self.computed.get(target):
                counts[-1] = "-"
            lines.append(target.ljust(width) + "".join(f"{count:>11}" for count in counts))
        lines += [f"wrong: {wrong}" for wrong in self.wrong] + [f"not computed: {text}" for text in self.left_out]
        return "\n".join(lines)
