#include "lib/graph/grad/einsum_terms.hpp"

#include <algorithm>

#include "lib/graph/grad/aggregation.hpp"
#include "lib/graph/grad/join_frame.hpp"
#include "lib/graph/labels.hpp"
#include "lib/scalar/derivative/pullback.hpp"
#include "lib/scalar/derivative/pullback_rules.hpp"
#include "lib/scalar/expression/type.hpp"

namespace ein::graph::grad {
namespace {

using scalar::Agg;
using scalar::Expr;
using scalar::Op;

/// For each operand the first one that reads the same value in the same way.
std::vector<std::size_t> first_alike(Node const& node, EinSum const& einsum) {
    std::vector<std::size_t> first(einsum.operands());
    for (std::size_t k = 0; k < first.size(); ++k)
        for (first[k] = 0; node.inputs[first[k]] != node.inputs[k] || einsum.inputs[first[k]] != einsum.inputs[k];)
            ++first[k];
    return first;
}

class EinSumAdjoint {
public:
    EinSumAdjoint(GradientNodes& nodes, Node const& node, Cotangent const& cotangent, std::vector<bool> wanted)
        : nodes_(nodes),
          node_(node),
          einsum_(std::get<EinSum>(node.op)),
          wanted_(std::move(wanted)),
          output_(nodes.dtype(node.output)),
          frame_(einsum_, node.inputs) {
        std::vector<DType> dtypes = nodes.dtypes(node.inputs);
        compute_ = compute_type(einsum_.join, dtypes, output_);
        join_dtype_ = scalar::type_of(einsum_.join, compute_, compute_dtype({}, output_)).type;
        Cotangent const used = reads_repeated_index() ? nodes.stored(cotangent, node.output) : cotangent;
        cotangent_ = as_operand(used);
        read_operands(std::holds_alternative<ValueId>(used) && is_complex(output_) && !is_complex(compute_));
    }

    std::vector<Contribution> run() {
        Expr const of_join = cotangent_of_join(nodes_, frame_, node_, join_, join_dtype_, cotangent_);
        std::vector<Expr> terms = scalar::pullback(join_, compute_, of_join, wanted_);
        store_shared(terms);
        std::vector<Contribution> contributions;
        for (std::size_t k = 0; k < terms.size(); ++k)
            if (!terms[k].empty()) contributions.push_back({node_.inputs[k], term(k, terms[k])});
        return contributions;
    }

private:
    /// Whether the join reads the index of a label that only the output has: then terms sum over it, and must have an
    /// operand with it.
    bool reads_repeated_index() const {
        std::vector<int> const indices = scalar::labels_of(einsum_.join);
        return std::any_of(indices.begin(), indices.end(), [&](int label) {
            return std::none_of(einsum_.inputs.begin(), einsum_.inputs.end(),
                                [&](std::vector<int> const& labels) { return has_label(labels, label); });
        });
    }

    Expr as_operand(Cotangent const& cotangent) {
        if (auto const* number = std::get_if<double>(&cotangent)) return Expr::number(*number);
        Expr const dz = frame_.operand(std::get<ValueId>(cotangent), einsum_.output);
        return is_complex(output_) && !is_complex(join_dtype_) ? Expr::call(Op::real, {dz}) : dz;
    }

    /// Operands that are alike are one. Beside a complex cotangent real operands become complex: their real parts are
    /// what the join knew.
    void read_operands(bool beside_complex) {
        std::vector<std::size_t> const first = first_alike(node_, einsum_);
        std::vector<Expr> operands;
        for (std::size_t k = 0; k < first.size(); ++k) {
            Expr const operand = Expr::operand(static_cast<int>(first[k]));
            operands.push_back(beside_complex ? Expr::call(Op::real, {operand}) : operand);
            if (first[k] != k) wanted_[first[k]] = wanted_[first[k]] || wanted_[k], wanted_[k] = false;
        }
        join_ = scalar::substitute(einsum_.join, operands);
        if (beside_complex) compute_ = promote(compute_, output_);
    }

    /// An element-wise value is read rather than computed again, where that takes no more operands.
    Expr with_value(Expr const& expr) {
        bool const exact = einsum_.aggregated().empty() && join_dtype_ == output_ && join_.op() != Op::operand;
        if (!exact) return expr;
        if (value_operand_.empty()) value_operand_ = frame_.operand(node_.output, einsum_.output);
        Expr const read = scalar::replaced(expr, join_, value_operand_);
        return scalar::operands_of(read).size() <= scalar::operands_of(expr).size() ? read : expr;
    }

    /// What several operands get alike, as x and b of relu(x + b) do, is computed once: a value of its own.
    void store_shared(std::vector<Expr>& terms) {
        if (!einsum_.aggregated().empty() || is_complex(output_) != is_complex(compute_)) return;
        for (std::size_t k = 0; k < terms.size(); ++k) {
            if (terms[k].empty() || terms[k].args().empty()) continue;
            Expr const shared = terms[k];
            auto const alike = [&](Expr const& term) { return !term.empty() && &term.node() == &shared.node(); };
            if (std::count_if(terms.begin(), terms.end(), alike) > 1)
                std::replace_if(terms.begin(), terms.end(), alike, stored(shared));
        }
    }

    Expr stored(Expr const& cotangent) {
        Expr const expr = with_value(cotangent);
        std::vector<int> labels = einsum_.output;
        std::vector<int> const known = frame_.labels_in_sum(expr, {});
        std::erase_if(labels, [&](int label) { return !has_label(known, label); });
        NodeTerm term = frame_.pointwise(expr, labels, 0);
        Shape const shape = std::get<EinSum>(term.op).output_shape();
        std::string const name = nodes_.part(nodes_.value(node_.output).name + ":inside");
        return frame_.operand(nodes_.add(std::move(term), name, shape, join_dtype_), labels);
    }

    Term term(std::size_t k, Expr const& cotangent) {
        Value const operand = nodes_.value(node_.inputs[k]);
        Expr expr = scalar::simplify(with_value(cotangent));
        if (is_complex(compute_) && !is_complex(operand.dtype)) expr = real(expr);
        std::vector<int> const& target = einsum_.inputs[k];
        std::vector<int> distinct;
        for (int label : target)
            if (!has_label(distinct, label)) distinct.push_back(label);
        if (expr.op() == Op::number && distinct.size() == target.size())
            return expr.node().value.real() * frame_.extent(frame_.lacking(target));
        std::vector<int> const summed = frame_.lacking(target), known = frame_.labels_in_sum(expr, summed);
        bool const sums = std::any_of(summed.begin(), summed.end(), [&](int label) { return has_label(known, label); });
        bool const repeats =
            std::any_of(target.begin(), target.end(), [&](int label) { return !has_label(known, label); });
        if (distinct == target && !(sums && repeats)) return frame_.sum(expr, summed, target, k);
        if (sums) {
            std::erase_if(distinct, [&](int label) { return !has_label(known, label); });
            expr = summed_first(operand, expr, summed, distinct, k);
        } else {
            expr = scalar::times(Expr::number(frame_.extent(summed)), expr);
        }
        return spread(k, expr);
    }

    Expr real(Expr const& expr) const {
        bool const complex = is_complex(scalar::type_of(expr, compute_, compute_).type);
        return complex ? Expr::call(Op::real, {expr}) : expr;
    }

    /// A sum as a value of its own, to be repeated along labels that it does not have.
    Expr summed_first(Value const& operand, Expr const& expr, std::vector<int> const& summed,
                      std::vector<int> const& output, std::size_t carrier) {
        NodeTerm sum = frame_.sum(expr, summed, output, carrier);
        Shape const shape = std::get<EinSum>(sum.op).output_shape();
        ValueId const made = nodes_.add(std::move(sum), nodes_.part(operand.name + ":sum"), shape, operand.dtype);
        return frame_.operand(made, output);
    }

    /// Along labels that nothing has, and onto the diagonal of labels that the operand has twice.
    Term spread(std::size_t k, Expr expr) {
        std::vector<int> axes;
        for (int label : einsum_.inputs[k]) {
            bool const again = has_label(axes, label);
            axes.push_back(again ? frame_.twin(label) : label);
            if (!again) continue;
            Expr const on_diagonal = Expr::call(Op::eq, {Expr::index(label), Expr::index(axes.back())});
            expr = Expr::call(Op::where, {on_diagonal, expr, Expr::integer(0)});
        }
        return frame_.pointwise(expr, axes, k);
    }

    GradientNodes& nodes_;
    Node const& node_;
    EinSum const& einsum_;
    std::vector<bool> wanted_;
    DType output_, compute_, join_dtype_;
    JoinFrame frame_;
    Expr cotangent_, join_, value_operand_;
};

}  // namespace

std::vector<bool> differentiable_inputs(GradientNodes const& nodes, Node const& node) {
    EinSum const& einsum = std::get<EinSum>(node.op);
    DType const output = nodes.dtype(node.output);
    std::vector<DType> const dtypes = nodes.dtypes(node.inputs);
    bool const steps = scalar::info(einsum.agg).asks || !scalar::is_differentiable(output);
    if (steps) return std::vector<bool>(node.inputs.size(), false);
    DType const compute = compute_type(einsum.join, dtypes, output);
    std::vector<bool> inputs = scalar::differentiable_operands(einsum.join, compute, node.inputs.size());
    for (std::size_t k = 0; k < inputs.size(); ++k) inputs[k] = inputs[k] && scalar::is_differentiable(dtypes[k]);
    return inputs;
}

std::vector<Contribution> einsum_terms(GradientNodes& nodes, Node const& node, Cotangent const& cotangent,
                                       std::vector<bool> const& wanted) {
    return EinSumAdjoint(nodes, node, cotangent, wanted).run();
}

}  // namespace ein::graph::grad
