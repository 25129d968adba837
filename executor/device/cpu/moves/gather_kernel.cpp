#include "executor/device/cpu/moves/gather_kernel.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "executor/device/cpu/instruction_set.hpp"
#include "executor/device/cpu/loops/loop_kernel.hpp"
#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/moves/gather_loops.hpp"
#include "executor/device/cpu/past_cache.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/kernel/position_labels.hpp"
#include "executor/device/reference/element.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

constexpr Extent most_offset = std::numeric_limits<Offset>::max();

/// Elements between two stores.
constexpr Extent run = static_cast<Extent>(machine::stored_vector_tile) / 4;
/// Elements that are brought to the output together, where more than moving them is to do.
constexpr Extent stored_at_once[] = {run, 32, 1};

GatherLoops const& loops() {
    static GatherLoops const best = EIN_OF_BEST_SET(gather_loops());
    return best;
}

/// The outputs that share offsets: `columns` of the innermost label by `rows` of the one outside it, if any.
struct Tiling {
    PositionLabel columns, rows;
    Extent column_block = 1, row_block = 1;
    std::vector<PositionLabel> moved, free;  // the other labels, along which positions move or do not
};

constexpr PositionLabel one_row{1, 0, 0, 0};

Extent blocks_of(Extent length, Extent block) { return (length + block - 1) / block; }

class GatherKernel final : public PreparedKernel {
public:
    GatherKernel(KernelShape const& shape, graph::Lookup const& lookup, KernelTypes const& types, Tiling tiling,
                 Extent data_step)
        : lookup_(lookup),
          tiling_(std::move(tiling)),
          data_type_(shape.operand_dtypes[static_cast<std::size_t>(lookup.data)]),
          position_type_(shape.operand_dtypes[static_cast<std::size_t>(lookup.positions)]),
          data_length_(shape.lengths[static_cast<std::size_t>(lookup.label)]),
          data_step_(data_step) {
        bool const stays = !shape.accumulate && data_type_ == shape.output_dtype;
        DType const output = shape.output_dtype;
        if (!stays || !passes_through(data_type_, types.compute, output)) make_store(shape, types);
        // What is added to an element to leave it as it is, its sign included, or what stands where nothing is found.
        double const nothing = shape.accumulate ? -0.0 : 0.0;
        if (!is_exact(data_type_))
            store_element(scalar::Scalar::of(std::complex<double>(nothing, nothing)), absent_, data_type_);
        bool const rows_moved = tiling_.rows.positions != 0;
        Extent const row_blocks = blocks_of(tiling_.rows.length, tiling_.row_block);
        repeats_ = count_of(tiling_.free) * (rows_moved ? 1 : row_blocks);
        tiles_ = count_of(tiling_.moved) * blocks_of(tiling_.columns.length, tiling_.column_block) *
                 (rows_moved ? row_blocks : 1);
        Extent const size = static_cast<Extent>(size_of(data_type_));
        Extent const all =
            count_of(tiling_.free) * count_of(tiling_.moved) * tiling_.rows.length * tiling_.columns.length * size;
        past_cache_ = std::max(all, shape.output_bytes) >= machine::output_past_cache;
        pieces_ = std::min(tiles_ * repeats_, pieces_of(all / size, size));
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        Extent const count = tiles_ * repeats_;
        if (pieces_ < 2) return gather_tiles(call, 0, count);
        team.run(pieces_, [&](std::int64_t piece) {
            gather_tiles(call, part_begin(count, pieces_, piece), part_begin(count, pieces_, piece + 1));
        });
    }

private:
    /// The part of a tile's labels that is at hand, and where it begins.
    struct Tile {
        PositionOffsets at;
        Extent rows, columns;
    };

    /// Runs of elements into the output, where more than moving them is to do.
    void make_store(KernelShape const& shape, KernelTypes const& types) {
        Extent const from = static_cast<Extent>(size_of(data_type_));
        for (Extent const length : stored_at_once) {
            Nest nest{{{length, {from}, tiling_.columns.output, false, -1}},
                      {data_type_},
                      shape.output_dtype,
                      shape.accumulate,
                      shape.output_bytes};
            simplify(nest);
            stores_.push_back(LoopKernel::make(
                std::move(nest), {nullptr, {0}, 0, types.compute, types.join, types.accumulate, scalar::Agg::sum}));
        }
    }

    static void step(PositionOffsets& at, PositionLabel const& label, Extent index) {
        at.positions += index * label.positions;
        at.data += index * label.data;
        at.output += index * label.output;
    }
    static void add(PositionOffsets& at, PositionOffsets const& further) {
        at.positions += further.positions;
        at.data += further.data;
        at.output += further.output;
    }

    /// Tile `number` / repeats_ is where positions are others, and the rest of the division which repeat of it this is.
    Tile tile_of(Extent number) const {
        Extent tile = number / repeats_, repeat = number % repeats_;
        Extent const row_blocks = blocks_of(tiling_.rows.length, tiling_.row_block),
                     column_blocks = blocks_of(tiling_.columns.length, tiling_.column_block);
        Extent& of_rows = tiling_.rows.positions != 0 ? tile : repeat;
        Extent const row = of_rows % row_blocks * tiling_.row_block;
        of_rows /= row_blocks;
        Extent const column = tile % column_blocks * tiling_.column_block;
        tile /= column_blocks;
        Tile found{offsets_of(tiling_.moved, tile), std::min(tiling_.row_block, tiling_.rows.length - row),
                   std::min(tiling_.column_block, tiling_.columns.length - column)};
        add(found.at, offsets_of(tiling_.free, repeat));
        step(found.at, tiling_.rows, row);
        step(found.at, tiling_.columns, column);
        return found;
    }

    /// @return whether all elements are in this block
    bool find(std::byte const* positions, Tile const& tile, Extent first, Offset* offsets) const {
        Extent const size = static_cast<Extent>(size_of(data_type_));
        PositionTile const where{positions,
                                 position_type_,
                                 {tile.rows, tiling_.rows.positions, tiling_.rows.data / size},
                                 {tile.columns, tiling_.columns.positions, tiling_.columns.data / size},
                                 first,
                                 data_length_,
                                 data_step_};
        return loops().find(where, offsets);
    }

    void gather_tiles(KernelCall const& call, Extent first, Extent last) const {
        Scratch const scratch(static_cast<std::size_t>(tiling_.row_block * tiling_.column_block) * sizeof(Offset));
        auto* const offsets = reinterpret_cast<Offset*>(scratch.data());
        auto const* const positions =
            static_cast<std::byte const*>(call.operands[static_cast<std::size_t>(lookup_.positions)]);
        auto const* const data = static_cast<std::byte const*>(call.operands[static_cast<std::size_t>(lookup_.data)]);
        Extent found_tile = -1, found_rows = 0;
        bool all_here = true;
        for (Extent number = first; number < last; ++number) {
            Tile const tile = tile_of(number);
            if (found_tile != number / repeats_ || tile.rows > found_rows) {
                all_here = find(positions + tile.at.positions, tile,
                                call.begin[static_cast<std::size_t>(lookup_.label)], offsets);
                found_tile = number / repeats_;
                found_rows = tile.rows;
            }
            std::byte const* const next = number + 1 < last ? data + tile_of(number + 1).at.data : nullptr;
            gather_tile(tile, data + tile.at.data, offsets, all_here ? nullptr : absent_, next,
                        static_cast<std::byte*>(call.output) + tile.at.output);
        }
        if (past_cache_) finish_past_cache();
    }

    void gather_tile(Tile const& tile, std::byte const* from, Offset const* offsets, std::byte const* absent,
                     std::byte const* next, std::byte* to) const {
        Extent const size = static_cast<Extent>(size_of(data_type_));
        bool const one_run = tiling_.rows.output == tile.columns * tiling_.columns.output;
        Extent const rows = one_run ? 1 : tile.rows, columns = one_run ? tile.rows * tile.columns : tile.columns;
        Extent const runs = rows * blocks_of(columns, run), span = data_length_ * size;
        // Rows of x that are read whole and out of order are asked for in order.
        bool const ahead = next != nullptr && data_step_ == 1 && tile.rows == 1 && span <= machine::gathered_ahead &&
                           columns * 4 * size >= span;
        Extent const ahead_of_a_run = ahead ? span / runs + machine::cache_line : 0;
        for (Extent row = 0; row < rows; ++row)
            for (Extent column = 0; column < columns; column += run) {
                for (Extent k = 0; k < ahead_of_a_run; k += machine::cache_line)
                    __builtin_prefetch(next + column / run * ahead_of_a_run + k, 0, 2);
                gather_some(from, offsets + row * tile.columns + column, std::min(run, columns - column), absent,
                            to + row * tiling_.rows.output + column * tiling_.columns.output);
            }
    }

    void gather_some(std::byte const* from, Offset const* offsets, Extent count, std::byte const* absent,
                     std::byte* to) const {
        std::size_t const size = size_of(data_type_);
        if (stores_.empty() && !past_cache_) return loops().gather(size, from, offsets, count, absent, to);
        alignas(64) std::byte elements[static_cast<std::size_t>(run) * 16];
        loops().gather(size, from, offsets, count, absent, elements);
        if (stores_.empty()) return copy_past_cache(to, elements, static_cast<std::size_t>(count) * size);
        SoloWorkerTeam solo;
        Extent k = 0;
        for (std::size_t n = 0; n < stores_.size(); ++n)
            for (; k + stored_at_once[n] <= count; k += stored_at_once[n]) {
                void const* const element = elements + static_cast<std::size_t>(k) * size;
                stores_[n]->launch(std::span(&element, 1), to + k * tiling_.columns.output, {}, solo);
            }
    }

    graph::Lookup lookup_;
    Tiling tiling_;
    DType data_type_, position_type_;
    Extent data_length_, data_step_;  // of the label that positions choose along: its length here, elements a step
    Extent tiles_ = 1, repeats_ = 1;  // tiles with offsets of their own, and how often each is read
    alignas(16) std::byte absent_[16] = {};
    bool past_cache_ = false;
    std::int64_t pieces_ = 1;
    std::vector<std::unique_ptr<LoopKernel const>> stores_;  // of stored_at_once; none: elements are moved as they are
};

/// The labels of the output, innermost last in memory, as tiles; nothing where rows are better copied one by one.
/// @param shortest_copied  bytes of the shortest of those
std::optional<Tiling> tiling_of(std::vector<PositionLabel> labels, Extent size, Extent output_size,
                                Extent shortest_copied) {
    auto const take = [&](auto const& is_next) -> std::optional<PositionLabel> {
        auto const found = std::find_if(labels.begin(), labels.end(), is_next);
        if (found == labels.end()) return std::nullopt;
        PositionLabel const label = *found;
        labels.erase(found);
        return label;
    };
    std::erase_if(labels, [](PositionLabel const& label) { return label.length == 1; });
    auto const columns = take([&](PositionLabel const& label) { return label.output == output_size; });
    if (!columns) return std::nullopt;
    bool const copied = columns->positions == 0;
    if (copied && (columns->data != size || columns->length * size >= shortest_copied)) return std::nullopt;
    Tiling tiling{*columns, one_row, std::min(columns->length, machine::gathered_tile), 1, {}, {}};
    if (columns->length < machine::gathered_rows / 2) {
        auto const rows = take([&](PositionLabel const& label) {
            return label.output == columns->length * columns->output && (!copied || label.positions != 0);
        });
        if (rows) {
            tiling.rows = *rows;
            tiling.row_block = std::clamp<Extent>(machine::gathered_rows / columns->length, 1, rows->length);
        }
    }
    if (copied && tiling.rows.positions == 0) return std::nullopt;
    for (PositionLabel const& label : labels) (label.positions != 0 ? tiling.moved : tiling.free).push_back(label);
    return tiling;
}

}  // namespace

std::unique_ptr<PreparedKernel const> make_gather_kernel(KernelShape const& shape) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    std::optional<graph::Lookup> const lookup = graph::as_lookup(einsum);
    if (!lookup || einsum.aggregated() != std::vector<int>{lookup->label}) return nullptr;
    KernelTypes const types = types_of(shape);
    auto const data = static_cast<std::size_t>(lookup->data), positions = static_cast<std::size_t>(lookup->positions);
    if (!is_integer(shape.operand_dtypes[positions]) || types.join != types.compute) return nullptr;
    Nest const all = make_nest(shape);  // labels: the output's in order, then the one that is looked up
    std::vector<PositionLabel> labels;
    for (NestLabel const& label : all.labels)
        if (!label.aggregated)
            labels.push_back({label.length, label.strides[positions], label.strides[data], label.output_stride});
    Extent const size = static_cast<Extent>(size_of(shape.operand_dtypes[data]));
    bool const plain = !shape.accumulate && shape.operand_dtypes[data] == shape.output_dtype &&
                       passes_through(shape.output_dtype, types.compute, shape.output_dtype);
    bool const repeats =
        std::any_of(labels.begin(), labels.end(), [](auto const& label) { return label.positions == 0; });
    if (plain && !repeats) return nullptr;  // no offset would be used twice
    Extent const shortest = plain ? machine::shortest_plain_row : machine::shortest_copied_row;
    std::optional<Tiling> tiling =
        tiling_of(std::move(labels), size, static_cast<Extent>(size_of(shape.output_dtype)), shortest);
    if (!tiling) return nullptr;
    NestLabel const& chosen = all.labels.back();
    Extent const step = chosen.strides[data] / size;
    Extent const farthest = (chosen.length - 1) * step + (tiling->row_block * std::abs(tiling->rows.data) +
                                                          tiling->column_block * std::abs(tiling->columns.data)) /
                                                             size;
    if (farthest > most_offset) return nullptr;
    return std::make_unique<GatherKernel>(shape, *lookup, types, std::move(*tiling), step);
}

}  // namespace ein::executor
