#!/usr/bin/env python3
"""Kills ranks of running programs, and moves programs between rank counts: recovery_campaign.py BIN [options]

Kills: "eintool run --checkpoint --retries" loses one rank, or all, to kill -9 at moments drawn at random (once or twice
a job); it must end with code 0, the bits of an undisturbed run, and nothing left behind.
Restarts: a run is told to stop at a moment drawn at random (SIGUSR1); what is left is planned for another number of
ranks, with a memory that makes blocks spill or without, and so on until it ends. Bytes must be as predicted, peaks
kept, no node of the graph computed twice, the result verified and within a tolerance of the undisturbed run's.
Prints each fault with the seed of its job; exit code 1 when there was one. Folders of faulty jobs are kept.
"""
import argparse
import filecmp
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from recovery_programs import PROGRAMS, write

LIMIT = 300  # seconds for a job


class Fault(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Fault(text)


def ranks_below(root):
    """Pids of einrun among the processes that a process started, by rank."""
    parents, found = {}, {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            stat = pathlib.Path(f"/proc/{entry}/stat").read_text()
        except OSError:
            continue
        name, rest = stat[stat.index("(") + 1:stat.rindex(")")], stat[stat.rindex(")") + 2:].split()
        parents[int(entry)] = (int(rest[1]), name, rest[0])
    for pid, (parent, name, state) in parents.items():
        if name != "einrun" or state == "Z":
            continue
        while parent not in (0, 1, root):
            parent = parents.get(parent, (0, "", ""))[0]
        if parent == root:
            try:
                variables = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            except OSError:
                continue
            number = [v.split(b"=")[1] for v in variables if v.startswith(b"OMPI_COMM_WORLD_RANK=")]
            if number:
                found[int(number[0])] = pid
    return found


class Launch:
    """One command that is under way."""

    def __init__(self, words, folder):
        self.log = pathlib.Path(folder) / "log"
        self.began = time.monotonic()
        with open(self.log, "ab") as log:
            log.write(("$ " + " ".join(map(str, words)) + "\n").encode())
            log.flush()
            self.process = subprocess.Popen([str(word) for word in words], cwd=folder, stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, start_new_session=True)

    def await_ranks(self, ranks, other_than=frozenset()):
        """The ranks once all are there, or nothing when the command ended before."""
        while self.process.poll() is None and time.monotonic() - self.began < LIMIT:
            found = ranks_below(self.process.pid)
            if len(found) == ranks and not set(found.values()) & other_than:
                return found
            time.sleep(0.005)
        return {}

    def end(self):
        try:
            return self.process.wait(max(1, LIMIT - (time.monotonic() - self.began)))
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise Fault(f"no end after {LIMIT} s") from None


class Campaign:
    def __init__(self, options):
        self.bin = pathlib.Path(options.bin).resolve()
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="recovery-"))
        self.faults, self.right = 0, {}

    def tool(self, name):
        return self.bin / name

    def command(self, words, folder, codes=(0,)):
        code = Launch(words, folder).end()
        expect(code in codes, f"code {code} of {' '.join(map(str, words))}")
        return code

    def graph(self, name):
        path = self.work / f"{name}.json"
        return path if path.exists() else write(name, self.work, self.tool("eintool"))

    def spilling_memory(self, name, ranks, plan_from, draw):
        """A budget in which the program's blocks spill; nothing where there is none."""
        json_of = [self.tool("einplan"), *plan_from, "-n", ranks, "--decompose", "eindecomp", "--explain=json"]
        explained = subprocess.run([str(w) for w in json_of], cwd=self.work, stdout=-1, stderr=-1, check=False)
        if not PROGRAMS[name].spills or explained.returncode != 0:
            return None
        peak = max(json.loads(explained.stdout)["peak_bytes"])
        return int(peak * draw.uniform(0.55, 0.8))

    def undisturbed(self, name, ranks, memory):
        """Folder of its results and the seconds that it takes."""
        key = f"{name}-{ranks}-{memory}"
        if key not in self.right:
            folder = self.work / key
            folder.mkdir()
            began = time.monotonic()
            self.command([self.tool("eintool"), "run", self.graph(name), "-n", ranks, "-q", "--out", "results",
                          *self.options(name, memory)], folder)
            self.right[key] = (folder / "results", time.monotonic() - began)
        return self.right[key]

    def options(self, name, memory):
        out = ["--threads", 1, "--log-level", "error", *PROGRAMS[name].options]
        return out + (["--memory", memory, "--spill-dir", self.work] if memory else [])

    # Kills.

    def kill_job(self, name, ranks, draw, folder):
        memory = self.spilling_memory(name, ranks, [self.graph(name)], draw) if PROGRAMS[name].spills else None
        try:
            right, seconds = self.undisturbed(name, ranks, memory)
        except Fault:
            if not memory:
                raise
            memory = None  # it does not fit
            right, seconds = self.undisturbed(name, ranks, memory)
        for _ in range(5):  # a job that was done before its time came is no trial
            killed, said = self.kill_once(name, ranks, memory, (right, seconds), draw, folder)
            if killed > 0:
                break
            seconds *= 0.7
            shutil.rmtree(folder)
            folder.mkdir()
        return said

    def kill_once(self, name, ranks, memory, undisturbed, draw, folder):
        """@return how many ranks were killed, and what is to be said"""
        right, seconds = undisturbed
        every = draw.choice(["0.05s", "0.2s", "0.5s"])
        launch = Launch([self.tool("eintool"), "run", self.graph(name), "-n", ranks, "-q", "--out", "results",
                         "--checkpoint", "D", "--every", every, "--retries", 10, *self.options(name, memory)], folder)
        killed, gone = 0, set()
        for _ in range(draw.choice([1, 1, 2])):
            found = launch.await_ranks(ranks, frozenset(gone))
            delay, everyone = draw.uniform(0, seconds), draw.random() < 0.3
            time.sleep(delay)
            victims = list(found.values()) if everyone else [found[draw.randrange(ranks)]] if found else []
            if launch.process.poll() is not None:
                break
            for pid in victims:
                try:
                    os.kill(pid, signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    pass
            gone |= set(found.values())
        code = launch.end()
        expect(code == 0, f"code {code}")
        self.same_bits(right, folder / "results")
        self.nothing_left(folder)
        return killed, f"every {every}{' spills' if memory else ''}, {killed} ranks killed, " \
            f"{launch.log.read_text().count('eintool: retry')} retries"

    def same_bits(self, right, found):
        names = sorted(path.name for path in right.iterdir())
        expect(names == sorted(path.name for path in found.iterdir()), "other results")
        for name in names:
            expect(filecmp.cmp(right / name, found / name, shallow=False), f"{name} has other bits")

    def nothing_left(self, folder):
        partial = [path for path in folder.rglob("*") if ".partial-" in path.name]
        expect(not partial, f"left: {partial}")
        for entry in os.listdir("/proc"):
            try:
                inside = entry.isdigit() and os.readlink(f"/proc/{entry}/cwd").startswith(str(folder))
            except OSError:
                continue
            expect(not inside, f"process {entry} is left")

    # Restarts.

    def elastic_job(self, name, draw, folder, restarts):
        """At most so many restarts. @return how many there were, and what is to be said"""
        right, seconds = self.undisturbed(name, 1, None)
        source, resumed, said, turns, nodes_run, flops = [self.graph(name)], 0, [], 0, set(), 0.0
        right_flops = []  # of undisturbed runs on these numbers of ranks: some compute small nodes on several ranks
        ranks = draw.randint(1, 8)
        while True:
            memory = self.spilling_memory(name, ranks, source, draw) if draw.random() < 0.5 else None
            memory = self.plan(source, ranks, memory, folder)
            right_flops.append(self.flops_of_whole(name, ranks))
            launch = Launch(["mpirun", "-n", ranks, self.tool("einrun"), "r.sched", "-q", "--out", "results",
                             "--checkpoint", "D", "--verify", "--report", "report.json", "--trace", "trace.json",
                             *self.options(name, memory)], folder)
            launch.await_ranks(ranks)
            if resumed < restarts:
                time.sleep(0.3 + draw.uniform(0, 0.6 * seconds))
                for pid in list(ranks_below(launch.process.pid).values())[:1]:
                    os.kill(launch.process.pid, signal.SIGUSR1)
            code = launch.end()
            log = launch.log.read_text()
            said_itself = log.split("$ ")[-1].partition("\n")[2]
            if code in (128 + signal.SIGUSR1, -signal.SIGUSR1, -signal.SIGSEGV) and "checkpoint" not in said_itself:
                continue  # the launcher or a rank had not come to its own first lines
            expect(code in (0, 75), f"code {code} on {ranks} ranks")
            report = json.loads((folder / "report.json").read_text())
            said.append(f"{ranks}{'s' if report['spill']['blocks'] else ''}")
            self.kept_predictions(report)
            turns += sum(loop["turns"] for loop in report["loops"] or []) if "loops" in report else 0
            flops += report["flops"]
            again = nodes_run & (run := self.nodes_of_trace(folder / "trace.json"))
            expect("loops" in report and report["loops"] or not again, f"computed again: {sorted(again)[:5]}")
            nodes_run |= run
            if code == 0:
                break
            resumed += 1
            source = ["--resume", folder / "D"]
            ranks = draw.choice([r for r in range(1, 9) if r != ranks])
        # Plans of what is left, or that fit in little memory, may compute small nodes on more ranks.
        expect(0.996 * min(right_flops) <= flops <= 1.1 * max(right_flops),
               f"{flops} operations in all, {right_flops} undisturbed")
        expect(abs(turns - self.right[f"turns-{name}"]) <= 2 + resumed,
               f"{turns} iterations in all, {self.right[f'turns-{name}']} undisturbed")
        self.command([self.tool("eintool"), "diff", right, "results", "--tolerance", PROGRAMS[name].tolerance], folder)
        return resumed, "ranks " + " ".join(said) + (f", {turns} turns" if turns else "")

    def flops_of_whole(self, name, ranks):
        key = f"flops-{name}-{ranks}"
        if key not in self.right:
            report = self.work / f"{key}.json"
            self.command([self.tool("eintool"), "run", self.graph(name), "-n", ranks, "-q", "--out", "flops",
                          "--decompose", "eindecomp", "--report", report, *self.options(name, None)], self.work)
            said = json.loads(report.read_text())
            self.right[key] = said["flops"]
            self.right[f"turns-{name}"] = sum(loop["turns"] for loop in said.get("loops") or [])
        return self.right[key]

    def plan(self, source, ranks, memory, folder):
        words = [self.tool("einplan"), *source, "-n", ranks, "-q", "--decompose", "eindecomp", "-o", "r.sched"]
        if memory:
            if self.command(words + ["--memory", memory], folder, codes=(0, 4)) == 0:
                return memory
        self.command(words, folder)
        return None

    def kept_predictions(self, report):
        expect(report["bytes_sent"] == report["bytes_predicted"],
               f"sent {report['bytes_sent']} bytes, predicted {report['bytes_predicted']}")
        over = [(a, b) for a, b in zip(report["peak_block_bytes"], report["peak_predicted"]) if a > b]
        expect(not over, f"peaks above their prediction: {over}")

    def nodes_of_trace(self, path):
        """Nodes of which something was computed, by the name that they have in the first graph."""
        events = json.loads(path.read_text())
        events = events["traceEvents"] if isinstance(events, dict) else events
        return {event["name"][6:] for event in events
                if event.get("cat") == "apply" and "operations" not in event.get("args", {})}

    def each(self, count, seed, what, job):
        """Calls job(name, draw, folder) so often, each with a seed of its own."""
        done = 0
        names = self.names
        for k in range(count):
            own = seed * 1_000_003 + k
            draw = random.Random(own)
            name, folder = names[k % len(names)], self.work / f"{what}-{k}"
            folder.mkdir()
            label = f"{what} {k} ({name}, seed {own})"
            try:
                said = job(name, draw, folder)
                print(f"{label}: right; {said}", flush=True)
                done += 1
                shutil.rmtree(folder)
            except (Fault, OSError, subprocess.SubprocessError) as fault:
                self.faults += 1
                print(f"{label}: FAULT: {fault}; see {folder}", flush=True)
        return done


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("bin", help="folder of einplan, einrun and eintool")
    words.add_argument("--kills", type=int, default=50, help="jobs of which ranks are killed")
    words.add_argument("--restarts", type=int, default=40, help="restarts on another number of ranks")
    words.add_argument("--seed", type=int, default=int(time.time()))
    words.add_argument("--programs", default=",".join(PROGRAMS))
    options = words.parse_args()
    print(f"seed {options.seed}", flush=True)
    campaign = Campaign(options)
    campaign.names = options.programs.split(",")
    sizes = [1, 2, 3, 4, 7]

    def kill(name, draw, folder):
        ranks = draw.choice(sizes)
        return f"{ranks} ranks, " + campaign.kill_job(name, ranks, draw, folder)

    right = campaign.each(options.kills, options.seed, "kill", kill)
    print(f"kills: {right} of {options.kills} jobs ended with the bits of the undisturbed run")
    restarts = [0]

    def elastic(name, draw, folder):
        count, said = campaign.elastic_job(name, draw, folder, min(6, options.restarts - restarts[0]))
        restarts[0] += count
        return f"{count} restarts, {said}"

    jobs = right = 0
    while restarts[0] < options.restarts and campaign.faults < 20:
        right += campaign.each(len(campaign.names), options.seed + 1000 + jobs, "elastic", elastic)
        jobs += len(campaign.names)
        for folder in campaign.work.glob("elastic-*"):
            folder.rename(campaign.work / f"fault-{jobs}-{folder.name}")
    print(f"elastic: {restarts[0]} restarts on another number of ranks, {right} of {jobs} programs right")
    if campaign.faults == 0:
        shutil.rmtree(campaign.work)
    return 1 if campaign.faults else 0


if __name__ == "__main__":
    sys.exit(main())
