#include "executor/device/cpu/sparse/point_batch.hpp"

#include <algorithm>
#include <cstring>

#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/machine.hpp"

namespace ein::executor {

JoinOfPoints::JoinOfPoints(KernelShape const& shape, KernelTypes const& types, scalar::Params const& params)
    : body(LoopBody::of(shape.kernel->einsum, types, params)),
      operand_dtypes(shape.operand_dtypes),
      tile(body.program ? body.program->tile() : machine::long_vector_tile),
      aggregates(!shape.kernel->einsum.aggregated().empty()) {}

PointBatch::PointBatch(JoinOfPoints const& join, Slots& slots)
    : join_(join),
      slots_(slots),
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

void PointBatch::begin_run(std::size_t slot, std::size_t points, bool each) {
    std::size_t const together = join_.tile / 2;  // points of one accumulator, a function of the row alone
    bool const joins = !each && !join_.has_indices() && !runs_.empty() && !runs_.back().each &&
                       runs_.back().slot == slot && runs_.back().count + points <= together;
    if (joins) {
        runs_.back().count += points;
    } else {
        std::size_t const room = each ? points : std::max(points, together);
        if (count_ + room > join_.tile) flush();
        runs_.push_back({slot, points, each});
    }
    run_ = points;
}

void PointBatch::operand(std::size_t k, std::byte const* from, Extent stride) {
    DType const type = join_.operand_dtypes[k];
    std::byte* const to = operands_ + operand_bytes_ * k + count_ * width_;
    if (type == registers_ && (stride == 1 || run_ == 1)) {
        if (run_ == 1 && width_ == 8)
            std::memcpy(to, from, 8);
        else if (run_ == 1 && width_ == 4)
            std::memcpy(to, from, 4);
        else
            std::memcpy(to, from, run_ * width_);
        return;
    }
    if (!narrowed_[k]) return tile_convert(type, from, stride, registers_, to, run_);
    tile_convert(type, from, stride, join_.body.compute, values_, run_);
    tile_convert(join_.body.compute, values_, 1, registers_, to, run_);
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
        if (!join_.aggregates)
            slots_.assign(run.slot, at, run.count);
        else if (run.each)
            slots_.combine(run.slot, at, run.count);
        else
            slots_.combine_all(run.slot, at, run.count);
        at += run.count * slots_.element_bytes();
    }
    runs_.clear();
    count_ = 0;
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
