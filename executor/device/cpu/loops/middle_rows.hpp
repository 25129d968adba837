// A label between others that is aggregated, where rows of the inner one are too short for vectors of their own, for
// the loops of one instruction set: to be included where EIN_INSTRUCTION_SET is defined. A vector takes a row and some
// of what follows it; the result of that is overwritten by the next row's. Example: of 8 pixels of 3 bytes each, 16
// bytes at bytes 0, 3, 6 ... are combined, of which the first 3 are the result.
#pragma once

#include <cstddef>

#include "executor/device/cpu/vector_size.hpp"

#include "executor/device/cpu/loops/tile_reduce.hpp"  // of the set

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

template <class Op, class T>
struct MiddleRows {
    static constexpr std::size_t together = 64;

    template <std::size_t Bytes>
    [[gnu::noinline]] static void in_vectors(T* a, T const* v, std::size_t rows, std::size_t terms,
                                             std::size_t columns) {
        constexpr std::size_t lanes = Bytes / sizeof(T);
        std::size_t const row = terms * columns;
        T made[(together + 1) * lanes];
        for (std::size_t n; rows > 0; rows -= n, v += n * row, a += n * columns) {
            n = rows < together ? rows : together;
            std::size_t r = 0;
            for (; r < n && (rows - r) * row >= row - columns + lanes; ++r) {  // all of it is there to be read
                T const* from = v + r * row;
                Vector<T, lanes> sum, next;
                __builtin_memcpy(&sum, from, sizeof sum);
                for (std::size_t t = 1; t < terms; ++t) {
                    __builtin_memcpy(&next, from + t * columns, sizeof next);
                    sum = Op::of(sum, next);
                }
                __builtin_memcpy(made + r * columns, &sum, sizeof sum);
            }
            for (std::size_t i = 0; i < r * columns; ++i) a[i] = Op::of(a[i], made[i]);
            for (; r < n; ++r) one_by_one(a + r * columns, v + r * row, terms, columns);
        }
    }

    static void one_by_one(T* a, T const* v, std::size_t terms, std::size_t columns) {
        for (std::size_t c = 0; c < columns; ++c) {
            T made = v[c];
            for (std::size_t t = 1; t < terms; ++t) made = Op::of(made, v[t * columns + c]);
            a[c] = Op::of(a[c], made);
        }
    }

    static void run(T* a, T const* v, std::size_t rows, std::size_t terms, std::size_t columns) {
        if constexpr (has_vectors<T>) {
            std::size_t const bytes = columns * sizeof(T);
            if (bytes <= 16) return in_vectors<16>(a, v, rows, terms, columns);
            if constexpr (vector_bytes >= 32)
                if (bytes <= 32) return in_vectors<32>(a, v, rows, terms, columns);
            if constexpr (vector_bytes >= 64)
                if (bytes <= 64) return in_vectors<64>(a, v, rows, terms, columns);
        }
        for (std::size_t r = 0; r < rows; ++r) {
            T const* from = v + r * terms * columns;
            for (std::size_t t = 0; t < terms; ++t, from += columns)
                for (std::size_t c = 0; c < columns; ++c) a[c] = Op::of(a[c], from[c]);
            a += columns;
        }
    }
};

}  // namespace
}  // namespace ein::executor::EIN_INSTRUCTION_SET
