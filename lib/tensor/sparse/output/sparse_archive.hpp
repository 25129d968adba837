// The arrays of a sparse tensor's .npz file, and where each element of them lies, known before any is written.
// As runs write outputs: matrices as csr ("data", "indices", "indptr", "shape", "format"), other orders with "coords".
// As lists, in checkpoints: elements in any order, each with all its coordinates ("row" and "col" of a matrix, which
// SciPy reads as coo, "coords" of other orders), values with all their bits. ScipySource reads either.
// Example: in a list of 5 elements of a (3, 4) matrix, the coordinate of element 2 along axis 1 is at place(1, 2).
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/tensor/sparse/output/archive_layout.hpp"
#include "lib/tensor/sparse/sparse_block.hpp"

namespace ein::tensor {

enum class SparseForm : std::uint8_t { rows, list };

/// What is written: the same on all ranks.
struct SparseOutput {
    DType dtype = DType::f32;
    Shape shape;
    scalar::Scalar fill;
    Extent listed = 0;  // of all blocks
    SparseForm form = SparseForm::rows;
};

class SparseArchive {
public:
    explicit SparseArchive(SparseOutput const& output);

    ArchiveLayout const& layout() const { return layout_; }
    DType index() const { return index_; }    // of coordinates and offsets
    DType stored() const { return stored_; }  // of values

    /// Arrays whose elements are not known before blocks are. indices: of columns, or all coordinates; offsets: of a
    /// list those of rows.
    enum Array : std::size_t { values, indices, offsets };
    static constexpr std::size_t arrays = 3;
    std::size_t entry(Array array) const { return entries_[array]; }

    // Of a list. A column is what its elements have one of each: coordinates along an axis, or, last, values.

    std::size_t columns() const { return order_ + 1; }
    DType type(std::size_t column) const { return column == order_ ? stored_ : index_; }
    Array array_of(std::size_t column) const;
    /// Bytes from the first of its array.
    std::uint64_t place_in_array(std::size_t column, Extent element) const;
    /// Bytes from the first of the file.
    std::uint64_t place(std::size_t column, Extent element) const;

    /// Elements as their columns are in the file, and back.
    std::vector<std::vector<std::byte>> columns_of(ListedElements elements) const;
    ListedElements elements_of(std::vector<std::vector<std::byte>> columns) const;

    /// Offsets and lengths, in bytes, of all that is in none of those arrays.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> frame() const;

private:
    std::size_t order_;
    bool is_coo_;  // each axis in an array of its own
    Extent listed_;
    DType index_, stored_;
    ArchiveLayout layout_;
    std::array<std::size_t, arrays> entries_{};
};

/// Bytes that elements of a list take in its file, headers apart.
std::uint64_t list_bytes(Shape const& shape, DType dtype, Extent listed);

}  // namespace ein::tensor
