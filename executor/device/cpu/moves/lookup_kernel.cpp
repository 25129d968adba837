#include "executor/device/cpu/moves/lookup_kernel.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "executor/device/cpu/instruction_set.hpp"
#include "executor/device/cpu/loops/loop_kernel.hpp"
#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/moves/gather_loops.hpp"
#include "executor/device/cpu/past_cache.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/kernel/position_labels.hpp"
#include "executor/device/reference/element.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

using CopyRows = decltype(GatherLoops::copy_rows);
CopyRows copy_short_rows() {
    static CopyRows const best = EIN_OF_BEST_SET(gather_loops()).copy_rows;
    return best;
}

/// Rows that lie side by side in the output are brought together, and go past the cache so many bytes at a time.
constexpr std::size_t bytes_together = machine::stored_vector_tile;

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
        DType const type = shape.operand_dtypes[data];
        if (!accumulate_ && type == shape.output_dtype && passes_through(type, types.compute, type))
            take_plain_rows(all, data, positions, static_cast<Extent>(size_of(type)));
        else
            make_rows(std::move(row), types);
        Extent const bytes = count_of(labels_) * static_cast<Extent>(row_bytes_);
        bool const long_rows = static_cast<Extent>(row_bytes_) >= machine::run_past_cache;
        bool const adjacent = !labels_.empty() && labels_.back().output == static_cast<Extent>(row_bytes_);
        past_cache_ = std::max(bytes, shape.output_bytes) >= machine::output_past_cache && (long_rows || adjacent);
        pieces_ = pieces_of(count_of(labels_), std::max<Extent>(row_elements_, static_cast<Extent>(row_bytes_)) +
                                                   static_cast<Extent>(size_of(position_dtype_)));
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        Extent const count = count_of(labels_);
        if (pieces_ < 2) return copy_rows(call, 0, count);
        team.run(pieces_, [&](std::int64_t piece) {
            copy_rows(call, part_begin(count, pieces_, piece), part_begin(count, pieces_, piece + 1));
        });
    }

private:
    /// Rows that are copied as they are: as many labels as lie side by side on both sides; the others choose rows.
    void take_plain_rows(Nest const& all, std::size_t data, std::size_t positions, Extent size) {
        labels_.clear();
        row_bytes_ = static_cast<std::size_t>(size);
        bool in_row = true;
        for (std::size_t l = all.labels.size() - 1; l-- > 0;) {
            NestLabel const& label = all.labels[l];
            if (label.length == 1) continue;
            auto const bytes = static_cast<Extent>(row_bytes_);
            in_row =
                in_row && label.strides[positions] == 0 && label.strides[data] == bytes && label.output_stride == bytes;
            if (in_row)
                row_bytes_ *= static_cast<std::size_t>(label.length);
            else
                labels_.push_back({label.length, label.strides[positions], label.strides[data], label.output_stride});
        }
        std::reverse(labels_.begin(), labels_.end());
        row_elements_ = static_cast<Extent>(row_bytes_) / size;
    }

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

    /// Rows that are copied as they are, short ones: as many of them as follow one another are one loop.
    void copy_plain_short_rows(KernelCall const& call, Extent first, Extent last) const {
        PositionLabel const along = labels_.empty() ? PositionLabel{1, 0, 0, 0} : labels_.back();
        auto const row_bytes = static_cast<Extent>(row_bytes_);
        Extent const most = past_cache_ ? std::max<Extent>(1, static_cast<Extent>(bytes_together) / row_bytes) : last;
        alignas(machine::cache_line) std::byte together[bytes_together];
        auto const operand = [&](int k) {
            return static_cast<std::byte const*>(call.operands[static_cast<std::size_t>(k)]);
        };
        RowsByPosition rows{
            nullptr,      position_dtype_, along.positions, call.begin[static_cast<std::size_t>(lookup_.label)],
            data_length_, nullptr,         along.data,      data_stride_,
            nullptr,      along.output,    row_bytes,       0};
        for (Extent row = first; row < last; row += rows.count) {
            PositionOffsets const at = offsets_of(labels_, row);
            rows.count = std::min({most, last - row, along.length - row % along.length});
            rows.positions = operand(lookup_.positions) + at.positions;
            rows.data = operand(lookup_.data) + at.data;
            auto* const to = static_cast<std::byte*>(call.output) + at.output;
            rows.to = past_cache_ ? together : to;
            copy_short_rows()(rows);
            if (past_cache_) copy_past_cache(to, together, static_cast<std::size_t>(rows.count * row_bytes));
        }
        if (past_cache_) finish_past_cache();
    }

    /// The same of long ones: positions of several first, so that their rows are on their way together.
    void copy_plain_rows(KernelCall const& call, Extent first, Extent last) const {
        static constexpr Extent together = 64;
        auto const* const where =
            static_cast<std::byte const*>(call.operands[static_cast<std::size_t>(lookup_.positions)]);
        auto const* const data = static_cast<std::byte const*>(call.operands[static_cast<std::size_t>(lookup_.data)]);
        PositionLabel const along = labels_.empty() ? PositionLabel{1, 0, 0, 0} : labels_.back();
        Extent const begin = call.begin[static_cast<std::size_t>(lookup_.label)];
        Extent const position_size = static_cast<Extent>(size_of(position_dtype_));
        for (Extent row = first, count = 0; row < last; row += count) {
            count = std::min({together, last - row, along.length - row % along.length});
            PositionOffsets const at = offsets_of(labels_, row);
            std::int64_t positions[together];
            tile_convert(position_dtype_, where + at.positions, along.positions / position_size, DType::i64, positions,
                         static_cast<std::size_t>(count));
            std::byte const* from[together];
            for (Extent k = 0; k < count; ++k) {
                Extent const position = positions[k] - begin;
                bool const here = position >= 0 && position < data_length_;
                from[k] = here ? data + at.data + k * along.data + position * data_stride_ : nullptr;
                if (here) ask_for(from[k]);
            }
            put_rows(std::span(from, static_cast<std::size_t>(count)), static_cast<std::byte*>(call.output) + at.output,
                     along.output);
        }
        if (past_cache_) finish_past_cache();
    }

    /// The first lines of a row: the processor sees further ones coming.
    void ask_for(std::byte const* row) const {
        std::size_t const bytes = std::min<std::size_t>(row_bytes_, 4 * machine::cache_line);
        for (std::size_t k = 0; k < bytes; k += machine::cache_line) __builtin_prefetch(row + k, 0, 2);
        __builtin_prefetch(row + bytes - 1, 0, 2);
    }

    /// @param rows  null: 0
    void put_rows(std::span<std::byte const* const> rows, std::byte* to, Extent step) const {
        auto const put = [&](auto const& copy) {
            for (std::byte const* row : rows) {
                if (row == nullptr)
                    std::memset(to, 0, row_bytes_);
                else
                    copy(to, row);
                to += step;
            }
        };
        if (past_cache_)
            put([&](std::byte* to_row, std::byte const* from) { copy_past_cache(to_row, from, row_bytes_); });
        else
            put([&](std::byte* to_row, std::byte const* from) { std::memcpy(to_row, from, row_bytes_); });
    }

    void copy_rows(KernelCall const& call, Extent first, Extent last) const {
        if (row_bytes_ > RowsByPosition::longest) return copy_plain_rows(call, first, last);
        if (row_bytes_ > 0) return copy_plain_short_rows(call, first, last);
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
    std::size_t row_bytes_ = 0;  // of rows that are copied as they are; 0: more is to do
    bool past_cache_ = false;
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
