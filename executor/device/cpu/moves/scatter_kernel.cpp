#include "executor/device/cpu/moves/scatter_kernel.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "executor/device/cpu/instruction_set.hpp"
#include "executor/device/cpu/loops/loop_kernel.hpp"
#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/moves/scatter_loops.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/kernel/position_labels.hpp"
#include "executor/device/reference/element.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

ScatterLoops best_loops(DType data, DType sums) { return EIN_OF_BEST_SET(scatter_loops(data, sums)); }

/// Labels that run through positions and data as one are one: longer runs.
void fuse(std::vector<PositionLabel>& labels) {
    std::erase_if(labels, [](PositionLabel const& label) { return label.length == 1; });
    for (std::size_t k = labels.size(); k-- > 1;) {
        PositionLabel& outer = labels[k - 1];
        PositionLabel const inner = labels[k];
        if (outer.positions != inner.length * inner.positions || outer.data != inner.length * inner.data) continue;
        outer = {outer.length * inner.length, inner.positions, inner.data, 0};
        labels.erase(labels.begin() + static_cast<std::ptrdiff_t>(k));
    }
}

/// Adds rows of the data to sums, which lie behind one another.
class RowAdder {
public:
    /// @param row  of the data into sums
    RowAdder(Nest row, KernelTypes const& types)
        : from_(row.operand_dtypes[0]),
          to_(types.accumulate),
          at_once_(best_loops(from_, to_)),
          converted_(best_loops(to_, to_)) {
        simplify(row);
        bool const adjacent = row.labels.empty() || (row.labels.size() == 1 &&
                                                     row.labels[0].strides[0] == static_cast<Extent>(size_of(from_)));
        if (adjacent && passes_through(from_, types.compute, to_) && converted_.add_rows != nullptr)
            width_ = row.elements();
        else
            loop_ =
                LoopKernel::make(std::move(row), {nullptr, {0}, 0, types.compute, types.join, to_, scalar::Agg::sum});
    }

    bool is_adjacent() const { return loop_ == nullptr; }

    /// @param order  where rows begin, in bytes from `data`  @param row  room for one, in the sums' type
    void add(std::byte* sums, std::byte const* data, std::span<Extent const> order, std::byte* row) const {
        if (is_adjacent() && at_once_.add_rows != nullptr)
            return at_once_.add_rows(sums, width_, data, order.data(), static_cast<Extent>(order.size()));
        static constexpr Extent here = 0;
        SoloWorkerTeam solo;
        for (Extent at : order) {
            void const* const from = data + at;
            if (!is_adjacent()) {
                loop_->launch(std::span(&from, 1), sums, {}, solo);
                continue;
            }
            tile_convert(from_, from, 1, to_, row, static_cast<std::size_t>(width_));
            converted_.add_rows(sums, width_, row, &here, 1);
        }
    }

private:
    DType from_, to_;
    ScatterLoops at_once_, converted_;
    Extent width_ = 0;
    std::unique_ptr<LoopKernel const> loop_;  // of rows that are not adjacent
};

class ScatterKernel final : public PreparedKernel {
public:
    ScatterKernel(KernelShape const& shape, graph::Lookup const& scatter, KernelTypes const& types)
        : scatter_(scatter),
          position_dtype_(shape.operand_dtypes[static_cast<std::size_t>(scatter.positions)]),
          data_dtype_(shape.operand_dtypes[static_cast<std::size_t>(scatter.data)]),
          sum_dtype_(types.accumulate),
          rows_(shape.lengths[static_cast<std::size_t>(scatter.label)]),
          accumulate_(shape.accumulate) {
        graph::EinSum const& einsum = shape.kernel->einsum;
        auto const data = static_cast<std::size_t>(scatter.data),
                   positions = static_cast<std::size_t>(scatter.positions);
        std::vector<int> const& located = einsum.inputs[positions];
        std::vector<int> labels = einsum.output;  // as make_nest() orders them
        for (int label : einsum.aggregated()) labels.push_back(label);
        Nest const all = make_nest(shape);
        for (std::size_t l = 0; l < labels.size(); ++l) {
            NestLabel const& label = all.labels[l];
            if (labels[l] == scatter.label)
                row_step_ = label.output_stride;
            else if (std::find(located.begin(), located.end(), labels[l]) == located.end())
                columns_.push_back({label.length, 0, label.strides[data], label.output_stride});
            else
                (label.aggregated ? summed_ : batch_)
                    .push_back({label.length, label.strides[positions], label.strides[data], label.output_stride});
        }
        fuse(summed_);
        make_rows(shape, types);
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        for (Extent batch = 0; batch < count_of(batch_); ++batch) {
            PositionOffsets const at = offsets_of(batch_, batch);
            if (by_columns_)
                add_columns(call, at, team);
            else
                add_sorted(call, at, team);
        }
    }

private:
    void make_rows(KernelShape const& shape, KernelTypes const& types) {
        auto const size = static_cast<Extent>(size_of(sum_dtype_));
        Nest sum{{}, {data_dtype_}, sum_dtype_, true, 0};
        Nest store{{}, {sum_dtype_}, shape.output_dtype, accumulate_, shape.output_bytes};
        Nest column = store;
        Shape row;
        for (PositionLabel const& label : columns_) row.push_back(label.length);
        std::vector<Extent> const strides = row_major_strides(row);
        for (std::size_t l = 0; l < row.size(); ++l) {
            sum.labels.push_back({row[l], {columns_[l].data}, strides[l] * size, false, -1});
            store.labels.push_back({row[l], {strides[l] * size}, columns_[l].output, false, -1});
        }
        column.labels.push_back({rows_, {size}, row_step_, false, -1});
        row_bytes_ = element_count(row) * size;
        pieces_ = pieces_of(rows_, row_bytes_);
        adder_.emplace(std::move(sum), types);
        add_at_ = best_loops(sum_dtype_, sum_dtype_).add_at;
        bool const narrow = !adder_->is_adjacent() || element_count(row) < machine::least_row_in_order;
        by_columns_ = narrow && add_at_ != nullptr && passes_through(data_dtype_, types.compute, sum_dtype_) &&
                      rows_ * size <= machine::scattered_in_cache && (!accumulate_ || count_of(summed_) >= rows_);
        simplify(store);
        simplify(column);
        store_ = LoopKernel::make(std::move(store), LoopBody::identity(sum_dtype_));
        store_column_ = LoopKernel::make(std::move(column), LoopBody::identity(sum_dtype_));
    }

    /// visit(rows, offsets): of the next positions the rows that they name, and where their data is.
    template <class Visit>
    void for_each_run(KernelCall const& call, PositionOffsets const& at, Visit const& visit) const {
        auto const* const where =
            static_cast<std::byte const*>(call.operands[static_cast<std::size_t>(scatter_.positions)]) + at.positions;
        Extent const first = call.begin[static_cast<std::size_t>(scatter_.label)];
        auto const position_size = static_cast<Extent>(size_of(position_dtype_));
        PositionLabel const along = summed_.empty() ? PositionLabel{1, 0, 0, 0} : summed_.back();
        Extent const count = count_of(summed_);
        for (Extent k = 0, n = 0; k < count; k += n) {
            n = std::min({run, count - k, along.length - k % along.length});
            PositionOffsets const offsets = offsets_of(summed_, k);
            Extent rows[run];
            tile_convert(position_dtype_, where + offsets.positions, along.positions / position_size, DType::i64, rows,
                         static_cast<std::size_t>(n));
            for (Extent i = 0; i < n; ++i) rows[i] -= first;
            visit(std::span<Extent const>(rows, static_cast<std::size_t>(n)), offsets.data, along.data);
        }
    }

    /// Every column by itself, its sums in the cache: what is adjacent for positions that follow one another.
    void add_columns(KernelCall const& call, PositionOffsets const& at, WorkerTeam& team) const {
        auto const* const data =
            static_cast<std::byte const*>(call.operands[static_cast<std::size_t>(scatter_.data)]) + at.data;
        auto* const output = static_cast<std::byte*>(call.output) + at.output;
        auto const size = static_cast<Extent>(size_of(data_dtype_));
        team.run(count_of(columns_), [&](std::int64_t number) {
            PositionOffsets const column = offsets_of(columns_, number);
            auto const bytes = static_cast<std::size_t>(rows_) * size_of(sum_dtype_);
            Scratch const sums(bytes);
            std::memset(sums.data(), 0, bytes);
            alignas(machine::cache_line) std::byte values[run * 16];
            for_each_run(call, at, [&](std::span<Extent const> rows, Extent offset, Extent step) {
                tile_convert(data_dtype_, data + column.data + offset, step / size, sum_dtype_, values, rows.size());
                add_at_(sums.data(), rows_, rows.data(), values, static_cast<Extent>(rows.size()));
            });
            SoloWorkerTeam solo;
            void const* const result = sums.data();
            store_column_->launch(std::span(&result, 1), output + column.output, {}, solo);
        });
    }

    void add_sorted(KernelCall const& call, PositionOffsets const& at, WorkerTeam& team) const {
        Extent const count = count_of(summed_);
        Scratch const sorted(lines(static_cast<std::size_t>(rows_ + 1) * sizeof(Extent)) +
                             static_cast<std::size_t>(count) * sizeof(Extent));
        auto* const ends = reinterpret_cast<Extent*>(sorted.data());
        auto* const order =
            reinterpret_cast<Extent*>(sorted.data() + lines(static_cast<std::size_t>(rows_ + 1) * sizeof(Extent)));
        sort(call, at, ends, order);
        team.run(pieces_, [&](std::int64_t piece) {
            add_rows(call, at, part_begin(rows_, pieces_, piece), part_begin(rows_, pieces_, piece + 1), ends, order);
        });
    }

    /// Counting sort. @param ends  of each row: after where its positions end in `order` (of the row before it: where
    /// they begin)
    void sort(KernelCall const& call, PositionOffsets const& at, Extent* ends, Extent* order) const {
        auto const for_each = [&](auto const& visit) {
            for_each_run(call, at, [&](std::span<Extent const> rows, Extent offset, Extent step) {
                for (Extent row : rows) {
                    if (row >= 0 && row < rows_) visit(row, offset);
                    offset += step;
                }
            });
        };
        std::fill(ends, ends + rows_ + 1, 0);
        for_each([&](Extent row, Extent) { ++ends[row + 1]; });
        for (Extent row = 1; row <= rows_; ++row) ends[row] += ends[row - 1];
        for_each([&](Extent row, Extent data) { order[ends[row]++] = data; });
    }

    void add_rows(KernelCall const& call, PositionOffsets const& at, Extent first, Extent last, Extent const* ends,
                  Extent const* order) const {
        SoloWorkerTeam solo;
        std::size_t const bytes = lines(static_cast<std::size_t>(row_bytes_));
        Scratch const sums(2 * bytes);
        auto const* const data =
            static_cast<std::byte const*>(call.operands[static_cast<std::size_t>(scatter_.data)]) + at.data;
        std::byte* const output = static_cast<std::byte*>(call.output) + at.output;
        for (Extent row = first; row < last; ++row) {
            Extent const begin = row == 0 ? 0 : ends[row - 1], end = ends[row];
            if (begin == end && accumulate_) continue;
            std::memset(sums.data(), 0, bytes);
            adder_->add(sums.data(), data, std::span(order + begin, order + end), sums.data() + bytes);
            void const* const result = sums.data();
            store_->launch(std::span(&result, 1), output + row * row_step_, {}, solo);
        }
    }

    static constexpr Extent run = 256;  // positions that are read at a time

    graph::Lookup scatter_;
    DType position_dtype_, data_dtype_, sum_dtype_;
    Extent rows_;  // of the output, that positions name
    bool accumulate_, by_columns_ = false;
    std::vector<PositionLabel> batch_, summed_, columns_;
    Extent row_step_ = 0, row_bytes_ = 0;
    std::int64_t pieces_ = 1;
    std::optional<RowAdder> adder_;
    decltype(ScatterLoops::add_at) add_at_ = nullptr;
    std::unique_ptr<LoopKernel const> store_, store_column_;
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
