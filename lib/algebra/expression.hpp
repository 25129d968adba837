// Expressions of the tensor relational algebra: immutable trees, cheap to copy, equal when they are made alike, printed
// as the paper prints them. Inputs are names; their types and data are given where an expression is typed or
// interpreted. What is used twice may be shared, or written twice: it is computed once either way. Example:
// aggregate({0, 2}, mat_add(), join({1}, {0}, mat_mul(), input("A"), input("B"))) prints as
//          Σ(⟨0,2⟩,matAdd)(⋈(⟨1⟩,⟨0⟩,matMul)(A, B)).
// Source: [T] section 2.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "lib/algebra/operators.hpp"
#include "lib/algebra/tensor_relation.hpp"
#include "lib/base/error.hpp"

namespace ein::tra {

struct Input {
    std::string name;
    friend bool operator==(Input const&, Input const&) = default;
};
struct Rekey {
    KeyMap keys;
    friend bool operator==(Rekey const&, Rekey const&) = default;
};
struct Transform {
    Kernel array;
    friend bool operator==(Transform const&, Transform const&) = default;
};
struct Tile {
    int dim = 0;
    Extent size = 1;
    friend bool operator==(Tile const&, Tile const&) = default;
};
using Operator = std::variant<Input, Join, Aggregation, Rekey, Filter, Transform, Tile, Concat>;

class Expr {
public:
    Expr(Operator op, std::vector<Expr> inputs)
        : node_(std::make_shared<Node const>(Node{std::move(op), std::move(inputs)})) {}

    Operator const& op() const { return node_->op; }
    std::vector<Expr> const& inputs() const { return node_->inputs; }
    void const* id() const { return node_.get(); }  // equal for copies
    friend bool operator==(Expr const& a, Expr const& b) {
        return a.node_ == b.node_ || (a.op() == b.op() && a.inputs() == b.inputs());
    }

private:
    struct Node {
        Operator op;
        std::vector<Expr> inputs;
    };
    std::shared_ptr<Node const> node_;
};

Expr input(std::string name);
Expr join(KeyDims left_keys, KeyDims right_keys, Kernel proj_op, Expr left, Expr right);
Expr aggregate(KeyDims group_by, Kernel agg_op, Expr relation);
Expr rekey(KeyMap key_func, Expr relation);
Expr filter(KeyPredicate bool_func, Expr relation);
Expr transform(Kernel transform_func, Expr relation);
Expr tile(int dim, Extent size, Expr relation);
Expr concat(int key_dim, int array_dim, Expr relation);

/// The expression's nodes, arguments first, each distinct object once.
std::vector<Expr> arguments_first(Expr const& root);

std::string text(Operator const& op);  // "⋈(⟨1⟩,⟨0⟩,matMul)"
std::string text(Expr const& expr);

using RelationTypes = std::map<std::string, RelationType>;
using Relations = std::map<std::string, TensorRelation>;

/// The type that an operator, but Input, makes of the types of its arguments.
Checked<RelationType> type_of(Operator const& op, std::vector<RelationType> const& args);

/// The type of an expression, holes allowed; every fault goes to `faults`, at its place below `pointer`
/// ("/inputs/0/inputs/1").
std::optional<RelationType> infer(Expr const& expr, RelationTypes const& inputs, Faults& faults,
                                  std::string const& pointer = "");

/// The type of an expression whose result is a tensor relation without holes. @throws InputError with every fault
RelationType check(Expr const& expr, RelationTypes const& inputs);

/// Computes an expression with plain loops. @throws InputError as check() does
TensorRelation interpret(Expr const& expr, Relations const& inputs);

}  // namespace ein::tra
