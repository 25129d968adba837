#include "executor/device/cpu/loops/loop_walk.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/loops/tile_gather.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
LoopKernel::Walk::Walk(LoopKernel const& kernel, std::span<void const* const> operands, void* output,
                       std::span<Extent const> begin, std::byte* scratch)
    : k_(kernel),
      operands_(kernel.nest_.operand_dtypes.size()),
      scratch_(scratch),
      output_(static_cast<std::byte*>(output)),
      pointers_(reinterpret_cast<std::byte const**>(scratch + kernel.layout_.pointers)),
      gathered_from_(reinterpret_cast<std::byte const**>(scratch + kernel.layout_.gathered_from)),
      gathered_(reinterpret_cast<std::size_t*>(scratch + kernel.layout_.held)),
      turned_from_(reinterpret_cast<Turned*>(scratch + kernel.layout_.turned_from)),
      extents_(reinterpret_cast<Extent*>(scratch + kernel.layout_.extents)),
      tile_operands_(reinterpret_cast<Values*>(scratch + kernel.layout_.tile_operands)),
      tile_indices_(reinterpret_cast<scalar::TileIndex*>(scratch + kernel.layout_.tile_indices)),
      tile_{scratch + kernel.layout_.state, kernel.plan_.tile, scratch + kernel.layout_.tile},
      aggregates_(kernel.nest_.aggregates()) {
    for (std::size_t k = 0; k < operands_; ++k) pointers_[k] = static_cast<std::byte const*>(operands[k]);
    for (std::size_t l = 0; l < kernel.nest_.labels.size(); ++l) extents_[l] = kernel.nest_.labels[l].length;
    for (std::size_t k = 0; k < operands_; ++k) tile_operands_[k] = {};
    for (std::size_t k = 0; k < operands_; ++k) gathered_from_[k] = nullptr;
    for (std::size_t k = 0; k < operands_; ++k) turned_from_[k] = {};
    for (std::size_t l = 0; l < kernel.body_.indices; ++l) tile_indices_[l] = {begin[l], 0};
    int const inner = kernel.plan_.inner == LoopPlan::none ? -1 : kernel.nest_.labels[kernel.plan_.inner].index;
    if (inner >= 0) tile_indices_[inner].step = 1;
    auto* const counted = reinterpret_cast<std::int32_t*>(scratch + kernel.layout_.counted);
    if (kernel.looped_labels_) std::iota(counted, counted + kernel.vector_tile_, 0);
}

void LoopKernel::Walk::bring_meanwhile(std::span<std::byte const> next) {
    Extent points = 1;
    for (NestLabel const& label : k_.nest_.labels) points *= label.length;
    auto const vector_tile =
        std::max(k_.vector_tile_, k_.levels_.empty() ? 1 : static_cast<std::size_t>(k_.levels_.back().block));
    auto const vector_tiles = std::max<std::size_t>(1, static_cast<std::size_t>(points) / vector_tile);
    std::size_t const most = static_cast<std::size_t>(points) * size_of(k_.body_.compute);
    next = next.first(std::min(next.size(), most));
    next_ = next;
    next_step_ = lines((next.size() + vector_tiles - 1) / vector_tiles);
}

std::span<std::byte const> LoopKernel::Walk::some_of_next() {
    std::span<std::byte const> const some = next_.first(std::min(next_step_, next_.size()));
    next_ = next_.subspan(some.size());
    return some;
}

void LoopKernel::Walk::bring_some() {
    std::span<std::byte const> const some = some_of_next();
    for (std::size_t at = 0; at < some.size(); at += machine::cache_line) __builtin_prefetch(some.data() + at, 0, 2);
}

void LoopKernel::Walk::run(std::int64_t piece) {
    if (k_.plan_.pieces > 1) {
        Level const& cut = k_.levels_[k_.plan_.cut];
        Extent const blocks = (cut.length + cut.block - 1) / cut.block;
        first_ = part_begin(blocks, k_.plan_.pieces, piece) * cut.block;
        last_ = std::min(cut.length, part_begin(blocks, k_.plan_.pieces, piece + 1) * cut.block);
    }
    loop(0, output_, 0);
}

void LoopKernel::Walk::loop(std::size_t level, std::byte* output, Extent tile) {
    bool const opens_tile = aggregates_ && level == k_.plan_.scope;
    if (opens_tile) k_.body_.best ? start_best() : k_.aggregator_.start(tile_);
    if (level == k_.levels_.size())
        compute_vector_tile(output, tile);
    else
        iterate(level, output, tile);
    if (opens_tile) finish(level, output, tile);
}

void LoopKernel::Walk::iterate(std::size_t level, std::byte* output, Extent tile) {
    Level const& at = k_.levels_[level];
    if (level == k_.plan_.turned) turn_operands(level);
    bool const cut = k_.plan_.pieces > 1 && level == k_.plan_.cut;
    Extent const whole = extents_[at.label];
    Extent from = cut ? first_ : 0, to = cut ? last_ : whole;
    if (k_.body_.region != nullptr && at.aggregated && at.index >= 0) std::tie(from, to) = clipped(at, from, to);
    if (level == k_.strips_) return add_strips(level, from, to, tile);
    Extent const* const strides = k_.strides_.data() + level * operands_;
    std::byte const** const here = pointers(level);
    std::byte const** const inside = pointers(level + 1);
    Extent const index = at.index >= 0 ? tile_indices_[at.index].first : 0;
    for (Extent start = from; start < to; start += at.block) {
        extents_[at.label] = std::min(at.block, to - start);
        for (std::size_t k = 0; k < operands_; ++k) inside[k] = here[k] + start * strides[k];
        if (at.index >= 0) tile_indices_[at.index].first = index + start;
        loop(level + 1, output + start * at.output_stride, tile + start * at.tile_stride);
    }
    extents_[at.label] = whole;
    if (at.index >= 0) tile_indices_[at.index].first = index;
}

void LoopKernel::Walk::turn_operands(std::size_t level) {
    std::size_t const inner = k_.plan_.inner, grain = k_.plan_.grain;
    std::byte* to = scratch_ + k_.layout_.turned;
    for (std::size_t k : k_.turned_) {
        auto const size = size_of(k_.nest_.operand_dtypes[k]);
        std::byte const*& operand = pointers(level)[k];
        Turned const wanted{operand, extents_[inner], extents_[grain]};
        if (std::exchange(turned_from_[k], wanted) != wanted)
            turn_loop(size)({operand, stride(inner, k), to, k_.turned_step(k), extents_[inner], extents_[grain],
                             extents_[grain] * static_cast<Extent>(size)});
        operand = to;
        to += k_.turned_bytes();
    }
}

/// Accumulators are read and written once for all of them.
void LoopKernel::Walk::add_strips(std::size_t level, Extent from, Extent to, Extent tile) {
    std::size_t const operand = k_.body_.used[0];
    Extent const step = k_.strides_[level * operands_ + operand];
    std::byte const* const rows = pointers(level)[operand];
    auto const wider = static_cast<Extent>(k_.aggregator_.element_bytes() / k_.aggregator_.value_bytes());
    Extent const together =
        k_.body_.best ? machine::rows_of_a_strip : machine::rows_of_a_strip * std::min(wider, machine::wider_strips);
    for (Extent start = from; start < to; start += together) {
        if (!next_.empty()) bring_some();
        auto const count = static_cast<std::size_t>(std::min(together, to - start));
        if (k_.body_.best)
            find_best_in_strip(rows + start * step, step, count, tile, start);
        else
            k_.aggregator_.columns_apart(tile_, static_cast<std::size_t>(tile), rows + start * step, step, count,
                                         columns());
    }
}

/// Blocks begin where they would without: sums are grouped alike.
std::pair<Extent, Extent> LoopKernel::Walk::clipped(Level const& level, Extent from, Extent to) const {
    Extent points = (to - from) * static_cast<Extent>(k_.plan_.tile);
    if (points < machine::points_worth_clipping) return {from, to};
    std::vector<scalar::IndexRange> box(k_.body_.indices);
    for (std::size_t l = 0; l < box.size(); ++l) box[l] = {tile_indices_[l].first, tile_indices_[l].first + 1};
    for (std::size_t l = 0; l < k_.nest_.labels.size(); ++l) {
        int const index = k_.nest_.labels[l].index;
        if (index >= 0) box[static_cast<std::size_t>(index)].end += extents_[l] - 1;
    }
    auto const label = static_cast<std::size_t>(level.index);
    Extent const first = tile_indices_[label].first;
    box[label] = {first + from, first + to};
    scalar::IndexRange const live = scalar::least_range(box, label, [&](std::vector<scalar::IndexRange> const& part) {
        return scalar::is_identity(k_.body_.agg, k_.body_.region->on(part));
    });
    Extent const begin = from + (live.begin - first - from) / level.block * level.block;
    return live.empty() ? std::pair{from, from} : std::pair{begin, live.end - first};
}

/// Walks once more over the outputs of a tile, to store them.
void LoopKernel::Walk::finish(std::size_t level, std::byte* output, Extent tile) {
    if (level == k_.levels_.size()) {
        bool const columns_out = in_output(k_.plan_.inner), rows_out = in_output(k_.plan_.outer);
        std::size_t const row_count = rows_out ? rows() : 1, column_count = columns_out ? columns() / terms() : 1;
        void const* const values =
            k_.aggregator_.finish(tile_, static_cast<std::size_t>(tile), row_count * column_count);
        return store(values, output, row_count, column_count);
    }
    Level const& at = k_.levels_[level];
    if (at.aggregated) return finish(level + 1, output, tile);
    Extent const whole = extents_[at.label];
    for (Extent start = 0; start < whole; start += at.block) {
        extents_[at.label] = std::min(at.block, whole - start);
        finish(level + 1, output + start * at.output_stride, tile + start * at.tile_stride);
    }
    extents_[at.label] = whole;
}

void LoopKernel::Walk::compute_vector_tile(std::byte* output, Extent tile) {
    if (k_.plain_copy_) return copy_vector_tile(output);
    if (!next_.empty() && k_.loop_ == nullptr) bring_some();
    if (k_.streaming_ != nullptr) {
        for (std::size_t k : k_.body_.used) tile_operands_[k] = fetch(k);
        bool const begins_a_line = reinterpret_cast<std::uintptr_t>(output) % machine::cache_line == 0;
        return run_loop(begins_a_line ? *k_.streaming_ : *k_.loop_, output);
    }
    if (k_.body_.best) return find_best(join(nullptr), tile);
    if (k_.body_.finds >= 0) return find(tile);
    Values const values = to_accumulate(join(k_.in_place_ ? output : nullptr), rows() * columns());
    if (values.data == output && !values.constant) return;
    if (aggregates_)
        aggregate(values, tile);
    else
        store(spread(values, rows() * columns(), k_.aggregator_.element_bytes()), output, rows(), columns());
}

LoopKernel::Walk::Values LoopKernel::Walk::join(std::byte* result) {
    for (std::size_t k : k_.body_.used) tile_operands_[k] = fetch(k);
    if (k_.body_.program == nullptr) return tile_operands_[k_.body_.used[0]];
    if (k_.loop_ != nullptr) {
        if (result == nullptr) result = scratch_ + k_.layout_.program;
        run_loop(*k_.loop_, result);
        return {result, false};
    }
    return k_.body_.program->run(rows() * columns(), std::span(tile_operands_, operands_),
                                 std::span(tile_indices_, k_.body_.indices), scratch_ + k_.layout_.program, result);
}

/// Of integers that stand for a whole vector tile the loop takes 32 bits; an i64 is given as the nearest of these.
std::span<LoopKernel::Walk::Values const> LoopKernel::Walk::loop_operands() {
    if (!k_.looped_labels_) return std::span(tile_operands_, operands_);
    auto* const values = reinterpret_cast<std::int32_t*>(scratch_ + k_.layout_.label_values);
    for (std::size_t k : k_.body_.used) {
        if (!tile_operands_[k].constant || k_.body_.operand_registers() != DType::i64) continue;
        std::int64_t value;
        std::memcpy(&value, tile_operands_[k].data, sizeof value);
        constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
        values[k] = static_cast<std::int32_t>(std::clamp(value, least, -(least + 1)));
        tile_operands_[k].data = values + k;
    }
    for (std::size_t l = 0; l < k_.body_.indices; ++l) {
        values[operands_ + l] = static_cast<std::int32_t>(tile_indices_[l].first);
        tile_operands_[operands_ + l] = {values + operands_ + l, true};
    }
    tile_operands_[operands_ + k_.body_.indices] = {scratch_ + k_.layout_.counted, false};
    return std::span(tile_operands_, operands_ + k_.body_.indices + 1);
}

/// Each row of the vector tile by itself.
void LoopKernel::Walk::run_rows(scalar::VectorLoop const& loop, std::byte* result) {
    loop.run_rows(rows(), columns(), loop_operands(), k_.row_steps_, result,
                  static_cast<std::int64_t>(columns() * k_.made_bytes_), some_of_next());
}

LoopKernel::Walk::Values LoopKernel::Walk::fetch(std::size_t operand) {
    std::byte const* const from = pointers(k_.levels_.size())[operand];
    if (k_.ahead_[operand] && k_.loop_ == nullptr) {
        std::size_t const bytes = rows() * columns() * size_of(k_.nest_.operand_dtypes[operand]);
        for (std::size_t at = 0; at < bytes; at += machine::cache_line)
            __builtin_prefetch(from + machine::fetch_distance + at, 0, 3);
    }
    if (k_.ahead_a_row_[operand]) {  // vector tiles of a tile lie a row apart
        std::byte const* const next = from + k_.strides_[(k_.levels_.size() - 1) * operands_ + operand];
        std::size_t const bytes = columns() * size_of(k_.nest_.operand_dtypes[operand]);
        for (std::size_t at = 0; at < bytes; at += machine::cache_line) __builtin_prefetch(next + at, 0, 3);
    }
    if (k_.fetches_[operand] == Fetch::direct) return {from, false};
    if (k_.fetches_[operand] == Fetch::element) return {from, true};
    std::byte* const to = scratch_ + k_.layout_.gathered + operand * 16 * k_.vector_tile_;
    bool const constant = k_.fetches_[operand] == Fetch::constant;
    std::size_t const held = constant ? 1 : rows() * columns();
    if (gathered_from_[operand] != from || gathered_[operand] != held) gather(operand, to);
    gathered_from_[operand] = k_.is_turned(operand) ? nullptr : from;
    gathered_[operand] = held;
    return {to, constant};
}

/// Brings an operand's vector tile to the compute type's register type, row by row.
void LoopKernel::Walk::gather(std::size_t operand, std::byte* to) {
    std::byte const* from = pointers(k_.levels_.size())[operand];
    DType const type = k_.nest_.operand_dtypes[operand];
    DType const registers = k_.body_.operand_registers();
    bool const constant = k_.fetches_[operand] == Fetch::constant;
    TileAxis const row{constant ? 1 : rows(), stride(k_.plan_.outer, operand)},
        column{constant ? 1 : columns(), k_.step_along(operand)};
    std::size_t const size = size_of(registers);
    if (type == registers && !k_.narrowed_[operand]) return gather_tile(size, from, row, column, to);
    if (column.step == 0 && column.count > 1) {  // elements that stand for a row each
        std::byte* const elements = scratch_ + k_.layout_.values + 16 * k_.vector_tile_;
        convert(operand, from, row.step, elements, row.count);
        return gather_tile(size, elements, {row.count, static_cast<Extent>(size)}, column, to);
    }
    std::size_t const different = row.step == 0 ? 1 : row.count, row_bytes = column.count * size;
    TileAxis const rows_here{different, row.step};
    if (is_of_long_rows(size_of(type), rows_here, column)) {
        for (std::size_t r = 0; r < different; ++r)
            convert(operand, from + static_cast<Extent>(r) * row.step, column.step, to + r * row_bytes, column.count);
    } else {
        from =
            side_by_side(size_of(type), from, rows_here, column, scratch_ + k_.layout_.values + 16 * k_.vector_tile_);
        convert(operand, from, static_cast<Extent>(size_of(type)), to, different * column.count);
    }
    if (different < row.count) gather_tile(1, to, {row.count - 1, 0}, {row_bytes, 1}, to + row_bytes);
}

/// @param step  bytes from element to element
void LoopKernel::Walk::convert(std::size_t operand, std::byte const* from, Extent step, std::byte* to,
                               std::size_t count) {
    DType const type = k_.nest_.operand_dtypes[operand], compute = k_.body_.compute;
    DType const registers = k_.body_.operand_registers();
    step = in_elements(step, type);
    if (k_.body_.key) return keys_of(*k_.body_.key, from, step, to, count);
    if (!k_.narrowed_[operand]) return tile_convert(type, from, step, registers, to, count);
    tile_convert(type, from, step, compute, scratch_ + k_.layout_.values, count);
    tile_convert(compute, scratch_ + k_.layout_.values, 1, registers, to, count);
}

/// The join's values in the registers that are aggregated: truth values for any and all, f64 for logsumexp of integers.
LoopKernel::Walk::Values LoopKernel::Walk::to_accumulate(Values values, std::size_t count) {
    if (k_.accumulates_joined_) return values;
    DType const from = k_.body_.join_registers(), type = k_.body_.aggregated();
    DType const to = type == DType::boolean ? type : scalar::own_register_dtype(type);
    std::size_t const present = values.constant ? 1 : count;
    std::byte* const converted = scratch_ + k_.layout_.values;
    tile_convert(from, values.data, 1, to, converted, present);
    return {converted, values.constant};
}

/// A vector tile of elements where there may be one that stands for all.
void const* LoopKernel::Walk::spread(Values values, std::size_t count, std::size_t size) {
    if (!values.constant || count == 1) return values.data;
    std::byte element[16];
    std::memcpy(element, values.data, size);
    repeat_element(scratch_ + k_.layout_.values, element, size, count);
    return scratch_ + k_.layout_.values;
}

void LoopKernel::Walk::aggregate(Values values, Extent tile) {
    std::size_t const r = rows(), c = columns(), at = static_cast<std::size_t>(tile);
    void const* const vector_tile = spread(values, r * c, k_.aggregator_.value_bytes());
    bool const columns_out = in_output(k_.plan_.inner), rows_out = in_output(k_.plan_.outer);
    bool const one_row = k_.plan_.outer == LoopPlan::none;
    if (k_.plan_.middle != LoopPlan::none)
        k_.aggregator_.middle(tile_, at, vector_tile, r, terms(), c / terms());
    else if (columns_out && (rows_out || one_row))
        k_.aggregator_.combine(tile_, at, vector_tile, r * c);
    else if (columns_out)
        k_.aggregator_.columns(tile_, at, vector_tile, r, c);
    else if (rows_out)
        k_.aggregator_.rows(tile_, at, vector_tile, r, c);
    else
        k_.aggregator_.rows(tile_, at, vector_tile, 1, r * c);
}

}  // namespace ein::executor
