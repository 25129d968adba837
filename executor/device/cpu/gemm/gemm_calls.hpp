// Matrices in memory as BLAS wants them, and the calls themselves for the four types that BLAS knows.
// Leaves which labels are rows and columns to gemm_plan.hpp. Example: a 3 x 4 matrix with strides (1, 3) is a
// transposed one with ld 3.
#pragma once

#include <optional>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"

namespace ein::executor {

/// How far apart rows and columns lie, in elements.
struct MatrixStrides {
    Extent row = 0, column = 0;
};

/// A matrix that BLAS takes in place: rows of adjacent elements `leading` apart, or columns where `transposed`.
struct BlasForm {
    bool transposed = false;
    Extent leading = 1;
};

/// @return nothing where neither rows nor columns are adjacent elements, or where a size is beyond BLAS
std::optional<BlasForm> blas_form(Extent rows, Extent columns, MatrixStrides strides);

/// c[m, n] = alpha * sum over k of a[m, k] * b[k, n] + beta * c[m, n], forms as stored. All of one type.
struct GemmCall {
    DType type = DType::f32;
    Extent m = 1, n = 1, k = 1;
    double alpha = 1, beta = 0;
    BlasForm a_form, b_form, c_form;
};
void gemm(GemmCall const& call, void const* a, void const* b, void* c);

}  // namespace ein::executor
