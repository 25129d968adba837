#include "executor/device/cpu/sparse/pair_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/sparse/listed_output.hpp"
#include "executor/device/cpu/sparse/merge_loops.hpp"
#include "executor/device/cpu/sparse/met_columns.hpp"
#include "executor/device/cpu/sparse/pair_shape.hpp"
#include "executor/device/cpu/sparse/result_store.hpp"
#include "executor/device/cpu/sparse/row_loops.hpp"
#include "executor/device/cpu/sparse/row_pieces.hpp"
#include "executor/device/cpu/sparse/same_pattern.hpp"
#include "executor/device/kernel/gemm_match.hpp"
#include "lib/base/partition.hpp"
#include "lib/graph/labels.hpp"

namespace ein::executor {
namespace {

using Range = SparseSource::Range;

/// Products of a row from which on its columns have a flag each, for each of so many columns.
constexpr std::uint64_t columns_a_product = 16;
/// Elements for which rows of the second operand are asked for, and bytes of each row.
constexpr std::size_t fetched_ahead = 24, fetched_bytes = 128;

template <class T>
class PairRowsKernel final : public PreparedKernel {
public:
    PairRowsKernel(KernelShape const& shape, PairShape pair, Aggregator aggregator,
                   std::unique_ptr<PreparedKernel const> otherwise)
        : shape_(shape),
          pair_(std::move(pair)),
          aggregator_(std::move(aggregator)),
          otherwise_(std::move(otherwise)),
          rows_(length(pair_.first.labels[0])),
          columns_(static_cast<std::size_t>(length(pair_.second.labels[1]))),
          words_((columns_ + 63) / 64),
          loops_(row_loops<T>()),
          order_(merge_loops<std::uint32_t>()) {
        if (shape.sparse->output) return;
        std::vector<Extent> const strides =
            label_strides(shape.kernel->einsum.output, shape.output_strides, shape.lengths.size());
        auto const bytes = static_cast<Extent>(result_bytes());
        row_stride_ = strides[static_cast<std::size_t>(pair_.first.labels[0])] * bytes;
        column_stride_ = strides[static_cast<std::size_t>(pair_.second.labels[1])] * bytes;
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        if (std::any_of(shape_.lengths.begin(), shape_.lengths.end(), [](Extent n) { return n == 0; }))
            return otherwise_->launch(call, team);
        Launch now{call,
                   {shape_, pair_.first, call.operands[pair_.first.operand]},
                   {shape_, pair_.second, call.operands[pair_.second.operand]},
                   {},
                   {},
                   {},
                   {},
                   {},
                   {},
                   {},
                   {},
                   nullptr,
                   nullptr};
        bool const usable = now.first.compressed() && now.second.compressed() &&
                            now.first.narrow_indices(1) != nullptr && now.second.narrow_indices(1) != nullptr;
        if (!usable) return otherwise_->launch(call, team);
        cut(now);
        bring(now.first, pair_.has_first, now.first_values, team);
        bring(now.second, pair_.has_second, now.second_values, team);
        if (shape_.sparse->output) {
            count(now, team);
            ListedRows const rows = begin_rows(shape_, call, now.offsets);
            now.columns = reinterpret_cast<std::uint32_t*>(rows.coords[1]);
            now.values = rows.values;
        }
        team.run(static_cast<std::int64_t>(now.bounds.size()) - 1, [&](std::int64_t piece) {
            auto const p = static_cast<std::size_t>(piece);
            multiply(now, p, team);
        });
    }

private:
    static constexpr DType own_type = dtype_of_loops<T>;

    struct Launch {
        KernelCall const& call;
        SparseSource const first, second;
        std::vector<T> first_values, second_values;  // of all elements, where they have another type
        std::vector<Extent> bounds;
        std::vector<std::uint64_t> work;                // of all rows before one
        std::vector<std::uint64_t> offsets;             // of rows of a sparse output
        std::vector<std::uint64_t> bits_of;             // where a crowded row's begin
        std::vector<std::uint64_t> bits;                // columns of crowded rows
        std::vector<std::vector<std::uint32_t>> found;  // by piece: columns of the other rows, ascending in each
        std::uint32_t* columns;                         // of a sparse output
        std::byte* values;                              // the same
    };

    Extent length(int label) const { return shape_.lengths[static_cast<std::size_t>(label)]; }
    bool makes_own_type() const { return shape_.output_dtype == own_type; }
    std::size_t result_bytes() const { return size_of(shape_.output_dtype); }

    /// Values of all elements in T, where they have another type.
    void bring(SparseSource const& source, bool is_used, std::vector<T>& values, WorkerTeam& team) const {
        DType const type = shape_.operand_dtypes[source.operand()];
        if (!is_used || type == own_type) return;
        Range const all = source.all();
        auto const count = static_cast<Extent>(all.end - all.begin);
        values.resize(static_cast<std::size_t>(count));
        Extent const pieces = count / static_cast<Extent>(sparse_tuning::points_of_a_piece) + 1;
        team.run(pieces, [&](std::int64_t piece) {
            auto const begin = static_cast<std::size_t>(part_begin(count, pieces, piece));
            auto const end = static_cast<std::size_t>(part_begin(count, pieces, piece + 1));
            tile_convert(type, source.value(all.begin + begin), 1, own_type, values.data() + begin, end - begin);
        });
    }
    /// As if from element 0 on.
    static T const* values_of(SparseSource const& source, std::vector<T> const& brought) {
        return brought.empty() ? reinterpret_cast<T const*>(source.values()) : brought.data() - source.all().begin;
    }

    /// Pieces of about as many products each.
    void cut(Launch& now) const {
        std::vector<std::uint64_t>& work = now.work;
        work.assign(static_cast<std::size_t>(rows_) + 1, 0);
        std::uint32_t const* const terms = now.first.narrow_indices(1);
        for (Extent row = 0; row < rows_; ++row) {
            std::uint64_t sum = work[static_cast<std::size_t>(row)] + 1;
            Range const range = now.first.row(row);
            for (std::size_t e = range.begin; e < range.end; ++e) {
                Range const products = now.second.row(terms[e]);
                sum += products.end - products.begin + 1;
            }
            work[static_cast<std::size_t>(row) + 1] = sum;
        }
        now.bounds = cut_rows(
            rows_, [&](Extent row) { return work[static_cast<std::size_t>(row)]; }, sparse_tuning::points_of_a_piece);
    }

    /// Visits rows of the second operand, one for each element of a row of the first.
    template <class Visit>
    void for_each_product_row(Launch const& now, Extent row, Visit&& visit) const {
        std::uint32_t const* const terms = now.first.narrow_indices(1);
        Range const range = now.first.row(row);
        for (std::size_t e = range.begin; e < range.end; ++e) {
            fetch_ahead(now, e, false);
            visit(now.second.row(terms[e]));
        }
    }

    std::uint64_t products_of(Launch const& now, Extent row) const {
        auto const r = static_cast<std::size_t>(row);
        return now.work[r + 1] - now.work[r];  // and one for each element, and for the row
    }

    /// Whether a row's products are put in order by column.
    bool has_few(Launch const& now, Extent row) const {
        return order_.distinct != nullptr && products_of(now, row) <= few && !is_crowded(now, row);
    }

    /// Whether a row's columns are found by flags: its products are not few.
    bool is_crowded(Launch const& now, Extent row) const {
        return products_of(now, row) * columns_a_product > columns_;
    }

    void fetch_ahead(Launch const& now, std::size_t e, bool values) const {
        if (e + fetched_ahead >= now.first.all().end) return;
        std::uint32_t const* const terms = now.first.narrow_indices(1);
        Range const row = now.second.row(terms[e + fetched_ahead / 2]);
        __builtin_prefetch(now.second.offsets() + terms[e + fetched_ahead]);
        fetch(now.second.narrow_indices(1) + row.begin, (row.end - row.begin) * sizeof(std::uint32_t));
        if (values) fetch(values_of(now.second, now.second_values) + row.begin, (row.end - row.begin) * sizeof(T));
    }
    static void fetch(void const* from, std::size_t bytes) {
        auto const* const begin = static_cast<std::byte const*>(from);
        std::size_t const end = std::min(bytes, fetched_bytes);
        for (std::size_t b = 0; b < end; b += 64) __builtin_prefetch(begin + b);
        __builtin_prefetch(begin + end);  // rows begin anywhere in a line
    }

    void count(Launch& now, WorkerTeam& team) const {
        now.offsets.assign(static_cast<std::size_t>(rows_) + 1, 0);
        std::uint64_t crowded = 0;
        now.bits_of.assign(static_cast<std::size_t>(rows_), 0);
        for (Extent row = 0; row < rows_; ++row)
            if (is_crowded(now, row)) now.bits_of[static_cast<std::size_t>(row)] = crowded++ * words_;
        now.bits.resize(static_cast<std::size_t>(crowded * words_));
        now.found.resize(now.bounds.size() - 1);
        team.run(static_cast<std::int64_t>(now.bounds.size()) - 1, [&](std::int64_t piece) {
            std::optional<MetColumns> met;  // this and flags where a row wants them
            std::vector<unsigned char> flags;
            auto const p = static_cast<std::size_t>(piece);
            std::vector<std::uint32_t>& found = now.found[p];
            std::uint32_t const* const columns = now.second.narrow_indices(1);
            for (Extent row = now.bounds[p]; row < now.bounds[p + 1]; ++row) {
                std::uint64_t& listed = now.offsets[static_cast<std::size_t>(row) + 1];
                if (is_crowded(now, row)) {
                    if (flags.empty()) flags.assign(words_ * 64, 0);
                    for_each_product_row(now, row, [&](Range products) {
                        for (std::size_t b = products.begin; b < products.end; ++b) flags[columns[b]] = 1;
                    });
                    listed = loops_.take_flags(flags.data(), flags.size(),
                                               now.bits.data() + now.bits_of[static_cast<std::size_t>(row)]);
                } else if (has_few(now, row)) {
                    std::array<std::uint32_t, few> keys;
                    std::size_t count = 0;
                    for_each_product_row(now, row, [&](Range products) {
                        for (std::size_t b = products.begin; b < products.end; ++b) keys[count++] = columns[b];
                    });
                    listed = order_.distinct(keys.data(), count);
                } else {
                    if (!met) met.emplace(columns_);
                    for_each_product_row(now, row, [&](Range products) {
                        for (std::size_t b = products.begin; b < products.end; ++b) listed += met->add(columns[b]);
                    });
                    take(*met, listed, found);
                }
                if (row % 64 == 0) team.pause();
            }
        });
        for (std::size_t row = 1; row < now.offsets.size(); ++row) now.offsets[row] += now.offsets[row - 1];
    }

    static void take(MetColumns& met, std::uint64_t listed, std::vector<std::uint32_t>& found) {
        std::size_t at = found.size();
        if (found.capacity() < at + listed) found.reserve(2 * (at + listed));
        found.resize(at + listed);
        met.take([&](std::size_t column) { found[at++] = static_cast<std::uint32_t>(column); });
    }

    void multiply(Launch& now, std::size_t piece, WorkerTeam& team) const {
        MetColumns met(shape_.sparse->output ? 0 : columns_);
        std::uint32_t const* found = shape_.sparse->output ? now.found[piece].data() : nullptr;  // of the next row
        std::vector<T> sums, low, ones;  // where a row wants them
        T const* const a = values_of(now.first, now.first_values);
        T const* const b = values_of(now.second, now.second_values);
        ResultStore store(aggregator_, own_type, shape_.output_dtype, shape_.accumulate);
        std::uint32_t const *const terms = now.first.narrow_indices(1), *const columns = now.second.narrow_indices(1);
        bool const is_listed = shape_.sparse->output.has_value();
        for (Extent row = now.bounds[piece]; row < now.bounds[piece + 1]; ++row) {
            if (row % 64 == 0) team.pause();
            if (is_listed && has_few(now, row)) {
                list_few(now, row, a, b, store);
                continue;
            }
            if (sums.empty()) sums.assign(words_ * 64, T(0));
            Range const range = now.first.row(row);
            // An output has no more terms than the row has elements: many are added without loss.
            bool const careful = range.end - range.begin > long_sum;
            bool const crowded = is_crowded(now, row), handed_over = is_handed_over(crowded && !careful);
            if (careful) low.assign(columns_, T(0));
            for (std::size_t e = range.begin; e < range.end; ++e) {
                fetch_ahead(now, e, pair_.has_second);
                T const factor = factor_of<T>(pair_.factor) * (pair_.has_first ? a[e] : T(1));
                Range const products = now.second.row(terms[e]);
                std::size_t const count = products.end - products.begin;
                if (!pair_.has_second && ones.size() < count) ones.resize(count, T(1));
                T const* const values = pair_.has_second ? b + products.begin : ones.data();
                std::uint32_t const* const at = columns + products.begin;
                if (!is_listed && !handed_over)
                    for (std::size_t p = 0; p < count; ++p) met.add(at[p]);
                if (careful)
                    for (std::size_t p = 0; p < count; ++p)
                        add_without_loss(sums[at[p]], low[at[p]], factor * values[p]);
                else
                    loops_.scatter_add(sums.data(), at, values, count, factor);
            }
            for (std::size_t j = 0; careful && j < columns_; ++j) sums[j] += low[j];
            auto* const to = static_cast<std::byte*>(now.call.output) + row * row_stride_;
            if (is_listed)
                found = list(now, row, found, sums, store);
            else if (handed_over)
                hand_over(to, sums, store);
            else
                hand_out(reinterpret_cast<T*>(to), met, sums);
        }
        if (is_listed) now.found[piece] = {};
    }

    /// A row of few products: put in order by column, then added.
    void list_few(Launch const& now, Extent row, T const* a, T const* b, ResultStore& store) const {
        std::array<std::uint32_t, few> keys;
        std::array<T, few> factors, values, sums;
        std::uint32_t const *const terms = now.first.narrow_indices(1), *const columns = now.second.narrow_indices(1);
        Range const range = now.first.row(row);
        std::uint32_t count = 0;
        for (std::size_t e = range.begin; e < range.end; ++e) {
            fetch_ahead(now, e, pair_.has_second);
            T const factor = factor_of<T>(pair_.factor) * (pair_.has_first ? a[e] : T(1));
            Range const products = now.second.row(terms[e]);
            for (std::size_t p = products.begin; p < products.end; ++p, ++count) {
                keys[count] = columns[p] * few + count;
                factors[count] = factor;
                values[count] = pair_.has_second ? b[p] : T(1);
            }
        }
        order_.distinct(keys.data(), count);
        auto const to = static_cast<std::size_t>(now.offsets[static_cast<std::size_t>(row)]);
        std::byte* const out = now.values + to * result_bytes();
        T* const results = makes_own_type() ? reinterpret_cast<T*>(out) : sums.data();
        std::size_t const listed =
            loops_.sum_columns(keys.data(), count, few, factors.data(), values.data(), now.columns + to, results);
        if (!makes_own_type()) store.store(results, listed, out, static_cast<Extent>(result_bytes()));
    }

    static void add_without_loss(T& total, T& low, T value) {
        T const s = total + value, of_value = s - total;
        T const lost = (total - (s - of_value)) + (value - of_value);
        total = s;
        low += nan_as_zero(lost);
    }

    /// Whether all columns of a dense row are written: cheaper than those that were met, where these are not few.
    bool is_handed_over(bool cheaper) const { return !makes_own_type() || (cheaper && !shape_.accumulate); }

    void hand_over(std::byte* to, std::vector<T>& sums, ResultStore& store) const {
        store.store(sums.data(), columns_, to, column_stride_);
        std::fill_n(sums.begin(), columns_, T(0));
    }

    /// Columns that were met, of a dense row.
    void hand_out(T* to, MetColumns& met, std::vector<T>& sums) const {
        Extent const step = column_stride_ / static_cast<Extent>(sizeof(T));
        if (!shape_.accumulate)
            for (std::size_t j = 0; j < columns_; ++j) to[static_cast<Extent>(j) * step] = T(0);
        met.take([&](std::size_t column) {
            to[static_cast<Extent>(column) * step] += sums[column];
            sums[column] = T(0);
        });
    }

    /// @param found  columns of the row, unless it is crowded  @return behind them
    std::uint32_t const* list(Launch const& now, Extent row, std::uint32_t const* found, std::vector<T>& sums,
                              ResultStore& store) const {
        auto const r = static_cast<std::size_t>(row);
        auto const to = static_cast<std::size_t>(now.offsets[r]);
        std::size_t const listed = static_cast<std::size_t>(now.offsets[r + 1]) - to;
        std::byte* const values = now.values + to * result_bytes();
        std::vector<T> results(makes_own_type() ? 0 : listed);
        T* const out = makes_own_type() ? reinterpret_cast<T*>(values) : results.data();
        if (is_crowded(now, row)) {
            loops_.take_sums(now.bits.data() + now.bits_of[r], words_, sums.data(), now.columns + to, out);
        } else {
            for (std::size_t k = 0; k < listed; ++k) {
                std::uint32_t const column = *found++;
                now.columns[to + k] = column;
                out[k] = sums[column];
                sums[column] = T(0);
            }
        }
        if (!makes_own_type()) store.store(out, listed, values, static_cast<Extent>(result_bytes()));
        return found;
    }

    static constexpr std::size_t long_sum = 256;
    static constexpr std::uint32_t few = MergeLoops<std::uint32_t>::few;

    KernelShape shape_;
    PairShape pair_;
    Aggregator aggregator_;
    std::unique_ptr<PreparedKernel const> otherwise_;
    Extent rows_;
    std::size_t columns_, words_;
    RowLoops<T> loops_;
    MergeLoops<std::uint32_t> order_;
    Extent row_stride_ = 0, column_stride_ = 0;  // of a dense output, in bytes
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_pair_rows_kernel(KernelShape const& shape, scalar::Params const& params,
                                                            std::unique_ptr<PreparedKernel const>& otherwise) {
    KernelTypes const types = types_of(shape);
    std::optional<PairShape> pair = pair_shape(shape, types, params);
    if (!pair) return nullptr;
    std::optional<Aggregator> aggregator = Aggregator::make(scalar::Agg::sum, pair->type);
    if (!aggregator) return nullptr;
    return with_loops_type(pair->type, [&]<class T>(T) -> std::unique_ptr<PreparedKernel const> {
        return std::make_unique<PairRowsKernel<T>>(shape, std::move(*pair), std::move(*aggregator),
                                                   std::move(otherwise));
    });
}

}  // namespace ein::executor
