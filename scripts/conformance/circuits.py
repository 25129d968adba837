"""Random circuits in OpenQASM 2, whose amplitudes are compared with a plain state vector.

Circuits of 2 to 10 qubits in several registers, with every gate of qelib1.inc, definitions in definitions, parameters
as expressions, registers broadcast. All amplitudes at once (every qubit open), some alone, and by ranks.
"""
import random
import re

import numpy as np
import state_vector as sv
from files import files_below
from programs import compare

CIRCUITS = 27


class RandomCircuit:
    """A circuit as OpenQASM 2 text and the state that it makes, written side by side."""

    def __init__(self, number):
        self.random = random.Random(number)
        self.qubits = 2 + number % 9
        self.state = sv.begin(self.qubits)
        self.lines = ["// random circuit", "OPENQASM 2.0;", 'include "qelib1.inc";']
        self.registers = []
        self.split_qubits()
        self.defined = {}
        self.define()
        names = sorted(sv.QUBITS)
        for k in range(12 + 3 * self.qubits):
            name = names[(17 * number + k) % len(names)] if k % 2 else self.random.choice(names + list(self.defined))
            if self.size(name) <= self.qubits:
                self.call(name)
            if k % 7 == 0:
                self.broadcast()
        self.lines += [f"measure {name} -> c{name};" for name, _ in self.registers]

    def split_qubits(self):
        left = self.qubits
        while left:
            size = self.random.randint(1, left)
            name = "abcdefghij"[len(self.registers)]
            self.registers.append((name, size))
            self.lines.append(f"qreg {name}[{size}]; creg c{name}[{size}];")
            left -= size

    def text_of(self, qubit):
        for name, size in self.registers:
            if qubit < size:
                return f"{name}[{qubit}]"
            qubit -= size

    def size(self, name):
        return self.defined[name][1] if name in self.defined else sv.QUBITS[name]

    def parameters(self, name):
        return self.defined[name][0] if name in self.defined else sv.PARAMETERS[name]

    def angle(self):
        """As text, and its value."""
        text = self.random.choice(["pi/2", "-pi/4", "0.3e1", "2*pi/3 - .25", "-(1+pi)/3", "sin(pi/5)*2^-1", "sqrt(2)",
                                   "1.7", "cos(0.5)^2^2", "-2^2", "exp(ln(2))", "3 - 2 - 1", "8/4/2", "0", "tan(1)"])
        return text, evaluate(text, {})

    def define(self):
        """Two definitions, the second of the first."""
        a, b = self.angle(), self.angle()
        self.lines += [
            f"gate first(alpha, beta) x, y {{ rx(alpha/2) x; CX y, x; barrier x, y; u3(beta, {a[0]}, -alpha) y; }}",
            f"gate second(g) p, q, r\n{{\n  first(g^2, {b[0]}) r, p; // inside\n  rzz(2*g) q, p;\n}}"]
        self.defined = {"first": (2, 2), "second": (1, 3)}
        self.fixed = (a[1], b[1])

    def call(self, name):
        qubits = self.random.sample(range(self.qubits), self.size(name))
        angles = [self.angle() for _ in range(self.parameters(name))]
        self.write(name, angles, ", ".join(map(self.text_of, qubits)))
        self.do(name, [value for _, value in angles], qubits)

    def write(self, name, angles, arguments):
        brackets = f"({', '.join(text for text, _ in angles)})" if angles else self.random.choice(["", "()"])
        self.lines.append(f"{name}{brackets} {arguments};")

    def broadcast(self):
        """h of a register, and cx of one register's qubit and another register."""
        first = 0
        for k, (name, size) in enumerate(self.registers):
            self.write("h", [], name)
            for qubit in range(first, first + size):
                self.do("h", [], [qubit])
            if k > 0:
                self.write("cx", [], f"{self.registers[0][0]}[0], {name}")
                for qubit in range(first, first + size):
                    self.do("cx", [], [0, qubit])
            first += size

    def do(self, name, values, qubits):
        if name == "first":
            alpha, beta = values
            x, y = qubits
            self.do("rx", [alpha / 2], [x])
            self.do("cx", [], [y, x])
            self.do("u3", [beta, self.fixed[0], -alpha], [y])
        elif name == "second":
            p, q, r = qubits
            self.do("first", [values[0] ** 2, self.fixed[1]], [r, p])
            self.do("rzz", [2 * values[0]], [q, p])
        else:
            self.state = sv.apply(self.state, name, values, qubits)


def evaluate(text, names):
    functions = {name: getattr(np, name) for name in ("sin", "cos", "tan", "exp", "sqrt")} | {"ln": np.log}
    return float(eval(text.replace("^", "**"), {"pi": np.pi, **functions, **names}))


def amplitude(programs, file, bits, dtype="c128"):
    programs.run("eintool", "import", "qasm", file, "--amplitude", bits, "--dtype", dtype, "-o", "g.json")
    programs.run("eintool", "eval", "g.json", "--out", "out")
    return np.load("out/amplitude.npy")


def steps(programs, circuit, number):
    with open("c.qasm", "w") as out:
        out.write("\n".join(circuit.lines) + "\n")
    qubits, state = circuit.qubits, circuit.state
    likely = np.unravel_index(np.abs(state).argmax(), state.shape)
    bits = "".join(map(str, likely))
    half = bits[:qubits // 2] + "_" * (qubits - qubits // 2)
    found = amplitude(programs, "c.qasm", "_" * qubits)
    yield "imported"
    compare("all amplitudes", found, state, 1e-11)
    compare(bits, amplitude(programs, "c.qasm", bits), state[likely], 1e-11)
    compare(f"{bits} in c64", amplitude(programs, "c.qasm", bits, "c64"), state[likely], 5e-5)
    programs.run("eintool", "import", "qasm", "c.qasm", "--amplitude", half, "--dtype", "c128", "-o", "g.json")
    ranks = programs.ranks([1, 3]) if number % 9 == 5 else [1]
    for count in ranks:
        found = programs.results("g.json", count, "amplitude")
        compare(f"{half} by {count} ranks", found, state[likely[:qubits // 2]], 1e-11)
    yield "planned"
    yield "equal"


def steps_of_file(programs, file):
    """Of a user's file: planned for the amplitude of zeros."""
    with open(file) as text:
        qubits = sum(map(int, re.findall(r"\bqreg\s+\w+\s*\[\s*(\d+)\s*\]", re.sub("//.*", "", text.read()))))
    programs.run("eintool", "import", "qasm", file, "--amplitude", "0" * qubits, "-o", "g.json")
    yield "imported"
    programs.plan("g.json", 4, "--memory", "16GiB", "--dry-run")
    yield "planned"


def check(programs, table, small, folder):
    used = set()
    for number in range(CIRCUITS if not small else 9):
        circuit = RandomCircuit(number)
        used |= {line.split("(")[0].split()[0] for line in circuit.lines}
        table.take("random circuits", f"number {number}", steps(programs, circuit, number))
    missing = (set(sv.QUBITS) | {"first", "second"}) - used
    if missing and not small:
        table.wrong.append(f"no circuit has the gates {sorted(missing)}")
    for file in files_below(folder, ".qasm"):
        table.take("circuits of the folder", file, steps_of_file(programs, file))
