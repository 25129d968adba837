#include "apps/eintool/qasm/gate_table.hpp"

#include <algorithm>

#include "lib/base/text/near_names.hpp"

namespace ein::apps::tool::qasm {
namespace {

std::unique_ptr<Gate const> of(StandardGate const& standard) {
    return std::make_unique<Gate const>(Gate{.name = std::string(standard.name),
                                             .parameters = standard.parameters,
                                             .qubits = standard.qubits,
                                             .standard = &standard,
                                             .body = {}});
}

}  // namespace

GateTable::GateTable() {
    for (char const* const name : {"U", "CX"}) gates_.emplace(name, of(*standard_gate(name)));
}

void GateTable::include_standard() {
    includes_standard_ = true;
    for (std::string const& name : standard_gate_names()) gates_.emplace(name, of(*standard_gate(name)));
}

Gate const& GateTable::find(Token const& name) const {
    auto const at = gates_.find(name.text);
    if (at != gates_.end()) return *at->second;
    std::vector<std::string> known;
    for (auto const& [each, unused] : gates_) known.push_back(each);
    bool const standard = standard_gate(name.text) != nullptr && !includes_standard_;
    refuse(name.place, "a gate that is defined above", describe(name),
           standard ? "write include \"qelib1.inc\"; at the top"
                    : mend_name(name.text, known, "define it with gate, as OpenQASM 2 has it"));
}

void GateTable::define(Gate gate, Token const& name) {
    for (GateCall const& call : gate.body) {
        gate.calls += call.gate->calls;
        gate.nested = std::max(gate.nested, call.gate->nested + 1);
        if (gate.calls > most_calls)
            refuse(name.place, "a gate of at most " + std::to_string(most_calls) + " others", "more",
                   "such a circuit is larger than anything can contract: make it smaller");
    }
    if (gate.nested > most_nested_definitions)
        refuse(name.place, "at most " + std::to_string(most_nested_definitions) + " definitions in another", "more",
               "write out the innermost");
    auto& known = gates_[gate.name];
    if (known && known->standard == nullptr)
        refuse(name.place, "a name that has no definition yet", describe(name), "rename one of the two, or remove it");
    if (known) replaced_.push_back(std::move(known));
    known = std::make_unique<Gate const>(std::move(gate));
}

void expand(GateCall const& call, std::vector<std::int64_t> const& qubits, std::span<double const> parameters,
            std::vector<Application>& out) {
    std::vector<double> values;
    for (Angle const& angle : call.parameters) values.push_back(angle.value(parameters));
    if (call.gate->standard != nullptr) {
        out.push_back({call.gate->standard, std::move(values), qubits});
        return;
    }
    for (GateCall const& inner : call.gate->body) {
        std::vector<std::int64_t> of_inner;
        for (std::int64_t qubit : inner.qubits) of_inner.push_back(qubits[static_cast<std::size_t>(qubit)]);
        expand(inner, of_inner, values, out);
    }
}

}  // namespace ein::apps::tool::qasm
