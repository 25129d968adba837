#include "executor/device/cpu/moves/scatter_kernel.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "executor/device/cpu/loops/loop_kernel.hpp"
#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/moves/scatter_loops.hpp"
#include "executor/device/cpu/moves/scatter_positions.hpp"
#include "executor/device/cpu/moves/scatter_table.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/kernel/position_labels.hpp"
#include "executor/device/reference/element.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

/// Adds rows of the data to sums, which lie behind one another.
class RowAdder {
public:
    /// @param row  of the data into sums  @param adjacent  whether it lies side by side in both, and can be converted
    RowAdder(Nest row, KernelTypes const& types, scalar::Agg agg, bool adjacent)
        : from_(row.operand_dtypes[0]),
          to_(row.output_dtype),
          at_once_(scatter_loops(agg, from_, to_)),
          converted_(scatter_loops(agg, to_, to_)) {
        if (adjacent && converted_.add_rows != nullptr) {
            width_ = row.elements();
            return;
        }
        simplify(row);
        loop_ = LoopKernel::make(std::move(row), {nullptr, {0}, 0, types.compute, types.join, to_, agg});
    }

    bool is_adjacent() const { return loop_ == nullptr; }

    /// @param vectors  whether rows may be read, and sums written, as far as whole vectors go
    /// @param room  for a row in the sums' type
    void add(std::byte* sums, RowsInOrder const& rows, bool vectors, std::byte* room) const {
        if (is_adjacent() && at_once_.add_rows != nullptr)
            return (vectors ? at_once_.add_whole_vectors : at_once_.add_rows)(sums, width_, rows);
        static constexpr Extent here = 0;
        SoloWorkerTeam solo;
        for (Extent k = 0; k < rows.count; ++k) {
            void const* const from = rows.data + rows.order[k];
            if (!is_adjacent()) {
                loop_->launch(std::span(&from, 1), sums, {}, solo);
                continue;
            }
            tile_convert(from_, from, 1, to_, room, static_cast<std::size_t>(width_));
            converted_.add_rows(sums, width_, {room, &here, 1, 0});
        }
    }

private:
    DType from_, to_;
    ScatterLoops at_once_, converted_;
    Extent width_ = 0;
    std::unique_ptr<LoopKernel const> loop_;  // of rows that are not adjacent
};

/// What an element begins with that some position does not name; nothing where it is not what all elements begin with.
scalar::Scalar begins_with(scalar::Expr const& fill, scalar::Scalar const& identity, DType type) {
    if (!identity.is_integer) return scalar::Scalar::of(fill.node().value);
    return fill.node().integral ? scalar::convert(scalar::Scalar::of(fill.node().integer), DType::i64, type) : identity;
}

/// What a narrow result is summed in: no wider than that where nothing is lost. Integers wrap, whatever they are summed
/// in; halves are summed in f32, also where positions of i64 make the join one of f64; the best of some is one of them.
DType sums_type(ScatterTask const& task, scalar::Scalar const& identity, scalar::Expr const& fill) {
    auto const is_half = [](DType type) { return type == DType::f16 || type == DType::bf16; };
    DType const wide = task.sums, output = task.output;
    if (task.agg == scalar::Agg::sum || task.agg == scalar::Agg::prod) {
        bool const wraps = is_integer(task.data) && is_integer(output) && is_integer(wide);
        if (wraps) return size_of(output) < size_of(wide) ? output : wide;
        bool const halves = is_half(task.data) && is_half(output) && kind(wide) == Kind::real;
        return halves && !task.in_order ? DType::f32 : wide;  // in order: the same however a part of the rows lies
    }
    if (kind(task.data) == Kind::real && kind(wide) == Kind::real && task.data == output)
        return is_half(output) ? DType::f32 : output;
    if (task.data != output || !identity.is_integer || !fill.node().integral) return wide;
    scalar::Scalar const given = scalar::Scalar::of(fill.node().integer);
    return scalar::convert(given, DType::i64, output).integer == given.integer ? output : wide;
}

class ScatterKernel final : public PreparedKernel {
public:
    ScatterKernel(KernelShape const& shape, graph::Lookup const& scatter, KernelTypes const& types)
        : scatter_(scatter),
          task_(task_of(shape, scatter, types)),
          positions_({}, shape.operand_dtypes[static_cast<std::size_t>(scatter.positions)]) {
        graph::EinSum const& einsum = shape.kernel->einsum;
        auto const data = static_cast<std::size_t>(scatter.data),
                   positions = static_cast<std::size_t>(scatter.positions);
        std::vector<int> const& located = einsum.inputs[positions];
        std::vector<int> labels = einsum.output;  // as make_nest() orders them
        for (int label : einsum.aggregated()) labels.push_back(label);
        Nest const all = make_nest(shape);
        std::vector<PositionLabel> summed;
        for (std::size_t l = 0; l < labels.size(); ++l) {
            NestLabel const& label = all.labels[l];
            if (labels[l] == scatter.label)
                task_.row_step = label.output_stride;
            else if (std::find(located.begin(), located.end(), labels[l]) == located.end())
                columns_.push_back({label.length, 0, label.strides[data], label.output_stride});
            else
                (label.aggregated ? summed : batch_)
                    .push_back({label.length, label.strides[positions], label.strides[data], label.output_stride});
        }
        positions_ = {std::move(summed), shape.operand_dtypes[positions]};
        make_rows(shape, types);
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        auto const operand = [&](int k) {
            return static_cast<std::byte const*>(call.operands[static_cast<std::size_t>(k)]);
        };
        for (Extent batch = 0; batch < count_of(batch_); ++batch) {
            PositionOffsets const at = offsets_of(batch_, batch);
            ScatterCall one{operand(scatter_.positions) + at.positions, operand(scatter_.data) + at.data,
                            static_cast<std::byte*>(call.output) + at.output,
                            call.begin[static_cast<std::size_t>(scatter_.label)]};
            if (!begins_alike_) one.only_row = only_row(one);
            if (tables_ != nullptr)
                tables_->launch(one, team);
            else if (by_columns_)
                add_columns(one, team);
            else
                add_sorted(one, team);
        }
    }

private:
    static ScatterTask task_of(KernelShape const& shape, graph::Lookup const& scatter, KernelTypes const& types) {
        graph::EinSum const& einsum = shape.kernel->einsum;
        ScatterTask task{};
        task.agg = einsum.agg;
        task.data = shape.operand_dtypes[static_cast<std::size_t>(scatter.data)];
        task.sums = types.accumulate;
        task.output = shape.output_dtype;
        task.rows = shape.lengths[static_cast<std::size_t>(scatter.label)];
        task.accumulate = shape.accumulate;
        task.in_order = shape.keeps_order && !is_exact(types.accumulate);
        return task;
    }

    /// From here on sums are of that type.
    void sum_in(DType type, scalar::Expr const& fill) {
        task_.sums = type;
        scalar::Scalar const identity = scalar::identity(task_.agg, type);
        store_element(identity, task_.identity, type);
        store_element(begins_with(fill, identity, type), task_.begin, type);
    }

    /// Whether a row of the data lies side by side.
    bool is_adjacent() const {
        Extent bytes = static_cast<Extent>(size_of(task_.data));
        for (std::size_t l = columns_.size(); l-- > 0; bytes *= columns_[l].length)
            if (columns_[l].length > 1 && columns_[l].data != bytes) return false;
        return true;
    }

    void make_rows(KernelShape const& shape, KernelTypes const& types) {
        bool const converts = passes_through(task_.data, types.compute, types.accumulate), adjacent = is_adjacent();
        scalar::Expr const& fill = shape.kernel->einsum.join.args()[2];
        DType const narrow = sums_type(task_, scalar::identity(task_.agg, task_.sums), fill);
        add_at_ = scatter_loops(task_.agg, narrow, narrow).add_at;
        by_columns_ = !adjacent && add_at_ != nullptr && converts &&
                      task_.rows * static_cast<Extent>(size_of(narrow)) <= machine::scattered_in_cache &&
                      (!task_.accumulate || positions_.count() >= task_.rows);
        sum_in(converts && (adjacent || by_columns_) ? narrow : task_.sums, fill);
        auto const size = static_cast<Extent>(size_of(task_.sums));
        Nest sum{{}, {task_.data}, task_.sums, true, 0};
        Nest store{{}, {task_.sums}, shape.output_dtype, task_.accumulate, shape.output_bytes};
        Nest column = store;
        Shape row;
        for (PositionLabel const& label : columns_) row.push_back(label.length);
        std::vector<Extent> const strides = row_major_strides(row);
        for (std::size_t l = 0; l < row.size(); ++l) {
            sum.labels.push_back({row[l], {columns_[l].data}, strides[l] * size, false, -1});
            store.labels.push_back({row[l], {strides[l] * size}, columns_[l].output, false, -1});
        }
        column.labels.push_back({task_.rows, {size}, task_.row_step, false, -1});
        task_.width = element_count(row);
        row_bytes_ = task_.width * size;
        pieces_ = pieces_of(task_.rows, row_bytes_);
        begins_alike_ = std::memcmp(task_.begin, task_.identity, static_cast<std::size_t>(size)) == 0;
        adder_.emplace(std::move(sum), types, task_.agg, adjacent && converts);
        simplify(store);
        simplify(column);
        auto const output_size = static_cast<Extent>(size_of(task_.output));
        bool const one_step = store.labels.size() < 2;
        task_.column_step = !one_step ? 0 : store.labels.empty() ? output_size : store.labels[0].output_stride;
        stores_plainly_ = !task_.accumulate && one_step && task_.column_step == output_size &&
                          passes_through(task_.sums, task_.sums, task_.output);
        task_.store = store;
        if (adder_->is_adjacent()) tables_ = ScatterTables::make(task_, positions_);
        store_ = LoopKernel::make(std::move(store), LoopBody::identity(task_.sums, task_.agg));
        store_column_ = LoopKernel::make(std::move(column), LoopBody::identity(task_.sums, task_.agg));
    }

    /// The row that all positions name, if there is one.
    Extent only_row(ScatterCall const& call) const {
        Extent only = -1;
        bool one = true;
        for (Extent first = 0; one && first < positions_.count(); first += ScatterPositions::run) {
            Extent const last = std::min(positions_.count(), first + ScatterPositions::run);
            positions_.for_each_run(call.positions, call.first_row, first, last,
                                    [&](std::span<Extent const> rows, Extent, Extent) {
                                        if (first == 0 && only < 0) only = rows[0];
                                        for (Extent row : rows) one = one && row == only;
                                    });
        }
        return one && only >= 0 && only < task_.rows ? only : -1;
    }

    std::byte const* begin_of(ScatterCall const& call, Extent row) const {
        return row == call.only_row ? task_.identity : task_.begin;
    }

    /// Every column by itself, its sums in the cache: what is adjacent for positions that follow one another.
    void add_columns(ScatterCall const& call, WorkerTeam& team) const {
        auto const size = static_cast<Extent>(size_of(task_.data));
        team.run(task_.width, [&](std::int64_t number) {
            PositionOffsets const column = offsets_of(columns_, number);
            std::size_t const sum_size = size_of(task_.sums);
            Scratch const sums(static_cast<std::size_t>(task_.rows) * sum_size);
            repeat_element(sums.data(), task_.begin, sum_size, static_cast<std::size_t>(task_.rows));
            if (call.only_row >= 0)
                std::memcpy(sums.data() + static_cast<std::size_t>(call.only_row) * sum_size, task_.identity, sum_size);
            alignas(machine::cache_line) std::byte values[ScatterPositions::run * 16];
            positions_.for_each_run(call.positions, call.first_row, 0, positions_.count(),
                                    [&](std::span<Extent const> rows, Extent offset, Extent step) {
                                        tile_convert(task_.data, call.data + column.data + offset, step / size,
                                                     task_.sums, values, rows.size());
                                        add_at_(sums.data(), task_.rows, rows.data(), values,
                                                static_cast<Extent>(rows.size()));
                                    });
            SoloWorkerTeam solo;
            void const* const result = sums.data();
            store_column_->launch(std::span(&result, 1), call.output + column.output, {}, solo);
        });
    }

    void add_sorted(ScatterCall const& call, WorkerTeam& team) const {
        std::size_t const room = lines(static_cast<std::size_t>(task_.rows + 1) * sizeof(Extent));
        Scratch const sorted(room + static_cast<std::size_t>(positions_.count()) * sizeof(Extent));
        auto* const ends = reinterpret_cast<Extent*>(sorted.data());
        auto* const order = reinterpret_cast<Extent*>(sorted.data() + room);
        sort(call, ends, order);
        team.run(pieces_, [&](std::int64_t piece) {
            add_rows(call, part_begin(task_.rows, pieces_, piece), part_begin(task_.rows, pieces_, piece + 1), ends,
                     order);
        });
    }

    /// Counting sort. @param ends  of each row: after where its positions end in `order` (of the row before it: where
    /// they begin)
    void sort(ScatterCall const& call, Extent* ends, Extent* order) const {
        auto const for_each = [&](auto const& visit) {
            positions_.for_each_run(call.positions, call.first_row, 0, positions_.count(),
                                    [&](std::span<Extent const> rows, Extent offset, Extent step) {
                                        for (Extent row : rows) {
                                            if (row >= 0 && row < task_.rows) visit(row, offset);
                                            offset += step;
                                        }
                                    });
        };
        std::fill(ends, ends + task_.rows + 1, 0);
        for_each([&](Extent row, Extent) { ++ends[row + 1]; });
        for (Extent row = 1; row <= task_.rows; ++row) ends[row] += ends[row - 1];
        for_each([&](Extent row, Extent data) { order[ends[row]++] = data; });
    }

    void add_rows(ScatterCall const& call, Extent first, Extent last, Extent const* ends, Extent const* order) const {
        SoloWorkerTeam solo;
        std::size_t const bytes = lines(static_cast<std::size_t>(row_bytes_));
        Scratch const room(2 * bytes);
        auto const width = static_cast<std::size_t>(task_.width);
        // Rows up to there are followed by as many bytes as a vector has.
        Extent const readable = positions_.reach() - static_cast<Extent>(machine::cache_line);
        bool const narrow = row_bytes_ < machine::shortest_sorted_row;
        bool const in_place = stores_plainly_ && task_.sums == task_.output && !narrow;
        for (Extent row = first; row < last; ++row) {
            Extent const begin = row == 0 ? 0 : ends[row - 1], end = ends[row];
            if (begin == end && task_.accumulate && begins_alike_) continue;
            std::byte* const to = call.output + row * task_.row_step;
            std::byte* const sums = in_place ? to : room.data();
            repeat_element(sums, begin_of(call, row), size_of(task_.sums), width);
            bool const vectors = narrow && begin < end && positions_.ascend() && order[end - 1] <= readable;
            if (begin < end)
                adder_->add(sums, {call.data, order + begin, end - begin, ends[last - 1] - end}, vectors,
                            room.data() + bytes);
            if (in_place) continue;
            if (stores_plainly_) {
                tile_convert(task_.sums, sums, 1, task_.output, to, width);
                continue;
            }
            void const* const result = sums;
            store_->launch(std::span(&result, 1), to, {}, solo);
        }
    }

    graph::Lookup scatter_;
    ScatterTask task_;
    ScatterPositions positions_;
    bool by_columns_ = false, begins_alike_ = true, stores_plainly_ = false;
    std::vector<PositionLabel> batch_, columns_;
    Extent row_bytes_ = 0;
    std::int64_t pieces_ = 1;
    std::optional<RowAdder> adder_;
    decltype(ScatterLoops::add_at) add_at_ = nullptr;
    std::unique_ptr<ScatterTables const> tables_;
    std::unique_ptr<LoopKernel const> store_, store_column_;
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_scatter_kernel(KernelShape const& shape) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    std::optional<graph::Lookup> const scatter = graph::as_grouping(einsum);
    if (!scatter) return nullptr;
    KernelTypes const types = types_of(shape);
    Extent elements = 1;
    Shape const& lengths = shape.keeps_order ? einsum.extents : shape.lengths;
    for (int label : einsum.output) elements *= lengths[static_cast<std::size_t>(label)];
    if (!is_integer(shape.operand_dtypes[static_cast<std::size_t>(scatter->positions)]) ||
        types.join != types.compute || elements < machine::least_scattered_row)
        return nullptr;
    bool const sums = einsum.agg == scalar::Agg::sum;
    if (!sums && scatter_loops(einsum.agg, types.accumulate, types.accumulate).add_rows == nullptr) return nullptr;
    return std::make_unique<ScatterKernel>(shape, *scatter, types);
}

}  // namespace ein::executor
