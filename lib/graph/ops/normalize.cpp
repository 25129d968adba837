#include "lib/graph/ops/axis_labels.hpp"
#include "lib/graph/ops/float_types.hpp"
#include "lib/graph/ops/op_reader.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;
using scalar::Op;

struct Normalization {
    AxisLabels labels;
    Expr eps, count;
    DType output, inner;
};

/// Scale and bias have exactly the normalized axes, in the tensor's order.
bool check_parameter(OpReader const& op, std::size_t k, AxisLabels const& labels) {
    Shape expected;
    for (int axis : labels.reduced()) expected.push_back(op.value(0).shape[static_cast<std::size_t>(axis)]);
    if (op.value(k).shape == expected) return op.check_real(k, "a norm");
    op.fail_input(k, "shape " + to_string(expected) + ", that of the normalized axes of " + op.describe(0),
                  op.describe(k), "reshape it, or correct \"axes\"");
    return false;
}

std::optional<Normalization> read_normalization(OpReader& op, std::string const& what) {
    auto const dtype = op.dtype();
    auto const eps = op.number("eps");
    if (eps && *eps < 0)
        op.place_of("eps").fail("a number of 0 or more", brief(op.place_of("eps").value()), "write 1e-5, the default");
    AxesAttribute const attribute = op.axes();
    if (!op.ready() || !op.check_real(0, what)) return std::nullopt;
    auto const axes = op.normalized_or_last(attribute);
    if (!axes) return std::nullopt;

    AxisLabels labels(op.value(0).shape, *axes);
    DType common = as_float(op.value(0).dtype);
    bool good = true;
    for (std::size_t k = 1; k < op.inputs(); ++k) {
        good = check_parameter(op, k, labels) && good;
        common = promote(common, op.value(k).dtype);
    }
    if (!good) return std::nullopt;
    DType const output = dtype.value_or(common);
    Expr const count = Expr::number(labels.reduced_elements());
    return Normalization{std::move(labels), Expr::number(eps.value_or(1e-5)), count, output, between(common, output)};
}

/// centered * rsqrt(squares / n + eps), where `squares` is an operand.
Expr normalized(Normalization const& norm, Expr centered, Expr squares) {
    return std::move(centered) * Expr::call(Op::rsqrt, {std::move(squares) / norm.count + norm.eps});
}

}  // namespace

OpResult read_rms_norm(OpReader& op) {
    auto const norm = read_normalization(op, "rms_norm");
    if (!norm) return std::nullopt;
    AxisLabels const& labels = norm->labels;
    Expr const x = Expr::operand(0);
    ValueId const squares =
        op.build.einsum("squares", labels.einsum({labels.all()}, labels.kept(), x * x), {op.input(0)}, norm->inner);

    std::vector<ValueId> inputs{op.input(0), squares};
    std::vector<std::vector<int>> terms{labels.all(), labels.kept()};
    Expr join = normalized(*norm, x, Expr::operand(1));
    if (op.inputs() > 1) {
        inputs.push_back(op.input(1));
        terms.push_back(labels.reduced());
        join = join * Expr::operand(2);
    }
    return op.build.einsum("", labels.einsum(terms, labels.all(), join), inputs, norm->output);
}

OpResult read_layer_norm(OpReader& op) {
    auto const norm = read_normalization(op, "layer_norm");
    if (!norm) return std::nullopt;
    AxisLabels const& labels = norm->labels;
    Expr const x = Expr::operand(0), mean_operand = Expr::operand(1);
    Expr const distance = x - mean_operand;
    ValueId const sum =
        op.build.einsum("sum", labels.einsum({labels.all()}, labels.kept(), x), {op.input(0)}, norm->inner);
    ValueId const mean = op.build.einsum("mean", labels.finish(x / norm->count), {sum}, norm->inner);
    ValueId const squares =
        op.build.einsum("squares", labels.einsum({labels.all(), labels.kept()}, labels.kept(), distance * distance),
                        {op.input(0), mean}, norm->inner);

    std::vector<ValueId> inputs{op.input(0), mean, squares};
    std::vector<std::vector<int>> terms{labels.all(), labels.kept(), labels.kept()};
    Expr join = normalized(*norm, distance, Expr::operand(2));
    for (std::size_t k = 1; k < op.inputs(); ++k) {  // scale, then bias
        Expr const parameter = Expr::operand(static_cast<int>(inputs.size()));
        join = k == 1 ? join * parameter : join + parameter;
        inputs.push_back(op.input(k));
        terms.push_back(labels.reduced());
    }
    return op.build.einsum("", labels.einsum(terms, labels.all(), join), inputs, norm->output);
}

}  // namespace ein::graph
