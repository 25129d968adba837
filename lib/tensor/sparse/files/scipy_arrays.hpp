// The arrays of an archive that holds a sparse matrix or tensor: scipy.sparse.save_npz writes "format", "shape", "data"
// and what the format needs. Checks that they fit together; leaves reading entries to scipy_file.cpp.
// Example: of a csr matrix of 3 rows, offsets is "indptr" with 4 numbers, minor is "indices".
#pragma once

#include <optional>

#include "lib/tensor/formats/file_reader.hpp"
#include "lib/tensor/formats/npy_header.hpp"

namespace ein::tensor {

/// One array of an archive.
class NpzArray {
public:
    NpzArray(StoragePtr storage, std::string file, std::string name);

    std::string const& file() const { return file_; }
    std::string const& name() const { return name_; }
    DType dtype() const { return header_.dtype; }
    Shape const& shape() const { return header_.shape; }

    /// Elements, as they are.
    std::vector<std::byte> bytes(Box const& box) const;
    std::vector<std::byte> bytes(Extent begin, Extent count) const;
    /// Whole numbers. @throws InputError for an array of others
    std::vector<Extent> integers(Box const& box) const;
    std::vector<Extent> integers(Extent begin, Extent count) const;

    [[noreturn]] void fail(std::string expected, std::string found) const;

private:
    std::string file_, name_;
    NpyHeader header_;
    StoredArray array_;
};

enum class SparseFormat : std::uint8_t { csr, csc, coo };

struct ScipyArrays {
    SparseFormat format = SparseFormat::coo;
    Shape shape;
    std::optional<NpzArray> data;
    std::optional<NpzArray> offsets, minor;  // csr, csc: where each row (column) begins, columns (rows)
    std::vector<NpzArray> coords;            // coo: one an axis, or one with a row an axis
    std::optional<NpzArray> fill;            // of what is not listed: written by a run, not by SciPy

    Extent entries() const { return data->shape()[0]; }
};

/// @throws InputError where an array is missing, or does not fit the others
ScipyArrays open_arrays(std::shared_ptr<FileStorage const> const& file);

}  // namespace ein::tensor
