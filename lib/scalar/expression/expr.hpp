// Scalar expressions: the join of an EinSum as a value. An Expr is an immutable tree, cheap to copy.
// Leaves parsing to parse.hpp, types to type.hpp, evaluation to program.hpp (fast) and evaluate.hpp (one element, the
// reference). Example: "where([i] >= [k], eta*x, -inf)" over labels (i, k) is where(ge(index 0, index 1), mul(param
// eta, operand 0), -inf).
#pragma once

#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/base/dtype.hpp"

namespace ein::scalar {

enum class Op : std::uint8_t {
    // leaves
    operand,  // x, y, z or x0, x1, ...: `slot` is the operand's number
    index,    // [i]: `slot` is the label's position in the EinSum's label list
    number,   // `value`; `integral` when written as an integer
    param,    // a name that is bound to a number when the run starts
    // one argument
    neg,
    logical_not,
    abs,
    sign,
    floor,
    ceil,
    round,
    sqrt,
    rsqrt,
    cbrt,
    exp,
    exp2,
    expm1,
    log,
    log2,
    log1p,
    sin,
    cos,
    tan,
    atan,
    sinh,
    cosh,
    tanh,
    asinh,
    acosh,
    atanh,
    erf,
    sigmoid,
    relu,
    silu,
    gelu,
    softplus,
    conj,
    real,
    imag,
    cast,  // cast_<dtype>: `cast_to`
    // two arguments
    add,
    sub,
    mul,
    div,
    pow,
    mod,
    atan2,
    min,
    max,
    lt,
    le,
    gt,
    ge,
    eq,
    ne,
    logical_and,
    logical_or,
    complex,
    position,  // position(x, n): x, or x + n when negative, for an index into n elements; any other value is an
               // InputError when run
    // three arguments
    where
};

class Expr;

struct Node {
    Op op = Op::number;
    int slot = 0;
    DType cast_to = DType::f32;
    bool integral = false;
    std::complex<double> value;
    std::int64_t integer = 0;  // the value when integral
    std::string name;          // of a param; of a whole number that no int64 holds its digits
    int depth = 1;             // of the tree below, this node included
    std::int64_t written = 1;  // nodes of it when it is printed: what is shared comes several times
    std::vector<Expr> args;
};

/// No tree is deeper, so that walking and freeing one by recursion is safe: deeper ones are InputErrors.
inline constexpr int max_depth = 2100;
/// No join that a user writes is deeper, so that readers can build a little around it (argmin, a cast).
inline constexpr int max_join_depth = 2000;

/// An immutable scalar expression.
class Expr {
public:
    Expr() = default;  // empty: only to be assigned to
    static Expr operand(int number);
    static Expr index(int label);
    static Expr number(double value);
    static Expr number(std::complex<double> value);  // complex(re, im): there are no complex literals
    static Expr integer(std::int64_t value);
    static Expr large_integer(std::string digits, double value);  // one that no int64 holds, computed as an f64
    static Expr param(std::string name);
    static Expr cast(DType to, Expr argument);
    static Expr call(Op op, std::vector<Expr> args);  // any op with arguments, but cast

    Node const& node() const { return *node_; }
    Op op() const { return node_->op; }
    std::vector<Expr> const& args() const { return node_->args; }
    bool empty() const { return node_ == nullptr; }
    bool shared() const { return node_.use_count() > 1; }  // others may hold the same node
    friend bool operator==(Expr const& a, Expr const& b);  // same structure

private:
    static Expr leaf(Op op, int slot);
    explicit Expr(Node node) : node_(std::make_shared<Node const>(std::move(node))) {}
    std::shared_ptr<Node const> node_;
};

/// Whether it is a literal whole number that no int64 holds.
inline bool is_large_integer(Node const& node) { return node.op == Op::number && !node.name.empty(); }

/// Whether it is this number, written as a literal (with no imaginary part).
inline bool is_number(Expr const& expr, double value) { return expr.op() == Op::number && expr.node().value == value; }

inline Expr operator+(Expr a, Expr b) { return Expr::call(Op::add, {std::move(a), std::move(b)}); }
inline Expr operator-(Expr a, Expr b) { return Expr::call(Op::sub, {std::move(a), std::move(b)}); }
inline Expr operator*(Expr a, Expr b) { return Expr::call(Op::mul, {std::move(a), std::move(b)}); }
inline Expr operator/(Expr a, Expr b) { return Expr::call(Op::div, {std::move(a), std::move(b)}); }

/// x * y * z * ...: the default join. One operand gives the operand.
Expr product(int operands);

/// The operands, labels or params that an expression mentions, in order, each once.
std::vector<int> operands_of(Expr const& expr);
std::vector<int> labels_of(Expr const& expr);
std::vector<std::string> params_of(Expr const& expr);

/// A copy in which operand k is replaced by operands[k] and label l by labels[l] (an empty span leaves them as they
/// are).
Expr substitute(Expr const& expr, std::span<Expr const> operands, std::span<int const> labels = {});

/// A copy in which `part`, the very node and not one like it, is replaced by `by`.
Expr replaced(Expr const& expr, Expr const& part, Expr const& by);

using Params = std::map<std::string, double>;

}  // namespace ein::scalar
