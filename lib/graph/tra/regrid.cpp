#include "lib/graph/tra/regrid.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "lib/base/error.hpp"
#include "lib/graph/tuning.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;
using scalar::Op;

/// Where the positions along an old axis come from: start + step * the new position along `target`, or `start` alone.
struct AxisPick {
    std::optional<std::size_t> target;
    Extent start = 0, step = 1;
};

std::vector<Extent> index_of(Extent cell, Shape const& grid) {
    std::vector<Extent> index(grid.size());
    for (std::size_t axis = grid.size(); axis-- > 0; cell /= grid[axis]) index[axis] = cell % grid[axis];
    return index;
}

/// How the cells follow from the new grid axis by axis; nothing when they do not.
std::optional<std::vector<AxisPick>> picks_of(Shape const& from, Shape const& to, Cells const& cells) {
    std::vector<Extent> const base = index_of(cells.front(), from), strides = row_major_strides(to);
    std::vector<AxisPick> picks;
    for (Extent start : base) picks.push_back({std::nullopt, start, 0});
    for (std::size_t j = 0; j < to.size(); ++j) {
        std::vector<Extent> const next = index_of(cells[static_cast<std::size_t>(strides[j])], from);
        for (std::size_t i = 0; i < from.size(); ++i) {
            if (next[i] == base[i]) continue;
            if (picks[i].target) return std::nullopt;
            picks[i] = {j, base[i], next[i] - base[i]};
        }
    }
    std::size_t at = 0;
    bool holds = true;
    for_each_index(to, [&](std::vector<Extent> const& index) {
        Extent cell = 0;
        for (std::size_t i = 0; i < from.size(); ++i) {
            Extent const at_axis = picks[i].start + (picks[i].target ? picks[i].step * index[*picks[i].target] : 0);
            holds = holds && at_axis >= 0 && at_axis < from[i];  // a run may go on in the next row
            cell = cell * from[i] + at_axis;
        }
        holds = holds && cells[at++] == cell;
    });
    return holds ? std::optional(picks) : std::nullopt;
}

/// Slices and drops the axes of one operand whose labels are picked from.
class OperandSlicer {
public:
    OperandSlicer(BlockBuilder& builder, Blocks const& blocks, Blocks::Operand operand)
        : builder_(builder), blocks_(blocks), operand_(std::move(operand)) {}

    Blocks::Operand slice(std::vector<std::optional<AxisPick>> const& by_label, std::vector<int> const& targets) {
        Move::Region region;
        std::vector<int> kept;
        bool moves = false;
        for (int label : operand_.labels) {
            auto const& pick = by_label[static_cast<std::size_t>(label)];
            int const now = !pick ? label : pick->target ? targets[*pick->target] : -1;
            Extent const length = now >= 0 ? blocks_.extent(now) : 1;
            region.axes.push_back(pick ? AxisMap{pick->start, now >= 0 ? pick->step : 1} : AxisMap{});
            region.box.begin.push_back(0);
            region.box.length.push_back(length);
            moves = moves || length != blocks_.extent(label) || region.axes.back() != AxisMap{};
            if (now >= 0) kept.push_back(now);
        }
        if (moves) move(std::move(region));
        if (kept.size() != operand_.labels.size()) drop(kept);
        operand_.labels = std::move(kept);
        return operand_;
    }

private:
    void move(Move::Region region) {
        Shape const shape = region.box.length;
        operand_.value =
            builder_.build().move("slice", {{std::move(region)}, {}}, {operand_.value}, shape, builder_.dtype());
    }
    void drop(std::vector<int> const& kept) {
        Shape shape;
        for (int label : kept) shape.push_back(blocks_.extent(label));
        operand_.value = builder_.build().reshape("squeeze", operand_.value, std::move(shape));
    }

    BlockBuilder& builder_;
    Blocks const& blocks_;
    Blocks::Operand operand_;
};

Blocks picked(BlockBuilder& builder, Blocks blocks, Shape const& counts, std::vector<AxisPick> const& picks) {
    std::vector<int> targets;
    for (Extent count : counts) targets.push_back(blocks.add_label(count));
    std::vector<std::optional<AxisPick>> by_label(blocks.extents.size());
    std::vector<int> const old = blocks.keys;
    blocks.keys.clear();
    for (std::size_t axis = 0; axis < old.size(); ++axis) {
        AxisPick const& pick = picks[axis];
        bool const whole =
            pick.target && pick.start == 0 && pick.step == 1 && blocks.extent(old[axis]) == counts[*pick.target];
        if (whole)
            blocks.identify(old[axis], targets[*pick.target]);
        else
            by_label[static_cast<std::size_t>(old[axis])] = pick;
    }
    for (Blocks::Operand& operand : blocks.operands)
        operand = OperandSlicer(builder, blocks, operand).slice(by_label, targets);
    blocks.keys = targets;
    return blocks;
}

/// Cells that follow one another in steps of one length.
struct Run {
    Extent to, from, step, length;
};

std::vector<Run> runs_of(Cells const& cells) {
    std::vector<Run> runs;
    for (Extent at = 0; at < static_cast<Extent>(cells.size()); ++at) {
        Extent const cell = cells[static_cast<std::size_t>(at)];
        if (cell < 0) continue;
        if (!runs.empty() && runs.back().to + runs.back().length == at) {
            Run& last = runs.back();
            if (last.length == 1 && cell != last.from) last.step = cell - last.from;
            if (cell == last.from + last.step * last.length && last.step != 0) {
                ++last.length;
                continue;
            }
        }
        runs.push_back({at, cell, 1, 1});
    }
    return runs;
}

/// The value with the grid as one axis before those of the arrays.
ValueId flattened(BlockBuilder& builder, Blocks const& blocks) {
    std::vector<int> order = blocks.keys;
    order.insert(order.end(), blocks.array.begin(), blocks.array.end());
    ValueId const value = builder.in_order(blocks, "blocks", order);
    if (blocks.keys.size() == 1) return value;
    Shape shape = blocks.bound();
    shape.insert(shape.begin(), element_count(blocks.grid()));
    return builder.build().reshape("cells", value, std::move(shape));
}

Blocks of_flat(ValueId value, Shape const& shape) {
    std::vector<int> array(shape.size() - 1);
    std::iota(array.begin(), array.end(), 1);
    return Blocks::of(value, shape, {0}, std::move(array));
}

ValueId moved(BlockBuilder& builder, ValueId from, Shape const& shape, std::vector<Run> const& runs,
              std::optional<scalar::Scalar> const& fill) {
    Move move;
    for (Run const& run : runs) {
        Move::Region region{Box::whole(shape), std::vector<AxisMap>(shape.size())};
        region.box.begin[0] = run.to;
        region.box.length[0] = run.length;
        region.axes[0] = {run.from, run.step};
        move.regions.push_back(std::move(region));
    }
    move.fill = fill;
    return builder.build().move("moved", std::move(move), std::vector<ValueId>(runs.size(), from), shape,
                                builder.dtype());
}

ValueId cells_leaf(BlockBuilder& builder, Cells const& cells) {
    tensor::ValuesSource source;
    source.bytes.resize(cells.size() * sizeof(Extent));
    std::memcpy(source.bytes.data(), cells.data(), source.bytes.size());
    return builder.build().leaf("positions", {static_cast<Extent>(cells.size())}, DType::i64, std::move(source));
}

Expr as_number(scalar::Scalar const& value) {
    return value.is_integer ? Expr::integer(value.integer) : Expr::number(value.number.real());
}

bool is_zero(scalar::Scalar const& value) { return value.is_integer ? value.integer == 0 : value.number == 0.0; }

/// sum over v of where(y == [v], x, 0), y the cells: what has no cell is 0, and gets its `fill` afterwards.
Blocks looked_up(BlockBuilder& builder, ValueId from, Shape const& shape, Cells const& cells,
                 std::optional<scalar::Scalar> const& fill) {
    ValueId const positions = cells_leaf(builder, cells);
    EinSum einsum = identity_einsum(shape);
    einsum.inputs = {einsum.output, {static_cast<int>(shape.size())}};
    einsum.labels.push_back("cell");
    einsum.extents.push_back(static_cast<Extent>(cells.size()));
    einsum.output.front() = static_cast<int>(shape.size());
    einsum.join = Expr::call(
        Op::where, {Expr::call(Op::eq, {Expr::operand(1), Expr::index(0)}), Expr::operand(0), Expr::integer(0)});
    Shape made = shape;
    made.front() = static_cast<Extent>(cells.size());
    Blocks blocks =
        of_flat(builder.build().einsum("looked_up", std::move(einsum), {from, positions}, builder.dtype()), made);
    if (!fill || is_zero(*fill)) return blocks;
    blocks.operands.push_back({positions, blocks.keys});
    Expr const none = Expr::call(Op::eq, {Expr::operand(1), Expr::integer(-1)});
    blocks.join = Expr::call(Op::where, {none, as_number(*fill), Expr::operand(0)});
    return builder.stored(blocks, "filled");
}

Blocks gathered(BlockBuilder& builder, Blocks const& blocks, Shape const& counts, Cells const& cells,
                std::optional<scalar::Scalar> const& fill) {
    ValueId const from = flattened(builder, blocks);
    Shape shape = builder.build().value(from).shape;
    std::vector<Run> const runs = runs_of(cells);
    bool const all = runs.size() == 1 && runs[0].length == shape[0] && runs[0].step == 1 && runs[0].from == 0 &&
                     static_cast<Extent>(cells.size()) == shape[0];
    Blocks flat = of_flat(from, shape);
    if (!all && runs.size() > tuning::most_move_pieces) {
        flat = looked_up(builder, from, shape, cells, fill);
    } else if (!all) {
        shape[0] = static_cast<Extent>(cells.size());
        flat = of_flat(moved(builder, from, shape, runs, fill), shape);
    }
    if (counts.size() == 1) return flat;
    Shape whole = counts;
    Shape const bound = flat.bound();
    whole.insert(whole.end(), bound.begin(), bound.end());
    std::vector<int> keys(counts.size()), array(bound.size());
    std::iota(keys.begin(), keys.end(), 0);
    std::iota(array.begin(), array.end(), static_cast<int>(keys.size()));
    std::vector<int> order = flat.keys;
    order.insert(order.end(), flat.array.begin(), flat.array.end());
    ValueId const value = builder.in_order(flat, "blocks", order);
    return Blocks::of(builder.build().reshape("grid", value, whole), whole, std::move(keys), std::move(array));
}

/// Whether the cells are the same all along an axis.
bool constant_along(std::size_t axis, Shape const& counts, Cells const& cells) {
    if (counts[axis] == 1) return true;
    Extent const stride = row_major_strides(counts)[axis];
    for (std::size_t at = 0; at < cells.size(); ++at) {
        Extent const position = static_cast<Extent>(at) / stride % counts[axis];
        if (position > 0 && cells[at] != cells[at - static_cast<std::size_t>(stride)]) return false;
    }
    return true;
}

}  // namespace

Blocks regrid(BlockBuilder& builder, Blocks blocks, Shape const& counts, Cells const& cells,
              std::optional<scalar::Scalar> const& fill) {
    promise(!cells.empty(), "blocks are brought into a grid without cells");
    std::vector<bool> varies;
    Shape varying;
    for (std::size_t axis = 0; axis < counts.size(); ++axis) {
        varies.push_back(!constant_along(axis, counts, cells));
        if (varies.back()) varying.push_back(counts[axis]);
    }
    Cells kept;
    std::size_t at = 0;
    for_each_index(counts, [&](std::vector<Extent> const& index) {
        bool first = true;
        for (std::size_t axis = 0; axis < counts.size(); ++axis) first = first && (varies[axis] || index[axis] == 0);
        if (first) kept.push_back(cells[at]);
        ++at;
    });
    bool const holes = std::find(kept.begin(), kept.end(), -1) != kept.end();
    auto const picks = holes ? std::nullopt : picks_of(blocks.grid(), varying, kept);
    blocks = picks ? picked(builder, std::move(blocks), varying, *picks)
                   : gathered(builder, blocks, varying, kept, holes ? fill : std::nullopt);
    std::vector<int> keys;
    std::size_t next = 0;
    for (std::size_t axis = 0; axis < counts.size(); ++axis)
        keys.push_back(varies[axis] ? blocks.keys[next++] : blocks.add_label(counts[axis]));
    blocks.keys = std::move(keys);
    return blocks;
}

Blocks cut_grid(BlockBuilder& builder, Blocks blocks, Shape const& counts) {
    std::vector<AxisPick> picks;
    for (std::size_t axis = 0; axis < counts.size(); ++axis) picks.push_back({axis, 0, 1});
    return picked(builder, std::move(blocks), counts, picks);
}

}  // namespace ein::graph
