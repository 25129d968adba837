#include "lib/graph/factor/join_parts.hpp"

#include <algorithm>
#include <cmath>

#include "lib/graph/indicator.hpp"
#include "lib/graph/labels.hpp"
#include "lib/graph/tuning.hpp"
#include "lib/scalar/expression/node_map.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/type.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::graph {
namespace {

using scalar::Agg;
using scalar::Expr;
using scalar::Op;

std::size_t place(int number) { return static_cast<std::size_t>(number); }

double points(EinSum const& einsum) {
    double count = 1;
    for (Extent extent : einsum.extents) count *= static_cast<double>(extent);
    return count;
}

template <class Holds>
bool any_part(Expr const& expr, Holds const& holds) {
    auto const parts = scalar::arguments_first(expr);
    return std::any_of(parts.begin(), parts.end(), [&](Expr const* part) { return holds(part->op()); });
}

/// Whether kernels have loops of their own for a join of two operands: a product, a sum, a distance, ...
bool is_pair(Expr const& join) {
    auto const is_operand = [](Expr const& expr) { return expr.op() == Op::operand; };
    auto const& args = join.args();
    switch (join.op()) {
        case Op::neg: return is_pair(args[0]);
        case Op::abs: return args[0].op() == Op::sub && is_pair(args[0]);
        case Op::div: return is_pair(args[0]) && scalar::is_constant(args[1]);
        case Op::mul:
            if (args[0] == args[1]) return args[0].op() == Op::sub && is_pair(args[0]);
            if (scalar::is_constant(args[0])) return is_pair(args[1]) || is_operand(args[1]);
            if (scalar::is_constant(args[1])) return is_pair(args[0]) || is_operand(args[0]);
            return (is_operand(args[0]) || is_pair(args[0])) && (is_operand(args[1]) || is_pair(args[1]));
        case Op::pow: return args[0].op() == Op::sub && is_pair(args[0]) && scalar::is_number(args[1], 2);
        case Op::add:
        case Op::sub:
        case Op::min:
        case Op::max:
        case Op::logical_and:
        case Op::logical_or: return is_operand(args[0]) && is_operand(args[1]);
        default: return false;
    }
}

/// A sum's product with all factors that belong to one another side by side: those whose labels another factor has.
/// @return nothing where that does not leave two factors and constants
std::optional<Expr> grouped(EinSum const& einsum, DType compute) {
    if (einsum.agg != Agg::sum || einsum.join.op() != Op::mul) return std::nullopt;
    struct Group {
        std::vector<int> labels;
        Expr factor;
    };
    auto const times = [](Expr const& a, Expr const& b) { return a.empty() ? b : a * b; };
    std::vector<Group> groups;
    Expr constant;
    std::vector<Expr> const links = links_of(einsum.join, Op::mul);
    if (links.size() > tuning::most_links) return std::nullopt;
    for (Expr const& link : links) {
        if (scalar::is_constant(link)) {
            constant = times(constant, link);
            continue;
        }
        scalar::TypeResult const type = scalar::type_of(link, compute, compute);
        if (!type.problem.empty() || type.type != compute) return std::nullopt;
        groups.push_back({labels_that_decide(einsum, link), link});
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [](Group const& a, Group const& b) { return a.labels.size() > b.labels.size(); });
    std::vector<Group> sides;
    for (Group& group : groups) {
        auto const side = std::find_if(sides.begin(), sides.end(),
                                       [&](Group const& at) { return has_labels(at.labels, group.labels); });
        if (side == sides.end())
            sides.push_back(std::move(group));
        else
            side->factor = side->factor * group.factor;
    }
    bool const read = std::all_of(sides.begin(), sides.end(),
                                  [](Group const& side) { return !scalar::operands_of(side.factor).empty(); });
    if (sides.size() != 2 || groups.size() == 2 || !read) return std::nullopt;
    Expr const product = sides[0].factor * sides[1].factor;
    return constant.empty() ? product : product * constant;
}

class PartFinder {
public:
    PartFinder(EinSum const& einsum, DType compute) : einsum_(einsum), compute_(compute), points_(points(einsum)) {}

    /// What is left where every part that fewer labels decide is a node of its own.
    std::optional<JoinParts> run(Expr const& join, bool costly_alone) {
        parts_.clear();
        costly_alone_ = costly_alone;
        Expr const rest = without_parts(join);
        if (parts_.empty()) return std::nullopt;
        return JoinParts{std::move(parts_), rest_of(rest)};
    }

private:
    bool is_part(Expr const& expr) const {
        if (expr.args().empty() || scalar::operands_of(expr).empty()) return false;
        std::vector<int> const labels = labels_that_decide(einsum_, expr);
        if (labels.size() == einsum_.labels.size()) return false;
        if (points_ < tuning::least_uses_of_a_part * points_of(einsum_, labels)) return false;
        if (any_part(expr, [](Op op) { return op == Op::position; })) return false;
        if (costly_alone_ && !any_part(expr, [](Op op) { return scalar::info(op).costly; })) return false;
        scalar::TypeResult const type = scalar::type_of(expr, compute_, compute_);
        return type.problem.empty() && type.type == compute_;
    }

    /// Outermost first: the largest parts.
    Expr without_parts(Expr const& expr) {
        if (is_part(expr)) return operand_for(expr);
        if (expr.args().empty()) return expr;
        std::vector<Expr> args;
        for (Expr const& arg : expr.args()) args.push_back(without_parts(arg));
        return expr.op() == Op::cast ? Expr::cast(expr.node().cast_to, args.front()) : Expr::call(expr.op(), args);
    }

    Expr operand_for(Expr const& part) {
        for (std::size_t k = 0; k < found_.size(); ++k)
            if (found_[k] == part) return Expr::operand(static_cast<int>(einsum_.operands() + k));
        found_.push_back(part);
        axes_.push_back(axes_of_part(einsum_, part, labels_that_decide(einsum_, part)));
        parts_.push_back(step_of(einsum_, part, axes_.back(), Agg::sum));
        return Expr::operand(static_cast<int>(einsum_.operands() + found_.size() - 1));
    }

    /// The whole with its labels, and of its operands those that it still reads, or never read.
    JoinStep rest_of(Expr const& join) const {
        JoinStep rest{einsum_, {}, {}};
        rest.einsum.inputs.clear();
        std::vector<int> const before = scalar::operands_of(einsum_.join), now = scalar::operands_of(join);
        std::vector<Expr> renumbered(einsum_.operands() + found_.size(), Expr::operand(0));
        for (std::size_t k = 0; k < renumbered.size(); ++k) {
            int const number = static_cast<int>(k);
            bool const is_new = k >= einsum_.operands();
            if (!has_label(now, number) && (is_new || has_label(before, number))) continue;
            renumbered[k] = Expr::operand(static_cast<int>(rest.operands.size()));
            rest.operands.push_back(number);
            rest.einsum.inputs.push_back(is_new ? axes_[k - einsum_.operands()] : einsum_.inputs[k]);
        }
        rest.einsum.join = scalar::substitute(join, renumbered);
        return rest;
    }

    EinSum const& einsum_;
    DType compute_;
    double points_;
    bool costly_alone_ = false;
    std::vector<Expr> found_;
    std::vector<std::vector<int>> axes_;
    std::vector<JoinStep> parts_;
};

/// What an aggregation of nothing but this number gives is the number again.
bool stays(Agg agg, double value) {
    switch (agg) {
        case Agg::sum: return value == 0 || std::isinf(value);
        case Agg::min:
        case Agg::max: return !std::isnan(value);
        case Agg::logsumexp: return value == -INFINITY;
        case Agg::prod:
        case Agg::any:
        case Agg::all: return false;
    }
    return false;
}

bool is_searched(EinSum const& einsum) {
    return !looks_up(einsum) && !scatters(einsum) && !as_count(einsum) &&
           points(einsum) >= tuning::least_points_of_parts &&
           einsum.join.node().written <= tuning::most_searched_operations;
}

}  // namespace

std::optional<JoinParts> parts_of_join(EinSum const& einsum, DType compute) {
    if (!is_searched(einsum)) return std::nullopt;
    if (!einsum.aggregated().empty() && !(is_rows_by_columns(einsum) && is_pair(einsum.join))) {
        std::optional<Expr> const product = grouped(einsum, compute);
        auto found = PartFinder(einsum, compute).run(product.value_or(einsum.join), false);
        if (found && is_rows_by_columns(found->rest.einsum) && is_pair(found->rest.einsum.join)) return found;
    }
    return PartFinder(einsum, compute).run(einsum.join, true);
}

std::optional<JoinParts> choice_after_aggregation(EinSum const& einsum, DType compute) {
    std::vector<int> const summed = einsum.aggregated();
    if (summed.empty() || einsum.join.op() != Op::where || !is_searched(einsum)) return std::nullopt;
    for (int label : summed)
        if (einsum.extents[place(label)] == 0) return std::nullopt;
    auto const& args = einsum.join.args();
    for (int label : labels_that_decide(einsum, args[0]))
        if (has_label(summed, label)) return std::nullopt;
    bool const first = args[2].op() == Op::number;
    Expr const &inside = args[first ? 1 : 2], &fill = args[first ? 2 : 1];
    bool const keeps =
        fill.op() == Op::number && fill.node().value.imag() == 0 && stays(einsum.agg, fill.node().value.real());
    std::vector<int> const read = labels_that_decide(einsum, inside);
    if (!keeps || !has_labels(read, summed)) return std::nullopt;
    scalar::TypeResult const type = scalar::type_of(inside, compute, compute);
    if (!type.problem.empty() || type.type != compute) return std::nullopt;

    std::vector<int> kept;
    for (int label : einsum.output)
        if (has_label(read, label)) kept.push_back(label);
    JoinParts out;
    out.parts.push_back(step_of(einsum, inside, kept, einsum.agg));
    if (!is_rows_by_columns(out.parts.front().einsum)) return std::nullopt;

    EinSum chosen = einsum;
    Expr const made = Expr::operand(static_cast<int>(einsum.operands()));
    chosen.inputs.push_back(kept);
    Expr const join =
        Expr::call(Op::where, first ? std::vector{args[0], made, fill} : std::vector{args[0], fill, made});
    out.rest = step_of(chosen, join, einsum.output, Agg::sum);
    return out;
}

}  // namespace ein::graph
