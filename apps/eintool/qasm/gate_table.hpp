// The gates that a circuit file may call: the standard ones that it has included, and its own definitions, each a list
// of calls of gates that were known before it. Calls are expanded into applications of standard gates.
// Example: behind "gate bell a, b { h a; cx a, b; }" the call bell q[1], q[0] becomes h of qubit 1, cx of 1 and 0.
#pragma once

#include <map>
#include <memory>

#include "apps/eintool/qasm/angle.hpp"
#include "apps/eintool/qasm/circuit.hpp"

namespace ein::apps::tool::qasm {

/// What a file's circuits may grow to: definitions of definitions double quickly.
inline constexpr std::int64_t most_calls = 1'000'000;
inline constexpr std::int64_t most_nested_definitions = 500;

struct Gate;

struct GateCall {
    Gate const* gate = nullptr;
    std::vector<Angle> parameters;
    std::vector<std::int64_t> qubits;  // in a definition: which of its own
};

struct Gate {
    std::string name;
    std::size_t parameters = 0, qubits = 0;
    StandardGate const* standard = nullptr;  // else:
    std::vector<GateCall> body;
    std::int64_t calls = 1;   // that a call becomes, with itself; never above most_calls
    std::int64_t nested = 0;  // definitions in it, one in the other
};

class GateTable {
public:
    GateTable();

    /// Those of qelib1.inc; a definition of such a name, before or after, is kept.
    void include_standard();
    bool includes_standard() const { return includes_standard_; }

    /// @throws InputError where no gate has the name
    Gate const& find(Token const& name) const;
    /// @throws InputError where the file has defined the name before, or its calls become too many
    void define(Gate gate, Token const& name);

private:
    std::map<std::string, std::unique_ptr<Gate const>, std::less<>> gates_;
    std::vector<std::unique_ptr<Gate const>> replaced_;  // that earlier definitions call
    bool includes_standard_ = false;
};

/// Appends what a call becomes.
/// @param qubits  of the circuit, one an argument  @param parameters  of the definition that the call stands in
/// @throws InputError for a parameter that is not finite
void expand(GateCall const& call, std::vector<std::int64_t> const& qubits, std::span<double const> parameters,
            std::vector<Application>& out);

}  // namespace ein::apps::tool::qasm
