// Vectors of one instruction set as loops over rows have them, and what these loops share: to be included where
// EIN_INSTRUCTION_SET is defined. Example: for_each_block<double>(20, visit) visits sixteen columns, then four.
#pragma once

#include "executor/device/cpu/gemm/pair_product.hpp"
#include "executor/device/cpu/gemm/pair_vectors.hpp"
#include "executor/device/cpu/loops/exact_sums.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

template <>
struct Lanes<std::uint64_t> {  // of whole numbers: what they wrap to is the same with a sign and without
    using Vector = std::uint64_t __attribute__((vector_size(vector_bytes)));
    using Anywhere = std::uint64_t __attribute__((vector_size(vector_bytes), aligned(8), may_alias));
};
template <class T>
constexpr bool fuses = fused && !__is_same(T, std::uint64_t);

using Element = std::uint32_t;
using Count = std::size_t;

template <class T>
Vector<T> load(T const* from) {
    return *reinterpret_cast<Anywhere<T> const*>(from);
}
template <class T>
void store(T* to, Vector<T> value) {
    *reinterpret_cast<Anywhere<T>*>(to) = value;
}
template <class T>
Vector<T> plus_product(Vector<T> held, Vector<T> a, Vector<T> b) {
    if constexpr (fuses<T>)
        return fused_sum(held, a, b);
    else
        return held + a * b;
}
template <class T>
Vector<T> repeated(T value) {
    return value - Vector<T>{};
}

/// Some columns of a row: whole vectors, or fewer lanes than one.
template <class T, int Vectors>
struct Columns {
    static constexpr int vectors = Vectors;
    static constexpr Count width = Vectors * static_cast<Count>(lanes<T>);
    static Vector<T> get(T const* from, int v) { return load(from + v * lanes<T>); }
    static void add(T* to, int v, Vector<T> value) { store(to + v * lanes<T>, load(to + v * lanes<T>) + value); }
};
template <class T>
struct Rest {
    static constexpr int vectors = 1;
    Count width;
    Vector<T> get(T const* from, int) const { return first_lanes<T>(from, (Index)width); }
    void add(T* to, int, Vector<T> value) const {
        set_first_lanes<T>(to, (Index)width, first_lanes<T>(to, (Index)width) + value);
    }
};

constexpr int line_vectors = 64 / vector_bytes;  // of a cache line
constexpr Count ahead = 12;                      // elements for which rows are asked for

/// Calls with the widest blocks first: visit(block, first column).
template <class T, class Visit>
void for_each_block(Count width, Visit&& visit) {
    Count at = 0;
    for (; at + Columns<T, 8>::width <= width; at += Columns<T, 8>::width) visit(Columns<T, 8>{}, at);
    if (at + Columns<T, 4>::width <= width) {
        visit(Columns<T, 4>{}, at);
        at += Columns<T, 4>::width;
    }
    if (at + Columns<T, 2>::width <= width) {
        visit(Columns<T, 2>{}, at);
        at += Columns<T, 2>::width;
    }
    if (at + Columns<T, 1>::width <= width) {
        visit(Columns<T, 1>{}, at);
        at += Columns<T, 1>::width;
    }
    if (at < width) visit(Rest<T>{width - at}, at);
}

}  // namespace
}  // namespace ein::executor::EIN_INSTRUCTION_SET
