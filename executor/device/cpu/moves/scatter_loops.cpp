// The loops of scatter_loops.hpp for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled once for each, in
// a namespace of its own (ein_instruction_sets in cmake/EinLibrary.cmake).
#include "executor/device/cpu/moves/scatter_loops.hpp"

#include <cstdint>

#include "executor/device/cpu/vector_size.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

constexpr Extent rows_ahead = 8;  // whose first line is asked for

template <class T>
T load(std::byte const* from) {
    T value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}

/// `Vectors` vectors of sums, which stay in registers. @param at  of the first in its row
template <class From, class To, int Vectors>
void add_columns(std::byte* sums, Extent at, std::byte const* data, Extent const* order, Extent count) {
    constexpr int lanes = vector_bytes / static_cast<int>(sizeof(To));
    using Sums [[gnu::vector_size(vector_bytes)]] = To;
    using Row [[gnu::vector_size(lanes * sizeof(From))]] = From;
    Sums total[Vectors];
    __builtin_memcpy(total, sums + at * Extent{sizeof(To)}, sizeof total);
    for (Extent k = 0; k < count; ++k) {
        std::byte const* const row = data + order[k] + at * Extent{sizeof(From)};
        if (k + rows_ahead < count) __builtin_prefetch(data + order[k + rows_ahead] + at * Extent{sizeof(From)});
        for (int v = 0; v < Vectors; ++v)
            total[v] += __builtin_convertvector(load<Row>(row + v * Extent{sizeof(Row)}), Sums);
    }
    __builtin_memcpy(sums + at * Extent{sizeof(To)}, total, sizeof total);
}

/// @param width  in numbers: twice that of complex elements
template <class From, class To>
void add_numbers(std::byte* sums, Extent width, std::byte const* data, Extent const* order, Extent count) {
    constexpr Extent lanes = vector_bytes / sizeof(To);
    Extent at = 0;
    for (; at + 4 * lanes <= width; at += 4 * lanes) add_columns<From, To, 4>(sums, at, data, order, count);
    for (; at + lanes <= width; at += lanes) add_columns<From, To, 1>(sums, at, data, order, count);
    for (; at < width; ++at) {
        std::byte* const to = sums + at * Extent{sizeof(To)};
        To total = load<To>(to);
        for (Extent k = 0; k < count; ++k)
            total += static_cast<To>(load<From>(data + order[k] + at * Extent{sizeof(From)}));
        __builtin_memcpy(to, &total, sizeof total);
    }
}

template <class From, class To, int Parts>
void add_rows(std::byte* sums, Extent width, std::byte const* data, Extent const* order, Extent count) {
    add_numbers<From, To>(sums, Parts * width, data, order, count);
}

template <class To, int Parts>
void add_at(std::byte* sums, Extent length, Extent const* rows, std::byte const* values, Extent count) {
    for (Extent k = 0; k < count; ++k) {
        if (static_cast<std::uint64_t>(rows[k]) >= static_cast<std::uint64_t>(length)) continue;
        for (int part = 0; part < Parts; ++part) {
            std::byte* const to = sums + (Parts * rows[k] + part) * Extent{sizeof(To)};
            To const total = load<To>(to) + load<To>(values + (Parts * k + part) * Extent{sizeof(To)});
            __builtin_memcpy(to, &total, sizeof total);
        }
    }
}

template <class From, class To, int Parts = 1>
constexpr ScatterLoops loops{add_rows<From, To, Parts>, add_at<To, Parts>};

}  // namespace

ScatterLoops scatter_loops(DType data, DType sums) {
    bool const same = data == sums;
    switch (sums) {
        case DType::f32: return same ? loops<float, float> : ScatterLoops{nullptr, add_at<float, 1>};
        case DType::f64:
            return same                 ? loops<double, double>
                   : data == DType::f32 ? loops<float, double>
                                        : ScatterLoops{nullptr, add_at<double, 1>};
        case DType::c64: return same ? loops<float, float, 2> : ScatterLoops{nullptr, add_at<float, 2>};
        case DType::c128:
            return same                 ? loops<double, double, 2>
                   : data == DType::c64 ? loops<float, double, 2>
                                        : ScatterLoops{nullptr, add_at<double, 2>};
        case DType::i32:
            return same ? loops<std::uint32_t, std::uint32_t> : ScatterLoops{nullptr, add_at<std::uint32_t, 1>};
        case DType::i64:
            return same                 ? loops<std::uint64_t, std::uint64_t>
                   : data == DType::i32 ? loops<std::int32_t, std::uint64_t>
                                        : ScatterLoops{nullptr, add_at<std::uint64_t, 1>};
        default: return {};
    }
}

}  // namespace ein::executor::EIN_INSTRUCTION_SET
