#include "executor/device/cpu/moves/lookup_kernel.hpp"

#include <algorithm>

#include "executor/device/cpu/loops/loop_kernel.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/kernel/position_labels.hpp"
#include "executor/device/reference/element.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

class LookupKernel final : public PreparedKernel {
public:
    LookupKernel(KernelShape const& shape, graph::Lookup const& lookup, KernelTypes const& types)
        : lookup_(lookup),
          position_dtype_(shape.operand_dtypes[static_cast<std::size_t>(lookup.positions)]),
          data_length_(shape.lengths[static_cast<std::size_t>(lookup.label)]),
          accumulate_(shape.accumulate) {
        auto const data = static_cast<std::size_t>(lookup.data), positions = static_cast<std::size_t>(lookup.positions);
        std::vector<int> const& located = shape.kernel->einsum.inputs[positions];
        Nest const all = make_nest(shape);  // labels: the output's in order, then the one that is looked up
        Nest row{{}, {shape.operand_dtypes[data]}, shape.output_dtype, shape.accumulate, shape.output_bytes};
        std::vector<int> const& output = shape.kernel->einsum.output;
        for (std::size_t l = 0; l < output.size(); ++l) {
            NestLabel const& label = all.labels[l];
            if (std::find(located.begin(), located.end(), output[l]) != located.end())
                labels_.push_back({label.length, label.strides[positions], label.strides[data], label.output_stride});
            else
                row.labels.push_back({label.length, {label.strides[data]}, label.output_stride, false, -1});
        }
        data_stride_ = all.labels.back().strides[data];
        make_rows(std::move(row), types);
        pieces_ = pieces_of(count_of(labels_), row_elements_ * static_cast<Extent>(size_of(position_dtype_)));
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        Extent const count = count_of(labels_);
        if (pieces_ < 2) return copy_rows(call, 0, count);
        team.run(pieces_, [&](std::int64_t piece) {
            copy_rows(call, part_begin(count, pieces_, piece), part_begin(count, pieces_, piece + 1));
        });
    }

private:
    void make_rows(Nest row, KernelTypes const& types) {
        simplify(row);
        row_elements_ = row.elements();
        Nest nothing = row;
        for (NestLabel& label : nothing.labels) label.strides = {0};
        nothing.operand_dtypes = {types.accumulate};
        simplify(nothing);
        zeros_ = LoopKernel::make(std::move(nothing), LoopBody::identity(types.accumulate));
        rows_ = LoopKernel::make(std::move(row),
                                 {nullptr, {0}, 0, types.compute, types.join, types.accumulate, scalar::Agg::sum});
    }

    void copy_rows(KernelCall const& call, Extent first, Extent last) const {
        SoloWorkerTeam solo;
        auto const label = static_cast<std::size_t>(lookup_.label);
        for (Extent row = first; row < last; ++row) {
            PositionOffsets const at = offsets_of(labels_, row);
            auto const* const where =
                static_cast<std::byte const*>(call.operands[static_cast<std::size_t>(lookup_.positions)]);
            Extent const position = load_element(where + at.positions, position_dtype_).integer - call.begin[label];
            auto* const to = static_cast<std::byte*>(call.output) + at.output;
            copy_row(call, position, at.data, to, solo);
        }
    }

    void copy_row(KernelCall const& call, Extent position, Extent data_at, std::byte* to, WorkerTeam& solo) const {
        alignas(16) static constexpr std::byte zero[16] = {};
        bool const here = position >= 0 && position < data_length_;
        if (!here && accumulate_) return;
        auto const* const data = static_cast<std::byte const*>(call.operands[static_cast<std::size_t>(lookup_.data)]);
        void const* const from = here ? data + data_at + position * data_stride_ : zero;
        (here ? rows_ : zeros_)->launch(std::span(&from, 1), to, {}, solo);
    }

    graph::Lookup lookup_;
    DType position_dtype_;
    Extent data_length_;
    bool accumulate_;
    std::vector<PositionLabel> labels_;
    Extent data_stride_ = 0, row_elements_ = 1;
    std::int64_t pieces_ = 1;
    std::unique_ptr<LoopKernel const> rows_, zeros_;
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_lookup_kernel(KernelShape const& shape) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    std::optional<graph::Lookup> const lookup = graph::as_lookup(einsum);
    if (!lookup || einsum.aggregated() != std::vector<int>{lookup->label}) return nullptr;
    KernelTypes const types = types_of(shape);
    if (!is_integer(shape.operand_dtypes[static_cast<std::size_t>(lookup->positions)]) || types.join != types.compute)
        return nullptr;
    return std::make_unique<LookupKernel>(shape, *lookup, types);
}

}  // namespace ein::executor
