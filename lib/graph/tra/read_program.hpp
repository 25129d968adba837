// The operators of a tra node: JSON trees, close to the paper's notation, as an expression of the algebra whose every
// part has a type. An operator is an object of one operator and its arguments ("of"); a string is an input's relation
// or an earlier statement's.
//   {"aggregate": {"by": [0, 2], "kernel": "matAdd"},
//    "of": {"join": {"on": [[1], [0]], "kernel": "matMul"}, "of": ["A", "B"]}}
// is Σ(⟨0,2⟩,matAdd)(⋈(⟨1⟩,⟨0⟩,matMul)(A, B)). A list of them is a program: all but the last have a "name".
// Types are inferred while reading, so key functions are checked against the keys that they read, and every fault has
// its place. Source: [T] section 2.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/algebra/expression.hpp"
#include "lib/base/json.hpp"

namespace ein::graph {

/// The most operators of one node, and how deep they may be nested: expressions are read and walked by recursion.
inline constexpr int max_operators = 1000;
inline constexpr int max_nesting = 100;
/// The most keys that the operators of one node look at together: reading a file takes seconds, not hours.
inline constexpr Extent max_keys_of_a_node = Extent{1} << 22;

struct ProgramPlace {
    std::map<std::string, std::optional<tra::RelationType>> inputs;  // nothing: unknown, because of another fault
    std::vector<std::string> const& params;
    std::optional<DType> dtype;  // of every array, if known
    Extent max_keys;             // see max_keys_of_a_node
};

struct Program {
    tra::Expr result;
    std::map<void const*, tra::RelationType> types;  // by Expr::id(), of everything below the result
    tra::RelationType const& type(tra::Expr const& expr) const { return types.at(expr.id()); }
};

/// @return nothing when it has a fault, or an input is unknown
std::optional<Program> read_program(Cursor const& at, ProgramPlace const& place);

}  // namespace ein::graph
