// Sums of integers into wider ones, without bringing each value to the accumulator's type first: partial sums are as
// narrow as their terms allow. For the loops of one instruction set: to be included where EIN_INSTRUCTION_SET is
// defined. All wrap, so every order gives the same bits. Example: rows of 100 i8 into i64 are added in lanes of i16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "executor/device/cpu/loops/short_rows.hpp"
#include "executor/device/cpu/loops/tile_reduce.hpp"
#include "executor/device/cpu/vector_size.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// Of values of `From` into accumulators of `To`, whose sums wrap: unsigned.
template <class From, class To>
struct WideningSums {
    using Partial = std::conditional_t<sizeof(From) == 1, std::int16_t,
                                       std::conditional_t<sizeof(From) == 2, std::int32_t, std::int64_t>>;
    static constexpr std::size_t lanes = vector_bytes / sizeof(Partial);
    /// Terms that a partial sum has room for.
    static constexpr std::size_t most = sizeof(From) == 1 ? 128 : std::size_t{1} << 15;
    using Values = Vector<From, lanes>;
    using Partials = Vector<Partial, lanes>;

    static Partials widened(From const* from) {
        Values values;
        __builtin_memcpy(&values, from, sizeof values);
        return __builtin_convertvector(values, Partials);
    }

    static void combine(void* acc, void const* values, std::size_t count) {
        auto* const a = static_cast<To*>(acc);
        auto const* const v = static_cast<From const*>(values);
        for (std::size_t i = 0; i < count; ++i) a[i] += static_cast<To>(v[i]);
    }

    /// Of at most `most` values a lane.
    static To sum_of(From const* v, std::size_t count) {
        constexpr std::size_t parts = 4;
        Partials part[parts] = {};
        std::size_t i = 0;
        for (; i + parts * lanes <= count; i += parts * lanes)
            for (std::size_t p = 0; p < parts; ++p) part[p] += widened(v + i + p * lanes);
        for (; i + lanes <= count; i += lanes) part[0] += widened(v + i);
        part[0] += part[1] + part[2] + part[3];
        Partial lane[lanes];
        __builtin_memcpy(lane, part, sizeof lane);
        To sum = 0;
        for (std::size_t l = 0; count >= lanes && l < lanes; ++l) sum += static_cast<To>(lane[l]);
        for (; i < count; ++i) sum += static_cast<To>(v[i]);
        return sum;
    }

    static void rows(void* acc, void const* values, std::size_t count, std::size_t columns) {
        auto* const a = static_cast<To*>(acc);
        auto const* v = static_cast<From const*>(values);
        if (columns > 1 && columns <= longest_short_row) return short_rows(a, v, count, columns);
        for (std::size_t r = 0; r < count; ++r, v += columns)
            for (std::size_t at = 0; at < columns; at += most * lanes)
                a[r] += sum_of(v + at, columns - at < most * lanes ? columns - at : most * lanes);
    }

    static void short_rows(To* a, From const* v, std::size_t count, std::size_t columns) {
        using Whole = std::conditional_t<sizeof(From) < 4, std::int32_t, std::int64_t>;
        combine_short_rows_in<Sum, Whole>(
            v, count, columns, [](std::size_t) { return Whole{0}; },
            [&](std::size_t r, Whole sum) { a[r] += static_cast<To>(sum); });
    }

    template <std::size_t Parts>
    static void some_columns(To* a, char const* row, std::ptrdiff_t step, std::size_t count) {
        Partials part[Parts] = {};
        for (std::size_t r = 0; r < count; ++r, row += step)
            for (std::size_t p = 0; p < Parts; ++p) part[p] += widened(reinterpret_cast<From const*>(row) + p * lanes);
        Partial sums[Parts * lanes];
        __builtin_memcpy(sums, part, sizeof sums);
        for (std::size_t c = 0; c < Parts * lanes; ++c) a[c] += static_cast<To>(sums[c]);
    }

    static void columns(void* acc, void const* values, std::ptrdiff_t step, std::size_t count, std::size_t width) {
        constexpr std::size_t parts = 4;
        auto* const a = static_cast<To*>(acc);
        auto const* first = static_cast<char const*>(values);
        for (std::size_t n; count > 0; count -= n, first += static_cast<std::ptrdiff_t>(n) * step) {
            n = count < most ? count : most;
            std::size_t c = 0;
            for (; c + parts * lanes <= width; c += parts * lanes)
                some_columns<parts>(a + c, first + c * sizeof(From), step, n);
            for (; c + lanes <= width; c += lanes) some_columns<1>(a + c, first + c * sizeof(From), step, n);
            char const* row = first + c * sizeof(From);
            for (std::size_t r = 0; r < n; ++r, row += step) combine(a + c, row, width - c);
        }
    }

    static void middle(void* acc, void const* values, std::size_t rows, std::size_t terms, std::size_t columns) {
        auto* a = static_cast<To*>(acc);
        auto const* v = static_cast<From const*>(values);
        for (std::size_t r = 0; r < rows; ++r, a += columns)
            for (std::size_t t = 0; t < terms; ++t, v += columns) combine(a, v, columns);
    }

    static TileAggregate loops() { return {combine, rows, columns, middle, nullptr}; }
};

}  // namespace
}  // namespace ein::executor::EIN_INSTRUCTION_SET
