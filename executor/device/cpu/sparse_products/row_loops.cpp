// The loops of row_loops.hpp for one instruction set, whose name is EIN_INSTRUCTION_SET (see loops/tile_loops.cpp).
#include "executor/device/cpu/sparse_products/row_loops.hpp"

#include "executor/device/cpu/sparse_products/row_vectors.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

template <class T, class Block>
void add_rows_in(Block const& block, T* acc, T const* values, Element const* index, Count count, T const* matrix,
                 std::ptrdiff_t stride) {
    constexpr int vectors = Block::vectors;
    Vector<T> sum[vectors] = {};
    for (Count e = 0; e < count; ++e) {
        T const* const row = matrix + (std::ptrdiff_t)index[e] * stride;
        if (e + ahead < count) {
            char const* const next = reinterpret_cast<char const*>(matrix + (std::ptrdiff_t)index[e + ahead] * stride);
#pragma GCC unroll 8
            for (int v = 0; v < vectors; v += line_vectors) __builtin_prefetch(next + v * vector_bytes, 0, 3);
        }
        Vector<T> const value = repeated(values[e]);
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) sum[v] = plus_product<T>(sum[v], value, block.get(row, v));
    }
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) block.add(acc, v, sum[v]);
}

template <class T>
void add_rows(T* acc, Count width, T const* values, Element const* index, Count count, T const* matrix,
              std::ptrdiff_t stride) {
    for_each_block<T>(width, [&](auto const& block, Count at) {
        add_rows_in<T>(block, acc + at, values, index, count, matrix + at, stride);
    });
}

template <class T, class Block>
void add_fibres_in(Block const& block, T* acc, T const* values, Element const* o, Element const* i, Count count,
                   T const* outer, std::ptrdiff_t outer_stride, T const* inner, std::ptrdiff_t inner_stride) {
    constexpr int vectors = Block::vectors;
    Vector<T> sum[vectors] = {};
    for (Count e = 0; e < count;) {
        Vector<T> fibre[vectors];
        Element const here = o[e];
        {
            T const* const row = inner + (std::ptrdiff_t)i[e] * inner_stride;
            Vector<T> const value = repeated(values[e]);
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v) fibre[v] = value * block.get(row, v);
        }
        if (e + ahead < count) {
            char const* const next = reinterpret_cast<char const*>(inner + (std::ptrdiff_t)i[e + ahead] * inner_stride);
            char const* const too = reinterpret_cast<char const*>(outer + (std::ptrdiff_t)o[e + ahead] * outer_stride);
#pragma GCC unroll 8
            for (int v = 0; v < vectors; v += line_vectors) {
                __builtin_prefetch(next + v * vector_bytes, 0, 3);
                __builtin_prefetch(too + v * vector_bytes, 0, 3);
            }
        }
        for (++e; e < count && o[e] == here; ++e) {
            T const* const row = inner + (std::ptrdiff_t)i[e] * inner_stride;
            Vector<T> const value = repeated(values[e]);
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v) fibre[v] = plus_product<T>(fibre[v], value, block.get(row, v));
        }
        T const* const row = outer + (std::ptrdiff_t)here * outer_stride;
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) sum[v] = plus_product<T>(sum[v], fibre[v], block.get(row, v));
    }
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) block.add(acc, v, sum[v]);
}

template <class T>
void add_fibres(T* acc, Count width, T const* values, Element const* o, Element const* i, Count count, T const* outer,
                std::ptrdiff_t outer_stride, T const* inner, std::ptrdiff_t inner_stride) {
    for_each_block<T>(width, [&](auto const& block, Count at) {
        add_fibres_in<T>(block, acc + at, values, o, i, count, outer + at, outer_stride, inner + at, inner_stride);
    });
}

template <class T>
T folded(Vector<T> value) {
    T sum = 0;
    for (int lane = 0; lane < lanes<T>; ++lane) sum += value[lane];
    return sum;
}

#if defined(__AVX512F__)
inline Vector<double> gathered(double const* x, Element const* index) {
    return _mm512_mask_i32gather_pd(Vector<double>{}, 0xff, _mm256_loadu_si256(reinterpret_cast<__m256i const*>(index)),
                                    x, 8);
}
inline Vector<float> gathered(float const* x, Element const* index) {
    return _mm512_mask_i32gather_ps(Vector<float>{}, 0xffff, _mm512_loadu_si512(index), x, 4);
}
inline Vector<std::uint64_t> gathered(std::uint64_t const* x, Element const* index) {
    return (Vector<std::uint64_t>)_mm512_mask_i32gather_epi64(
        __m512i{}, 0xff, _mm256_loadu_si256(reinterpret_cast<__m256i const*>(index)), x, 8);
}
#else
template <class T>
Vector<T> gathered(T const* x, Element const* index) {
    Vector<T> value;
    for (int lane = 0; lane < lanes<T>; ++lane) value[lane] = x[index[lane]];
    return value;
}
#endif

/// Indices are below 2^31.
template <class T>
T dot_gathered(T const* values, Element const* index, Count count, T const* x, std::ptrdiff_t stride) {
    T rest = 0;
    if (stride != 1) {
        for (Count e = 0; e < count; ++e) rest += values[e] * x[(std::ptrdiff_t)index[e] * stride];
        return rest;
    }
    Vector<T> one{}, two{};
    Count e = 0;
    for (; e + 2 * lanes<T> <= count; e += 2 * lanes<T>) {
        one = plus_product<T>(one, load(values + e), gathered(x, index + e));
        two = plus_product<T>(two, load(values + e + lanes<T>), gathered(x, index + e + lanes<T>));
    }
    for (; e < count; ++e) rest += values[e] * x[index[e]];
    return folded<T>(one + two) + rest;
}

template <class T>
void multiply_gathered(T* to, T const* values, Count count, Element const* const* index, std::ptrdiff_t const* strides,
                       Count places, T const* x) {
    Count e = 0;
    if (places == 1 && strides[0] == 1) {
        for (; e + lanes<T> <= count; e += lanes<T>) store(to + e, load(values + e) * gathered(x, index[0] + e));
        for (; e < count; ++e) to[e] = values[e] * x[index[0][e]];
        return;
    }
    for (; e < count; ++e) {
        std::ptrdiff_t at = 0;
        for (Count p = 0; p < places; ++p) at += strides[p] * (std::ptrdiff_t)index[p][e];
        to[e] = values[e] * x[at];
    }
}

/// Few terms: vectors would be gathered and added up for longer than their terms take.
template <class T>
T dot_few(T const* values, Element const* index, Count count, T const* x) {
    T one = 0, two = 0, three = 0, four = 0;
    Count e = 0;
    for (; e + 4 <= count; e += 4) {
        one += values[e] * x[index[e]];
        two += values[e + 1] * x[index[e + 1]];
        three += values[e + 2] * x[index[e + 2]];
        four += values[e + 3] * x[index[e + 3]];
    }
    for (; e < count; ++e) one += values[e] * x[index[e]];
    return (one + two) + (three + four);
}

template <class T>
T sum(T const* values, Count count) {
    Count e = 0;
    T result = 0;
    if (count >= 2 * lanes<T>) {
        Vector<T> one{}, two{};
        for (; e + 2 * lanes<T> <= count; e += 2 * lanes<T>) {
            one += load(values + e);
            two += load(values + e + lanes<T>);
        }
        result = folded<T>(one + two);
    }
    for (; e < count; ++e) result += values[e];
    return result;
}

/// sum_of(begin, count): of a row's elements.
template <class T, class SumOf>
void for_each_row(T* out, std::ptrdiff_t out_stride, Count rows, std::uint64_t const* offsets, T factor, Count most,
                  SumOf const& sum_of) {
    for (Count row = 0; row < rows; ++row) {
        Count const begin = (Count)(offsets[row] - offsets[0]), count = (Count)(offsets[row + 1] - offsets[row]);
        if (count > most) continue;
        T const total = sum_of(begin, count);
        out[(std::ptrdiff_t)row * out_stride] = count == 0 ? T(0) : factor * total;
    }
}

template <class T>
void dot_rows(T* out, std::ptrdiff_t out_stride, Count rows, std::uint64_t const* offsets, T const* values,
              Element const* index, T const* x, T factor, Count most) {
    constexpr Count few = 48;
    if (x == nullptr)
        return for_each_row(out, out_stride, rows, offsets, factor, most,
                            [=](Count begin, Count count) { return sum(values + begin, count); });
    for_each_row(out, out_stride, rows, offsets, factor, most, [=](Count begin, Count count) {
        return count <= few ? dot_few(values + begin, index + begin, count, x)
                            : dot_gathered(values + begin, index + begin, count, x, 1);
    });
}

template <class T>
T dot(T const* const* vectors, Count vectors_count, Count count) {
    constexpr Count width = lanes<T>;
    constexpr Count longest = 4096;
    if (count > longest) {
        Count const half = count / (2 * width) * width;
        T const* rest[8];
        for (Count v = 0; v < vectors_count; ++v) rest[v] = vectors[v] + half;
        return dot(vectors, vectors_count, half) + dot(rest, vectors_count, count - half);
    }
    Vector<T> sums[4] = {};
    Count k = 0;
    T const *const a = vectors[0], *const b = vectors[vectors_count > 1 ? 1 : 0];
    if (vectors_count == 2) {
        for (; k + 4 * width <= count; k += 4 * width)
#pragma GCC unroll 4
            for (Count s = 0; s < 4; ++s)
                sums[s] = plus_product<T>(sums[s], load(a + k + s * width), load(b + k + s * width));
        for (; k + width <= count; k += width) sums[0] = plus_product<T>(sums[0], load(a + k), load(b + k));
    } else {
        for (; k + width <= count; k += width) {
            Vector<T> term = load(a + k);
            for (Count v = 1; v < vectors_count; ++v) term *= load(vectors[v] + k);
            sums[0] += term;
        }
    }
    if (k < count) {
        Vector<T> term = first_lanes<T>(a + k, (Index)(count - k));
        for (Count v = 1; v < vectors_count; ++v) term *= first_lanes<T>(vectors[v] + k, (Index)(count - k));
        sums[1] += term;
    }
    return folded<T>((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

template <class T>
void multiply_add(T* acc, T factor, T const* const* vectors, Count vectors_count, Count width) {
    for_each_block<T>(width, [&](auto const& block, Count at) {
        for (int v = 0; v < block.vectors; ++v) {
            Vector<T> term = repeated(factor);
            for (Count k = 0; k < vectors_count; ++k) term *= block.get(vectors[k] + at, v);
            block.add(acc + at, v, term);
        }
    });
}

}  // namespace

template <class T>
RowLoops<T> row_loops() {
    return {add_rows<T>, add_fibres<T>, dot_gathered<T>, dot_rows<T>, multiply_gathered<T>,
            sum<T>,      dot<T>,        multiply_add<T>, add_total<T>};
}
template RowLoops<float> row_loops();
template RowLoops<double> row_loops();
template RowLoops<std::uint64_t> row_loops();

}  // namespace ein::executor::EIN_INSTRUCTION_SET
