#include <numeric>

#include "lib/graph/ops/axis_labels.hpp"
#include "lib/graph/ops/float_types.hpp"
#include "lib/graph/ops/op_reader.hpp"

namespace ein::graph {
namespace {

using scalar::Agg;
using scalar::Expr;
using scalar::Op;

/// Every axis: NumPy's default for reductions.
std::vector<std::size_t> every_axis(OpReader const& op) {
    std::vector<std::size_t> axes(op.order());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    return axes;
}

struct Reduction {
    AxisLabels labels;
    bool keepdims;
    DType output, inner;
};

std::optional<Reduction> read_reduction(OpReader& op, std::string const& what, bool real_only) {
    auto const dtype = op.dtype();
    AxesAttribute const attribute = op.axes();
    bool const keepdims = op.flag("keepdims");
    if (!op.ready() || (real_only && !op.check_real(0, what))) return std::nullopt;
    auto const axes = op.normalized(attribute, op.order(), every_axis(op));
    if (!axes) return std::nullopt;
    DType const input = op.value(0).dtype;
    DType const output = dtype.value_or(what == "var" ? real_part(as_float(input)) : as_float(input));
    return Reduction{AxisLabels(op.value(0).shape, *axes), keepdims, output, between(input, output)};
}

ValueId sum_of(OpReader& op, Reduction const& reduction) {
    AxisLabels const& labels = reduction.labels;
    return op.build.einsum("sum", labels.einsum({labels.all()}, labels.kept(), Expr::operand(0)), {op.input(0)},
                           reduction.inner);
}

/// |x - mean|^2: the product with the conjugate for complex numbers.
Expr squared_distance(bool complex) {
    Expr const distance = Expr::operand(0) - Expr::operand(1);
    if (!complex) return distance * distance;
    return Expr::call(Op::real, {distance * Expr::call(Op::conj, {distance})});
}

}  // namespace

OpResult read_logsumexp(OpReader& op) {
    auto const reduction = read_reduction(op, "logsumexp", true);
    if (!reduction) return std::nullopt;
    AxisLabels const& labels = reduction->labels;
    // The aggregation's type is the join's: integers are cast before, not after.
    bool const exact = kind(op.value(0).dtype) == Kind::integer || kind(op.value(0).dtype) == Kind::boolean;
    Expr const x = exact ? Expr::cast(DType::f64, Expr::operand(0)) : Expr::operand(0);
    EinSum einsum = labels.einsum({labels.all()}, labels.kept(), x, Agg::logsumexp);
    if (reduction->keepdims) einsum = labels.keep_dims(std::move(einsum));
    return op.build.einsum("", std::move(einsum), {op.input(0)}, reduction->output);
}

OpResult read_mean(OpReader& op) {
    auto const reduction = read_reduction(op, "mean", false);
    if (!reduction) return std::nullopt;
    ValueId const sum = sum_of(op, *reduction);
    Expr const mean = Expr::operand(0) / Expr::number(reduction->labels.reduced_elements());
    return op.build.einsum("", reduction->labels.finish(mean, reduction->keepdims), {sum}, reduction->output);
}

OpResult read_var(OpReader& op) {
    if (op.node().has("ddof") && op.node().has("correction"))
        op.node().at("ddof").fail("\"correction\" or \"ddof\"", "both", "remove one of them");
    double const correction = op.number(op.node().has("ddof") ? "ddof" : "correction").value_or(0);
    auto const reduction = read_reduction(op, "var", false);
    if (!reduction) return std::nullopt;

    AxisLabels const& labels = reduction->labels;
    double const count = labels.reduced_elements();
    bool const complex = is_complex(op.value(0).dtype);
    ValueId const sum = sum_of(op, *reduction);
    ValueId const mean =
        op.build.einsum("mean", labels.finish(Expr::operand(0) / Expr::number(count), false), {sum}, reduction->inner);
    ValueId const squares = op.build.einsum(
        "squares", labels.einsum({labels.all(), labels.kept()}, labels.kept(), squared_distance(complex)),
        {op.input(0), mean}, real_part(reduction->inner));
    Expr const var =
        Expr::operand(0) / Expr::number(std::max(count - correction, 0.0));  // as NumPy: never a negative divisor
    return op.build.einsum("", labels.finish(var, reduction->keepdims), {squares}, reduction->output);
}

}  // namespace ein::graph
