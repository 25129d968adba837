// A circuit from an OpenQASM 2 file (Cross, Bishop, Smolin, Gambetta: Open Quantum Assembly Language, 2017).
// Measurements at the end and barriers change no amplitude and are left out; if, reset and opaque have none, and are
// refused, as is a gate behind a measurement of its qubit. qelib1.inc is built in, other included files lie beside the
// one that includes them.
#pragma once

#include "apps/eintool/qasm/circuit.hpp"

namespace ein::apps::tool::qasm {

/// @throws InputError with all faults of the file and those that it includes (at most 20), each with line and column
Circuit read_circuit(std::string const& file);
/// The same of a file's text, under its name.
Circuit read_circuit(std::string text, std::string const& file);

}  // namespace ein::apps::tool::qasm
