#include <algorithm>

#include "lib/base/text/near_names.hpp"
#include "lib/graph/ops/op_reader.hpp"
#include "lib/graph/ops/pad_axis.hpp"
#include "lib/graph/read/fields.hpp"
#include "lib/graph/read/read_tensors.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;
using scalar::Scalar;

constexpr Extent widest = Extent{1} << 60;
constexpr Extent most_runs = 65536;

/// np.pad's way to give something for both ends of each axis: v, [v], [before, after], [[before, after]], or a pair for
/// each axis.
template <class T, class ReadOne>
std::optional<std::vector<std::pair<T, T>>> read_pairs(Cursor const& at, std::size_t order, ReadOne read_one) {
    using Pairs = std::vector<std::pair<T, T>>;
    auto read_pair = [&](Cursor const& pair) -> std::optional<std::pair<T, T>> {
        if (!pair.value().is_array()) {
            auto const both = read_one(pair);
            return both ? std::optional(std::pair{*both, *both}) : std::nullopt;
        }
        if (pair.size() != 1 && pair.size() != 2) {
            pair.fail("[before, after]", brief(pair.value()), "write two numbers");
            return std::nullopt;
        }
        auto const before = read_one(pair.at(0)), after = read_one(pair.at(pair.size() - 1));
        return before && after ? std::optional(std::pair{*before, *after}) : std::nullopt;
    };
    bool const nested = at.value().is_array() && !at.value().empty() && at.value().front().is_array();
    if (!nested) {
        auto const pair = read_pair(at);
        return pair ? std::optional(Pairs(order, *pair)) : std::nullopt;
    }
    if (at.size() != 1 && at.size() != order) {
        at.fail(std::to_string(order) + " pairs, one for each axis, or one for all", std::to_string(at.size()),
                "write [[before, after], ...]");
        return std::nullopt;
    }
    Pairs pairs;
    for (std::size_t axis = 0; axis < order; ++axis) {
        auto const pair = read_pair(at.at(at.size() == 1 ? 0 : axis));
        if (!pair) return std::nullopt;
        pairs.push_back(*pair);
    }
    return pairs;
}

std::optional<std::vector<PadWidth>> read_widths(Cursor const& at, std::size_t order) {
    auto const pairs = read_pairs<Extent>(at, order, [](Cursor const& one) -> std::optional<Extent> {
        auto const width = one.integer();
        if (!width || (*width >= 0 && *width <= widest)) return width;
        one.fail("a width from 0 to 2^60", std::to_string(*width),
                 "write how many elements to add; slice to remove some");
        return std::nullopt;
    });
    if (!pairs) return std::nullopt;
    std::vector<PadWidth> widths;
    for (auto const& [before, after] : *pairs) widths.push_back({before, after});
    return widths;
}

std::optional<PadMode> read_mode(OpReader const& op) {
    auto const at = optional_at(op.node(), "mode");
    if (!at) return PadMode::constant;
    auto const text = at->string();
    if (!text) return std::nullopt;
    std::vector<std::string> const names{"constant", "edge", "reflect", "symmetric", "wrap"};
    auto const found = std::find(names.begin(), names.end(), *text);
    if (found != names.end()) return static_cast<PadMode>(found - names.begin());
    at->fail(one_of(names), quote(*text), mend_name(*text, names, "write one of these"));
    return std::nullopt;
}

class Padding {
public:
    Padding(OpReader& op, std::vector<PadWidth> widths) : op_(op), widths_(std::move(widths)), value_(op.input(0)) {
        for (std::size_t axis = 0; axis < widths_.size(); ++axis)
            if (!widths_[axis].none()) last_ = axis;
    }

    /// The whole border at once where it has one value, else axis after axis, as np.pad does.
    ValueId constant(std::vector<std::pair<Scalar, Scalar>> const& fills) {
        bool const uniform = std::all_of(fills.begin(), fills.end(), [&](auto const& pair) {
            return same(pair.first, fills.front().first) && same(pair.second, fills.front().first);
        });
        Scalar const first = fills.empty() ? Scalar::of(std::int64_t{0}) : fills.front().first;
        if (uniform) return fill(widths_, first, "");
        for (std::size_t axis = 0; axis < widths_.size(); ++axis) {
            std::string const part = "axis" + std::to_string(axis);
            std::vector<PadWidth> before(widths_.size()), after(widths_.size());
            before[axis].before = widths_[axis].before;
            after[axis].after = widths_[axis].after;
            value_ = fill(before, fills[axis].first, part + "before");
            value_ = fill(after, fills[axis].second, axis + 1 == widths_.size() ? "" : part);
        }
        return value_;
    }

    ValueId copying(PadMode mode) {
        if (!last_) return fill(widths_, Scalar::of(std::int64_t{0}), "");  // nothing to add: a copy
        for (std::size_t axis = 0; axis < widths_.size(); ++axis) {
            if (widths_[axis].none()) continue;
            bool const single = mode == PadMode::edge || (mode == PadMode::reflect && extent(axis) == 1);
            value_ = single ? edge(axis) : runs(axis, mode);
        }
        return value_;
    }

private:
    static bool same(Scalar const& a, Scalar const& b) {
        bool const both_nan = a.number != a.number && b.number != b.number;
        return a.is_integer == b.is_integer && a.integer == b.integer && (a.number == b.number || both_nan);
    }

    Shape const& shape() const { return op_.build.value(value_).shape; }
    Extent extent(std::size_t axis) const { return shape()[axis]; }
    DType dtype() const { return op_.build.value(value_).dtype; }
    std::string part(std::size_t axis) const { return axis == last_ ? "" : "axis" + std::to_string(axis); }

    ValueId fill(std::vector<PadWidth> const& widths, Scalar value, std::string const& name) {
        Move::Region region{Box::whole(shape()), std::vector<AxisMap>(shape().size())};
        Shape padded = shape();
        for (std::size_t axis = 0; axis < padded.size(); ++axis) {
            region.box.begin[axis] = widths[axis].before;
            padded[axis] += widths[axis].before + widths[axis].after;
        }
        Move move{{std::move(region)}, scalar::convert(value, value.is_integer ? DType::i64 : DType::c128, dtype())};
        return op_.build.move(name, std::move(move), {value_}, padded, dtype());
    }

    /// One piece of an axis joined from several values.
    struct Piece {
        ValueId value;
        PadRun run;
    };

    ValueId join(std::size_t axis, std::vector<Piece> const& pieces) {
        Shape padded = shape();
        padded[axis] += widths_[axis].before + widths_[axis].after;
        Move move;
        std::vector<ValueId> inputs;
        for (Piece const& piece : pieces) {
            Move::Region region{Box::whole(padded), std::vector<AxisMap>(padded.size())};
            region.box.begin[axis] = piece.run.begin;
            region.box.length[axis] = piece.run.length;
            region.axes[axis] = piece.run.map;
            move.regions.push_back(std::move(region));
            inputs.push_back(piece.value);
        }
        return op_.build.move(part(axis), std::move(move), std::move(inputs), padded, dtype());
    }

    ValueId runs(std::size_t axis, PadMode mode) {
        std::vector<Piece> pieces;
        for (PadRun const& run : pad_runs(mode, extent(axis), widths_[axis])) pieces.push_back({value_, run});
        return join(axis, pieces);
    }

    /// One element of the axis, repeated: the axis is cut to that element, dropped, and comes back as a label of the
    /// output alone.
    ValueId repeated(std::size_t axis, Extent position, Extent count, std::string const& name) {
        Shape one = shape();
        one[axis] = 1;
        Move::Region region{Box::whole(one), std::vector<AxisMap>(one.size())};
        region.axes[axis].start = position;
        ValueId const slice = op_.build.move(name, {{std::move(region)}, {}}, {value_}, one, dtype());
        Shape rest = one;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(axis));
        ValueId const element = op_.build.reshape(name + "element", slice, rest);
        EinSum einsum = identity_einsum(rest);
        einsum.output.insert(einsum.output.begin() + static_cast<std::ptrdiff_t>(axis),
                             static_cast<int>(einsum.labels.size()));
        einsum.labels.push_back("repeat");
        einsum.extents.push_back(count);
        return op_.build.einsum(name + "s", std::move(einsum), {element}, dtype());
    }

    ValueId edge(std::size_t axis) {
        PadWidth const width = widths_[axis];
        std::string const name = "axis" + std::to_string(axis);
        std::vector<Piece> pieces;
        if (width.before > 0)
            pieces.push_back({repeated(axis, 0, width.before, name + "first"), {0, width.before, {}}});
        pieces.push_back({value_, {width.before, extent(axis), {}}});
        if (width.after > 0)
            pieces.push_back({repeated(axis, extent(axis) - 1, width.after, name + "last"),
                              {width.before + extent(axis), width.after, {}}});
        return join(axis, pieces);
    }

    OpReader& op_;
    std::vector<PadWidth> widths_;
    ValueId value_;
    std::optional<std::size_t> last_;  // the last axis that grows: its value is the node's own
};

bool check_copying(OpReader const& op, PadMode mode, std::vector<PadWidth> const& widths) {
    if (mode == PadMode::constant) return true;
    for (std::size_t axis = 0; axis < widths.size(); ++axis) {
        Extent const extent = op.value(0).shape[axis];
        if (widths[axis].none()) continue;
        if (extent == 0) {
            op.node().at("mode").fail("\"constant\" for an axis of extent 0", op.describe(0),
                                      "an empty axis has no elements to copy");
            return false;
        }
        bool const repeats = mode != PadMode::edge && !(mode == PadMode::reflect && extent == 1);
        if (repeats && pad_run_count(mode, extent, widths[axis]) > most_runs) {
            op.node()
                .at("pad_width")
                .fail("a border of at most 65536 repeats of the axis", op.describe(0),
                      "pad by less, or use \"edge\" or \"constant\"");
            return false;
        }
    }
    return true;
}

}  // namespace

OpResult read_pad(OpReader& op) {
    auto const width =
        required(op.node(), "pad_width", "write how many elements to add: \"pad_width\": [[before, after], ...]");
    auto const mode = read_mode(op);
    auto const value = optional_at(op.node(), "constant_values");
    if (value && mode && *mode != PadMode::constant)
        value->fail("no constant_values for this mode", brief(value->value()), "remove it, or use mode \"constant\"");
    if (!op.ready() || !width || !mode) return std::nullopt;
    auto const widths = read_widths(*width, op.order());
    if (!widths || !check_copying(op, *mode, *widths)) return std::nullopt;
    Padding padding(op, *widths);
    if (*mode != PadMode::constant) return padding.copying(*mode);

    DType const dtype = op.value(0).dtype;
    std::vector<std::pair<Scalar, Scalar>> fills(op.order(),
                                                 {Scalar::of(std::int64_t{0}), Scalar::of(std::int64_t{0})});
    if (value && is_complex(dtype)) {  // [re, im] is one value
        auto const one = read_element(*value, dtype);
        if (!one) return std::nullopt;
        fills.assign(op.order(), {*one, *one});
    } else if (value) {
        auto const pairs =
            read_pairs<Scalar>(*value, op.order(), [&](Cursor const& one) { return read_element(one, dtype); });
        if (!pairs) return std::nullopt;
        fills = *pairs;
    }
    return padding.constant(fills);
}

}  // namespace ein::graph
