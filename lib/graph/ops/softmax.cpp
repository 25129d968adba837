#include "lib/graph/ops/axis_labels.hpp"
#include "lib/graph/ops/float_types.hpp"
#include "lib/graph/ops/op_reader.hpp"

namespace ein::graph {
namespace {

using scalar::Agg;
using scalar::Expr;
using scalar::Op;

/// The maximum is subtracted first, so that exp never overflows. exp(x - max) is computed twice instead of being
/// stored.
OpResult lower(OpReader& op, std::string const& what, Expr const& join) {
    auto const dtype = op.dtype();
    AxesAttribute const attribute = op.axes();
    if (!op.ready() || !op.check_real(0, what)) return std::nullopt;
    auto const axes = op.normalized_or_last(attribute);
    if (!axes) return std::nullopt;

    ValueId const input = op.input(0);
    DType const output = dtype.value_or(as_float(op.value(0).dtype));
    DType const inner = between(op.value(0).dtype, output);
    AxisLabels const labels(op.value(0).shape, *axes);
    Expr const x = Expr::operand(0), y = Expr::operand(1);

    ValueId const max =
        op.build.einsum("max", labels.einsum({labels.all()}, labels.kept(), x, Agg::max), {input}, inner);
    op.build.hold_constant(max);
    ValueId const sum = op.build.einsum(
        "sum", labels.einsum({labels.all(), labels.kept()}, labels.kept(), Expr::call(Op::exp, {x - y})), {input, max},
        inner);
    return op.build.einsum("", labels.einsum({labels.all(), labels.kept(), labels.kept()}, labels.all(), join),
                           {input, max, sum}, output);
}

}  // namespace

OpResult read_softmax(OpReader& op) {
    Expr const x = Expr::operand(0), max = Expr::operand(1), sum = Expr::operand(2);
    return lower(op, "softmax", Expr::call(Op::exp, {x - max}) / sum);
}

OpResult read_log_softmax(OpReader& op) {
    Expr const x = Expr::operand(0), max = Expr::operand(1), sum = Expr::operand(2);
    return lower(op, "log_softmax", x - max - Expr::call(Op::log, {sum}));
}

}  // namespace ein::graph
