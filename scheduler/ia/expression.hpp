// Expressions of the implementation algebra: what each of s sites does with its part of a relation, and what is sent
// between them. BCAST and SHUF send; join, aggregation, filter, map and concat work on each site's tuples alone. An
// expression that exists is well typed: a local join that would miss pairs, or the use of sums of which pieces are
// still elsewhere, is refused when it is made. Leaves costs to cost.hpp, equivalences to rules.hpp. Example:
// Σᴸ(⟨0,2⟩,matAdd)(⋈ᴸ(⟨1⟩,⟨0⟩,matMul)(X:PART⟨0⟩, BCAST(Y:PART⟨0⟩))) has no SHUF: its groups are together already.
// Source: [T] section 3.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lib/algebra/operators.hpp"
#include "scheduler/ia/sites.hpp"

namespace ein::ia {

using tra::Aggregation;
using tra::Checked;
using tra::Concat;
using tra::Filter;
using tra::Join;
using tra::Kernel;
using tra::KeyMap;
using tra::KeyPredicate;
using tra::Map;
using tra::RelationType;

struct Type {
    RelationType relation;
    Sites sites = Sites::all();
    int site_count = 1;
    /// An aggregation whose groups were not together: several tuples of a key, to be combined by this kernel. Only
    /// BCAST, SHUF, a filter and the aggregation by the same kernel may follow.
    std::optional<Kernel> pending;
    double tuples =
        0;  // those of ALL counted once; above the number of keys only when pending (an upper bound when scattered)

    double floats() const { return tuples * static_cast<double>(element_count(relation.bound)); }
    friend bool operator==(Type const&, Type const&) = default;
};

/// A relation that is there: its name, or a group of the search.
struct Input {
    std::string name;
    Type type;
    friend bool operator==(Input const&, Input const&) = default;
};
struct Broadcast {
    friend bool operator==(Broadcast const&, Broadcast const&) = default;
};
struct Shuffle {
    KeyDims dims;  // increasing, at least one unless the key has none
    friend bool operator==(Shuffle const&, Shuffle const&) = default;
};
using Operator = std::variant<Input, Broadcast, Shuffle, Join, Aggregation, Filter, Map, Concat>;

class Expr {
public:
    Operator const& op() const { return node_->op; }
    template <class Op>
    Op const* as() const {
        return std::get_if<Op>(&node_->op);
    }
    std::vector<Expr> const& inputs() const { return node_->inputs; }
    Expr const& input() const { return node_->inputs.front(); }
    Type const& type() const { return node_->type; }
    std::uint64_t hash() const { return node_->hash; }
    bool sends() const { return as<Broadcast>() || as<Shuffle>(); }
    friend bool operator==(Expr const& a, Expr const& b);  // same structure

private:
    struct Node {
        Operator op;
        std::vector<Expr> inputs;
        Type type;
        std::uint64_t hash = 0;
    };
    explicit Expr(Node node) : node_(std::make_shared<Node const>(std::move(node))) {}
    std::shared_ptr<Node const> node_;
    friend Checked<Expr> make(Operator op, std::vector<Expr> inputs);
};

/// An expression, or why there is none.
Checked<Expr> make(Operator op, std::vector<Expr> inputs);

// The same for those who know it is right. @throws InputError otherwise
Expr input(std::string name, RelationType relation, Sites sites, int site_count);
Expr broadcast(Expr relation);
Expr shuffle(KeyDims dims, Expr relation);
Expr local(Operator op, std::vector<Expr> inputs);

/// The type that an operator makes of its inputs; an Input's is its own.
Checked<Type> type_of(Operator const& op, std::vector<Expr> const& inputs);

/// As the paper writes it; an input with its sites, "X:PART⟨0⟩".
std::string text(Operator const& op);
std::string text(Expr const& expr);

/// Every distinct subexpression of some expressions, arguments first. What is made alike is one, computed and sent
/// once.
std::vector<Expr> distinct(std::vector<Expr> const& roots);

}  // namespace ein::ia
