#include "executor/device/cpu/sparse/point_batch.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/machine.hpp"

namespace ein::executor {

JoinOfPoints::JoinOfPoints(KernelShape const& shape, KernelTypes const& types, scalar::Params const& params)
    : body(LoopBody::of(shape.kernel->einsum, types, params)),
      operand_dtypes(shape.operand_dtypes),
      tile(body.program ? body.program->tile() : machine::long_vector_tile),
      aggregates(!shape.kernel->einsum.aggregated().empty()) {}

PointBatch::PointBatch(JoinOfPoints const& join, Slots& slots, Extent longest_run)
    : join_(join),
      slots_(slots),
      joins_runs_(longest_run != 0),
      rows_together_(longest_run == 0 ? 1 : join.tile / 2 / static_cast<std::size_t>(longest_run)),
      registers_(join.body.operand_registers()),
      width_(size_of(registers_)),
      operand_bytes_(lines(join.tile * 16)),
      value_bytes_(lines(join.tile * 16)),
      scratch_(operand_bytes_ * join.operand_dtypes.size() + 3 * value_bytes_ +
               (join.body.program ? lines(join.body.program->scratch_bytes()) : 0)),
      operands_(scratch_.data()),
      values_(operands_ + operand_bytes_ * join.operand_dtypes.size()),
      program_(values_ + 3 * value_bytes_),
      indices_(join.body.indices) {
    for (DType type : join.operand_dtypes) {
        narrowed_.push_back(type != join.body.compute && registers_ != join.body.compute &&
                            promote(type, join.body.compute) != join.body.compute);
        tile_operands_.push_back({operands_ + operand_bytes_ * tile_operands_.size(), false});
    }
}

/// What comes together before it comes to its accumulators is a function of the row alone: half a tile at most.
bool PointBatch::continues(Run const& run) const {
    if (!joins_runs_ || join_.has_indices() || runs_.empty()) return false;
    Run const& last = runs_.back();
    if (last.slots != run.slots || last.slot != run.slot) return false;
    if (run.slots == SlotsOf::one) return last.count + run.count <= join_.tile / 2;
    return join_.aggregates && last.count == run.count && last.rows < rows_together_;
}

void PointBatch::begin_run(std::size_t slot, std::size_t points, bool each) {
    Run const run{slot, points, each ? SlotsOf::adjacent : SlotsOf::one};
    run_ = points;
    if (continues(run)) {
        each ? ++runs_.back().rows : runs_.back().count += points;
        return;
    }
    bool const alone = each && !join_.aggregates;
    if (count_ + (alone ? points : std::max(points, join_.tile / 2)) > join_.tile) flush();
    runs_.push_back(run);
}

std::size_t PointBatch::begin_shared_run(std::size_t slot, std::size_t most) {
    std::size_t const together = join_.tile / 2, held = continues({slot, 1, SlotsOf::one}) ? runs_.back().count : 0;
    std::size_t const points = std::min(most, together - held);
    begin_run(slot, points, false);
    return points;
}

void PointBatch::begin_scattered_run(std::span<std::size_t const> slots) {
    if (count_ + slots.size() > join_.tile) flush();
    run_ = slots.size();
    runs_.push_back({scattered_.size(), run_, SlotsOf::any});
    scattered_.insert(scattered_.end(), slots.begin(), slots.end());
}

void PointBatch::operand(std::size_t k, std::byte const* from, Extent stride) {
    DType const type = join_.operand_dtypes[k];
    std::byte* const to = operands_ + operand_bytes_ * k + count_ * width_;
    std::size_t const given = stride == 0 ? std::min<std::size_t>(run_, 1) : run_;
    if (type == registers_ && (stride == 1 || given == 1)) {
        if (given == 1 && width_ == 8)
            std::memcpy(to, from, 8);
        else if (given == 1 && width_ == 4)
            std::memcpy(to, from, 4);
        else
            std::memcpy(to, from, given * width_);
    } else if (!narrowed_[k]) {
        tile_convert(type, from, stride, registers_, to, given);
    } else {
        tile_convert(type, from, stride, join_.body.compute, values_, given);
        tile_convert(join_.body.compute, values_, 1, registers_, to, given);
    }
    if (given < run_) repeat_element(to, to, width_, run_);
}

namespace {

template <class Element>
void gather(std::byte const* from, std::span<Extent const> offsets, std::byte* to) {
    for (std::size_t i = 0; i < offsets.size(); ++i)
        std::memcpy(to + i * sizeof(Element), from + offsets[i], sizeof(Element));
}
void gather(std::byte const* from, std::span<Extent const> offsets, std::size_t size, std::byte* to) {
    switch (size) {
        case 1: return gather<std::uint8_t>(from, offsets, to);
        case 2: return gather<std::uint16_t>(from, offsets, to);
        case 4: return gather<std::uint32_t>(from, offsets, to);
        case 8: return gather<std::uint64_t>(from, offsets, to);
        default: return gather<std::array<std::uint64_t, 2>>(from, offsets, to);
    }
}

}  // namespace

void PointBatch::operand(std::size_t k, std::byte const* from, std::span<Extent const> offsets) {
    DType const type = join_.operand_dtypes[k];
    if (type == registers_) return gather(from, offsets, width_, operands_ + operand_bytes_ * k + count_ * width_);
    std::byte* const gathered = values_ + value_bytes_;
    gather(from, offsets, size_of(type), gathered);
    operand(k, gathered, 1);
}

void PointBatch::end_run(std::span<scalar::TileIndex const> indices) {
    count_ += run_;
    if (!join_.has_indices()) return;
    std::copy_n(indices.begin(), indices_.size(), indices_.begin());
    flush();
}

void PointBatch::flush() {
    if (count_ == 0) return;
    scalar::TileOperand values;
    if (join_.body.program)
        values = join_.body.program->run(count_, tile_operands_, indices_, program_);
    else
        values = tile_operands_[join_.body.used[0]];
    std::byte const* at = spread(to_accumulate(values));
    for (Run const& run : runs_) {
        combine(run, at);
        at += run.points() * slots_.element_bytes();
    }
    runs_.clear();
    scattered_.clear();
    count_ = 0;
}

void PointBatch::combine(Run const& run, std::byte const* values) {
    if (run.slots == SlotsOf::any) {
        std::span<std::size_t const> const slots(scattered_.data() + run.slot, run.count);
        return join_.aggregates ? slots_.combine_scattered(slots, values) : slots_.assign_scattered(slots, values);
    }
    if (!join_.aggregates) return slots_.assign(run.slot, values, run.count);
    if (run.slots == SlotsOf::one) return slots_.combine_all(run.slot, values, run.count);
    if (run.rows == 1) return slots_.combine(run.slot, values, run.count);
    slots_.combine_rows(run.slot, values, run.rows, run.count);
}

/// The join's values in the accumulate type's registers, as loop kernels bring them there.
scalar::TileOperand PointBatch::to_accumulate(scalar::TileOperand values) {
    DType const join = join_.body.join, accumulate = join_.body.accumulate;
    DType const from = join_.body.join_registers(), to = scalar::own_register_dtype(accumulate);
    if (join == accumulate && from == to) return values;
    std::size_t const present = values.constant ? 1 : count_;
    tile_convert(from, values.data, 1, accumulate == DType::boolean ? accumulate : to, values_, present);
    return {values_, values.constant};
}

std::byte const* PointBatch::spread(scalar::TileOperand values) {
    auto const* const data = static_cast<std::byte const*>(values.data);
    if (!values.constant || count_ == 1) return data;
    std::byte* const to = values_ + 2 * value_bytes_;
    repeat_element(to, data, slots_.element_bytes(), count_);
    return to;
}

}  // namespace ein::executor
