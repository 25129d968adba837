#include "lib/graph/grad/join_frame.hpp"

#include <algorithm>

#include "lib/graph/labels.hpp"
#include "lib/scalar/derivative/pullback_rules.hpp"
#include "lib/scalar/expression/type.hpp"

namespace ein::graph::grad {
namespace {

using scalar::Agg;
using scalar::Expr;

}  // namespace

JoinFrame::JoinFrame(EinSum const& einsum, std::vector<ValueId> const& inputs)
    : labels_(einsum.labels),
      extents_(einsum.extents),
      own_labels_(einsum.labels.size()),
      own_operands_(inputs.size()) {
    for (std::size_t k = 0; k < inputs.size(); ++k) operands_.push_back({inputs[k], einsum.inputs[k]});
}

Expr JoinFrame::operand(ValueId value, std::vector<int> labels) {
    operands_.push_back({value, std::move(labels)});
    return Expr::operand(static_cast<int>(operands_.size() - 1));
}

int JoinFrame::twin(int label) {
    std::string name = labels_[at(label)] + "'";
    while (std::find(labels_.begin(), labels_.end(), name) != labels_.end()) name += "'";
    labels_.push_back(std::move(name));
    extents_.push_back(extents_[at(label)]);
    return static_cast<int>(labels_.size() - 1);
}

std::vector<int> JoinFrame::labels_in_sum(Expr const& expr, std::vector<int> const& summed) const {
    std::vector<int> labels = scalar::labels_of(expr);
    for (int k : operands_of_sum(expr, summed))
        labels.insert(labels.end(), operands_[at(k)].labels.begin(), operands_[at(k)].labels.end());
    return labels;
}

std::vector<int> JoinFrame::lacking(std::vector<int> const& output) const {
    std::vector<int> labels;
    for (std::size_t label = 0; label < own_labels_; ++label)
        if (!has_label(output, static_cast<int>(label))) labels.push_back(static_cast<int>(label));
    return labels;
}

double JoinFrame::extent(std::vector<int> const& labels) const {
    double product = 1;
    for (int label : labels) product *= static_cast<double>(extents_[at(label)]);
    return product;
}

/// Those that are read; what was added to the EinSum's own (its cotangent) first.
std::vector<int> JoinFrame::operands_of(Expr const& expr) const {
    std::vector<int> used = scalar::operands_of(expr);
    std::stable_partition(used.begin(), used.end(), [&](int k) { return at(k) >= own_operands_; });
    return used;
}

bool JoinFrame::is_held(int label, std::vector<int> const& operands) const {
    return std::any_of(operands.begin(), operands.end(),
                       [&](int k) { return has_label(operands_[at(k)].labels, label); });
}

/// Adds operands until each of `labels` is a label of one of them.
void JoinFrame::hold(std::vector<int> const& labels, std::vector<int>& operands) const {
    for (int label : labels)
        for (std::size_t k = 0; !is_held(label, operands) && k < operands_.size(); ++k)
            if (has_label(operands_[k].labels, label)) operands.push_back(static_cast<int>(k));
}

/// Those that are read, and others for labels that only an index has.
std::vector<int> JoinFrame::operands_of_sum(Expr const& expr, std::vector<int> const& summed) const {
    std::vector<int> operands = operands_of(expr), indices = scalar::labels_of(expr);
    std::erase_if(indices, [&](int label) { return !has_label(summed, label); });
    hold(indices, operands);
    return operands;
}

NodeTerm JoinFrame::sum(Expr const& expr, std::vector<int> summed, std::vector<int> const& output,
                        std::size_t carrier) const {
    std::vector<int> operands = operands_of_sum(expr, summed);
    if (operands.empty()) operands.push_back(static_cast<int>(carrier));
    std::erase_if(summed, [&](int label) { return is_held(label, operands); });
    return einsum(scalar::times(Expr::number(extent(summed)), expr), operands, output, scalar::Agg::sum);
}

NodeTerm JoinFrame::reduction(Expr const& expr, std::vector<int> const& output, Agg agg) const {
    std::vector<int> operands = operands_of(expr);
    hold(lacking(output), operands);
    return einsum(expr, operands, output, agg);
}

NodeTerm JoinFrame::pointwise(Expr const& expr, std::vector<int> const& output, std::size_t carrier) const {
    std::vector<int> operands = operands_of(expr);
    if (operands.empty()) operands.push_back(static_cast<int>(carrier));
    return einsum(expr, operands, output, Agg::sum);
}

NodeTerm JoinFrame::einsum(Expr const& expr, std::vector<int> const& operands, std::vector<int> const& output,
                           Agg agg) const {
    NodeTerm term;
    EinSum made;
    made.agg = agg;
    std::vector<int> new_label(labels_.size(), -1);
    auto renamed = [&](std::vector<int> const& labels) {
        std::vector<int> list;
        for (int label : labels) {
            int& number = new_label[at(label)];
            if (number < 0) {
                number = static_cast<int>(made.labels.size());
                made.labels.push_back(labels_[at(label)]);
                made.extents.push_back(extents_[at(label)]);
            }
            list.push_back(number);
        }
        return list;
    };
    std::vector<Expr> new_operand(operands_.size(), Expr::integer(0));
    for (std::size_t k = 0; k < operands.size(); ++k) {
        Operand const& operand = operands_[at(operands[k])];
        made.inputs.push_back(renamed(operand.labels));
        term.inputs.push_back(operand.value);
        new_operand[at(operands[k])] = Expr::operand(static_cast<int>(k));
    }
    made.output = renamed(output);
    // Not for the type at hand: casts to it stay, since the interpreter rounds nowhere else.
    made.join = scalar::simplify(scalar::substitute(expr, new_operand, new_label));
    term.op = std::move(made);
    return term;
}

}  // namespace ein::graph::grad
