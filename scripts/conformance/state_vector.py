"""A plain state-vector simulator of the gates of qelib1.inc, by NumPy: what amplitudes of networks are compared with.

Gates are written as their papers have them, not as the importer does: rotations as exponentials of Pauli matrices, the
larger ones as the circuits of qelib1.inc.
"""
import numpy as np

I, X, Y, Z = np.eye(2), np.array([[0, 1], [1, 0]]), np.array([[0, -1j], [1j, 0]]), np.diag([1, -1])


def rotation(pauli, angle):
    """exp(-i angle/2 pauli) of a matrix that is its own inverse."""
    return np.cos(angle / 2) * np.eye(len(pauli)) - 1j * np.sin(angle / 2) * pauli


def u3(theta, phi, lam):
    """As qiskit has it: rz(phi) ry(theta) rz(lambda), with a first element that is real."""
    return np.exp(0.5j * (phi + lam)) * rotation(Z, phi) @ rotation(Y, theta) @ rotation(Z, lam)


def root(matrix, degree):
    """The principal root of a unitary matrix."""
    values, vectors = np.linalg.eig(np.asarray(matrix, complex))
    return vectors @ np.diag(np.exp(1j * np.angle(values) / degree)) @ np.linalg.inv(vectors)


def controlled(matrix):
    out = np.eye(2 * len(matrix), dtype=complex)
    out[len(matrix):, len(matrix):] = matrix
    return out


H = (X + Z) / np.sqrt(2)
SWAP = (np.kron(I, I) + np.kron(X, X) + np.kron(Y, Y) + np.kron(Z, Z)).real / 2

MATRICES = {
    "U": u3, "u3": u3, "u": u3, "u2": lambda phi, lam: u3(np.pi / 2, phi, lam), "u1": lambda lam: u3(0, 0, lam),
    "p": lambda lam: u3(0, 0, lam), "u0": lambda gamma: I, "id": lambda: I,
    "x": lambda: X, "y": lambda: Y, "z": lambda: Z, "h": lambda: H,
    "s": lambda: root(Z, 2), "sdg": lambda: root(Z, 2).conj(), "t": lambda: root(Z, 4),
    "tdg": lambda: root(Z, 4).conj(),
    "sx": lambda: root(X, 2), "sxdg": lambda: root(X, 2).conj().T,
    "rx": lambda a: rotation(X, a), "ry": lambda a: rotation(Y, a), "rz": lambda a: rotation(Z, a),
    "CX": lambda: controlled(X), "cx": lambda: controlled(X), "cy": lambda: controlled(Y), "cz": lambda: controlled(Z),
    "ch": lambda: controlled(H), "csx": lambda: controlled(root(X, 2)), "swap": lambda: SWAP,
    "crx": lambda a: controlled(rotation(X, a)), "cry": lambda a: controlled(rotation(Y, a)),
    "crz": lambda a: controlled(rotation(Z, a)), "cu1": lambda a: controlled(u3(0, 0, a)),
    "cp": lambda a: controlled(u3(0, 0, a)), "cu3": lambda *a: controlled(u3(*a)),
    "cu": lambda t, p, l, g: controlled(np.exp(1j * g) * u3(t, p, l)),
    "rxx": lambda a: rotation(np.kron(X, X), a), "rzz": lambda a: rotation(np.kron(Z, Z), a),
    "ccx": lambda: controlled(controlled(X)), "cswap": lambda: controlled(SWAP),
    "c3x": lambda: controlled(controlled(controlled(X))),
    "c3sqrtx": lambda: controlled(controlled(controlled(root(X, 2)))),
    "c4x": lambda: controlled(controlled(controlled(controlled(X)))),
}
T, TDG = ("u1", [np.pi / 4]), ("u1", [-np.pi / 4])
CIRCUITS = {  # of qelib1.inc: gate, parameters, which of the arguments
    "rccx": [("h", [], [2]), (*T, [2]), ("cx", [], [1, 2]), (*TDG, [2]), ("cx", [], [0, 2]), (*T, [2]),
             ("cx", [], [1, 2]), (*TDG, [2]), ("h", [], [2])],
    "rc3x": [("h", [], [3]), (*T, [3]), ("cx", [], [2, 3]), (*TDG, [3]), ("h", [], [3]), ("cx", [], [0, 3]), (*T, [3]),
             ("cx", [], [1, 3]), (*TDG, [3]), ("cx", [], [0, 3]), (*T, [3]), ("cx", [], [1, 3]), (*TDG, [3]),
             ("h", [], [3]), (*T, [3]), ("cx", [], [2, 3]), (*TDG, [3]), ("h", [], [3])],
}
QUBITS = {name: 1 for name in MATRICES} | {
    name: 2 for name in "CX cx cy cz ch csx swap crx cry crz cu1 cp cu3 cu rxx rzz".split()} | {
    "ccx": 3, "cswap": 3, "rccx": 3, "c3x": 4, "c3sqrtx": 4, "rc3x": 4, "c4x": 5}
PARAMETERS = {name: 0 for name in QUBITS} | {
    name: 1 for name in "u1 u0 p rx ry rz crx cry crz cu1 cp rxx rzz".split()} | {
    "u2": 2, "U": 3, "u3": 3, "u": 3, "cu3": 3, "cu": 4}


def begin(qubits):
    state = np.zeros([2] * qubits, complex)
    state[(0,) * qubits] = 1
    return state


def apply(state, name, parameters, qubits):
    """The state behind a gate; qubit k is axis k."""
    if name in CIRCUITS:
        for inner, angles, which in CIRCUITS[name]:
            state = apply(state, inner, angles, [qubits[k] for k in which])
        return state
    count = len(qubits)
    gate = np.asarray(MATRICES[name](*parameters)).reshape([2] * (2 * count))
    return np.moveaxis(np.tensordot(gate, state, (range(count, 2 * count), qubits)), range(count), qubits)
