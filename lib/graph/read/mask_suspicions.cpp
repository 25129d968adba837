// Masks before a softmax that leave out nothing: 0 in place of a score, or a score times 0, counts as exp(0) = 1.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "lib/graph/labels.hpp"
#include "lib/graph/read/suspicions.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;
using scalar::Op;

constexpr double least_that_counts = -1e4;  // exp of less is nothing beside any score
constexpr double far_below = -20;           // exp of less is small beside that of usual scores
constexpr int longest_way = 8;              // nodes between a mask and what takes exp of it

/// The number that an expression is, where it is one.
std::optional<double> constant_of(Expr const& expr, scalar::Params const& params) {
    if (expr.op() == Op::cast) return constant_of(expr.args()[0], params);
    if (expr.op() == Op::neg) {
        auto const number = constant_of(expr.args()[0], params);
        return number ? std::optional(-*number) : std::nullopt;
    }
    if (expr.op() == Op::number) return expr.node().value.real();
    if (expr.op() != Op::param || !params.contains(expr.node().name)) return std::nullopt;
    return params.at(expr.node().name);
}

std::string short_text(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", number);
    return text;
}

/// What is aggregated: the axes of a value that a sum of exp runs over.
struct Scores {
    ValueId value;
    std::vector<std::size_t> axes;
};

class Masks {
public:
    explicit Masks(EinGraph const& graph) : graph_(graph), producers_(graph.producers()) {}

    std::vector<std::string> notes() {
        std::vector<std::string> out;
        for (Node const& node : graph_.nodes)
            if (auto const* const einsum = std::get_if<EinSum>(&node.op))
                if (auto note = note_of(node, *einsum)) add(out, std::move(*note));
        return out;
    }

private:
    static void add(std::vector<std::string>& out, std::string note) {
        constexpr std::size_t most = 3;
        if (out.size() < most && std::ranges::find(out, note) == out.end()) out.push_back(std::move(note));
    }

    Node const* producer(ValueId value) const {
        auto const& id = producers_[at(value)];
        return id ? &graph_.node(*id) : nullptr;
    }

    /// Of a node that adds up exp of something: of an expression of its own, or of elements that another node made.
    std::optional<std::string> note_of(Node const& node, EinSum const& einsum) const {
        if (einsum.aggregated().empty()) return std::nullopt;
        if (einsum.agg == scalar::Agg::logsumexp) return behind(node, node, einsum, einsum.join, einsum.aggregated());
        if (einsum.agg != scalar::Agg::sum) return std::nullopt;
        for (Expr const* part : scalar::arguments_first(einsum.join))
            if (part->op() == Op::exp)
                if (auto note = behind(node, node, einsum, part->args()[0], einsum.aggregated())) return note;
        if (einsum.join.op() != Op::operand) return std::nullopt;
        Node const* const before = producer(node.inputs[0]);
        auto const* const exps = before == nullptr ? nullptr : std::get_if<EinSum>(&before->op);
        if (exps == nullptr || !exps->aggregated().empty() || exps->join.op() != Op::exp) return std::nullopt;
        std::vector<int> labels;
        for (std::size_t k = 0; k < einsum.inputs[0].size(); ++k)
            if (einsum.aggregates(einsum.inputs[0][k])) labels.push_back(exps->output[k]);
        return behind(node, *before, *exps, exps->join.args()[0], labels);
    }

    /// Whether `of`, an expression of a node that reads it or made it, is a mask along some of these labels.
    std::optional<std::string> behind(Node const& sum, Node const& node, EinSum const& einsum, Expr const& of,
                                      std::vector<int> const& labels, int way = 0) const {
        Expr inside = of;
        for (int depth = 0; depth < 100; ++depth) {  // without scale, and without the greatest score
            std::vector<Expr> const& args = inside.args();
            bool const product = inside.op() == Op::mul || inside.op() == Op::div;
            bool const of_labels = inside.op() == Op::sub && !varies(args[1], einsum, labels);
            if (inside.op() == Op::cast || of_labels || (inside.op() == Op::div && scalar::is_constant(args[1])))
                inside = Expr(args[0]);
            else if (product && scalar::is_constant(args[0]) != scalar::is_constant(args[1]) && inside.op() == Op::mul)
                inside = Expr(args[scalar::is_constant(args[0]) ? 1 : 0]);
            else
                break;
        }
        if (auto note = filled(sum, node, einsum, inside, labels)) return note;
        if (auto note = multiplied(sum, node, einsum, inside, labels)) return note;
        if (auto note = added(sum, node, einsum, inside, labels)) return note;
        if (inside.op() != Op::operand || way == longest_way) return std::nullopt;
        auto const slot = static_cast<std::size_t>(inside.node().slot);
        Node const* const before = producer(node.inputs[slot]);
        auto const* const made = before == nullptr ? nullptr : std::get_if<EinSum>(&before->op);
        if (made == nullptr || !made->aggregated().empty()) return std::nullopt;
        std::vector<int> along;
        for (std::size_t axis = 0; axis < einsum.inputs[slot].size(); ++axis)
            if (has_label(labels, einsum.inputs[slot][axis])) along.push_back(made->output[axis]);
        return along.empty() ? std::nullopt : behind(sum, *before, *made, made->join, along, way + 1);
    }

    /// Labels that ops give have names of their own.
    static bool is_op(EinSum const& einsum) {
        return einsum.operands() == 2 && einsum.labels.front().starts_with("axis");
    }

    /// Whether it has other values along some of these labels.
    static bool varies(Expr const& expr, EinSum const& einsum, std::vector<int> const& labels) {
        auto const among = [&](int label) { return has_label(labels, label); };
        if (std::ranges::any_of(scalar::labels_of(expr), among)) return true;
        return std::ranges::any_of(scalar::operands_of(expr), [&](int operand) {
            return std::ranges::any_of(einsum.inputs[static_cast<std::size_t>(operand)], among);
        });
    }

    std::string over(EinSum const& einsum, std::vector<int> const& labels) const {
        std::vector<std::string> names;
        for (int const label : labels) names.push_back("'" + einsum.labels[static_cast<std::size_t>(label)] + "'");
        return joined(names, ", ");
    }
    static std::string reader(Node const& sum, Node const& node) {
        return sum.name == node.name ? "its own exp" : "the exp that '" + sum.name + "' takes of it";
    }

    /// where(condition, x, 0): what fails the condition is left out, it seems. A function of x, as where(x > 0, x, 0),
    /// leaves out nothing.
    std::optional<std::string> filled(Node const& sum, Node const& node, EinSum const& einsum, Expr const& expr,
                                      std::vector<int> const& labels) const {
        if (expr.op() != Op::where) return std::nullopt;
        std::vector<Expr> const& args = expr.args();
        for (std::size_t const k : {std::size_t{1}, std::size_t{2}}) {
            auto const fill = constant_of(args[k], graph_.params);
            Expr const& score = args[3 - k];
            bool const counts = fill && std::isfinite(*fill) && *fill > least_that_counts;
            if (!counts || scalar::operands_of(score).empty() || !varies(args[0], einsum, labels)) continue;
            std::vector<int> const of_score = scalar::operands_of(score);
            bool const of_itself =
                scalar::labels_of(args[0]).empty() && std::ranges::all_of(scalar::operands_of(args[0]), [&](int of) {
                    return std::ranges::find(of_score, of) != of_score.end();
                });
            if (of_itself) continue;
            std::string const number = short_text(*fill);
            std::string const counts_as =
                *fill > far_below
                    ? reader(sum, node) + " is " + short_text(std::exp(*fill)) + " there, which counts in the sum"
                    : reader(sum, node) + " counts beside scores that are as low";
            return "node '" + node.name + "' puts " + number + " where scores are left out along " +
                   over(einsum, labels) + ", and " + counts_as + "; to leave them out write -inf in place of " + number;
        }
        return std::nullopt;
    }

    /// x + where(condition, 0, -1): what is added leaves out little.
    std::optional<std::string> added(Node const& sum, Node const& node, EinSum const& einsum, Expr const& expr,
                                     std::vector<int> const& labels) const {
        if (expr.op() != Op::add) return std::nullopt;
        for (Expr const& mask : expr.args()) {
            if (mask.op() != Op::where || !varies(mask.args()[0], einsum, labels)) continue;
            auto const a = constant_of(mask.args()[1], graph_.params), b = constant_of(mask.args()[2], graph_.params);
            if (!a || !b || std::max(*a, *b) != 0) continue;
            double const least = std::min(*a, *b);
            if (least <= far_below || least == 0) continue;
            std::string const number = short_text(least);
            return "node '" + node.name + "' adds " + number + " where scores are left out along " +
                   over(einsum, labels) + ", and " + reader(sum, node) + " is " + short_text(std::exp(least)) +
                   " times as large, which counts in the sum; to leave them out write -inf in place of " + number;
        }
        return std::nullopt;
    }

    /// Whether it is 0 or 1: a comparison, truth values, a choice between 0 and 1.
    bool is_mask(Node const& node, Expr const& expr, int way = 0) const {
        if (expr.op() == Op::cast) return is_mask(node, expr.args()[0], way);
        if (scalar::is_truth(expr.op())) return true;
        if (expr.op() == Op::where) {
            auto const a = constant_of(expr.args()[1], graph_.params), b = constant_of(expr.args()[2], graph_.params);
            return a && b && ((*a == 0 && *b == 1) || (*a == 1 && *b == 0));
        }
        if (expr.op() != Op::operand) return false;
        ValueId const value = node.inputs[static_cast<std::size_t>(expr.node().slot)];
        if (graph_.value(value).dtype == DType::boolean) return true;
        Node const* const before = producer(value);
        auto const* const made = before == nullptr ? nullptr : std::get_if<EinSum>(&before->op);
        return made != nullptr && made->aggregated().empty() && way < longest_way &&
               is_mask(*before, made->join, way + 1);
    }

    /// Where a mask is 1.
    std::string condition_of(Expr const& mask, scalar::Names const& names) const {
        if (mask.op() == Op::operand) return scalar::print(mask, names) + " != 0";
        if (mask.op() != Op::where) return scalar::print(mask, names);
        std::string const condition = scalar::print(mask.args()[0], names);
        return constant_of(mask.args()[1], graph_.params) == 1.0 ? condition : "!(" + condition + ")";
    }

    /// x*m of a mask m.
    std::optional<std::string> multiplied(Node const& sum, Node const& node, EinSum const& einsum, Expr const& expr,
                                          std::vector<int> const& labels) const {
        if (expr.op() != Op::mul) return std::nullopt;
        scalar::Names const names{static_cast<int>(einsum.operands()), einsum.labels, {}};
        for (std::size_t const k : {std::size_t{0}, std::size_t{1}}) {
            Expr const &mask = expr.args()[k], &score = expr.args()[1 - k];
            if (scalar::operands_of(score).empty() || !varies(mask, einsum, labels) || !is_mask(node, mask) ||
                is_mask(node, score))
                continue;
            std::string const chosen =
                "where(" + condition_of(mask, names) + ", " + scalar::print(score, names) + ", -inf)";
            return "node '" + node.name + "' multiplies scores by a mask along " + over(einsum, labels) + ", and " +
                   reader(sum, node) + " is 1 where that is 0, which counts in the sum; to leave them out write " +
                   (is_op(einsum) ? "\"einsum\": \"...,...->...\", \"join\": \"" + chosen + "\" in place of the op"
                                  : chosen + " in place of " + scalar::print(expr, names));
        }
        return std::nullopt;
    }

    EinGraph const& graph_;
    std::vector<std::optional<NodeId>> producers_;
};

}  // namespace

std::vector<std::string> mask_suspicions(EinGraph const& graph) { return Masks(graph).notes(); }

}  // namespace ein::graph
