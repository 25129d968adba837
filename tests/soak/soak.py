#!/usr/bin/env python3
"""Runs random graphs with random options, verified, for as long as asked: soak.py BIN GENERATOR MPIEXEC SECONDS [SEED]

Each graph is planned for 1 to 7 ranks with options drawn at random and run with --verify. The run must end with code 0,
its bytes and messages as predicted, no peak above the prediction, no block left; now and then once more in less memory
than it predicts, with blocks that spill. Now and then a run is repeated 1000 times or more, and its processes must not
grow. No launch may leave a file but those that it was asked for, nor at the end a process or shared segment. Prints
each fault with the command lines that show it; exit code 1 when there was one.
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

LIMIT = 300  # seconds for a launch
# Times, and seconds, at least, that a run whose memory is watched is repeated; so many ranks may share a core that a
# repeat takes a hundred times what one run does.
REPEATS, MOST_REPEATS, WATCHED = 1000, 100_000, 15
MADE = {"g.json", "g.sched", "r.json", "t.json", "results", "tmp"}  # in the folder of a launch
DTYPES = ["f64", "f32", "c64", "c128", "i64", "i32", "i16", "i8", "u8", "f16", "bf16", "mixed"]
DECOMPOSE = ["eindecomp", "exact", "moved", "sqrt", "3d", "summa", "25d", "data", "megatron", "sequence", "attention"]
PLACE = ["best", "pattern", "ia", "greedy", "round-robin"]


class Soak:
    def __init__(self, binaries, generator, mpiexec, seed):
        self.binaries, self.generator, self.mpiexec = binaries, generator, mpiexec
        self.draw = random.Random(seed)
        self.faults, self.runs, self.checked, self.refused, self.spilled, self.repeated = 0, 0, 0, 0, 0, 0
        self.folder = pathlib.Path(tempfile.mkdtemp())

    def launch(self, command, watch=None, limit=LIMIT):
        temporary = {name: str(self.folder / "tmp") for name in ("TMPDIR", "OMPI_MCA_orte_tmpdir_base")}
        process = subprocess.Popen([str(word) for word in command], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                                   env={**os.environ, **temporary})
        if watch is not None:
            threading.Thread(target=watch, args=(process,), daemon=True).start()
        try:
            said = process.communicate(timeout=limit)[1]
            return process.returncode, said
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            return None, f"no end after {limit} s"

    def fault(self, text, *commands):
        self.faults += 1
        kept = self.folder.parent / f"soak-fault-{os.getpid()}-{self.faults}"
        shutil.copytree(self.folder, kept, ignore=shutil.ignore_patterns("tmp"))  # of mpirun: pipes
        print(f"{text}\n    in {kept}: " + "; ".join(" ".join(map(str, c)) for c in commands), flush=True)

    def options(self):
        name = self.draw.choice([*DECOMPOSE, None])  # None: the default, which runs small graphs on one rank
        out = ["--place", self.draw.choice(PLACE)] + (["--decompose", name] if name else [])
        if self.draw.random() < 0.2:
            out += ["--parts", self.draw.choice([1, 2, 3, 8])]
        if self.draw.random() < 0.2:
            out += ["--inputs", "shared"]
        if self.draw.random() < 0.1:
            out += ["--reproducible"]
        return out

    def one(self, seed):
        shutil.rmtree(self.folder)
        (self.folder / "tmp").mkdir(parents=True)
        dtype, nodes = self.draw.choice(DTYPES), self.draw.choice([3, 6, 12])
        text = subprocess.run([self.generator, str(seed), dtype, str(nodes)], check=True, capture_output=True).stdout
        (self.folder / "g.json").write_bytes(text)
        ranks = self.draw.choice([1, 1, 2, 3, 4, 5, 7])
        plan = [self.binaries / "einplan", "g.json", "-n", ranks, "-q", "-o", "g.sched"] + self.options()
        code, said = self.launch(plan)
        if code in (2, 3, 4):
            self.refused += 1  # what a strategy or an option does not take
            return
        if code != 0:
            return self.fault(f"einplan ended with {code}: {said[-500:]}", plan)
        launcher = [self.mpiexec, "-n", ranks] if ranks > 1 else []
        run = launcher + [self.binaries / "einrun", "g.sched", "-q", "--verify", "--report", "r.json", "--threads",
                          self.draw.choice([1, 2, 3])]
        if self.draw.random() < 0.15:
            run += ["--device", self.draw.choice(["reference", "emulated"])]
        if self.draw.random() < 0.2:
            run += ["--trace", "t.json"]
        code, said = self.launch(run)
        self.runs += 1
        if code != 0:
            return self.fault(f"einrun ended with {code}: {said[-800:]}", plan, run)
        report = json.loads((self.folder / "r.json").read_text())
        self.look_at_report(report, plan, run)
        self.look_at_files(plan, run)
        if self.draw.random() < 0.25:
            self.in_less_memory(max(report["peak_predicted"]), plan, run)
        if self.draw.random() < 0.05 and "--trace" not in run:  # which keeps what happened in all repeats
            self.repeat(plan, run)

    def repeat(self, plan, run):
        """So often that the start of the processes is a small part of it."""
        repeats, took = REPEATS, 0
        while took < WATCHED and repeats < MOST_REPEATS:
            if took > 0:
                repeats = min(MOST_REPEATS, int(1.2 * repeats * WATCHED / took))
            sizes, began = [], time.monotonic()
            repeated = run + ["--repeat", repeats]
            code, said = self.launch(repeated, self.watcher(sizes), 6 * LIMIT)  # the machine may be busier by now
            took = time.monotonic() - began
            self.runs += 1
            if code != 0:
                return self.fault(f"einrun ended with {code}: {said[-800:]}", plan, repeated)
        self.repeated += 1
        report = json.loads((self.folder / "r.json").read_text())
        third, reported = len(sizes) // 3, 256 * repeats * len(report["ranks_detail"])  # the report has every time
        if third >= 8 and max(sizes[2 * third:]) > 1.1 * max(sizes[third:2 * third]) + (8 << 20) + reported:
            self.fault(f"processes grow while they repeat: {sizes}", plan, repeated)

    def in_less_memory(self, peak, plan, run):
        """The same in part of the memory: it fits, or it spills, or it says that it cannot be done."""
        memory = max(1, int(peak * self.draw.uniform(0.6, 1.0)))
        run = run + ["--memory", memory, "--spill-dir", "."]
        code, said = self.launch(run)
        if code == 4:
            self.refused += 1
            return self.look_at_files(plan, run)
        self.runs += 1
        if code != 0:
            return self.fault(f"einrun ended with {code}: {said[-800:]}", plan, run)
        report = json.loads((self.folder / "r.json").read_text())
        self.look_at_report(report, plan, run)
        self.look_at_files(plan, run)
        if max(report["peak_block_bytes"]) > memory:
            self.fault(f"held {report['peak_block_bytes']} bytes, allowed {memory}", plan, run)
        self.spilled += 1

    def look_at_files(self, plan, run):
        graph = json.loads((self.folder / "g.json").read_text())
        results = {name.replace("/", ".") + ".npy" for name in graph["outputs"]}
        left = {p.name for p in self.folder.iterdir()} - MADE
        left |= {"tmp/" + p.name for p in (self.folder / "tmp").iterdir()}
        if (self.folder / "results").exists():
            left |= {"results/" + p.name for p in (self.folder / "results").iterdir() if p.name not in results}
        if left:
            self.fault(f"left files: {sorted(left)}", plan, run)

    def look_at_report(self, report, plan, run):
        if report["bytes_sent"] != report["bytes_predicted"]:
            self.fault(f"sent {report['bytes_sent']} bytes, predicted {report['bytes_predicted']}", plan, run)
        held, predicted = report["peak_block_bytes"], report["peak_predicted"]
        if any(a > b for a, b in zip(held, predicted)):
            self.fault(f"held {held} bytes, predicted {predicted}", plan, run)
        if report["blocks"]["live_at_end"] != 0:
            self.fault("blocks are left", plan, run)
        self.checked += 1

    def watcher(self, sizes):
        """Notes every fifth of a second what the processes of a launch hold together."""
        def watch(process):
            while process.poll() is None:
                total = 0
                for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
                    try:
                        fields = status.read_text().rsplit(")", 1)[1].split()
                        if int(fields[3]) == process.pid:
                            total += int(fields[21]) * 4096
                    except (OSError, IndexError, ValueError):
                        pass
                sizes.append(total)
                time.sleep(0.2)
        return watch


def left_behind(binaries):
    """Shared segments that no process maps any more, and processes of ours."""
    segments, processes = {}, set()
    for segment in pathlib.Path("/dev/shm").iterdir():
        try:
            segments[f"{segment.name}, node {segment.stat().st_ino}"] = segment.name
        except OSError:
            pass
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if pathlib.Path(os.readlink(folder / "exe")).parent == binaries:
                processes.add(folder.name)
            mapped = (folder / "maps").read_text()
            segments = {key: name for key, name in segments.items() if f"/dev/shm/{name}" not in mapped}
        except OSError:
            pass
    return set(segments), processes


def left_for_good(binaries):
    """Others may start and end launches meanwhile: what is seen each time, over some seconds."""
    segments, processes = left_behind(binaries)
    for _ in range(8):
        time.sleep(1)
        segments, processes = (a & b for a, b in zip((segments, processes), left_behind(binaries)))
    return segments, processes


def main():
    binaries, generator, mpiexec = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    seconds, seed = float(sys.argv[4]), int(sys.argv[5]) if len(sys.argv) > 5 else 1
    before = left_behind(binaries)
    soak, end = Soak(binaries, generator, mpiexec, seed), time.monotonic() + seconds
    at = seed * 1000003
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))  # says what it has seen, too
    while time.monotonic() < end and not ended:
        soak.one(at)
        at += 1
    for what, now, then in zip(("shared segments", "processes"), left_for_good(binaries), before):
        if now - then:
            soak.faults += 1
            print(f"{what} are left: {sorted(now - then)}")
    shutil.rmtree(soak.folder)
    print(f"{soak.runs} runs, {soak.spilled} of them in less memory, {soak.repeated} of them {REPEATS} times or more; "
          f"{soak.checked} reports looked at, {soak.refused} plans refused, {soak.faults} faults")
    sys.exit(1 if soak.faults else 0)


main()
