// Packing of complex numbers, for pair_loops.cpp. A product of complex numbers is one of real numbers with two terms
// for each: with a's parts side by side as two terms, and b's columns as (re, im) for the first and (-im, re) for the
// second. So tiles know real numbers only. Source: Van Zee and Smith, "Implementing high-performance complex matrix
// multiplication via the 1m method" (2020).
#pragma once

#include "executor/device/cpu/gemm/pair_pack.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// A complex number as it lies in memory.
template <class T>
struct Complex {
    T re, im;
};

/// What operands are made of.
template <class P>
struct ElementOf {
    using Type = typename P::T;
};
template <class P>
requires(P::parts == 2) struct ElementOf<P> {
    using Type = Complex<typename P::T>;
};
template <class P>
using PackedElement = typename ElementOf<P>::Type;

/// Slivers of a: rows of each term side by side, parts of each together.
template <class T>
void pack_parts(Source<Complex<T>> const& source, Slivers const& slivers, Complex<T>* to) {
    bool const along_terms = even_step(source.term_at, source.terms) == 1;
    for (Index s = 0; s < slivers.count; ++s) {
        Index const first = slivers.first(s), width = slivers.width(s), held = at_most(source.wide - first, width);
        Complex<T>* const sliver = to + first * source.terms;
        for (Index w = held; w < width; ++w)
            for (Index p = 0; p < source.terms; ++p) sliver[p * width + w] = {};
        if (along_terms) {
            for (Index w = 0; w < held; ++w) {
                Complex<T> const* const from = source.from + source.wide_at[first + w] + source.term_at[0];
                for (Index p = 0; p < source.terms; ++p) sliver[p * width + w] = from[p];
            }
        } else {
            for (Index p = 0; p < source.terms; ++p)
                for (Index w = 0; w < held; ++w)
                    sliver[p * width + w] = source.from[source.wide_at[first + w] + source.term_at[p]];
        }
    }
}

template <class T>
void put_pair(Complex<T> value, T* first, T* second) {
    first[0] = value.re;
    first[1] = value.im;
    second[0] = -value.im;
    second[1] = value.re;
}

template <class T, int... I>
Vector<T> turned_parts(Vector<T> value, std::integer_sequence<int, I...>) {
    Vector<T> const exchanged = __builtin_shufflevector(value, value, (I ^ 1)...);
    return exchanged * Vector<T>{(I % 2 == 0 ? T{-1} : T{1})...};
}

/// Slivers of b, columns of whole vectors: for each term two rows. `slivers` counts complex columns.
template <class T>
void pack_pairs(Source<Complex<T>> const& source, Slivers const& slivers, T* to) {
    constexpr std::make_integer_sequence<int, lanes<T>> numbers;
    bool const along_terms = even_step(source.term_at, source.terms) == 1 && source.terms > 1;
    for (Index s = 0; s < slivers.count; ++s) {
        Index const first = slivers.first(s), width = slivers.width(s), held = at_most(source.wide - first, width);
        T* const sliver = to + first * source.terms * 4;
        for (Index p = 0; p < source.terms && held < width; ++p)
            for (Index w = 2 * held; w < 2 * width; ++w)
                sliver[p * 4 * width + w] = sliver[(p * 4 + 2) * width + w] = 0;
        if (held == width && even_step(source.wide_at + first, width) == 1) {
            for (Index p = 0; p < source.terms; ++p) {
                T const* const from = &source.from[source.wide_at[first] + source.term_at[p]].re;
                T* const row = sliver + p * 4 * width;
                for (Index w = 0; w < 2 * width; w += lanes<T>) {
                    Vector<T> const value = *(Anywhere<T> const*)(from + w);
                    *(Anywhere<T>*)(row + w) = value;
                    *(Anywhere<T>*)(row + 2 * width + w) = turned_parts<T>(value, numbers);
                }
            }
        } else if (along_terms) {
            for (Index w = 0; w < held; ++w) {
                Complex<T> const* const from = source.from + source.wide_at[first + w] + source.term_at[0];
                T* row = sliver + 2 * w;
                for (Index p = 0; p < source.terms; ++p, row += 4 * width) put_pair(from[p], row, row + 2 * width);
            }
        }
    }
    if (along_terms) return;
    for (Index p = 0; p < source.terms; ++p)  // every sliver of a term: what lies side by side is used together
        for (Index s = 0; s < slivers.count; ++s) {
            Index const first = slivers.first(s), width = slivers.width(s), held = at_most(source.wide - first, width);
            if (held == width && even_step(source.wide_at + first, width) == 1) continue;
            T* const row = to + (first * source.terms + p * width) * 4;
            Complex<T> const* const from = source.from + source.term_at[p];
            for (Index w = 0; w < held; ++w)
                put_pair(from[source.wide_at[first + w]], row + 2 * w, row + 2 * (width + w));
        }
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
