// Loops of sums of products over listed elements, compiled once for each instruction set. Sums of many terms are in
// runs; who calls adds the runs' sums without loss (add_total). Of float, double, whole numbers that wrap, and
// complex numbers. Nothing
// here depends on the number of threads. Example: add_rows(acc, 4, {2, 3}, {0, 5}, 2, m, 4) adds 2*row 0 + 3*row 5 of m
// to acc.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ein::executor {

/// A complex number as blocks hold it. Its operations are inlined wherever they are: no instruction set has copies.
template <class Real>
struct Complex {
    Real re, im;

    Complex() = default;
    [[gnu::always_inline]] constexpr explicit Complex(Real real) : re(real), im(0) {}
    [[gnu::always_inline]] constexpr Complex(Real real, Real imaginary) : re(real), im(imaginary) {}
    [[gnu::always_inline]] friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    [[gnu::always_inline]] friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
    /// Sums, as a difference beside a sum would be fused (see scalar/kernels/kernel_ops.hpp).
    [[gnu::always_inline]] friend Complex operator*(Complex a, Complex b) {
        return {a.re * b.re + a.im * -b.im, a.re * b.im + a.im * b.re};
    }
    [[gnu::always_inline]] Complex& operator+=(Complex other) { return *this = *this + other; }
    [[gnu::always_inline]] Complex& operator*=(Complex other) { return *this = *this * other; }
    friend bool operator==(Complex const&, Complex const&) = default;
};

template <class T>
struct RowLoops {
    using Index = std::uint32_t;
    /// acc[j] += sum over e of values[e] * matrix[index[e]*stride + j]
    void (*add_rows)(T* acc, std::size_t width, T const* values, Index const* index, std::size_t count, T const* matrix,
                     std::ptrdiff_t stride) = nullptr;
    /// acc[j] += sum over e of values[e] * outer[o[e]*outer_stride + j] * inner[i[e]*inner_stride + j]: terms with
    /// equal o that follow one another are added before they are multiplied by outer
    void (*add_fibres)(T* acc, std::size_t width, T const* values, Index const* o, Index const* i, std::size_t count,
                       T const* outer, std::ptrdiff_t outer_stride, T const* inner,
                       std::ptrdiff_t inner_stride) = nullptr;
    /// sum over e of values[e] * x[index[e]*stride]
    T(*dot_gathered)
    (T const* values, Index const* index, std::size_t count, T const* x, std::ptrdiff_t stride) = nullptr;
    /// out[row*out_stride] = factor * that of the elements from offsets[row] to offsets[row + 1], stride 1, or their
    /// sum where x is null; rows of more than `most` elements are left out. Values and indices are those from
    /// offsets[0] on
    void (*dot_rows)(T* out, std::ptrdiff_t out_stride, std::size_t rows, std::uint64_t const* offsets, T const* values,
                     Index const* index, T const* x, T factor, std::size_t most) = nullptr;
    /// to[e] = values[e] * x[sum over p of index[p][e]*strides[p]]; `to` may be `values`
    void (*multiply_gathered)(T* to, T const* values, std::size_t count, Index const* const* index,
                              std::ptrdiff_t const* strides, std::size_t places, T const* x) = nullptr;
    T (*sum)(T const* values, std::size_t count) = nullptr;
    /// sum over k of vectors[0][k] * vectors[1][k] * ...
    T (*dot)(T const* const* vectors, std::size_t vectors_count, std::size_t count) = nullptr;
    /// acc[j] += factor * vectors[0][j] * vectors[1][j] * ...
    void (*multiply_add)(T* acc, T factor, T const* const* vectors, std::size_t vectors_count,
                         std::size_t width) = nullptr;
    /// total[j] + low[j] grows by values[j], without loss
    void (*add_total)(T* total, T* low, T const* values, std::size_t width) = nullptr;
};

/// @return the best of this processor
template <class T>
RowLoops<T> row_loops();

namespace baseline {
template <class T>
RowLoops<T> row_loops();
}
namespace avx2 {
template <class T>
RowLoops<T> row_loops();
}
namespace avx512 {
template <class T>
RowLoops<T> row_loops();
}

}  // namespace ein::executor
