#include <algorithm>
#include <numeric>

#include "lib/graph/ops/axis_labels.hpp"
#include "lib/graph/ops/float_types.hpp"
#include "lib/graph/ops/op_reader.hpp"
#include "lib/graph/read/einsum/named_agg.hpp"

namespace ein::graph {
namespace {

using scalar::Agg;
using scalar::Expr;

/// Every axis: NumPy's default for reductions.
std::vector<std::size_t> every_axis(std::size_t order) {
    std::vector<std::size_t> axes(order);
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    return axes;
}

/// NumPy's type of the result: sums of integers are i64, truth values bool.
DType result_type(NamedAgg const& agg, DType input) {
    bool const folds = agg.name == "sum" || agg.name == "prod";
    if (folds && is_exact(input)) return DType::i64;
    if (scalar::info(agg.agg).asks) return DType::boolean;
    return agg.agg == Agg::logsumexp ? as_float(input) : agg.result(input);
}

/// Without "ddof" it is NumPy's 0. PyTorch's std and var have 1: who writes them, or their words, may mean that.
void check_correction(OpReader const& op) {
    bool const has_ddof = op.op_name() == "std" || op.op_name() == "var";
    Cursor const at = op.node().at("op");
    if (!has_ddof || op.attribute("ddof") || op.attribute("correction")) return;
    if (at.value().get<std::string>().starts_with("torch."))
        at.fail("\"ddof\" beside it", "none",
                "write \"ddof\": 1, which divides by n - 1 as PyTorch does, or 0, by n as NumPy does");
    else if (op.node().has("dim") || op.node().has("keepdim"))
        op.note(op.op_name() +
                " divides by n, as NumPy's does, and PyTorch's by n - 1; write \"ddof\": 1 for that, 0 " +
                "if n is meant");
}

double read_correction(OpReader const& op) {
    check_correction(op);
    bool const ddof = op.node().has("ddof");
    if (ddof && op.node().has("correction"))
        op.node().at("ddof").fail("\"correction\" or \"ddof\"", "both", "remove one of them");
    return op.number(ddof ? "ddof" : "correction").value_or(0);
}

/// min and max of nothing have no value.
bool check_not_empty(OpReader const& op, NamedAgg const& agg, std::vector<std::size_t> const& axes) {
    if (!scalar::info(agg.agg).needs_elements) return true;
    Shape const& shape = op.value(0).shape;
    bool empty = false, results = true;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        bool const reduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
        (reduced ? empty : results) = reduced ? empty || shape[axis] == 0 : results && shape[axis] > 0;
    }
    if (!empty || !(results || agg.one_label)) return true;
    op.fail_input(0, "axes with elements to take the " + op.op_name() + " of", op.describe(0),
                  "use another aggregation or a longer axis");
    return false;
}

/// A tensor that lies in one axis, for the position in it that NumPy gives without an axis.
ValueId flattened(OpReader& op) { return op.build.reshape("flat", op.input(0), {element_count(op.value(0).shape)}); }

struct Asked {
    NamedAgg agg;
    DType output;
    bool keepdims;
    double correction;
};

/// @param ones  axes of extent 1 that the result has, for a tensor that was flattened
ValueId aggregated(OpReader& op, Asked const& asked, ValueId input, std::vector<std::size_t> const& axes,
                   std::size_t ones = 0) {
    DType const dtype = op.build.value(input).dtype;
    AxisLabels const labels(op.build.value(input).shape, axes);
    // The aggregation's type is the join's: logarithms of integers are cast before, not after.
    bool const casts = asked.agg.agg == Agg::logsumexp && is_exact(dtype);
    Expr const x = casts ? Expr::cast(DType::f64, Expr::operand(0)) : Expr::operand(0);
    EinSum einsum = labels.einsum({labels.all()}, labels.kept(), x, asked.agg.agg);
    if (asked.keepdims && ones == 0) einsum = labels.keep_dims(std::move(einsum));
    for (std::size_t axis = 0; axis < ones; ++axis) {
        einsum.output.push_back(static_cast<int>(einsum.labels.size()));
        einsum.labels.push_back("kept" + std::to_string(axis));
        einsum.extents.push_back(1);
    }
    return asked.agg.lower({op.build,
                            std::move(einsum),
                            {input},
                            asked.agg.inside(dtype, asked.output),
                            asked.output,
                            {},
                            asked.correction});
}

}  // namespace

OpResult read_aggregation(OpReader& op) {
    NamedAgg const agg = *named_agg(op.op_name());
    auto const dtype = op.dtype();
    AxesAttribute const attribute = op.axes();
    bool const keepdims = op.flag("keepdims");
    double const correction = read_correction(op);
    if (!op.ready() || (scalar::info(agg.agg).ordered && !op.check_real(0, op.op_name()))) return std::nullopt;
    auto const axes = op.normalized(attribute, op.order(), every_axis(op.order()));
    if (!axes || !check_not_empty(op, agg, *axes)) return std::nullopt;
    Asked const asked{agg, dtype.value_or(result_type(agg, op.value(0).dtype)), keepdims, correction};
    if (!agg.one_label || axes->size() == 1) return aggregated(op, asked, op.input(0), *axes);
    if (attribute.list) {
        attribute.at.fail("one axis", std::to_string(axes->size()),
                          "leave it out for the position in the whole tensor");
        return std::nullopt;
    }
    std::size_t const ones = keepdims ? op.order() : 0;
    return aggregated(op, {agg, asked.output, false, correction}, flattened(op), {0}, ones);
}

}  // namespace ein::graph
