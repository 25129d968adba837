#include "executor/device/cpu/sparse_products/pair_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/sparse/listed_output.hpp"
#include "executor/device/cpu/sparse/merge_loops.hpp"
#include "executor/device/cpu/sparse/result_store.hpp"
#include "executor/device/cpu/sparse/same_pattern.hpp"
#include "executor/device/cpu/sparse/tuning.hpp"
#include "executor/device/cpu/sparse_products/met_columns.hpp"
#include "executor/device/cpu/sparse_products/pair_row_loops.hpp"
#include "executor/device/cpu/sparse_products/pair_shape.hpp"
#include "executor/device/cpu/sparse_products/pair_work.hpp"
#include "executor/device/cpu/sparse_products/product_rows.hpp"
#include "executor/device/kernel/gemm_match.hpp"
#include "lib/base/partition.hpp"
#include "lib/graph/labels.hpp"

namespace ein::executor {
namespace {

using Range = SparseSource::Range;

/// Products of a row from which on its columns have a flag each, for each of so many columns.
constexpr std::uint64_t columns_a_product = 64;
/// Columns of a crowded row, for each of which is met, from which on bits say which are.
constexpr std::uint64_t columns_a_bit = 8;
/// Work of rows that are put in order together, where one has no more alone.
constexpr std::uint64_t work_together = 128;
/// Work of a call whose results are held beside the block until it is known where they belong, at most, and for each
/// element: where rows that are met list little, to go to them again takes longer than to hold what they make.
constexpr std::uint64_t held_work = 1 << 22, held_an_element = 4;
/// Work between two pauses.
constexpr std::uint64_t work_a_pause = 1 << 13;

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
          column_bits_(static_cast<unsigned>(std::bit_width(std::max<std::size_t>(columns_, 2) - 1))),
          loops_(pair_row_loops<T>(pair_.products.join, pair_.products.pair_agg())),
          order_(merge_loops<std::uint32_t>()),
          sorts_(order_.distinct != nullptr && column_bits_ + Loops::number_bits < 32) {
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
        Launch now{.call = call,
                   .first = {shape_, pair_.first, call.operands[pair_.first.operand]},
                   .second = {shape_, pair_.second, call.operands[pair_.second.operand]}};
        bool const usable = now.first.compressed() && now.second.compressed() &&
                            now.first.narrow_indices(1) != nullptr && now.second.narrow_indices(1) != nullptr;
        if (!usable) return otherwise_->launch(call, team);
        now.work.emplace(now.first, now.second, team);
        bring(now.first, pair_.has_first, now.first_values, team);
        bring(now.second, pair_.has_second, now.second_values, team);
        if (!shape_.sparse->output)
            return for_each_piece(now, team, [&](std::size_t piece) { write_dense(now, piece, team); });
        now.offsets.assign(static_cast<std::size_t>(rows_) + 1, 0);
        now.found.resize(now.work->bounds().size() - 1);
        Range const elements = now.first.all();
        now.holds = now.work->before(rows_) <= std::min(held_work, held_an_element * (elements.end - elements.begin));
        for_each_piece(now, team, [&](std::size_t piece) { count(now, piece, team); });
        std::partial_sum(now.offsets.begin(), now.offsets.end(), now.offsets.begin());
        ListedRows const rows = begin_rows(shape_, call, now.offsets);
        now.columns = reinterpret_cast<std::uint32_t*>(rows.coords[1]);
        now.values = rows.values;
        for_each_piece(now, team, [&](std::size_t piece) { list(now, piece, team); });
    }

private:
    using Loops = PairRowLoops<T>;
    static constexpr DType own_type = dtype_of_loops<T>;

    /// What is known of a piece's rows once they are counted.
    struct Found {
        std::vector<std::uint32_t> columns;  // of rows of many products, ascending in each
        std::vector<std::uint64_t> bits;     // of those of which many columns are met
        std::unique_ptr<std::uint32_t[]> few_columns;
        std::unique_ptr<T[]> few_results;  // of rows of few products, where they are held
        std::size_t few = 0;
    };
    struct Launch {
        KernelCall const& call;
        SparseSource const first, second;
        std::vector<T> first_values{}, second_values{};  // of all elements, where they have another type
        std::optional<PairWork> work{};
        bool holds = false;                    // results of rows of few products, from counting them on
        std::vector<std::uint64_t> offsets{};  // of rows of a sparse output
        std::vector<Found> found{};            // by piece
        std::uint32_t* columns = nullptr;      // of a sparse output
        std::byte* values = nullptr;           // the same
    };
    /// What a row is combined in.
    struct Held {
        std::vector<T> values, low, ones;
    };

    Extent length(int label) const { return shape_.lengths[static_cast<std::size_t>(label)]; }
    bool makes_own_type() const { return shape_.output_dtype == own_type; }
    std::size_t result_bytes() const { return size_of(shape_.output_dtype); }
    template <class Visit>
    static void for_each_piece(Launch const& now, WorkerTeam& team, Visit const& visit) {
        team.run(static_cast<std::int64_t>(now.work->bounds().size()) - 1,
                 [&](std::int64_t piece) { visit(static_cast<std::size_t>(piece)); });
    }

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
    T const* first_values(Launch const& now) const { return values_of(now.first, now.first_values); }
    T const* second_values(Launch const& now) const { return values_of(now.second, now.second_values); }

    /// Whether a row's columns are found by flags: its products are not few.
    bool is_crowded(Launch const& now, Extent row) const { return now.work->of(row) * columns_a_product > columns_; }
    /// Whether bits say which columns of a crowded row are met.
    bool has_bits(std::uint64_t listed) const { return listed * columns_a_bit >= columns_; }
    /// Whether a row's products are put in order by column.
    bool has_few(Launch const& now, Extent row) const {
        return sorts_ && now.work->of(row) <= Loops::few && !is_crowded(now, row);
    }
    /// Rows whose products are put in order together: from one that has few, to which one.
    Extent group_end(Launch const& now, Extent row, Extent last) const {
        unsigned const tag_bits = 32 - Loops::number_bits - column_bits_;
        Extent const most = std::min(last - row, std::max<Extent>(1, (Extent{1} << tag_bits) - 1));
        std::uint64_t const begin = now.work->before(row);
        Extent count = 1;
        while (count < most && has_few(now, row + count) && now.work->before(row + count + 1) - begin <= work_together)
            ++count;
        return row + count;
    }
    typename Loops::Rows group(Launch const& now, Extent row, Extent end) const {
        return {now.first.offsets() + row,
                static_cast<std::size_t>(end - row),
                now.first.all().end,
                now.first.narrow_indices(1),
                now.second.offsets(),
                now.second.narrow_indices(1),
                pair_.has_second ? second_values(now) : nullptr,
                column_bits_};
    }

    /// Rows of the second operand that a row of the first meets.
    template <class Visit>
    void for_each_product_row(Launch const& now, Extent row, bool values, Visit&& visit) const {
        executor::for_each_product_row(now.first, now.second, row, values ? second_values(now) : nullptr, visit);
    }

    /// Rows of a piece, one after another or some together: visit(row) says how far it came.
    template <class Visit>
    void for_each_row(Launch const& now, std::size_t piece, WorkerTeam& team, Visit&& visit) const {
        std::uint64_t next_pause = 0;
        for (Extent row = now.work->bounds()[piece]; row < now.work->bounds()[piece + 1];) {
            if (now.work->before(row) >= next_pause) {
                team.pause();
                next_pause = now.work->before(row) + work_a_pause;
            }
            row = visit(row);
        }
    }

    void count(Launch& now, std::size_t piece, WorkerTeam& team) const {
        std::optional<MetColumns> met;  // this and flags where a row wants them
        std::vector<unsigned char> flags;
        Found& found = now.found[piece];
        std::uint32_t const* const columns = now.second.narrow_indices(1);
        if (now.holds) {
            auto const most = static_cast<std::size_t>(now.work->of_piece(piece));
            found.few_columns = std::make_unique_for_overwrite<std::uint32_t[]>(most);
            found.few_results = std::make_unique_for_overwrite<T[]>(most);
        }
        for_each_row(now, piece, team, [&](Extent row) {
            if (has_few(now, row))
                return count_few(now, row, group_end(now, row, now.work->bounds()[piece + 1]), found);
            std::uint64_t& listed = now.offsets[static_cast<std::size_t>(row) + 1];
            if (is_crowded(now, row)) {
                if (flags.empty()) flags.assign(words_ * 64, 0);
                for_each_product_row(now, row, false, [&](std::size_t, Range products) {
                    for (std::size_t b = products.begin; b < products.end; ++b) flags[columns[b]] = 1;
                });
                std::size_t const at = found.bits.size(), listed_before = found.columns.size();
                found.bits.resize(at + words_);
                std::uint64_t const* const bits = found.bits.data() + at;
                listed = loops_.take_flags(flags.data(), flags.size(), found.bits.data() + at);
                if (!has_bits(listed)) {
                    found.columns.resize(listed_before + listed + Loops::padding);
                    loops_.list_bits(bits, words_, found.columns.data() + listed_before);
                    found.columns.resize(listed_before + listed);
                    found.bits.resize(at);
                }
            } else {
                if (!met) met.emplace(columns_);
                for_each_product_row(now, row, false, [&](std::size_t, Range products) {
                    for (std::size_t b = products.begin; b < products.end; ++b) listed += met->add(columns[b]);
                });
                met->take([&](std::size_t column) { found.columns.push_back(static_cast<std::uint32_t>(column)); });
            }
            return row + 1;
        });
    }

    Extent count_few(Launch& now, Extent row, Extent end, Found& found) const {
        std::array<std::uint32_t, Loops::few + Loops::padding> keys;
        std::uint32_t* const tagged = now.holds ? found.few_columns.get() + found.few : keys.data();
        std::size_t const count = now.holds
                                      ? combine_few(now, row, end, tagged, found.few_results.get() + found.few)
                                      : order_.distinct(tagged, loops_.list_columns(group(now, row, end), tagged));
        std::uint64_t* const listed = now.offsets.data() + row + 1;
        for (std::size_t i = 0; i < count; ++i) ++listed[tagged[i] >> column_bits_];
        if (!now.holds) return end;
        untag(tagged, count);
        found.few += count;
        return end;
    }
    void untag(std::uint32_t* columns, std::size_t count) const {
        std::uint32_t const mask = (std::uint32_t{1} << column_bits_) - 1;
        for (std::size_t i = 0; i < count; ++i) columns[i] &= mask;
    }

    /// Combines the products of a row with what is held.
    /// @param met  that is told which columns are met; null: nobody asks
    void combine(Launch const& now, Extent row, Held& held, MetColumns* met) const {
        if (held.values.empty()) held.values.assign(words_ * 64, loops_.none);
        Range const range = now.first.row(row);
        // An output has no more terms than the row has elements: many are added without loss.
        bool const careful = pair_.products.agg == scalar::Agg::sum && range.end - range.begin > long_sum;
        if (careful) held.low.assign(columns_, T(0));
        T const *const a = first_values(now), *const b = second_values(now);
        std::uint32_t const* const columns = now.second.narrow_indices(1);
        for_each_product_row(now, row, pair_.has_second, [&](std::size_t e, Range products) {
            T const factor = factor_of<T>(pair_.products.factor) * (pair_.has_first ? a[e] : T(1));
            std::size_t const count = products.end - products.begin;
            if (!pair_.has_second && held.ones.size() < count) held.ones.resize(count, T(1));
            T const* const values = pair_.has_second ? b + products.begin : held.ones.data();
            std::uint32_t const* const at = columns + products.begin;
            for (std::size_t p = 0; met != nullptr && p < count; ++p) met->add(at[p]);
            if (careful)
                for (std::size_t p = 0; p < count; ++p)
                    add_without_loss(held.values[at[p]], held.low[at[p]], factor * values[p]);
            else
                loops_.scatter(held.values.data(), at, values, count, factor);
        });
        for (std::size_t j = 0; careful && j < columns_; ++j) held.values[j] += held.low[j];
    }

    static void add_without_loss(T& total, T& low, T value) {
        T const s = total + value, of_value = s - total;
        T const lost = (total - (s - of_value)) + (value - of_value);
        total = s;
        low += nan_as_zero(lost);
    }

    void write_dense(Launch const& now, std::size_t piece, WorkerTeam& team) const {
        MetColumns met(columns_);
        std::vector<std::uint32_t> columns;
        Held held;
        ResultStore store(aggregator_, own_type, shape_.output_dtype, shape_.accumulate);
        Extent const step = column_stride_ / static_cast<Extent>(result_bytes());
        for_each_row(now, piece, team, [&](Extent row) {
            // All columns are written where that is cheaper than those that were met, or these have another type.
            bool const all = !makes_own_type() || (is_crowded(now, row) && !shape_.accumulate);
            combine(now, row, held, all ? nullptr : &met);
            std::byte* const to = static_cast<std::byte*>(now.call.output) + row * row_stride_;
            if (all) {
                store.store(held.values.data(), columns_, to, column_stride_);
                std::fill_n(held.values.begin(), columns_, loops_.none);
                return row + 1;
            }
            T* const out = reinterpret_cast<T*>(to);
            for (std::size_t j = 0; !shape_.accumulate && j < columns_; ++j)
                out[static_cast<Extent>(j) * step] = loops_.none;
            columns.clear();
            met.take([&](std::size_t column) { columns.push_back(static_cast<std::uint32_t>(column)); });
            loops_.hand_out(out, step, columns.data(), columns.size(), held.values.data());
            return row + 1;
        });
    }

    void list(Launch& now, std::size_t piece, WorkerTeam& team) const {
        Held held;
        Found const& found = now.found[piece];
        std::uint32_t const* columns = found.columns.data();
        std::uint64_t const* bits = found.bits.data();
        std::size_t few_taken = 0;
        std::vector<T> room;  // of results that have another type
        ResultStore store(aggregator_, own_type, shape_.output_dtype, false);
        for_each_row(now, piece, team, [&](Extent row) {
            bool const few = has_few(now, row);
            Extent const end = few ? group_end(now, row, now.work->bounds()[piece + 1]) : row + 1;
            auto const to = static_cast<std::size_t>(now.offsets[static_cast<std::size_t>(row)]);
            std::size_t const listed = static_cast<std::size_t>(now.offsets[static_cast<std::size_t>(end)]) - to;
            std::byte* const values = now.values + to * result_bytes();
            if (!makes_own_type() && room.size() < listed) room.resize(listed);
            T* const out = makes_own_type() ? reinterpret_cast<T*>(values) : room.data();
            if (few && now.holds) {
                std::copy_n(found.few_columns.get() + few_taken, listed, now.columns + to);
                std::copy_n(found.few_results.get() + few_taken, listed, out);
                few_taken += listed;
            } else if (few) {
                untag(now.columns + to, combine_few(now, row, end, now.columns + to, out));
            } else if (combine(now, row, held, nullptr); is_crowded(now, row) && has_bits(listed)) {
                loops_.take_held(bits, words_, held.values.data(), now.columns + to, out);
                bits += words_;
            } else {
                std::copy_n(columns, listed, now.columns + to);
                for (std::size_t k = 0; k < listed; ++k) out[k] = std::exchange(held.values[columns[k]], loops_.none);
                columns += listed;
            }
            if (!makes_own_type()) store.store(out, listed, values, static_cast<Extent>(result_bytes()));
            return end;
        });
        now.found[piece] = {};
    }

    /// Rows of few products: put in order by row and column, then combined. @return how many results there are
    std::size_t combine_few(Launch const& now, Extent row, Extent end, std::uint32_t* tagged, T* results) const {
        std::array<std::uint32_t, Loops::few + Loops::padding> keys;
        std::array<T, Loops::few + Loops::padding> factors, values, of_elements;
        typename Loops::Rows const rows = group(now, row, end);
        T const* const a = first_values(now);
        for (std::size_t e = rows.begins[0]; e < rows.begins[rows.count]; ++e)
            of_elements[e - rows.begins[0]] = factor_of<T>(pair_.products.factor) * (pair_.has_first ? a[e] : T(1));
        std::size_t const count =
            loops_.list_products(rows, of_elements.data(), keys.data(), factors.data(), values.data());
        order_.distinct(keys.data(), count);
        return loops_.combine_columns(keys.data(), count, factors.data(), values.data(), tagged, results);
    }

    static constexpr std::size_t long_sum = 256;

    KernelShape shape_;
    PairShape pair_;
    Aggregator aggregator_;
    std::unique_ptr<PreparedKernel const> otherwise_;
    Extent rows_;
    std::size_t columns_, words_;
    unsigned column_bits_;
    PairRowLoops<T> loops_;
    MergeLoops<std::uint32_t> order_;
    bool sorts_;                                 // products of rows that have few: where their keys have room for them
    Extent row_stride_ = 0, column_stride_ = 0;  // of a dense output, in bytes
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_pair_rows_kernel(KernelShape const& shape, scalar::Params const& params,
                                                            std::unique_ptr<PreparedKernel const>& otherwise) {
    KernelTypes const types = types_of(shape);
    std::optional<PairShape> pair = pair_shape(shape, types, params);
    if (!pair) return nullptr;
    std::optional<Aggregator> aggregator = Aggregator::make(pair->products.agg, pair->products.type);
    if (!aggregator) return nullptr;
    return with_loops_type(pair->products.type, [&]<class T>(T) -> std::unique_ptr<PreparedKernel const> {
        return std::make_unique<PairRowsKernel<T>>(shape, std::move(*pair), std::move(*aggregator),
                                                   std::move(otherwise));
    });
}

}  // namespace ein::executor
