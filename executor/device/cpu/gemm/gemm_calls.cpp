#include "executor/device/cpu/gemm/gemm_calls.hpp"

#include <cblas.h>

#include <algorithm>
#include <complex>
#include <limits>

#include "lib/base/error.hpp"

namespace ein::executor {
namespace {

constexpr Extent most = std::numeric_limits<blasint>::max();

blasint blas_int(Extent value) { return static_cast<blasint>(value); }

CBLAS_TRANSPOSE flag(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }

template <class T>
struct Blas;
template <>
struct Blas<float> {
    static constexpr auto gemm = cblas_sgemm;
    static constexpr auto gemv = cblas_sgemv;
    static float scalar(double value) { return static_cast<float>(value); }
};
template <>
struct Blas<double> {
    static constexpr auto gemm = cblas_dgemm;
    static constexpr auto gemv = cblas_dgemv;
    static double scalar(double value) { return value; }
};

/// Complex BLAS takes its factors by address.
template <class T>
struct Factor {
    explicit Factor(double real) : value(static_cast<T>(real), 0) {}
    operator void const*() const { return &value; }
    std::complex<T> value;
};
template <>
struct Blas<std::complex<float>> {
    static constexpr auto gemm = cblas_cgemm;
    static constexpr auto gemv = cblas_cgemv;
    static Factor<float> scalar(double value) { return Factor<float>(value); }
};
template <>
struct Blas<std::complex<double>> {
    static constexpr auto gemm = cblas_zgemm;
    static constexpr auto gemv = cblas_zgemv;
    static Factor<double> scalar(double value) { return Factor<double>(value); }
};

/// Elements between neighbours of a matrix that is one row or one column.
blasint step(BlasForm const& form, bool along_rows) {
    return form.transposed == along_rows ? 1 : blas_int(form.leading);
}

/// c[m] = a[m, k] b[k]: a vector b lies along the rows of its matrix, as c does.
template <class T>
void multiply_vector(GemmCall const& call, T const* a, T const* b, T* c) {
    bool const transposed = call.a_form.transposed;
    Extent const rows = transposed ? call.k : call.m, columns = transposed ? call.m : call.k;
    auto const alpha = Blas<T>::scalar(call.alpha), beta = Blas<T>::scalar(call.beta);
    Blas<T>::gemv(CblasRowMajor, flag(transposed), blas_int(rows), blas_int(columns), alpha, a,
                  blas_int(call.a_form.leading), b, step(call.b_form, true), beta, c, step(call.c_form, true));
}

/// c[n] = a[k] b[k, n]: the same with b transposed.
template <class T>
void multiply_row(GemmCall const& call, T const* a, T const* b, T* c) {
    bool const transposed = call.b_form.transposed;
    Extent const rows = transposed ? call.n : call.k, columns = transposed ? call.k : call.n;
    auto const alpha = Blas<T>::scalar(call.alpha), beta = Blas<T>::scalar(call.beta);
    Blas<T>::gemv(CblasRowMajor, flag(!transposed), blas_int(rows), blas_int(columns), alpha, b,
                  blas_int(call.b_form.leading), a, step(call.a_form, false), beta, c, step(call.c_form, false));
}

/// A transposed c is a row-major one of the other order: every matrix then reads the other way round.
template <class T>
void multiply(GemmCall const& call, T const* a, T const* b, T* c) {
    if (call.n == 1 && call.m > 1) return multiply_vector(call, a, b, c);
    if (call.m == 1 && call.n > 1) return multiply_row(call, a, b, c);
    bool const other = call.c_form.transposed;
    auto const alpha = Blas<T>::scalar(call.alpha), beta = Blas<T>::scalar(call.beta);
    Blas<T>::gemm(other ? CblasColMajor : CblasRowMajor, flag(call.a_form.transposed != other),
                  flag(call.b_form.transposed != other), blas_int(call.m), blas_int(call.n), blas_int(call.k), alpha, a,
                  blas_int(call.a_form.leading), b, blas_int(call.b_form.leading), beta, c,
                  blas_int(call.c_form.leading));
}

template <class T>
void multiply(GemmCall const& call, void const* a, void const* b, void* c) {
    multiply<T>(call, static_cast<T const*>(a), static_cast<T const*>(b), static_cast<T*>(c));
}

}  // namespace

std::optional<BlasForm> blas_form(Extent rows, Extent columns, MatrixStrides strides) {
    if (rows > most || columns > most) return std::nullopt;
    bool const rows_fit = (strides.column == 1 || columns == 1) && (rows == 1 || strides.row >= columns);
    Extent const between_rows = rows == 1 ? columns : strides.row;
    if (rows_fit && between_rows <= most) return BlasForm{false, between_rows};
    bool const columns_fit = (strides.row == 1 || rows == 1) && (columns == 1 || strides.column >= rows);
    Extent const between_columns = columns == 1 ? rows : strides.column;
    if (columns_fit && between_columns <= most) return BlasForm{true, between_columns};
    return std::nullopt;
}

void gemm(GemmCall const& call, void const* a, void const* b, void* c) {
    if (call.type == DType::f32) return multiply<float>(call, a, b, c);
    if (call.type == DType::f64) return multiply<double>(call, a, b, c);
    if (call.type == DType::c64) return multiply<std::complex<float>>(call, a, b, c);
    if (call.type == DType::c128) return multiply<std::complex<double>>(call, a, b, c);
    throw InternalError("BLAS has no such type");
}

}  // namespace ein::executor
