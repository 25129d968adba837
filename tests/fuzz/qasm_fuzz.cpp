// Any text is either a circuit, whose gates act on qubits that it has, or an InputError whose faults have places.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "apps/eintool/qasm/read_circuit.hpp"
#include "lib/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace ein;
    std::string text(reinterpret_cast<char const*>(data), size);
    try {
        apps::tool::qasm::Circuit const circuit = apps::tool::qasm::read_circuit(std::move(text), "fuzz.qasm");
        if (circuit.qubits < 1 || circuit.registers.empty()) std::abort();
        for (auto const& each : circuit.applications) {
            if (each.qubits.size() != each.gate->qubits || each.parameters.size() != each.gate->parameters)
                std::abort();
            for (std::int64_t qubit : each.qubits)
                if (qubit < 0 || qubit >= circuit.qubits) std::abort();
            for (double parameter : each.parameters)
                if (!std::isfinite(parameter)) std::abort();
        }
    } catch (InputError const& error) {
        if (error.faults().empty() || error.faults().front().file.empty()) std::abort();
    }
    return 0;
}
