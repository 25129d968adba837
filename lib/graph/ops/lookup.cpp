#include "lib/graph/ops/op_reader.hpp"
#include "lib/graph/read/fields.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;
using scalar::Op;

/// @param table  the input that is no indices, if there is one
bool check_integers(OpReader const& op, std::size_t k, std::optional<std::size_t> table = {}) {
    DType const dtype = op.value(k).dtype;
    if (is_integer(dtype)) return true;
    if (table && is_integer(op.value(*table).dtype)) {
        op.fail_input(k, "integers", quote(op.value(k).name) + " of " + std::string(name(dtype)),
                      "exchange the two: \"inputs\": [\"" + op.value(k).name + "\", \"" + op.value(*table).name +
                          "\"], the table first");
        return false;
    }
    op.fail_input(k, "integers", quote(op.value(k).name) + " of " + std::string(name(dtype)),
                  "cast it: {\"op\": \"cast\", \"dtype\": \"i64\"}");
    return false;
}

/// The positions from 0 to n - 1; an index out of range ends the run with an error.
ValueId positions(OpReader& op, Extent extent) {
    EinSum einsum = identity_einsum(op.value(1).shape);
    einsum.join = Expr::call(Op::position, {Expr::operand(0), Expr::integer(extent)});
    return op.build.einsum("position", std::move(einsum), {op.input(1)}, DType::i64);
}

std::vector<int> consecutive(std::size_t first, std::size_t count) {
    std::vector<int> labels;
    for (std::size_t k = 0; k < count; ++k) labels.push_back(static_cast<int>(first + k));
    return labels;
}

/// sum over `axis` of where(y == [axis], x, 0): see as_lookup.
EinSum lookup(Shape const& data, Shape const& index, std::size_t axis) {
    EinSum einsum = identity_einsum(data);
    for (std::size_t k = 0; k < index.size(); ++k) {
        einsum.labels.push_back("index" + std::to_string(k));
        einsum.extents.push_back(index[k]);
    }
    std::vector<int> const labels = consecutive(data.size(), index.size());
    einsum.inputs.push_back(labels);
    auto const at = einsum.output.begin() + static_cast<std::ptrdiff_t>(axis);
    einsum.output.insert(einsum.output.erase(at), labels.begin(), labels.end());
    Expr const found = Expr::call(Op::eq, {Expr::operand(1), Expr::index(static_cast<int>(axis))});
    einsum.join = Expr::call(Op::where, {found, Expr::operand(0), Expr::integer(0)});
    return einsum;
}

std::optional<std::int64_t> read_depth(OpReader const& op) {
    bool const both = op.node().has("depth") && op.node().has("num_classes");
    if (both) op.node().at("num_classes").fail("\"depth\" or \"num_classes\"", "both", "remove one of them");
    std::string const key = op.node().has("num_classes") ? "num_classes" : "depth";
    if (!required(op.node(), key, "write how many positions there are: \"depth\": 10")) return std::nullopt;
    auto const depth = op.integer(key);
    if (depth && *depth < 0)
        op.node().at(key).fail("0 or more positions", std::to_string(*depth), "write how many positions there are");
    return depth;
}

}  // namespace

OpResult read_gather(OpReader& op) {
    std::int64_t const written = op.integer("axis").value_or(0);
    if (!op.ready() || !check_integers(op, 1, 0)) return std::nullopt;
    auto const axis = op.one_axis(op.attribute("axis").value_or(op.input_at(0)), written, op.order());
    if (!axis) return std::nullopt;
    Shape const data = op.value(0).shape, index = op.value(1).shape;
    DType const dtype = op.value(0).dtype;
    if (data[*axis] == 0 && element_count(index) > 0) {
        op.fail_input(0, "an axis with elements to take from", op.describe(0),
                      "gather from another tensor, or no positions");
        return std::nullopt;
    }
    if (data.size() + index.size() - 1 > max_order) {
        op.node().fail("at most " + std::to_string(max_order) + " axes", std::to_string(data.size() + index.size() - 1),
                       "merge axes with reshape");
        return std::nullopt;
    }
    ValueId const position = positions(op, data[*axis]);
    return op.build.einsum("", lookup(data, index, *axis), {op.input(0), position}, dtype);
}

OpResult read_one_hot(OpReader& op) {
    auto const depth = read_depth(op);
    std::int64_t const written = op.integer("axis").value_or(-1);
    DType const dtype = op.dtype().value_or(op.default_dtype());
    if (!op.ready() || !depth || !check_integers(op, 0)) return std::nullopt;
    auto const axis = op.one_axis(op.place_of("axis"), written, op.order() + 1);
    if (!axis) return std::nullopt;

    EinSum einsum = identity_einsum(op.value(0).shape);
    int const position = static_cast<int>(einsum.labels.size());
    einsum.labels.push_back("position");
    einsum.extents.push_back(*depth);
    einsum.output.insert(einsum.output.begin() + static_cast<std::ptrdiff_t>(*axis), position);
    einsum.join = Expr::call(Op::eq, {Expr::operand(0), Expr::index(position)});
    return op.build.einsum("", std::move(einsum), {op.input(0)}, dtype);
}

}  // namespace ein::graph
