// The loops of vector_product.hpp and vector_columns.hpp: a few rows of a matrix at a time, read from memory once.
// Compiled for each instruction set. Terms of a run are added in the lanes of a vector, then the lanes, in an order
// that the run's length alone decides; sums of runs without loss. Example: dot() of rows (1, 2), (3, 4) by x = (5, 6)
// gives 17 and 39.
#pragma once

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"

namespace ein::executor {

/// Terms that lie side by side: where they begin in a row of the matrix and in the vector, and how many.
struct VectorRun {
    Extent a, x, count;
};

/// Everything is counted in real numbers. A complex matrix is one of twice as many: by (re, -im) its rows give the real
/// parts of a product, by (im, re) the imaginary ones.
struct VectorCall {
    void const* a = nullptr;
    Extent const* row_at = nullptr;  // where each row begins in a
    Extent rows = 1;
    Extent ahead = 0;  // what lies so many numbers further in a is fetched; 0: nothing
    VectorRun const* runs = nullptr;
    Extent runs_count = 0;
    void const* x[2] = {};  // of the type of sums
    void* sums[2] = {};     // one number a row
};

/// Rows of a matrix by the numbers of a vector, added: of a complex matrix by the real parts and by the imaginary ones.
struct ColumnsCall {
    void const* a = nullptr;        // the first row
    Extent row_step = 0, rows = 1;  // from one row to the next, and how many
    Extent width = 1;               // numbers of a row
    void const* factors[2] = {};    // of the type of sums, one number a row
    void* sums[2] = {};             // `width` numbers each, to which is added
};

struct VectorLoops {
    void (*dot)(VectorCall const& call) = nullptr;  // null: there is none
    void (*add_rows)(ColumnsCall const& call) = nullptr;
    /// total[j] + low[j] grows by values[j], without loss
    void (*add_total)(void* total, void* low, void const* values, Extent count) = nullptr;
    int rows = 1;      // that are read together
    Extent least = 1;  // terms of a run, and numbers of rows that are added
};

/// @param vectors  1 or 2  @return `dot` null but for sums of f32 and f64 of the same type, halves by f32, f32 by f64,
/// and i16 and (by f64) i32 with one vector; bytes are read faster by loops
namespace baseline {
VectorLoops vector_loops(DType matrix, DType sums, int vectors);
}
namespace avx2 {
VectorLoops vector_loops(DType matrix, DType sums, int vectors);
}
namespace avx512 {
VectorLoops vector_loops(DType matrix, DType sums, int vectors);
}

}  // namespace ein::executor
