// The loops of row_loops.hpp for complex numbers and one instruction set, whose name is EIN_INSTRUCTION_SET: of two
// reals each, whose vectors hold whole numbers.
#include "executor/device/cpu/sparse_products/row_loops.hpp"

#include "executor/device/cpu/sparse_products/row_vectors.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

template <class R>
Complex<R> sum(Complex<R> const* values, Count count) {
    R const* const reals = reinterpret_cast<R const*>(values);
    Vector<R> one{}, two{};
    Count e = 0;
    for (; e + 4 * lanes<R> <= 2 * count; e += 4 * lanes<R>) {
        one += load(reals + e) + load(reals + e + 2 * lanes<R>);
        two += load(reals + e + lanes<R>) + load(reals + e + 3 * lanes<R>);
    }
    Complex<R> sum(0);
    one += two;
    for (int lane = 0; lane < lanes<R>; lane += 2) sum += Complex<R>(one[lane], one[lane + 1]);
    for (Count k = e / 2; k < count; ++k) sum += values[k];
    return sum;
}

#if defined(__AVX512F__)
/// Products with the real parts of values and with their imaginary parts are summed apart.
inline Complex<float> dot_of_whole_vectors(Complex<float> const* values, Element const* index, Count count,
                                           Complex<float> const* x) {
    constexpr Count numbers = 8;  // of a vector
    __m512 real[2] = {}, imaginary[2] = {};
    for (Count e = 0; e < count; e += numbers) {
        __m512 const value = _mm512_loadu_ps(values + e);
        __m512 const other = _mm512_castpd_ps(_mm512_mask_i32gather_pd(
            __m512d{}, 0xff, _mm256_loadu_si256(reinterpret_cast<__m256i const*>(index + e)), x, 8));
        __m512 &re = real[e / numbers % 2], &im = imaginary[e / numbers % 2];
        re = _mm512_fmadd_ps(_mm512_maskz_moveldup_ps(0xffff, value), other, re);
        im = _mm512_fmadd_ps(_mm512_maskz_movehdup_ps(0xffff, value), other, im);
    }
    Vector<float> const re = real[0] + real[1], im = imaginary[0] + imaginary[1];
    Complex<float> sum(0);
    for (int lane = 0; lane < lanes<float>; lane += 2)
        sum += Complex<float>(re[lane] + -im[lane + 1], re[lane + 1] + im[lane]);
    return sum;
}
#endif

/// Four sums, as one would wait for itself.
template <class R>
Complex<R> dot_gathered(Complex<R> const* values, Element const* index, Count count, Complex<R> const* x,
                        std::ptrdiff_t stride) {
    Complex<R> sums[4] = {Complex<R>(0), Complex<R>(0), Complex<R>(0), Complex<R>(0)};
    Count e = 0;
#if defined(__AVX512F__)
    if constexpr (__is_same(R, float)) {
        if (stride == 1 && count >= 32) {
            e = count / 16 * 16;
            sums[1] = dot_of_whole_vectors(values, index, e, x);
        }
    }
#endif
    for (; e + 4 <= count; e += 4)
#pragma GCC unroll 4
        for (Count k = 0; k < 4; ++k) sums[k] += values[e + k] * x[(std::ptrdiff_t)index[e + k] * stride];
    for (; e < count; ++e) sums[0] += values[e] * x[(std::ptrdiff_t)index[e] * stride];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class R>
void dot_rows(Complex<R>* out, std::ptrdiff_t out_stride, Count rows, std::uint64_t const* offsets,
              Complex<R> const* values, Element const* index, Complex<R> const* x, Complex<R> factor, Count most) {
    for (Count row = 0; row < rows; ++row) {
        Count const begin = (Count)(offsets[row] - offsets[0]), count = (Count)(offsets[row + 1] - offsets[row]);
        if (count > most) continue;
        out[(std::ptrdiff_t)row * out_stride] = count == 0 ? Complex<R>(0)
                                                : x == nullptr
                                                    ? factor * sum(values + begin, count)
                                                    : factor * dot_gathered(values + begin, index + begin, count, x, 1);
    }
}

template <class R>
Vector<R> swapped(Vector<R> value) {  // the parts of each number
    Vector<R> other;
    for (int lane = 0; lane < lanes<R>; ++lane) other[lane] = value[lane ^ 1];
    return other;
}

/// Products with the real parts of values and with their imaginary parts are summed apart: they meet at the end.
template <class R, class Block>
void add_rows_in(Block const& block, R* acc, Complex<R> const* values, Element const* index, Count count,
                 R const* matrix, std::ptrdiff_t stride) {
    constexpr int vectors = Block::vectors;
    Vector<R> real[vectors] = {}, imaginary[vectors] = {};
    for (Count e = 0; e < count; ++e) {
        R const* const row = matrix + (std::ptrdiff_t)index[e] * stride;
        if (e + ahead < count) {
            char const* const next = reinterpret_cast<char const*>(matrix + (std::ptrdiff_t)index[e + ahead] * stride);
#pragma GCC unroll 8
            for (int v = 0; v < vectors; v += line_vectors) __builtin_prefetch(next + v * vector_bytes, 0, 3);
        }
        Vector<R> const re = repeated(values[e].re), im = repeated(values[e].im);
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) {
            Vector<R> const here = block.get(row, v);
            real[v] = plus_product<R>(real[v], re, here);
            imaginary[v] = plus_product<R>(imaginary[v], im, here);
        }
    }
    Vector<R> signs;  // i times (a, b) is (-b, a)
    for (int lane = 0; lane < lanes<R>; ++lane) signs[lane] = lane % 2 == 0 ? R(-1) : R(1);
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) block.add(acc, v, real[v] + signs * swapped<R>(imaginary[v]));
}

template <class R>
void add_rows(Complex<R>* acc, Count width, Complex<R> const* values, Element const* index, Count count,
              Complex<R> const* matrix, std::ptrdiff_t stride) {
    R* const to = reinterpret_cast<R*>(acc);
    R const* const from = reinterpret_cast<R const*>(matrix);
    for_each_block<R>(2 * width, [&](auto const& block, Count at) {
        add_rows_in<R>(block, to + at, values, index, count, from + at, 2 * stride);
    });
}

template <class R>
void add_fibres(Complex<R>* acc, Count width, Complex<R> const* values, Element const* o, Element const* i, Count count,
                Complex<R> const* outer, std::ptrdiff_t outer_stride, Complex<R> const* inner,
                std::ptrdiff_t inner_stride) {
    constexpr Count together = 64;
    for (Count at = 0; at < width; at += together) {
        Count const columns = width - at < together ? width - at : together;
        for (Count e = 0; e < count;) {
            Count end = e + 1;
            while (end < count && o[end] == o[e]) ++end;
            Complex<R> fibre[together];
            for (Count j = 0; j < columns; ++j) fibre[j] = Complex<R>(0);
            add_rows(fibre, columns, values + e, i + e, end - e, inner + at, inner_stride);
            Complex<R> const* const row = outer + (std::ptrdiff_t)o[e] * outer_stride + at;
            for (Count j = 0; j < columns; ++j) acc[at + j] += fibre[j] * row[j];
            e = end;
        }
    }
}

template <class R>
void multiply_gathered(Complex<R>* to, Complex<R> const* values, Count count, Element const* const* index,
                       std::ptrdiff_t const* strides, Count places, Complex<R> const* x) {
    for (Count e = 0; e < count; ++e) {
        std::ptrdiff_t at = 0;
        for (Count p = 0; p < places; ++p) at += strides[p] * (std::ptrdiff_t)index[p][e];
        to[e] = values[e] * x[at];
    }
}

template <class R>
Complex<R> dot(Complex<R> const* const* vectors, Count vectors_count, Count count) {
    constexpr Count longest = 4096;
    if (count > longest) {
        Count const half = count / 2;
        Complex<R> const* rest[8];
        for (Count v = 0; v < vectors_count; ++v) rest[v] = vectors[v] + half;
        return dot<R>(vectors, vectors_count, half) + dot<R>(rest, vectors_count, count - half);
    }
    Complex<R> sums[4] = {Complex<R>(0), Complex<R>(0), Complex<R>(0), Complex<R>(0)};
    for (Count k = 0; k < count; ++k) {
        Complex<R> term = vectors[0][k];
        for (Count v = 1; v < vectors_count; ++v) term *= vectors[v][k];
        sums[k % 4] += term;
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class R>
void multiply_add(Complex<R>* acc, Complex<R> factor, Complex<R> const* const* vectors, Count vectors_count,
                  Count width) {
    for (Count j = 0; j < width; ++j) {
        Complex<R> term = factor;
        for (Count k = 0; k < vectors_count; ++k) term *= vectors[k][j];
        acc[j] += term;
    }
}

template <class R>
void add_totals(Complex<R>* total, Complex<R>* low, Complex<R> const* values, Count width) {
    add_total(reinterpret_cast<R*>(total), reinterpret_cast<R*>(low), reinterpret_cast<R const*>(values), 2 * width);
}

template <class R>
RowLoops<Complex<R>> complex_row_loops() {
    return {add_rows<R>, add_fibres<R>, dot_gathered<R>, dot_rows<R>,  multiply_gathered<R>,
            sum<R>,      dot<R>,        multiply_add<R>, add_totals<R>};
}

}  // namespace

template <>
RowLoops<Complex<float>> row_loops() {
    return complex_row_loops<float>();
}
template <>
RowLoops<Complex<double>> row_loops() {
    return complex_row_loops<double>();
}

}  // namespace ein::executor::EIN_INSTRUCTION_SET
