// A circuit as the gates that are applied, one after the other, to numbered qubits: definitions expanded, registers
// broadcast. What a reader of circuit files makes, and what becomes a network (import_qasm.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/eintool/qasm/standard_gates.hpp"

namespace ein::apps::tool::qasm {

struct Register {
    std::string name;
    std::int64_t first = 0;  // the number of its qubit 0
    std::int64_t size = 0;
};

struct Application {
    StandardGate const* gate = nullptr;
    std::vector<double> parameters;
    std::vector<std::int64_t> qubits;
};

struct Circuit {
    std::vector<Register> registers;  // of qubits, as declared
    std::int64_t qubits = 0;
    std::vector<Application> applications;
};

}  // namespace ein::apps::tool::qasm
