// One function a kind of source: how its listed elements are read. Leaves choosing to sparse_reader.cpp.
#pragma once

#include "lib/tensor/formats/file_reader.hpp"
#include "lib/tensor/sparse/fill_value.hpp"
#include "lib/tensor/sparse/sparse_reader.hpp"

namespace ein::tensor {

/// What open_sparse was asked for.
struct SparseWanted : Wanted {
    scalar::Scalar fill;

    Wanted const& dense() const { return *this; }
};

/// What a dense source has elsewhere than the fill.
std::unique_ptr<SparseReader> list_dense(std::unique_ptr<Reader> reader, SparseWanted const& wanted);
/// One value everywhere: all of it or nothing.
std::unique_ptr<SparseReader> list_fill(FillSource const& source, SparseWanted const& wanted);
std::unique_ptr<SparseReader> list_random(SparseRandomSource const& source, SparseWanted const& wanted);

/// Reads boxes of a sparse tensor as those of a dense one.
std::unique_ptr<Reader> scatter(std::unique_ptr<SparseReader> reader, scalar::Scalar const& fill);

}  // namespace ein::tensor
