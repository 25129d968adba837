#include "executor/fusion/mask_steps.hpp"

#include <algorithm>
#include <cmath>

#include "lib/graph/labels.hpp"
#include "lib/scalar/expression/type.hpp"

namespace ein::executor {
namespace {

using scalar::Expr;
using scalar::Op;

/// The argument of where() that a mask keeps: 1 or 2; 0 where the step is no mask.
std::size_t kept_argument(FusedStep const& step) {
    graph::EinSum const& einsum = step.kernel.einsum;
    if (einsum.join.op() != Op::where || !einsum.aggregated().empty() || step.output != step.kernel.compute) return 0;
    auto const& args = einsum.join.args();
    if (!scalar::operands_of(args[0]).empty() || scalar::labels_of(args[0]).empty()) return 0;
    std::size_t const kept = args[2].op() == Op::number ? 1 : args[1].op() == Op::number ? 2 : 0;
    if (kept == 0 || scalar::operands_of(args[kept]).empty()) return 0;
    scalar::TypeResult const type = scalar::type_of(args[kept], step.output, step.output);
    return type.problem.empty() && type.type == step.output ? kept : 0;
}

/// Whether the step may write over what it reads.
bool owns_operand(std::vector<FusedStep> const& steps, std::size_t k, Expr const& kept) {
    FusedStep const& step = steps[k];
    if (kept.op() != Op::operand || step.operands.size() != 1 || step.operands[0].step < 0) return false;
    auto const writer = static_cast<std::size_t>(step.operands[0].step);
    auto const readers = std::count_if(steps.begin(), steps.end(), [&](FusedStep const& reader) {
        return std::any_of(reader.operands.begin(), reader.operands.end(), [&](FusedStep::Operand const& operand) {
            return operand.step == static_cast<std::int32_t>(writer);
        });
    });
    return readers == 1 && steps[writer].output == step.output &&
           step.kernel.einsum.inputs[0] == step.kernel.einsum.output;
}

}  // namespace

void split_masks(std::vector<FusedStep>& steps) {
    for (std::size_t k = 0; k + 1 < steps.size(); ++k) {
        std::size_t const at = kept_argument(steps[k]);
        if (at == 0) continue;
        Expr const join = steps[k].kernel.einsum.join, kept = join.args()[at];
        if (owns_operand(steps, k, kept)) {
            steps[k].in_place = true;
            continue;
        }
        auto const number = static_cast<std::int32_t>(k);
        for (FusedStep& step : steps)
            for (FusedStep::Operand& operand : step.operands)
                if (operand.step >= number) ++operand.step;
        FusedStep mask = steps[k];
        steps[k].kernel.einsum.join = kept;
        std::vector<Expr> args = join.args();
        args[at] = Expr::operand(0);
        mask.kernel.einsum.join = Expr::call(Op::where, args);
        mask.kernel.einsum.inputs = {mask.kernel.einsum.output};
        mask.operands = {{number, -1}};
        mask.in_place = true;
        steps.insert(steps.begin() + number + 1, std::move(mask));
        ++k;
    }
}

std::optional<Expr> masked_operand(FusedStep const& step) {
    std::size_t const at = kept_argument(step);
    graph::EinSum const& einsum = step.kernel.einsum;
    if (at == 0 || step.operands.size() != 1 || einsum.inputs[0] != einsum.output) return std::nullopt;
    Expr const kept = einsum.join.args()[at];
    return kept.op() == Op::operand ? std::optional(kept) : std::nullopt;
}

MaskRange::MaskRange(FusedStep const& step, scalar::Params const& params)
    : condition_(step.kernel.einsum.join.args()[0], params),
      keeps_where_true_(step.kernel.einsum.join.args()[2].op() == Op::number) {
    graph::EinSum const& einsum = step.kernel.einsum;
    std::vector<int> const read = scalar::labels_of(einsum.join);
    for (int label : einsum.output)
        if (graph::has_label(read, label)) label_ = label;
    auto const& args = einsum.join.args();
    std::complex<double> const number = args[keeps_where_true_ ? 2 : 1].node().value;
    number_ = number.real();
    bool const is_exact = number.imag() == 0 && (size_of(step.output) < 8 || std::abs(number_) <= 0x1p53 ||
                                                 !std::isfinite(number_) || !is_integer(step.output));
    bool const is_innermost = einsum.output.back() == label_;
    if (!is_innermost || !is_exact || !add_ends(args[0], keeps_where_true_)) ends_.clear();
}

bool MaskRange::add_ends(scalar::Expr const& condition, bool keeps_where_true) {
    if (condition.op() == Op::logical_not) return add_ends(condition.args()[0], !keeps_where_true);
    if (condition.op() == (keeps_where_true ? Op::logical_and : Op::logical_or))
        return add_ends(condition.args()[0], keeps_where_true) && add_ends(condition.args()[1], keeps_where_true);
    std::optional<scalar::Prefix> const end = scalar::as_prefix(condition, label_, keeps_where_true);
    if (end) ends_.push_back(*end);
    return end.has_value();
}

scalar::IndexRange MaskRange::masked(std::vector<scalar::IndexRange> const& box) const {
    return scalar::least_range(box, static_cast<std::size_t>(label_), [&](std::vector<scalar::IndexRange> const& part) {
        scalar::Range const value = condition_.on(part);
        return keeps_where_true_ ? value.least > 0 : value.is_point() && value.least == 0;
    });
}

}  // namespace ein::executor
