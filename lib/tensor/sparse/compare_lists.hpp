// How far two sparse tensors in files are apart, place by place of those that either lists: what is not listed is the
// fill. Takes the memory of what is listed. Example: a lists 5 at (0, 1) and b nothing, both with fill 0: one element
// differs, by 5.
#pragma once

#include <filesystem>
#include <vector>

#include "lib/tensor/compare.hpp"
#include "lib/tensor/read.hpp"

namespace ein::tensor {

/// A sparse tensor, as an archive has it.
struct SparseFile {
    std::filesystem::path file;
    FileContents contents;
    scalar::Scalar fill;
};
/// @throws InputError for what is no archive of a sparse tensor
SparseFile sparse_file(std::filesystem::path const& file);

/// All its elements. @throws InputError
HostTensor read_dense(SparseFile const& file);

struct ListDifference {
    Difference difference;      // of `places`; worst is one of the tensor
    Extent places = 0;          // that either lists
    bool fills_differ = false;  // then so do all places that neither lists: they are counted too
};
/// @param tolerance  as compare() takes it: relative also to the root mean square of all elements of the reference
/// @throws InputError  @throws InternalError unless they have one shape
ListDifference compare_lists(SparseFile const& value, SparseFile const& reference, double tolerance);

}  // namespace ein::tensor
