#include "executor/device/cpu/loops/aggregator.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "executor/device/cpu/loops/tile_gather.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/moves/turned_tile.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "executor/device/reference/element.hpp"
#include "lib/scalar/jit/vector_loop.hpp"

namespace ein::executor {
namespace {

using scalar::Expr;
using scalar::Op;
using scalar::Program;
using scalar::TileOperand;

Expr call(Op op, Expr a) { return Expr::call(op, {std::move(a)}); }
Expr call(Op op, Expr a, Expr b) { return Expr::call(op, {std::move(a), std::move(b)}); }
Expr infinity() { return Expr::number(std::numeric_limits<double>::infinity()); }

/// The reference point of exponentials: the largest value, or 0 where that is infinite.
Expr shift(Expr const& largest) {
    return Expr::call(Op::where, {call(Op::eq, call(Op::abs, largest), infinity()), Expr::integer(0), largest});
}

/// Rows of a vector tile that are added one after another before their sums are added without loss.
constexpr std::size_t rows_in_a_run = 32;
/// Columns of several rows of which exponentials are summed: their values stay in the first-level cache.
constexpr std::size_t columns_at_once = 512;

template <class T>
void repeat(void* to, void const* element, std::size_t count) {
    T value;
    std::memcpy(&value, element, sizeof(T));
    std::fill_n(static_cast<T*>(to), count, value);
}

}  // namespace

void repeat_element(void* to, void const* element, std::size_t size, std::size_t count) {
    struct Sixteen {
        std::uint64_t words[2];
    };
    switch (size) {
        case 1: return repeat<std::uint8_t>(to, element, count);
        case 2: return repeat<std::uint16_t>(to, element, count);
        case 4: return repeat<std::uint32_t>(to, element, count);
        case 8: return repeat<std::uint64_t>(to, element, count);
        default: return repeat<Sixteen>(to, element, count);
    }
}

/// The state is two planes of accumulators: the largest values, then the sums of exp(value - shift(largest)).
struct Aggregator::Logarithms {
    explicit Logarithms(DType type)
        : max(tile_aggregate(scalar::Agg::max, type)),
          sum(tile_aggregate(scalar::Agg::sum, type)),
          exponential(call(Op::exp, Expr::operand(0) - shift(Expr::operand(1))), type, type, {}),
          varying(scalar::VectorLoop::make(exponential, {{false, false}, {false, false}})),
          single(scalar::VectorLoop::make(exponential, {{false, true}, {false, false}})),
          by_row(scalar::VectorLoop::make(
              exponential, {.constant = {false, true}, .ahead = {false, false}, .by_row = true, .with_tails = true})),
          rescale(Expr::operand(0) * call(Op::exp, Expr::operand(1) - shift(Expr::operand(2))), type, type, {}),
          scaling(scalar::VectorLoop::make(rescale, {{false, false, false}, {false, false, false}})),
          result(shift(Expr::operand(0)) + call(Op::log, Expr::operand(1)), type, type, {}),
          add(Expr::call(
                  Op::where,
                  {call(Op::eq, Expr::operand(0), Expr::operand(1)), Expr::operand(0) + Expr::number(std::log(2.0)),
                   call(Op::max, Expr::operand(0), Expr::operand(1)) +
                       call(Op::log1p,
                            call(Op::exp, call(Op::neg, call(Op::abs, Expr::operand(0) - Expr::operand(1)))))}),
              type, type, {}),
          size(size_of(type)) {}

    std::size_t program_bytes() const {
        return std::max(
            {exponential.scratch_bytes(), rescale.scratch_bytes(), result.scratch_bytes(), add.scratch_bytes()});
    }

    /// to[i] = program(operands)[i], in vector tiles; every operand has `count` elements.
    template <std::size_t N>
    void run(Program const& program, std::array<void const*, N> from, void* to, std::size_t count,
             std::byte* scratch) const {
        for (std::size_t at = 0; at < count; at += program.tile()) {
            std::size_t const n = std::min(program.tile(), count - at);
            std::array<TileOperand, N> operands;
            for (std::size_t k = 0; k < N; ++k)
                operands[k] = {static_cast<std::byte const*>(from[k]) + at * size, false};
            TileOperand const values = program.run(n, operands, {}, scratch);
            std::memcpy(static_cast<std::byte*>(to) + at * size, values.data, n * size);
        }
    }

    /// Raises the largest values to `largest` and scales the sums to match: seldom needed once many values were seen,
    /// and where a largest value stays, its sum would be multiplied by 1.
    void raise(std::byte* held, std::byte* sums, void const* largest, std::size_t count, std::byte* scratch) const {
        auto const* const raised = static_cast<std::byte const*>(largest);
        for (std::size_t at = 0; at < count; at += raised_together) {
            std::size_t const n = std::min(raised_together, count - at), byte = at * size;
            if (std::memcmp(held + byte, raised + byte, n * size) == 0) continue;
            if (scaling == nullptr) {
                run<3>(rescale, {sums + byte, held + byte, raised + byte}, sums + byte, n, scratch);
            } else {
                std::array<TileOperand, 3> const operands{TileOperand{sums + byte, false},
                                                          TileOperand{held + byte, false},
                                                          TileOperand{raised + byte, false}};
                alignas(machine::cache_line) std::byte scaled[raised_together * sizeof(double)];
                scaling->run(n, operands, scaled);
                std::memcpy(sums + byte, scaled, n * size);
            }
            std::memcpy(held + byte, raised + byte, n * size);
        }
    }

    /// Whether rows of so many values are gone over with a largest value each, as it lies.
    bool goes_by_row(std::size_t columns) const {
        constexpr std::size_t shortest = machine::shortest_row_with_tail, longest = scalar::VectorLoop::longest_vector;
        bool const whole = columns * size % longest == 0;
        return by_row != nullptr && columns >= shortest && (whole || scalar::VectorLoop::has_tails());
    }

    /// to[r][c] = exp(values[r][c] - shift(largest[r]))
    void exponentials_of_rows(void const* values, void const* largest, void* to, std::size_t rows,
                              std::size_t columns) const {
        auto const row = static_cast<std::int64_t>(columns * size);
        std::array const operands{TileOperand{values, false}, TileOperand{largest, true}};
        std::array const steps{row, static_cast<std::int64_t>(size)};
        by_row->run_rows(rows, columns, operands, steps, to, row);
    }

    /// to[i] = exp(values[i] - shift(largest[i])), or of one largest value for all.
    void exponentials(void const* values, void const* largest, bool is_single, void* to, std::size_t count,
                      std::byte* scratch) const {
        scalar::VectorLoop const* const loop = (is_single ? single : varying).get();
        std::array<TileOperand, 2> operands{TileOperand{values, false}, TileOperand{largest, is_single}};
        if (loop != nullptr) return loop->run(count, operands, to);
        for (std::size_t at = 0; at < count; at += exponential.tile()) {
            std::size_t const n = std::min(exponential.tile(), count - at), byte = at * size;
            operands[0].data = static_cast<std::byte const*>(values) + byte;
            if (!is_single) operands[1].data = static_cast<std::byte const*>(largest) + byte;
            TileOperand const made = exponential.run(n, operands, {}, scratch);
            std::memcpy(static_cast<std::byte*>(to) + byte, made.data, n * size);
        }
    }

    TileAggregate max, sum;
    Program exponential;                                                // exp(value - shift(largest))
    std::unique_ptr<scalar::VectorLoop const> varying, single, by_row;  // the same as one loop, where there is one
    Program rescale;                                                    // sum * exp(held - shift(largest))
    std::unique_ptr<scalar::VectorLoop const> scaling;                  // the same as one loop
    Program result;                                                     // shift(largest) + log(sum)
    Program add;                                                        // log(e^x + e^y)
    std::size_t size;

    static constexpr std::size_t raised_together = 64;

    /// Made once for each type.
    static std::shared_ptr<Logarithms const> of(DType type) {
        static auto const single_precision = std::make_shared<Logarithms const>(DType::f32);
        static auto const double_precision = std::make_shared<Logarithms const>(DType::f64);
        return type == DType::f32 ? single_precision : double_precision;
    }
};

bool Aggregator::widens(scalar::Agg agg, DType values, DType type) {
    if (agg != scalar::Agg::sum || kind(type) != Kind::integer || !is_exact(values)) return false;
    return widening_sums_of(scalar::own_register_dtype(values), scalar::own_register_dtype(type)).rows != nullptr;
}

std::optional<Aggregator> Aggregator::make(scalar::Agg agg, DType type, ExactTotals exact,
                                           std::optional<DType> values) {
    Aggregator made;
    DType const registers = scalar::own_register_dtype(type);
    made.element_ = size_of(registers);
    store_element(scalar::identity(agg, type), made.identity_, registers);
    if (agg != scalar::Agg::logsumexp)
        made.loops_ = tile_aggregate(agg, type);
    else if (kind(registers) == Kind::real)
        made.logarithms_ = Logarithms::of(registers);
    if (made.loops_.combine == nullptr && made.logarithms_ == nullptr) return std::nullopt;
    made.of_values_ = made.loops_;
    made.value_ = made.element_;
    if (values && scalar::own_register_dtype(*values) != registers) {
        made.of_values_ = widening_sums_of(scalar::own_register_dtype(*values), registers);
        made.value_ = size_of(*values);
    }
    if (made.loops_.add != nullptr) made.exact_ = exact;
    bool const rounds = agg == scalar::Agg::sum || agg == scalar::Agg::prod;
    bool const folds = scalar::info(agg).asks || scalar::info(agg).needs_elements;
    made.grouped_ = made.value_ == made.element_ && made.element_ >= (folds ? 2 : 4);
    bool const rounded = rounds && kind(registers) >= Kind::real;
    made.any_order_ = made.logarithms_ == nullptr && !rounded;
    made.folds_ = made.any_order_ || (rounded && exact != ExactTotals::of_values);
    return made;
}

std::size_t Aggregator::planes() const {
    if (logarithms_) return 3;  // largest, sums, results
    return exact_ == ExactTotals::none ? 1 : 2;
}

std::byte* Aggregator::second_plane(Tile const& tile, std::size_t at) const {
    return tile.state + lines(tile.size * element_) + at * element_;
}

std::size_t Aggregator::state_bytes(std::size_t tile) const { return lines(tile * element_) * planes(); }

std::size_t Aggregator::scratch_bytes(std::size_t vector_tile) const {
    if (logarithms_) return 3 * lines(vector_tile * element_) + lines(logarithms_->program_bytes());
    return exact_ == ExactTotals::of_vector_tiles || any_order_ ? lines(vector_tile * value_) : 0;
}

void Aggregator::start(Tile const& tile) const { start(tile, 0, tile.size); }

void Aggregator::start(Tile const& tile, std::size_t at, std::size_t count) const {
    repeat_element(tile.state + at * element_, identity_, element_, count);
    if (planes() > 1) std::memset(second_plane(tile, at), 0, count * element_);
}

void Aggregator::rows(Tile const& tile, std::size_t at, void const* values, std::size_t rows,
                      std::size_t columns) const {
    std::byte* const acc = tile.state + at * element_;
    if (exact_ == ExactTotals::of_vector_tiles)
        return loops_.add_rows(acc, second_plane(tile, at), values, rows, columns);
    if (exact_ == ExactTotals::of_values) return add_values(tile, at, values, rows, columns);
    if (turns(rows, columns)) {
        turn_rows(value_, values, rows, columns, tile.scratch);
        return of_values_.columns(acc, tile.scratch, static_cast<std::ptrdiff_t>(rows * value_), columns, rows);
    }
    if (!logarithms_) return of_values_.rows(acc, values, rows, columns);
    std::size_t const plane = lines(rows * columns * element_);
    std::byte* const largest = tile.scratch;
    std::byte* const spread = largest + plane;
    std::byte* const exponentials = spread + plane;
    std::byte* const program = exponentials + plane;
    std::byte* const sums = second_plane(tile, at);
    std::memcpy(largest, acc, rows * element_);
    if (columns == 1)
        logarithms_->max.combine(largest, values, rows);
    else
        logarithms_->max.rows(largest, values, rows, columns);
    logarithms_->raise(acc, sums, largest, rows, program);
    bool const by_row = rows > 1 && logarithms_->goes_by_row(columns), spreads = !by_row && rows > 1 && columns > 1;
    if (spreads) gather_tile(element_, largest, {rows, static_cast<Extent>(element_)}, {columns, 0}, spread);
    if (by_row)
        logarithms_->exponentials_of_rows(values, largest, exponentials, rows, columns);
    else
        logarithms_->exponentials(values, spreads ? spread : largest, rows == 1, exponentials, rows * columns, program);
    if (columns == 1)
        logarithms_->sum.combine(sums, exponentials, rows);
    else
        logarithms_->sum.rows(sums, exponentials, rows, columns);
}

/// Rows of whole squares, too short for vectors of their own.
bool Aggregator::turns(std::size_t rows, std::size_t columns) const {
    constexpr std::size_t square = machine::rows_turned;
    bool const is_short = columns == square || columns * value_ <= machine::cache_line / 2;
    return any_order_ && !grouped_ && rows >= square && columns % square == 0 && is_short;
}

void Aggregator::add_values(Tile const& tile, std::size_t at, void const* values, std::size_t rows,
                            std::size_t columns) const {
    auto const* value = static_cast<std::byte const*>(values);
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c, value += element_) combine(tile, at + r, value, 1);
}

void Aggregator::columns(Tile const& tile, std::size_t at, void const* values, std::size_t rows,
                         std::size_t columns) const {
    auto const* row = static_cast<std::byte const*>(values);
    std::size_t const row_bytes = columns * value_;
    if (fold_columns(tile, at, values, rows, columns)) return;
    if (exact_ == ExactTotals::of_vector_tiles) {
        for (std::size_t r = 0; r < rows; r += rows_in_a_run, row += rows_in_a_run * row_bytes) {
            std::memcpy(tile.scratch, row, row_bytes);
            std::size_t const further = std::min(rows_in_a_run, rows - r) - 1;
            loops_.columns(tile.scratch, row + row_bytes, static_cast<std::ptrdiff_t>(row_bytes), further, columns);
            loops_.add(tile.state + at * element_, second_plane(tile, at), tile.scratch, columns);
        }
        return;
    }
    if (takes_rows_apart())
        return columns_apart(tile, at, values, static_cast<std::ptrdiff_t>(row_bytes), rows, columns);
    for (std::size_t r = 0; r < rows; ++r) combine(tile, at, row + r * row_bytes, columns);
}

/// Narrow columns: several rows as one that is as long as some vectors. What becomes of these is then folded by halves.
bool Aggregator::fold_columns(Tile const& tile, std::size_t at, void const* values, std::size_t rows,
                              std::size_t columns) const {
    std::size_t const row_bytes = columns * value_;
    if (!folds_ || row_bytes > machine::folded_columns / 2) return false;
    std::size_t together = std::bit_floor(machine::folded_columns / row_bytes);
    std::size_t const whole = rows / together;
    if (whole < 4) return false;
    alignas(machine::cache_line) std::byte folded[machine::folded_columns * sizeof(std::int64_t)];
    auto const* from = static_cast<std::byte const*>(values);
    repeat_element(folded, identity_, element_, together * columns);
    auto const step = static_cast<std::ptrdiff_t>(together * row_bytes);
    of_values_.columns(folded, from, step, whole, together * columns);
    from += static_cast<std::ptrdiff_t>(whole) * step;
    of_values_.columns(folded, from, static_cast<std::ptrdiff_t>(row_bytes), rows - whole * together, columns);
    for (std::size_t half = together / 2; half > 0; half /= 2)
        loops_.combine(folded, folded + half * columns * element_, half * columns);
    if (exact_ == ExactTotals::of_vector_tiles)
        loops_.add(tile.state + at * element_, second_plane(tile, at), folded, columns);
    else
        loops_.combine(tile.state + at * element_, folded, columns);
    return true;
}

void Aggregator::columns_apart(Tile const& tile, std::size_t at, void const* values, std::ptrdiff_t step,
                               std::size_t rows, std::size_t columns) const {
    if (!logarithms_) return of_values_.columns(tile.state + at * element_, values, step, rows, columns);
    for (std::size_t done = 0; done < columns; done += columns_at_once)
        logarithms_apart(tile, at + done, static_cast<std::byte const*>(values) + done * element_, step, rows,
                         std::min(columns_at_once, columns - done));
}

/// Largest values are raised once for all rows.
void Aggregator::logarithms_apart(Tile const& tile, std::size_t at, std::byte const* values, std::ptrdiff_t step,
                                  std::size_t rows, std::size_t columns) const {
    alignas(machine::cache_line) std::byte largest[columns_at_once * sizeof(double)];
    alignas(machine::cache_line) std::byte exponentials[columns_at_once * sizeof(double)];
    std::byte* const acc = tile.state + at * element_;
    std::byte* const sums = second_plane(tile, at);
    std::byte* const program = tile.scratch;
    std::memcpy(largest, acc, columns * element_);
    logarithms_->max.columns(largest, values, step, rows, columns);
    logarithms_->raise(acc, sums, largest, columns, program);
    auto const row_bytes = static_cast<std::ptrdiff_t>(columns * element_);
    std::size_t const together = step == row_bytes ? std::min(rows, columns_at_once / columns) : 1;
    for (std::size_t r = 1; r < together; ++r)
        std::memcpy(largest + r * columns * element_, largest, columns * element_);
    for (std::size_t r = 0; r < rows; r += together, values += static_cast<std::ptrdiff_t>(together) * step) {
        std::size_t const count = std::min(together, rows - r);
        logarithms_->exponentials(values, largest, false, exponentials, count * columns, program);
        logarithms_->sum.columns(sums, exponentials, row_bytes, count, columns);
    }
}

void Aggregator::middle(Tile const& tile, std::size_t at, void const* values, std::size_t rows, std::size_t terms,
                        std::size_t columns) const {
    of_values_.middle(tile.state + at * element_, values, rows, terms, columns);
}

void Aggregator::combine(Tile const& tile, std::size_t at, void const* values, std::size_t count) const {
    if (logarithms_) return rows(tile, at, values, count, 1);
    if (exact_ != ExactTotals::none)
        return loops_.add(tile.state + at * element_, second_plane(tile, at), values, count);
    of_values_.combine(tile.state + at * element_, values, count);
}

void Aggregator::scatter(Tile const& tile, std::span<std::size_t const> at, void const* values) const {
    if (exact_ != ExactTotals::none)
        return loops_.add_scattered(tile.state, second_plane(tile, 0), at.data(), values, at.size());
    if (!logarithms_) return loops_.scatter(tile.state, at.data(), values, at.size());
    auto const* const value = static_cast<std::byte const*>(values);
    for (std::size_t i = 0; i < at.size(); ++i) rows(tile, at[i], value + i * element_, 1, 1);
}

void const* Aggregator::finish(Tile const& tile, std::size_t at, std::size_t count) const {
    std::byte* const acc = tile.state + at * element_;
    if (exact_ != ExactTotals::none) loops_.settle(acc, second_plane(tile, at), count);
    if (!logarithms_) return acc;
    std::size_t const plane = lines(tile.size * element_);
    logarithms_->run<2>(logarithms_->result, {acc, acc + plane}, acc + 2 * plane, count,
                        tile.scratch + 3 * lines(count * element_));
    return acc + 2 * plane;
}

void Aggregator::merge(void* held, void const* values, std::size_t count, std::byte* scratch) const {
    if (logarithms_)
        logarithms_->run<2>(logarithms_->add, {held, values}, held, count, scratch + 3 * lines(count * element_));
    else
        loops_.combine(held, values, count);
}

}  // namespace ein::executor
