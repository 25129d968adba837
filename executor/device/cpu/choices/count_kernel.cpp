#include "executor/device/cpu/choices/count_kernel.hpp"

#include <algorithm>

#include "executor/device/cpu/loops/loop_kernel.hpp"
#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "executor/device/kernel/position_labels.hpp"
#include "lib/base/partition.hpp"
#include "lib/graph/indicator.hpp"
#include "lib/graph/labels.hpp"

namespace ein::executor {
namespace {

/// Positions that are read together.
constexpr Extent together = 512;
/// Values that a thread may have tables for: beyond, comparing everywhere is as well.
constexpr Extent most_values = 1 << 22;

class CountKernel final : public PreparedKernel {
public:
    CountKernel(KernelShape const& shape, graph::Count const& count, DType accumulate)
        : accumulate_(accumulate),
          label_(static_cast<std::size_t>(count.label)),
          dtype_(shape.operand_dtypes[0]),
          values_(shape.lengths[label_]) {
        graph::EinSum const& einsum = shape.kernel->einsum;
        Nest all = make_nest(shape);
        std::vector<int> labels = einsum.output;  // as make_nest() orders them
        for (int label : einsum.aggregated()) labels.push_back(label);
        Nest store{{}, {accumulate_}, shape.output_dtype, shape.accumulate, 0};
        for (std::size_t l = 0; l < labels.size(); ++l) {
            NestLabel const& label = all.labels[l];
            if (labels[l] == count.label)
                store.labels.push_back(
                    {values_, {static_cast<Extent>(size_of(accumulate_))}, label.output_stride, false, -1});
            else
                (label.aggregated ? summed_ : batch_)
                    .push_back({label.length, label.strides[0], 0, label.output_stride});
        }
        simplify(store);
        store_ = LoopKernel::make(std::move(store), LoopBody::identity(accumulate_));
        Extent const rows = count_of(summed_);
        pieces_ = std::clamp<std::int64_t>(std::min(rows / (4 * values_ + together), most_bytes / (8 * values_)), 1,
                                           most_pieces);
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        auto const table = static_cast<std::size_t>(values_) * sizeof(std::int64_t);
        std::int64_t const pieces = std::min<std::int64_t>(pieces_, 4 * std::max(1, team.width()));
        Scratch const scratch(lines(table) * static_cast<std::size_t>(pieces) +
                              static_cast<std::size_t>(values_) * size_of(accumulate_));
        auto const counts = [&](std::int64_t piece) {
            return reinterpret_cast<std::int64_t*>(scratch.data() + lines(table) * static_cast<std::size_t>(piece));
        };
        Extent const first = call.begin[label_], rows = count_of(summed_);
        for (Extent batch = 0; batch < count_of(batch_); ++batch) {
            PositionOffsets const at = offsets_of(batch_, batch);
            auto const* const from = static_cast<std::byte const*>(call.operands[0]) + at.positions;
            auto const one = [&](std::int64_t piece) {
                count(from, part_begin(rows, pieces, piece), part_begin(rows, pieces, piece + 1), first, counts(piece));
            };
            if (pieces < 2)
                one(0);
            else
                team.run(pieces, one);
            std::int64_t* const sum = counts(0);
            for (std::int64_t piece = 1; piece < pieces; ++piece)
                for (Extent v = 0; v < values_; ++v) sum[v] += counts(piece)[v];
            std::byte* const made = scratch.data() + lines(table) * static_cast<std::size_t>(pieces);
            tile_convert(DType::i64, sum, 1, accumulate_, made, static_cast<std::size_t>(values_));
            void const* const result = made;
            store_->launch(std::span(&result, 1), static_cast<std::byte*>(call.output) + at.output, {}, team);
        }
    }

private:
    static constexpr std::int64_t most_pieces = 256;
    static constexpr Extent most_bytes = 64 << 20;  // of all tables

    void count(std::byte const* from, Extent begin, Extent end, Extent first, std::int64_t* counts) const {
        std::fill(counts, counts + values_, 0);
        PositionLabel const along = summed_.back();
        Extent const size = static_cast<Extent>(size_of(dtype_));
        std::int64_t positions[together];
        for (Extent row = begin, read = 0; row < end; row += read) {
            read = std::min({together, end - row, along.length - row % along.length});
            tile_convert(dtype_, from + offsets_of(summed_, row).positions, along.positions / size, DType::i64,
                         positions, static_cast<std::size_t>(read));
            for (Extent k = 0; k < read; ++k) {
                auto const value = static_cast<std::uint64_t>(positions[k]) - static_cast<std::uint64_t>(first);
                if (value < static_cast<std::uint64_t>(values_)) ++counts[value];
            }
        }
    }

    DType accumulate_;
    std::size_t label_;
    DType dtype_;
    Extent values_;
    std::vector<PositionLabel> batch_, summed_;
    std::unique_ptr<LoopKernel const> store_;
    std::int64_t pieces_ = 1;
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_count_kernel(KernelShape const& shape, KernelTypes const& types) {
    auto const count = graph::as_count(shape.kernel->einsum);
    if (!count || !is_integer(shape.operand_dtypes[0]) ||
        (is_exact(types.accumulate) && types.accumulate != DType::i64))
        return nullptr;  // narrow sums wrap around
    Extent const values = shape.lengths[static_cast<std::size_t>(count->label)];
    if (values > most_values) return nullptr;
    return std::make_unique<CountKernel>(shape, *count, types.accumulate);
}

}  // namespace ein::executor
