#include "lib/graph/join_step.hpp"

#include <algorithm>
#include <utility>

#include "lib/graph/labels.hpp"

namespace ein::graph {
namespace {

using scalar::Agg;
using scalar::Expr;
using scalar::Op;

std::size_t place_of(int number) { return static_cast<std::size_t>(number); }

}  // namespace

double points_of(EinSum const& einsum, std::vector<int> const& labels) { return points_of(labels, einsum.extents); }

double points_of(std::vector<int> const& labels, std::span<Extent const> lengths) {
    double count = 1;
    for (int label : labels) count *= static_cast<double>(lengths[place_of(label)]);
    return count;
}

std::vector<int> labels_that_decide(EinSum const& einsum, Expr const& part) {
    std::vector<bool> has(einsum.labels.size(), false);
    for (int operand : scalar::operands_of(part))
        for (int label : einsum.inputs[place_of(operand)]) has[place_of(label)] = true;
    for (int label : scalar::labels_of(part)) has[place_of(label)] = true;
    std::vector<int> out;
    for (std::size_t l = 0; l < has.size(); ++l)
        if (has[l]) out.push_back(static_cast<int>(l));
    return out;
}

std::vector<int> axes_of_part(EinSum const& einsum, Expr const& part, std::vector<int> const& labels) {
    for (int operand : scalar::operands_of(part)) {
        std::vector<int> const& axes = einsum.inputs[place_of(operand)];
        if (axes.size() == labels.size() && has_labels(axes, labels)) return axes;
    }
    std::vector<int> out;
    for (int operand : scalar::operands_of(part))
        for (int label : einsum.inputs[place_of(operand)])
            if (!has_label(out, label)) out.push_back(label);
    for (int label : labels)
        if (!has_label(out, label)) out.push_back(label);
    return out;
}

JoinStep step_of(EinSum const& einsum, Expr const& part, std::vector<int> const& output, Agg agg) {
    JoinStep step;
    std::vector<int> numbers(einsum.labels.size(), -1);
    auto const local = [&](int label) {
        int& number = numbers[place_of(label)];
        if (number >= 0) return number;
        number = static_cast<int>(step.einsum.labels.size());
        step.labels.push_back(label);
        step.einsum.labels.push_back(einsum.labels[place_of(label)]);
        step.einsum.extents.push_back(einsum.extents[place_of(label)]);
        return number;
    };
    std::vector<Expr> renumbered(einsum.operands(), Expr::operand(0));
    for (int operand : scalar::operands_of(part)) {
        renumbered[place_of(operand)] = Expr::operand(static_cast<int>(step.operands.size()));
        step.operands.push_back(operand);
        std::vector<int> axes;
        for (int label : einsum.inputs[place_of(operand)]) axes.push_back(local(label));
        step.einsum.inputs.push_back(std::move(axes));
    }
    for (int label : scalar::labels_of(part)) local(label);
    for (int label : output) step.einsum.output.push_back(local(label));
    std::replace(numbers.begin(), numbers.end(), -1, 0);
    step.einsum.join = scalar::substitute(part, renumbered, numbers);
    step.einsum.agg = agg;
    return step;
}

std::vector<Expr> links_of(Expr const& join, Op op) {
    std::vector<Expr> links;  // and a list in place of recursion: chains of many operands are deep
    std::vector<std::pair<Expr, bool>> open{{join, false}};  // with a sign to be changed
    while (!open.empty()) {
        auto const [expr, negated] = open.back();
        open.pop_back();
        bool const difference = op == Op::add && expr.op() == Op::sub;
        if (expr.op() == op || difference) {
            open.emplace_back(expr.args()[1], negated != difference);
            open.emplace_back(expr.args()[0], negated);
        } else {
            links.push_back(negated ? Expr::call(Op::neg, {expr}) : expr);
        }
    }
    return links;
}

}  // namespace ein::graph
