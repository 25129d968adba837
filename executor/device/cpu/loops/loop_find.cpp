// Where a condition holds first, as argmin and argmax ask: values of a vector tile are 0 or 1, nearly all of them 0.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "executor/device/cpu/loops/loop_walk.hpp"

namespace ein::executor {
namespace {

constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t looked_at_together = 64;
/// Elements of several short rows that are passed over at once.
constexpr std::size_t passed_over_together = 512;

/// By their bits, since zeros have one sign here: a loop of vectors.
template <class T>
bool is_any(T const* values, std::size_t count) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    Bits any = 0;
    for (std::size_t i = 0; i < count; ++i) any |= std::bit_cast<Bits>(values[i]);
    return any != 0;
}

/// Whether all of these accumulators hold a smaller index already: many equal values are mostly found early.
bool all_before(std::int64_t first, std::byte const* state, std::size_t at, std::size_t count) {
    auto const* const held = reinterpret_cast<std::int64_t const*>(state) + at;
    std::int64_t later = 0;  // its sign; indices and what stands for none are not negative
    for (std::size_t i = 0; i < count; ++i) later |= first - held[i];
    return later >= 0;
}

/// Of a cache line of zeros and ones, a bit each. Their sum, weighted with powers of two, is exact.
template <class T>
std::uint32_t bits_of_line(T const* values) {
    constexpr std::size_t lanes = 64 / sizeof(T);
    using Line [[gnu::vector_size(64)]] = T;
    Line weights, line;
    for (std::size_t i = 0; i < lanes; ++i) weights[i] = static_cast<T>(std::uint32_t{1} << i);
    __builtin_memcpy(&line, values, sizeof line);
    line *= weights;
    T lane[lanes];
    __builtin_memcpy(lane, &line, sizeof line);
    for (std::size_t half = lanes / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i) lane[i] += lane[i + half];
    return static_cast<std::uint32_t>(lane[0]);
}

/// Where the first 1 of a row is; -1: there is none.
template <class T>
std::int64_t first_of_row(T const* values, std::size_t count) {
    constexpr std::size_t lanes = 64 / sizeof(T);
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes)
        if (std::uint32_t const bits = bits_of_line(values + at); bits != 0)
            return static_cast<std::int64_t>(at) + std::countr_zero(bits);
    for (; at < count; ++at)
        if (values[at] != 0) return static_cast<std::int64_t>(at);
    return -1;
}

}  // namespace

void LoopKernel::Walk::find(Values values, Extent tile) {
    auto const at = static_cast<std::size_t>(tile);
    if (k_.body_.compute == DType::f32)
        find(static_cast<float const*>(values.data), values.constant, at);
    else
        find(static_cast<double const*>(values.data), values.constant, at);
}

/// Several short rows at a time, since most of them have nothing, or all have one each.
template <class T>
void LoopKernel::Walk::find(T const* values, bool constant, std::size_t at) {
    std::size_t const r = rows(), c = columns();
    if (constant && *values == 0) return;
    auto const label = static_cast<std::size_t>(k_.body_.finds);
    auto const is_found = [&](std::size_t l) {
        return l != LoopPlan::none && k_.nest_.labels[l].index == k_.body_.finds;
    };
    bool const along = is_found(k_.plan_.inner), by_row = is_found(k_.plan_.outer);
    std::int64_t const begin = tile_indices_[label].first;
    auto const first_in = [&](std::size_t row) { return begin + (by_row ? static_cast<std::int64_t>(row) : 0); };
    if (constant || c > looked_at_together) {
        for (std::size_t row = 0; row < r; ++row) find_in_row(values, constant, at, {row, first_in(row), along});
        return;
    }
    bool const one_each = in_output(k_.plan_.outer) && !in_output(k_.plan_.inner);
    std::size_t const together = std::min(looked_at_together, passed_over_together / c);
    for (std::size_t row = 0; row < r; row += together) {
        std::size_t const count = std::min(together, r - row);
        if (!is_any(values + row * c, count * c)) continue;
        if (!one_each) {
            for (std::size_t i = 0; i < count; ++i) find_in_row(values, false, at, {row + i, first_in(row + i), along});
            continue;
        }
        std::int64_t indices[looked_at_together];
        for (std::size_t i = 0; i < count; ++i) {
            std::int64_t const place = first_of_row(values + (row + i) * c, c);
            indices[i] = place < 0 ? nowhere : first_in(row + i) + (along ? place : 0);
        }
        k_.aggregator_.combine(tile_, at + row, indices, count);
    }
}

template <class T>
void LoopKernel::Walk::find_in_row(T const* values, bool constant, std::size_t at, FoundRow const& of) {
    std::size_t const c = columns(), row = of.row;
    bool const columns_out = in_output(k_.plan_.inner), rows_out = in_output(k_.plan_.outer);
    std::size_t const begin = at + (rows_out ? row * (columns_out ? c : 1) : 0);
    std::int64_t indices[looked_at_together];
    for (std::size_t column = 0; column < c; column += looked_at_together) {
        std::size_t const count = std::min(looked_at_together, c - column);
        T const* const here = constant ? values : values + row * c + column;
        if (!constant && !is_any(here, count)) continue;
        if (columns_out && !of.along && all_before(of.first, tile_.state, begin + column, count)) continue;
        for (std::size_t i = 0; i < count; ++i) {
            std::int64_t const index = of.first + (of.along ? static_cast<std::int64_t>(column + i) : 0);
            indices[i] = here[constant ? 0 : i] != 0 ? index : nowhere;
        }
        if (columns_out)
            k_.aggregator_.combine(tile_, begin + column, indices, count);
        else
            k_.aggregator_.rows(tile_, begin, indices, 1, count);
    }
}

}  // namespace ein::executor
