// The typing rules in one place: from the types of an operation's arguments to the type it works in and the type it
// gives. type_of, simplify, evaluate and Program all follow it. Weak values (numbers, [i], params and what is made of
// them alone) are computed as Python computes numbers, in i64, f64 or c128, and converted when they meet an operand; a
// whole number that the operand's integer type does not hold is refused, as NumPy 2 does, one that no i64 holds beside
// every integer; a number with a point or an exponent is real and makes integers f64. Example: add of f32 and a
// weak i64 works in f32 and gives f32; lt of the same works in f32 and gives bool.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/scalar/expression/expr.hpp"
#include "lib/scalar/expression/node_map.hpp"

namespace ein::scalar {

/// The least and the greatest of some whole numbers.
struct WholeRange {
    std::int64_t least = 0, greatest = 0;
    friend bool operator==(WholeRange const&, WholeRange const&) = default;
};

struct ValueType {
    DType type = DType::f32;  // i64, f64 or c128 when weak
    bool weak = false;
    std::optional<std::int64_t> constant;   // of a weak integer whose value is known
    bool large = false;                     // a weak f64 for a whole number that no i64 holds
    std::optional<WholeRange> chosen = {};  // of a weak integer that where() chooses: what is known of its choices
    friend bool operator==(ValueType const&, ValueType const&) = default;
};

struct Typing {
    ValueType value;            // of the result
    std::optional<DType> work;  // every argument that counts is converted to it; nothing: arguments stay as they are
};

/// What type_of reports as `problem`.
struct Refused {
    std::string problem;
    Node const* node = nullptr;  // the operation or number that it is about
};

/// @param args  of the arguments of `node`  @throws Refused
Typing typing(Node const& node, std::span<ValueType const> args, DType compute);

/// The type of a finished value: a weak one takes `weak` unless that is of a lesser kind.
DType settled(ValueType const& value, DType weak);

/// The types of every node of an expression, each worked out once.
class TypedExpr {
public:
    /// @throws Refused
    TypedExpr(Expr const& expr, DType compute);
    Typing const& of(Expr const& expr) const { return types_.at(&expr.node()); }

private:
    TypedExpr(std::vector<Expr const*> const& parts, DType compute);

    NodeMap<Typing> types_;
};

/// Refuses a weak whole number, also as a branch of where(), that the type of the finished value does not hold.
/// @throws Refused
void check_settled(TypedExpr const& types, Expr const& expr, DType type);

}  // namespace ein::scalar
