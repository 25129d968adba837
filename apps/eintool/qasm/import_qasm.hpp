// An amplitude <bits|C|0...0> of a circuit as a network of small complex tensors: one for each gate, and a vector at
// both ends of each qubit. A label is a qubit between two gates that change it: where a gate is diagonal in a qubit (a
// control, a phase) its tensor has one label for what goes in and what comes out.
// Example: h q[0]; cx q[0], q[1]; and bits 11 give zero[q.0.0] h[q.0.1, q.0.0] zero[q.1.0] cx[q.0.1, q.1.1, q.1.0]
// one[q.0.1] one[q.1.1], which is 1/sqrt(2).
#pragma once

#include <string>

#include "apps/eintool/qasm/circuit.hpp"

namespace ein::apps::tool::qasm {

struct ImportQasm {
    std::string file;
    std::string amplitude;  // 0, 1 or _ for each qubit, the first register's first one first; _ leaves it open
    std::string dtype;      // c64 or c128; empty: c64
};

/// @return EinGraph JSON; its output is `amplitude`, a scalar, or an axis of extent 2 for each open qubit, in order
/// @throws InputError with the faults of the file; UsageError for another number of bits, and other options
std::string import_qasm(ImportQasm const& request);

/// The same of a circuit.
std::string network_of(Circuit const& circuit, ImportQasm const& request);

}  // namespace ein::apps::tool::qasm
