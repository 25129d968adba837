#!/usr/bin/env python3
"""Injects faults below the C library into einplan and einrun, one a launch.

Usage: campaign.py BIN LIBRARY MPIEXEC COUNT [SEED]

Each launch must end within its limit of time, either with the results of an undisturbed run and code 0, or with a
message and one of the codes that the README lists. Whatever it leaves under a final name is whole, and nothing is left
under a temporary one. Prints what did not keep to that; exit code 1 when anything did not.
"""
import collections
import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

LIMIT = 60  # seconds that a launch of well under one may take
UNREAD = "cannot be read: einrun will not see whether it changed"
CODES = {1, 3, 4}  # failed while running, an input that cannot be read, no memory
GRAPH = {
    "eingraph": 1, "name": "faults", "dtype": "f64",
    "tensors": {"X": {"shape": [60, 40], "data": {"npy": "X.npy"}},
                "W": {"shape": [40, 30], "data": {"random": "normal", "mean": 0, "std": 1, "seed": 4}},
                "w0": {"shape": [30], "data": {"fill": 1}}},
    "nodes": [{"name": "XW", "einsum": "ij,jk->ik", "inputs": ["X", "W"]},
              {"name": "P", "op": "softmax", "inputs": ["XW"], "axes": [1]},
              {"name": "G", "einsum": "ik,il->kl", "inputs": ["P", "P"]},
              {"name": "power", "loop": {"times": 4, "carry": {"w0": "w1"}, "body": [
                  {"name": "w1", "einsum": "kl,l->k", "inputs": ["G", "w0"]}]}}],
    "outputs": ["P", "G", "power/w0"]}


def write_npy(path, rows, columns):
    """Without NumPy, which may not be there."""
    import struct
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, columns)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    values = [((7 * i) % 23 - 11) / 8 for i in range(rows * columns)]
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack("<%dd" % len(values), *values))


class Program:
    """A command line, run in a folder of its own beside the graph, and the files that it makes."""

    def __init__(self, name, command, made, ranks):
        self.name, self.command, self.made, self.ranks = name, command, made, ranks
        program = command[command.index("-n") + 2] if ranks > 1 else command[0]
        self.shower = str(pathlib.Path(program).parent / "eintool")
        self.counts, self.right = {}, {}

    def launch(self, source, environment):
        folder = pathlib.Path(tempfile.mkdtemp(dir=source.parent))
        for file in source.iterdir():
            shutil.copy(file, folder)
        before = {str(p.relative_to(folder)) for p in folder.rglob("*")}
        try:
            done = subprocess.run(self.command, cwd=folder, env={**os.environ, **environment}, timeout=LIMIT,
                                  stdin=subprocess.DEVNULL, capture_output=True)
            code, said = done.returncode, done.stderr.decode(errors="replace")
        except subprocess.TimeoutExpired as late:
            code, said = None, (late.stderr or b"").decode(errors="replace")
        files = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        shutil.rmtree(folder)
        return code, said, {name: data for name, data in files.items() if name not in before}


def digest(name, data):
    """Reports and traces hold times: that they are whole JSON is enough."""
    if name.endswith(".json"):
        json.loads(data)
        return "json"
    return hashlib.sha256(data).hexdigest()


def is_sound_schedule(shower, data):
    """Whether eintool, which verifies what it reads, shows it."""
    with tempfile.NamedTemporaryFile(suffix=".sched") as file:
        file.write(data)
        file.flush()
        return subprocess.run([shower, "show", file.name], capture_output=True).returncode == 0


def what_is_wrong(program, code, said, files, codes=CODES):
    if code is None:
        return f"hung for {LIMIT} s"
    if code != 0 and code not in codes:
        return f"ended with code {code}"
    if code != 0 and not said.strip():
        return f"ended with code {code} and no message"
    for name, data in files.items():
        if ".flight/" in name:
            continue  # what a rank was doing: left on purpose
        if name not in program.made:
            return f"left {name}"
        try:
            # A schedule lacks the fingerprint of an input that could not be read: a warning says so, and the schedule
            # must be sound all the same.
            if name.endswith(".sched") and UNREAD in said:
                if not is_sound_schedule(program.shower, data):
                    return f"left {name}, which is no sound schedule"
                continue
            if digest(name, data) != program.right[name]:
                return f"left {name} with other contents"
        except ValueError:
            return f"left {name} cut short"
    if code == 0:
        missing = set(program.made) - set(files)
        if missing:
            return f"ended with code 0 without {sorted(missing)[0]}"
    return None


def main():
    binaries, library, mpiexec, count = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
    draw = random.Random(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
    work = pathlib.Path(tempfile.mkdtemp())
    source = work / "source"
    source.mkdir()
    (source / "g.json").write_text(json.dumps(GRAPH))
    write_npy(source / "X.npy", 60, 40)
    for ranks in (1, 2):
        subprocess.run([binaries / "einplan", "g.json", "-n", str(ranks), "-q", "--decompose",
                        "eindecomp", "-o", f"{ranks}.sched"], cwd=source,
                       check=True)
    outputs = ["results/P.npy", "results/G.npy", "results/power.w0.npy"]
    reports = ["--quiet", "--verify", "--report", "r.json", "--trace", "t.json", "--stall", "20", "--threads", "2"]
    run = [str(binaries / "einrun")]
    spill = ["--memory", "50KiB", "--spill-dir", "."]
    programs = [
        Program("einplan", [str(binaries / "einplan"), "g.json", "-n", "3", "-o", "s.sched", "--plan-out", "p.plan"],
                ["s.sched", "p.plan"], 1),
        Program("einrun", run + ["1.sched"] + reports, outputs + ["r.json", "t.json"], 1),
        Program("einrun, spilling", run + ["1.sched"] + reports + spill, outputs + ["r.json", "t.json"], 1),
        Program("einrun of 2 ranks", [mpiexec, "-n", "2"] + run + ["2.sched"] + reports, outputs + ["r.json", "t.json"],
                2),
    ]
    for program in programs:   # undisturbed: right results, and how many calls of each kind there are
        counts = work / "counts"
        shutil.rmtree(counts, ignore_errors=True)
        counts.mkdir()
        code, said, files = program.launch(source, {"LD_PRELOAD": library, "EIN_FAULT_COUNTS": str(counts)})
        if code != 0:
            sys.exit(f"{program.name}: expected code 0 without a fault, found {code}\n{said}")
        program.right = {name: digest(name, files[name]) for name in program.made}
        for file in counts.iterdir():
            for line in file.read_text().splitlines():
                kind, calls = line.split()
                program.counts[kind] = max(program.counts.get(kind, 0), int(calls))
    wrong, ends = 0, collections.Counter()
    for number in range(count):
        program = draw.choice(programs)
        kind = draw.choice(sorted(k for k, calls in program.counts.items() if calls > 0))
        call = draw.randint(1, program.counts[kind])
        environment = {"LD_PRELOAD": library, "EIN_FAULT": f"{kind}:{call}"}
        if program.ranks > 1:
            environment["EIN_FAULT_RANK"] = str(draw.randrange(program.ranks))
        code, said, files = program.launch(source, environment)
        fault = what_is_wrong(program, code, said, files, {4} if kind == "no_memory" else CODES)
        ends[(kind, "right" if code == 0 else "reported")] += 1
        if fault:
            wrong += 1
            print(f"{program.name}, {environment}: {fault}\n    " + "\n    ".join(said.strip().splitlines()[-4:]),
                  flush=True)
        if (number + 1) % 500 == 0:
            print(f"{number + 1} of {count} faults", file=sys.stderr, flush=True)
    shutil.rmtree(work)
    for (kind, end), times in sorted(ends.items()):
        print(f"{kind:12} {end:6} {times}")
    print(f"{count} faults: {wrong} ended otherwise than they should")
    sys.exit(1 if wrong else 0)


main()
