#include "lib/scalar/expression/expr.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "lib/base/error.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::scalar {
namespace {

bool same_number(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

bool same_leaf(Node const& a, Node const& b) {
    return a.op == b.op && a.slot == b.slot && a.cast_to == b.cast_to && a.integral == b.integral &&
           a.integer == b.integer && same_number(a.value.real(), b.value.real()) && a.name == b.name &&
           a.args.size() == b.args.size();
}

std::vector<int> slots_of(Expr const& expr, Op op) {
    std::vector<int> slots;
    for (Expr const* const part : arguments_first(expr)) {
        if (part->op() == op) slots.push_back(part->node().slot);
    }
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    return slots;
}

/// The same operation on other arguments.
Expr with_arguments(Node const& node, std::unordered_map<Node const*, Expr> const& arguments) {
    std::vector<Expr> args;
    for (Expr const& arg : node.args) args.push_back(arguments.at(&arg.node()));
    return node.op == Op::cast ? Expr::cast(node.cast_to, args.front()) : Expr::call(node.op, std::move(args));
}

class Substitution {
public:
    Substitution(std::span<Expr const> operands, std::span<int const> labels) : operands_(operands), labels_(labels) {}

    Expr operator()(Expr const& expr) {
        for (Expr const* const part : arguments_first(expr)) done_.emplace(&part->node(), rebuilt(*part));
        return done_.at(&expr.node());
    }

private:
    Expr rebuilt(Expr const& expr) const {
        Node const& node = expr.node();
        if (node.op == Op::operand) return operands_.empty() ? expr : replacement(operands_, node.slot);
        if (node.op == Op::index) return labels_.empty() ? expr : Expr::index(replacement(labels_, node.slot));
        if (node.args.empty()) return expr;
        return with_arguments(node, done_);
    }

    template <class T>
    static T replacement(std::span<T const> list, int slot) {
        promise(slot >= 0 && static_cast<std::size_t>(slot) < list.size(), "substitute lacks a replacement");
        return list[static_cast<std::size_t>(slot)];
    }

    std::span<Expr const> operands_;
    std::span<int const> labels_;
    std::unordered_map<Node const*, Expr> done_;
};

int depth_above(std::vector<Expr> const& args) {
    int deepest = 0;
    for (Expr const& arg : args) deepest = std::max(deepest, arg.node().depth);
    if (deepest >= max_depth) {
        throw InputError(Fault{"", "", "an expression at most " + std::to_string(max_depth) + " operations deep",
                               "a deeper one", "split it into several nodes"});
    }
    return deepest + 1;
}

std::int64_t written_with(std::vector<Expr> const& args) {
    std::int64_t total = 1;
    for (Expr const& arg : args)
        if (__builtin_add_overflow(total, arg.node().written, &total)) return std::numeric_limits<std::int64_t>::max();
    return total;
}

}  // namespace

Expr Expr::leaf(Op op, int slot) {
    promise(slot >= 0, "an operand or label of an expression is negative");
    Node node;
    node.op = op;
    node.slot = slot;
    return Expr(std::move(node));
}

Expr Expr::operand(int number) { return leaf(Op::operand, number); }
Expr Expr::index(int label) { return leaf(Op::index, label); }

Expr Expr::number(double value) {
    Node node;
    node.value = value;
    return Expr(std::move(node));
}

Expr Expr::number(std::complex<double> value) {
    return call(Op::complex, {number(value.real()), number(value.imag())});
}

Expr Expr::integer(std::int64_t value) {
    Node node;
    node.integral = true;
    node.integer = value;
    node.value = static_cast<double>(value);
    return Expr(std::move(node));
}

Expr Expr::large_integer(std::string digits, double value) {
    Node node;
    node.value = value;
    node.name = std::move(digits);
    return Expr(std::move(node));
}

Expr Expr::param(std::string name) {
    Node node;
    node.op = Op::param;
    node.name = std::move(name);
    return Expr(std::move(node));
}

Expr Expr::cast(DType to, Expr argument) {
    Node node;
    node.op = Op::cast;
    node.cast_to = to;
    node.args.push_back(std::move(argument));
    node.depth = depth_above(node.args);
    node.written = written_with(node.args);
    return Expr(std::move(node));
}

Expr Expr::call(Op op, std::vector<Expr> args) {
    promise(op != Op::cast && static_cast<int>(args.size()) == info(op).arity && !args.empty(),
            "an expression is built with a wrong number of arguments");
    for (Expr const& arg : args) promise(!arg.empty(), "an expression is built from an empty one");
    Node node;
    node.op = op;
    node.args = std::move(args);
    node.depth = depth_above(node.args);
    node.written = written_with(node.args);
    return Expr(std::move(node));
}

bool operator==(Expr const& a, Expr const& b) {
    if (a.node_ == b.node_) return true;
    if (a.empty() || b.empty() || a.node().depth != b.node().depth || !same_leaf(a.node(), b.node())) return false;
    return std::equal(a.args().begin(), a.args().end(), b.args().begin());
}

Expr product(int operands) {
    promise(operands > 0, "a product of no operands");
    Expr all = Expr::operand(0);
    for (int k = 1; k < operands; ++k) all = std::move(all) * Expr::operand(k);
    return all;
}

std::vector<int> operands_of(Expr const& expr) { return slots_of(expr, Op::operand); }
std::vector<int> labels_of(Expr const& expr) { return slots_of(expr, Op::index); }

std::vector<std::string> params_of(Expr const& expr) {
    std::vector<std::string> names;
    for (Expr const* const part : arguments_first(expr)) {
        if (part->op() == Op::param) names.push_back(part->node().name);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

Expr substitute(Expr const& expr, std::span<Expr const> operands, std::span<int const> labels) {
    return Substitution(operands, labels)(expr);
}

Expr replaced(Expr const& expr, Expr const& part, Expr const& by) {
    std::unordered_map<Node const*, Expr> done{{&part.node(), by}};
    for (Expr const* const each : arguments_first(expr))
        if (!done.contains(&each->node()))
            done.emplace(&each->node(), each->args().empty() ? *each : with_arguments(each->node(), done));
    return done.at(&expr.node());
}

}  // namespace ein::scalar
