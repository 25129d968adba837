#include "lib/graph/grad/sum_terms.hpp"

#include <algorithm>

#include "lib/graph/tuning.hpp"
#include "lib/scalar/derivative/pullback_rules.hpp"
#include "lib/scalar/expression/type.hpp"

namespace ein::graph::grad {
namespace {

using scalar::Expr;

bool is_pointwise(NodeTerm const& term) {
    auto const* einsum = std::get_if<EinSum>(&term.op);
    return einsum && einsum->aggregated().empty();
}

/// The moves of `terms` whose boxes do not overlap, as one; what they do not cover is 0.
void join_moves(std::vector<NodeTerm>& terms, Shape const& shape) {
    std::vector<NodeTerm> joined;
    for (NodeTerm& term : terms) {
        auto* const move = std::get_if<Move>(&term.op);
        auto const last =
            joined.begin() + static_cast<std::ptrdiff_t>(std::min(joined.size(), tuning::most_joined_moves));
        auto const home = std::find_if(joined.begin(), last, [&](NodeTerm const& other) {
            auto const* into = std::get_if<Move>(&other.op);
            return move && into && std::none_of(into->regions.begin(), into->regions.end(), [&](auto const& region) {
                       return !intersection(region.box, move->regions[0].box).empty();
                   });
        });
        if (home == last) {
            joined.push_back(std::move(term));
        } else {
            std::get<Move>(home->op).regions.push_back(std::move(move->regions[0]));
            home->inputs.push_back(term.inputs[0]);
        }
    }
    for (NodeTerm& term : joined) {
        auto* const move = std::get_if<Move>(&term.op);
        if (!move) continue;
        Extent covered = 0;
        for (Move::Region const& region : move->regions) covered += region.box.elements();
        if (covered == element_count(shape)) move->fill.reset();
    }
    terms = std::move(joined);
}

/// Calls the axes of an EinSum with a label an axis what another one of that shape calls them.
void name_axes(EinSum& einsum, EinSum const& like) {
    for (std::size_t axis = 0; axis < like.output.size(); ++axis)
        einsum.labels[axis] = like.labels[static_cast<std::size_t>(like.output[axis])];
}

/// A sum of EinSums that aggregate nothing, as one EinSum with a label an axis.
class PointwiseSum {
public:
    explicit PointwiseSum(Shape const& shape) : sum_(identity_einsum(shape)) {
        sum_.inputs.clear();
        sum_.join = {};
    }

    void add(NodeTerm const& term) {
        EinSum const& einsum = std::get<EinSum>(term.op);
        if (terms_ == 0) name_axes(sum_, einsum);  // as the first term calls them
        std::vector<int> axis_of(einsum.labels.size());
        for (std::size_t axis = 0; axis < einsum.output.size(); ++axis)
            axis_of[static_cast<std::size_t>(einsum.output[axis])] = static_cast<int>(axis);
        std::vector<Expr> operands;
        for (std::size_t k = 0; k < einsum.operands(); ++k) {
            std::vector<int> labels;
            for (int label : einsum.inputs[k]) labels.push_back(axis_of[static_cast<std::size_t>(label)]);
            operands.push_back(operand(term.inputs[k], labels));
        }
        sum_.join = scalar::added(sum_.join, scalar::substitute(einsum.join, operands, axis_of));
        ++terms_;
    }
    void add(double number) {
        if (number != 0) sum_.join = scalar::added(sum_.join, Expr::number(number));
    }

    std::size_t terms() const { return terms_; }
    std::size_t operands() const { return inputs_.size(); }
    NodeTerm take() const { return {sum_, inputs_}; }

private:
    /// The operand that reads `value` so, which another term may have too.
    Expr operand(ValueId value, std::vector<int> const& labels) {
        std::size_t k = 0;
        while (k < inputs_.size() && (inputs_[k] != value || sum_.inputs[k] != labels)) ++k;
        if (k == inputs_.size()) {
            inputs_.push_back(value);
            sum_.inputs.push_back(labels);
        }
        return Expr::operand(static_cast<int>(k));
    }

    EinSum sum_;
    std::vector<ValueId> inputs_;
    std::size_t terms_ = 0;
};

class Sum {
public:
    Sum(GradientNodes& nodes, ValueId of) : nodes_(nodes), of_(nodes.value(of)) {}

    std::optional<Term> run(std::vector<Term> terms) {
        bool any = false;
        double number = 0;
        std::vector<NodeTerm> rest;
        for (Term& term : terms) {
            any = true;
            if (auto const* constant = std::get_if<double>(&term))
                number += *constant;
            else
                rest.push_back(std::move(std::get<NodeTerm>(term)));
        }
        join_moves(rest, of_.shape);
        if (rest.empty()) return any ? std::optional<Term>(number) : std::nullopt;
        if (rest.size() == 1 && number == 0) return std::move(rest.front());
        return added(std::move(rest), number);
    }

private:
    NodeTerm added(std::vector<NodeTerm> terms, double number) {
        PointwiseSum sum(of_.shape);
        for (std::size_t k = 0; k < terms.size(); ++k) {
            NodeTerm term = joinable(std::move(terms[k]));
            auto const more = std::get<EinSum>(term.op).operands();
            if (sum.terms() > 1 && sum.operands() + more > tuning::most_summed_operands) {
                NodeTerm const so_far = read(sum.take());
                sum = PointwiseSum(of_.shape);
                sum.add(so_far);
            }
            sum.add(term);
        }
        sum.add(number);
        return sum.take();
    }

    /// The term itself where it may stand in a join beside others, else a copy of a node of its own.
    NodeTerm joinable(NodeTerm term) { return is_pointwise(term) && keeps_type(term) ? term : read(std::move(term)); }

    /// Beside operands of other types a join may be computed in another type, in which it has another value or none.
    bool keeps_type(NodeTerm const& term) const {
        EinSum const& einsum = std::get<EinSum>(term.op);
        if (scalar::operands_of(einsum.join).size() == 1 && einsum.join.op() == scalar::Op::operand) return true;
        return compute_type(einsum.join, nodes_.dtypes(term.inputs), of_.dtype) == compute_dtype({}, of_.dtype);
    }

    /// Partial sums of f16 and bf16 are kept in f32.
    NodeTerm read(NodeTerm term) {
        EinSum copy = identity_einsum(of_.shape);
        DType dtype = of_.dtype;
        if (auto const* einsum = std::get_if<EinSum>(&term.op)) {
            dtype = compute_dtype({}, dtype);
            name_axes(copy, *einsum);
        }
        std::string const name = nodes_.part(of_.name + ":" + std::to_string(++parts_));
        ValueId const value = nodes_.add(std::move(term), name, of_.shape, dtype);
        return {std::move(copy), {value}};
    }

    GradientNodes& nodes_;
    Value const of_;
    int parts_ = 0;
};

}  // namespace

std::optional<Term> sum_of(GradientNodes& nodes, ValueId of, std::vector<Term> terms) {
    return Sum(nodes, of).run(std::move(terms));
}

}  // namespace ein::graph::grad
