// What kernels of a matrix and a vector have in common: their labels, types and loops. Example: in "bij,bj->bi" b is
// batch, i a row and j a term.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "executor/device/cpu/gemm/vector_loops.hpp"
#include "executor/device/kernel/gemm_match.hpp"
#include "executor/device/kernel/nest.hpp"
#include "executor/device/kernel/position_labels.hpp"

namespace ein::executor {

/// Steps in bytes, of the vector in `positions`. Rows and terms by falling steps in the matrix.
struct VectorLabels {
    std::vector<PositionLabel> batch, rows, terms;
};

/// A sum of products of a matrix, that has all labels, and a vector.
struct MatrixVector {
    VectorLabels labels;
    std::size_t matrix, vector;  // operands
    double factor;
    DType type, real;                             // of the products, and of their numbers
    int parts;                                    // numbers of an element
    bool conjugates_vector, conjugates_results;   // of complex numbers: a conjugate matrix is one of both
    DType matrix_type, vector_type, output_type;  // of numbers the first, of elements the others
    bool accumulate;
    VectorLoops loops;

    Extent number_bytes() const { return static_cast<Extent>(size_of(matrix_type)); }
    Extent matrix_bytes() const;
};

/// @param nest  of the shape, simplified  @return nothing unless there are loops for its types, and where the order of
/// terms must be that of a whole node
std::optional<MatrixVector> matrix_by_vector(KernelShape const& shape, Nest const& nest, KernelTypes const& types,
                                             scalar::Params const& params);

/// Numbers of results, (real, imaginary) where they are complex, to where they belong.
/// @param values  are multiplied by the factor, and added to what the output holds
void store_results(MatrixVector const& product, std::byte* values, std::byte* to, Extent step, Extent count);

}  // namespace ein::executor
