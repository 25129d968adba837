// The gates that OpenQASM 2 has itself (U, CX) and those of qelib1.inc, as matrices. They have the usual global phase
// (rz is diag(e^(-i phi/2), e^(i phi/2)), as simulators have it, where qelib1.inc makes it of u1): probabilities are
// the same, amplitudes may differ by a factor of modulus 1.
// Example: standard_gate("cx")->matrix({}) is [1 0 0 0, 0 1 0 0, 0 0 0 1, 0 0 1 0]: the control is the first qubit.
#pragma once

#include <complex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ein::apps::tool::qasm {

/// Square, row after row; of k qubits 2^k rows: what comes out. The first qubit is the most significant bit of a row.
using Matrix = std::vector<std::complex<double>>;

struct StandardGate {
    std::string_view name;
    std::size_t parameters, qubits;
    Matrix (*matrix)(std::span<double const> parameters);
};

/// Null for a name that is none. U and CX are there whatever a file includes.
StandardGate const* standard_gate(std::string_view name);
/// Of qelib1.inc: those that its authors gave, and those that Qiskit's copy of it has.
std::vector<std::string> standard_gate_names();

}  // namespace ein::apps::tool::qasm
