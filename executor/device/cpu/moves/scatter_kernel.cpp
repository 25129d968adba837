#include "executor/device/cpu/moves/scatter_kernel.hpp"

#include <algorithm>
#include <cstring>

#include "executor/device/cpu/loops/loop_kernel.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/kernel/position_labels.hpp"
#include "executor/device/reference/element.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

class ScatterKernel final : public PreparedKernel {
public:
    ScatterKernel(KernelShape const& shape, graph::Lookup const& scatter, KernelTypes const& types)
        : scatter_(scatter),
          position_dtype_(shape.operand_dtypes[static_cast<std::size_t>(scatter.positions)]),
          rows_(shape.lengths[static_cast<std::size_t>(scatter.label)]),
          accumulate_(shape.accumulate) {
        graph::EinSum const& einsum = shape.kernel->einsum;
        auto const data = static_cast<std::size_t>(scatter.data),
                   positions = static_cast<std::size_t>(scatter.positions);
        std::vector<int> const& located = einsum.inputs[positions];
        std::vector<int> labels = einsum.output;  // as make_nest() orders them
        for (int label : einsum.aggregated()) labels.push_back(label);
        Nest const all = make_nest(shape);
        Nest sum{{}, {shape.operand_dtypes[data]}, types.accumulate, true, 0};
        Nest store{{}, {types.accumulate}, shape.output_dtype, shape.accumulate, shape.output_bytes};
        Shape row;
        for (std::size_t l = 0; l < labels.size(); ++l) {
            NestLabel const& label = all.labels[l];
            if (labels[l] == scatter.label) {
                row_step_ = label.output_stride;
            } else if (std::find(located.begin(), located.end(), labels[l]) == located.end()) {
                row.push_back(label.length);
                sum.labels.push_back({label.length, {label.strides[data]}, 0, false, -1});
                store.labels.push_back({label.length, {0}, label.output_stride, false, -1});
            } else {
                (label.aggregated ? summed_ : batch_)
                    .push_back({label.length, label.strides[positions], label.strides[data], label.output_stride});
            }
        }
        make_rows(std::move(sum), std::move(store), row, types);
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        Extent const count = count_of(summed_);
        Scratch const sorted(lines(static_cast<std::size_t>(rows_ + 1) * sizeof(Extent)) +
                             static_cast<std::size_t>(count) * sizeof(Extent));
        auto* const ends = reinterpret_cast<Extent*>(sorted.data());
        auto* const order =
            reinterpret_cast<Extent*>(sorted.data() + lines(static_cast<std::size_t>(rows_ + 1) * sizeof(Extent)));
        for (Extent batch = 0; batch < count_of(batch_); ++batch) {
            PositionOffsets const at = offsets_of(batch_, batch);
            sort(call, at, count, ends, order);
            team.run(pieces_, [&](std::int64_t piece) {
                add_rows(call, at, part_begin(rows_, pieces_, piece), part_begin(rows_, pieces_, piece + 1), ends,
                         order);
            });
        }
    }

private:
    void make_rows(Nest sum, Nest store, Shape const& row, KernelTypes const& types) {
        std::vector<Extent> const strides = row_major_strides(row);
        auto const size = static_cast<Extent>(size_of(types.accumulate));
        for (std::size_t l = 0; l < row.size(); ++l) {
            sum.labels[l].output_stride = strides[l] * size;
            store.labels[l].strides[0] = strides[l] * size;
        }
        row_bytes_ = element_count(row) * size;
        pieces_ = pieces_of(rows_, row_bytes_);
        simplify(sum);
        simplify(store);
        sum_ = LoopKernel::make(std::move(sum),
                                {nullptr, {0}, 0, types.compute, types.join, types.accumulate, scalar::Agg::sum});
        store_ = LoopKernel::make(std::move(store), LoopBody::identity(types.accumulate));
    }

    /// Counting sort. @param ends  of each row: after where its positions end in `order` (of the row before it: where
    /// they begin)
    void sort(KernelCall const& call, PositionOffsets const& at, Extent count, Extent* ends, Extent* order) const {
        auto const* const where =
            static_cast<std::byte const*>(call.operands[static_cast<std::size_t>(scatter_.positions)]) + at.positions;
        Extent const first = call.begin[static_cast<std::size_t>(scatter_.label)];
        auto const for_each = [&](auto const& visit) {
            for (Extent k = 0; k < count; ++k) {
                PositionOffsets const offsets = offsets_of(summed_, k);
                Extent const row = load_element(where + offsets.positions, position_dtype_).integer - first;
                if (row >= 0 && row < rows_) visit(row, offsets.data);
            }
        };
        std::fill(ends, ends + rows_ + 1, 0);
        for_each([&](Extent row, Extent) { ++ends[row + 1]; });
        for (Extent row = 1; row <= rows_; ++row) ends[row] += ends[row - 1];
        for_each([&](Extent row, Extent data) { order[ends[row]++] = data; });
    }

    void add_rows(KernelCall const& call, PositionOffsets const& at, Extent first, Extent last, Extent const* ends,
                  Extent const* order) const {
        SoloWorkerTeam solo;
        Scratch const sums(static_cast<std::size_t>(row_bytes_));
        auto const* const data =
            static_cast<std::byte const*>(call.operands[static_cast<std::size_t>(scatter_.data)]) + at.data;
        std::byte* const output = static_cast<std::byte*>(call.output) + at.output;
        for (Extent row = first; row < last; ++row) {
            Extent const begin = row == 0 ? 0 : ends[row - 1], end = ends[row];
            if (begin == end && accumulate_) continue;
            std::memset(sums.data(), 0, static_cast<std::size_t>(row_bytes_));
            for (Extent k = begin; k < end; ++k) {
                void const* const from = data + order[k];
                sum_->launch(std::span(&from, 1), sums.data(), {}, solo);
            }
            void const* const result = sums.data();
            store_->launch(std::span(&result, 1), output + row * row_step_, {}, solo);
        }
    }

    graph::Lookup scatter_;
    DType position_dtype_;
    Extent rows_;  // of the output, that positions name
    bool accumulate_;
    std::vector<PositionLabel> batch_, summed_;
    Extent row_step_ = 0, row_bytes_ = 0;
    std::int64_t pieces_ = 1;
    std::unique_ptr<LoopKernel const> sum_, store_;
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_scatter_kernel(KernelShape const& shape) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    std::optional<graph::Lookup> const scatter = graph::as_scatter(einsum);
    if (!scatter) return nullptr;
    KernelTypes const types = types_of(shape);
    Extent elements = 1;
    Shape const& lengths = shape.keeps_order ? einsum.extents : shape.lengths;
    for (int label : einsum.output) elements *= lengths[static_cast<std::size_t>(label)];
    if (!is_integer(shape.operand_dtypes[static_cast<std::size_t>(scatter->positions)]) ||
        types.join != types.compute || elements < machine::least_scattered_row)
        return nullptr;
    return std::make_unique<ScatterKernel>(shape, *scatter, types);
}

}  // namespace ein::executor
