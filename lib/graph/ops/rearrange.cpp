#include <algorithm>
#include <numeric>

#include "lib/graph/ops/op_reader.hpp"
#include "lib/graph/read/fields.hpp"

namespace ein::graph {
namespace {

/// The extents of "shape" with its -1 worked out.
std::optional<Shape> full_shape(OpReader const& op, std::vector<std::int64_t> const& written) {
    Cursor const at = op.place_of("shape");
    Shape shape = written;
    std::optional<std::size_t> open;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        bool const fine = shape[axis] >= 0 || (shape[axis] == -1 && !open);
        if (!fine) {
            entry_at(at, axis).fail("an extent of 0 or more, or one -1",
                                    std::to_string(shape[axis]) + (shape[axis] == -1 ? " again" : ""),
                                    "write the extent");
            return std::nullopt;
        }
        if (shape[axis] == -1) open = axis;
    }
    Extent const elements = element_count(op.value(0).shape);
    if (open) shape[*open] = 1;
    auto const others = checked_element_count(shape);
    if (open && others && *others > 0 && elements % *others == 0) shape[*open] = elements / *others;
    if (checked_element_count(shape) == elements && !(open && others == 0)) return shape;
    at.fail("a shape of " + std::to_string(elements) + " elements, as " + op.describe(0) + " has", brief(at.value()),
            open ? "correct an extent: -1 must come out whole" : "correct an extent, or write -1 for one of them");
    return std::nullopt;
}

std::string shapes_of(OpReader const& op, std::size_t k) { return op.describe(0) + " and " + op.describe(k); }

bool check_concat_shapes(OpReader const& op, std::size_t axis) {
    bool good = true;
    for (std::size_t k = 1; k < op.inputs(); ++k) {
        Shape shape = op.value(k).shape;
        if (shape.size() == op.order()) shape[axis] = op.value(0).shape[axis];
        if (shape == op.value(0).shape) continue;
        good = false;
        op.fail_input(k, "the same shape but for axis " + std::to_string(axis), shapes_of(op, k),
                      "reshape or slice one of them");
    }
    return good;
}

}  // namespace

namespace {

/// The axes with the two before the last one exchanged.
std::string exchanged(std::size_t order) {
    std::vector<std::size_t> axes(order);
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    std::swap(axes[order - 3], axes[order - 2]);
    return "{\"op\": \"transpose\", \"axes\": " + Json(axes).dump() + "}";
}

/// Whether `whole` is (..., rows, n*size) and `split` (..., n, rows, size).
bool are_heads_before_rows(Shape const& whole, Shape const& split) {
    if (whole.size() < 2 || split.size() != whole.size() + 1) return false;
    Extent const rows = whole[whole.size() - 2], heads = split[split.size() - 3];
    bool const begins = std::equal(whole.begin(), whole.end() - 2, split.begin());
    return begins && split[split.size() - 2] == rows && heads * split.back() == whole.back() && heads > 1 && rows > 1 &&
           heads != rows;
}

/// Heads that are split off, or joined, as if a reshape exchanged axes.
void note_rows_torn(OpReader const& op, Shape const& shape) {
    Shape const& from = op.value(0).shape;
    bool const splits = are_heads_before_rows(from, shape);
    if (!splits && !are_heads_before_rows(shape, from)) return;
    Shape const &whole = splits ? from : shape, &split = splits ? shape : from;
    Shape kept = whole;
    kept.back() = split[split.size() - 3];
    kept.push_back(split.back());
    std::string const rows = std::to_string(whole[whole.size() - 2]), turn = exchanged(split.size());
    op.note("a reshape keeps the order of elements, so that the " + rows + " rows of " + to_string(from) +
            " do not become the " + rows + " of " + to_string(shape) + "; " +
            (splits ? "split the last axis, \"shape\": " + Json(kept).dump() + ", then exchange axes, " + turn
                    : "exchange axes before, " + turn));
}

}  // namespace

OpResult read_reshape(OpReader& op) {
    auto at = op.attribute("shape");
    if (!at) at = required(op.node(), "shape", "write the new shape, one extent may be -1: \"shape\": [4, -1]");
    auto const written = at ? read_integers(*at) : std::nullopt;
    if (written && written->size() > max_order)
        at->fail("at most " + std::to_string(max_order) + " extents", std::to_string(written->size()), "merge axes");
    if (!op.ready() || !written) return std::nullopt;
    auto const shape = full_shape(op, *written);
    if (!shape) return std::nullopt;
    note_rows_torn(op, *shape);
    return op.build.reshape("", op.input(0), *shape);
}

/// Drops axes of extent 1: those that are named, else all.
OpResult read_squeeze(OpReader& op) {
    AxesAttribute const attribute = op.axes();
    if (!op.ready()) return std::nullopt;
    Shape const& shape = op.value(0).shape;
    std::vector<std::size_t> ones;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] == 1) ones.push_back(axis);
    auto const axes = op.normalized(attribute, op.order(), ones);
    if (!axes) return std::nullopt;
    for (std::size_t const axis : *axes)
        if (shape[axis] != 1) {
            attribute.at.fail("axes of extent 1", "axis " + std::to_string(axis) + " of " + op.describe(0),
                              "leave it out, or aggregate over it");
            return std::nullopt;
        }
    Shape kept;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (std::find(axes->begin(), axes->end(), axis) == axes->end()) kept.push_back(shape[axis]);
    return op.build.reshape("", op.input(0), kept);
}

OpResult read_transpose(OpReader& op) {
    AxesAttribute const attribute = op.axes();
    if (!op.ready()) return std::nullopt;
    std::vector<std::size_t> axes(op.order());
    for (std::size_t k = 0; k < axes.size(); ++k) axes[k] = axes.size() - 1 - k;
    if (attribute.list) {
        auto const list = op.in_order(attribute, op.order());
        if (!list) return std::nullopt;
        if (list->size() != op.order()) {
            attribute.at.fail("each of the " + std::to_string(op.order()) + " axes once", brief(attribute.at.value()),
                              "list every axis of the input in its new order");
            return std::nullopt;
        }
        axes = *list;
    }
    EinSum einsum = identity_einsum(op.value(0).shape);
    einsum.output.assign(axes.begin(), axes.end());
    return op.build.einsum("", std::move(einsum), {op.input(0)}, op.value(0).dtype);
}

OpResult read_cast(OpReader& op) {
    required(op.node(), "dtype", "name the new dtype: \"dtype\": \"f32\"");
    auto const dtype = op.dtype();
    if (!op.ready() || !dtype) return std::nullopt;
    if (is_complex(op.value(0).dtype) && !is_complex(*dtype) && *dtype != DType::boolean)
        op.note(op.describe(0) + " is complex, and " + std::string(name(*dtype)) +
                " keeps its real part alone; write {\"op\": \"real\"} if that is meant, or \"abs\"");
    return op.build.einsum("", identity_einsum(op.value(0).shape), {op.input(0)}, *dtype);
}

OpResult read_concat(OpReader& op) {
    std::int64_t const written = op.integer("axis").value_or(0);
    auto const dtype = op.dtype();
    if (!op.ready()) return std::nullopt;
    auto const axis = op.one_axis(op.place_of("axis"), written, op.order());
    if (!axis || !check_concat_shapes(op, *axis)) return std::nullopt;

    DType common = op.value(0).dtype;
    for (std::size_t k = 1; k < op.inputs(); ++k) common = promote(common, op.value(k).dtype);
    common = dtype.value_or(common);
    Move move;
    std::vector<ValueId> inputs;
    Shape shape = op.value(0).shape;
    shape[*axis] = 0;
    for (std::size_t k = 0; k < op.inputs(); ++k) {
        Shape const piece = op.value(k).shape;
        Box box = Box::whole(piece);
        box.begin[*axis] = shape[*axis];
        if (__builtin_add_overflow(shape[*axis], piece[*axis], &shape[*axis]))
            shape[*axis] = max_tensor_bytes;  // refused as too large
        move.regions.push_back({box, std::vector<AxisMap>(piece.size())});
        inputs.push_back(op.build.cast("cast" + std::to_string(k), op.input(k), common));
    }
    return op.build.move("", std::move(move), std::move(inputs), shape, common);
}

}  // namespace ein::graph
