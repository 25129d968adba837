#include "lib/graph/sparse/idle_sets.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "lib/base/error.hpp"
#include "lib/graph/labels.hpp"
#include "lib/graph/sparse/moved.hpp"
#include "lib/graph/sparse/row_lookup.hpp"
#include "lib/scalar/expression/node_map.hpp"
#include "lib/scalar/expression/type.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;
using scalar::Op;
using scalar::Scalar;

constexpr std::size_t most_sparse_operands = 8;  // whose sets are all tried

bool is_value(Scalar const& value, double number) {
    return value.is_integer ? static_cast<double>(value.integer) == number : value.number == number;
}
bool is_true(Scalar const& value) { return value.is_integer ? value.integer != 0 : value.number != 0.0; }
bool is_infinite(Scalar const& value) {
    return !value.is_integer && value.number.imag() == 0 && std::isinf(value.number.real());
}
bool same(Scalar const& a, Scalar const& b) {
    return a.is_integer == b.is_integer && (a.is_integer ? a.integer == b.integer : a.number == b.number);
}

/// Whether an expression is one value wherever the operands of a set are not listed, and which.
class Decided {
public:
    Decided(EinSum const& einsum, DType compute, DType weak, std::span<std::optional<Scalar> const> fills,
            std::vector<int> const& set)
        : einsum_(einsum), compute_(compute), weak_(weak), set_(set) {
        for (std::size_t k = 0; k < fills.size(); ++k)
            operands_.push_back(has_label(set, static_cast<int>(k)) ? *fills[k] : any_value(compute));
        labels_.assign(einsum.labels.size(), 0);
        for (std::string const& name : scalar::params_of(einsum.join)) params_[name] = 1;
    }

    std::optional<Scalar> value() const {
        std::vector<Expr const*> const parts = scalar::arguments_first(einsum_.join);
        scalar::NodeMap<Known> known(parts.size());
        for (Expr const* const part : parts) known.set(&part->node(), decide(*part, known));
        return known.at(&einsum_.join.node());
    }

private:
    using Known = std::optional<Scalar>;

    Known decide(Expr const& part, scalar::NodeMap<Known> const& known) const {
        std::vector<Known> args;
        for (Expr const& arg : part.args()) args.push_back(known.at(&arg.node()));
        return holds_everywhere(part, args) ? Known(evaluated(part)) : std::nullopt;
    }

    /// What is unknown may be anything: it was given some value, and the part does not depend on it.
    bool holds_everywhere(Expr const& part, std::vector<Known> const& args) const {
        auto const is = [&](std::size_t k, double number) { return args[k] && is_value(*args[k], number); };
        auto const infinite = [&](std::size_t k) { return args[k] && is_infinite(*args[k]); };
        auto const truth = [&](std::size_t k, bool wanted) { return args[k] && is_true(*args[k]) == wanted; };
        constexpr double inf = std::numeric_limits<double>::infinity();
        switch (part.op()) {
            case Op::operand: return has_label(set_, part.node().slot);
            case Op::number: return true;
            case Op::index:
            case Op::param:
            case Op::position: return false;  // position refuses what is no index
            case Op::mul:
                if (is(0, 0) || is(1, 0)) return true;
                break;
            case Op::add:
            case Op::sub:
                if (infinite(0) != infinite(1)) return true;
                break;
            case Op::div:
                if (is(0, 0) || infinite(1)) return true;
                break;
            case Op::mod:
                if (is(0, 0)) return true;
                break;
            case Op::pow:
                if (is(1, 0)) return true;
                break;
            case Op::min:
                if (is(0, -inf) || is(1, -inf)) return true;
                break;
            case Op::max:
                if (is(0, inf) || is(1, inf)) return true;
                break;
            case Op::logical_and:
                if (truth(0, false) || truth(1, false)) return true;
                break;
            case Op::logical_or:
                if (truth(0, true) || truth(1, true)) return true;
                break;
            case Op::where:
                if (args[0]) return is_true(*args[0]) ? args[1].has_value() : args[2].has_value();
                return args[1] && args[2] && same(*args[1], *args[2]);
            default: break;
        }
        return std::all_of(args.begin(), args.end(), [](Known const& arg) { return arg.has_value(); });
    }

    Scalar evaluated(Expr const& part) const {
        return scalar::evaluate(part, compute_, weak_, operands_, labels_, params_);
    }

    EinSum const& einsum_;
    DType compute_, weak_;
    std::vector<int> const& set_;
    std::vector<Scalar> operands_;
    std::vector<std::int64_t> labels_;
    scalar::Params params_;
};

/// What the join gives where the operands of `set` are not listed, in the type that is aggregated in; nothing where
/// that depends on others.
class FillOfJoin {
public:
    FillOfJoin(EinSum const& einsum, std::span<DType const> inputs, std::span<std::optional<Scalar> const> fills,
               DType output)
        : einsum_(einsum),
          compute_(einsum.compute.value_or(compute_type(einsum.join, inputs, output))),
          weak_(compute_dtype({}, output)),
          join_(scalar::type_of(einsum.join, compute_, weak_).type),
          accumulate_(accumulate_type(einsum, join_, output)) {
        for (std::size_t k = 0; k < fills.size(); ++k)
            fills_.push_back(fills[k] ? std::optional(scalar::convert(*fills[k], inputs[k], compute_)) : std::nullopt);
    }

    DType accumulate() const { return accumulate_; }
    std::optional<Scalar> operator()(std::vector<int> const& set) const {
        auto const value = Decided(einsum_, compute_, weak_, fills_, set).value();
        if (!value) return std::nullopt;
        return scalar::convert(*value, join_, accumulate_);
    }

private:
    EinSum const& einsum_;
    DType compute_, weak_, join_, accumulate_;
    std::vector<std::optional<Scalar>> fills_;
};

}  // namespace

Scalar any_value(DType type) {
    constexpr double of_no_meaning = 0.6180339887498949;  // that no function turns into 0, inf or nan
    return is_exact(type) ? Scalar::of(std::int64_t{1}) : Scalar::of(std::complex<double>(of_no_meaning));
}

bool IdleSets::decides(int operand) const {
    return std::any_of(sets.begin(), sets.end(), [&](std::vector<int> const& set) { return has_label(set, operand); });
}

bool IdleSets::reads_sparse(int operand) const { return decides(operand) || has_label(looked_up, operand); }

std::optional<int> label_not_listed(EinSum const& einsum, std::vector<std::vector<int>> const& sets,
                                    std::size_t operand) {
    for (int label : einsum.inputs[operand]) {
        bool const listed = std::any_of(sets.begin(), sets.end(), [&](std::vector<int> const& set) {
            return std::all_of(set.begin(), set.end(),
                               [&](int k) { return has_label(einsum.inputs[static_cast<std::size_t>(k)], label); });
        });
        if (!listed) return label;
    }
    return std::nullopt;
}

namespace {

/// Positions are looked at everywhere: those that are out of range are a fault.
bool asks_for_positions(Expr const& join) {
    std::vector<Expr const*> const parts = scalar::arguments_first(join);
    return std::any_of(parts.begin(), parts.end(), [](Expr const* part) { return part->op() == Op::position; });
}

std::vector<int> looked_up(EinSum const& einsum, std::span<std::optional<Scalar> const> fills, IdleSets const& idle) {
    std::vector<int> out;
    if (idle.sets.empty() || asks_for_positions(einsum.join)) return out;
    for (std::size_t k = 0; k < fills.size(); ++k)
        if (fills[k] && !idle.decides(static_cast<int>(k)) && !label_not_listed(einsum, idle.sets, k))
            out.push_back(static_cast<int>(k));
    return out;
}

}  // namespace

IdleSets idle_sets(EinSum const& einsum, std::span<DType const> inputs, std::span<std::optional<Scalar> const> fills,
                   DType output) {
    std::vector<int> sparse;
    for (std::size_t k = 0; k < fills.size(); ++k)
        if (fills[k]) sparse.push_back(static_cast<int>(k));
    IdleSets out;
    if (sparse.size() > most_sparse_operands) sparse.resize(most_sparse_operands);
    if (sparse.empty()) return out;
    std::vector<bool> is_sparse;
    for (std::optional<Scalar> const& fill : fills) is_sparse.push_back(fill.has_value());
    if (auto const lookup = as_row_lookup(einsum, inputs, output, is_sparse)) {
        out.fill = fills[static_cast<std::size_t>(lookup->data)];
        out.sets.push_back({lookup->data});
        return out;
    }
    FillOfJoin const fill_of(einsum, inputs, fills, output);
    auto const operands_of = [&](unsigned bits) {
        std::vector<int> operands;
        for (std::size_t k = 0; k < sparse.size(); ++k)
            if ((bits >> k & 1U) != 0) operands.push_back(sparse[k]);
        return operands;
    };
    // What every set leaves behind: what the aggregation begins with, or else the join of all fills.
    std::optional<Scalar> left = scalar::identity(einsum.agg, fill_of.accumulate());
    if (einsum.aggregated().empty()) left = fill_of(sparse);
    if (!left) return out;
    std::vector<unsigned> found;
    std::vector<unsigned> all;
    for (unsigned bits = 1; bits < 1U << sparse.size(); ++bits) all.push_back(bits);
    std::stable_sort(all.begin(), all.end(),
                     [](unsigned a, unsigned b) { return std::popcount(a) < std::popcount(b); });
    for (unsigned const bits : all) {
        if (std::any_of(found.begin(), found.end(), [&](unsigned smaller) { return (smaller & bits) == smaller; }))
            continue;
        std::vector<int> operands = operands_of(bits);
        std::optional<Scalar> const fill = fill_of(operands);
        if (!fill || !scalar::same_value(*fill, *left)) continue;
        found.push_back(bits);
        out.sets.push_back(std::move(operands));
    }
    if (!out.sets.empty()) out.fill = scalar::convert(*left, fill_of.accumulate(), output);
    out.looked_up = looked_up(einsum, fills, out);
    return out;
}

namespace {

/// What is moved is what any input lists.
IdleSets of_moved(EinGraph const& graph, Node const& node) {
    IdleSets out;
    out.fill = moved_fill(graph, node);
    if (!out.fill) return out;
    out.sets.emplace_back(node.inputs.size());
    std::iota(out.sets[0].begin(), out.sets[0].end(), 0);
    return out;
}

}  // namespace

IdleSets idle_sets(EinGraph const& graph, Node const& node) {
    auto const* const einsum = std::get_if<EinSum>(&node.op);
    if (einsum == nullptr) return of_moved(graph, node);
    std::vector<DType> inputs;
    std::vector<std::optional<Scalar>> fills;
    for (ValueId input : node.inputs) {
        Value const& value = graph.value(input);
        inputs.push_back(value.dtype);
        fills.push_back(value.listing ? std::optional(value.listing->fill) : std::nullopt);
    }
    return idle_sets(*einsum, inputs, fills, graph.value(node.output).dtype);
}

}  // namespace ein::graph
