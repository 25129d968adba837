// Reading tensors part by part: only the bytes of the asked box are touched, whatever the format (but an npz entry is
// gone through once, to compare its CRC-32). npy of versions 1 to 3, C and Fortran order, either byte order; npz stored
// or deflated; safetensors; raw. Thread-safe: a Reader may be used by many threads. Example: open(NpySource{"A.npy"},
// f32, {4000, 400}, "graphs")->read(Box{{0, 0}, {10, 400}}, out) reads the first ten rows.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/tensor/host_tensor.hpp"
#include "lib/tensor/source.hpp"

namespace ein::tensor {

class Reader {
public:
    virtual ~Reader() = default;
    /// Fills `out` (element_count(box.length) elements, C order) with the elements of `box`.
    /// @throws InputError for a file that is too short or damaged
    virtual void read(Box const& box, std::span<std::byte> out) const = 0;
    /// Whether threads that read a part of a box each take together no longer than one that reads all of it.
    virtual bool reads_in_parts() const { return false; }
};

/// Opens a source and checks that it holds `shape` of `dtype`.
/// @param name  the tensor's name, for messages  @param folder  relative paths are relative to it
/// @param fill  the elements that a source does not list, where it lists its elements
/// @throws InputError (file, expected, found, fix) when it is missing, short, or of another dtype or shape
std::unique_ptr<Reader> open(Source const& source, std::string const& name, DType dtype, Shape const& shape,
                             std::filesystem::path const& folder, scalar::Scalar const& fill = {});

/// Reads a whole source.
HostTensor read_all(Source const& source, std::string const& name, DType dtype, Shape const& shape,
                    std::filesystem::path const& folder, scalar::Scalar const& fill = {});

/// What a file says it holds. @throws InputError
struct FileContents {
    DType dtype;
    Shape shape;
    bool of_sparse = false;  // an array of an archive that scipy.sparse.save_npz wrote
};
FileContents npy_contents(std::filesystem::path const& file);

/// What the header of a source's file says of a tensor called `name`; nothing of sources that have none (raw, fill,
/// ...). Reads the header alone. @throws InputError for a file that cannot be read, or is no such file
std::optional<FileContents> contents_of(Source const& source, std::string const& name,
                                        std::filesystem::path const& folder);

/// Whether a tensor that is declared so may be read from a file that says otherwise: bf16 from f32 (npy, npz); whole
/// numbers as reals, reals as complex numbers, and all of these in another precision, where a file lists its elements;
/// and the axes of a safetensors tensor may be split.
bool may_be_read_as(Source const& source, DType in_file, DType declared);
bool may_be_read_as(Source const& source, Shape const& in_file, Shape const& declared);

/// The dtype of a tensor that leaves it to its file: the file's, but the graph's where a file says a kind of numbers
/// alone (mtx) that fits it, or holds what the graph has as bf16.
DType left_out_dtype(Source const& source, DType in_file, DType of_graph);
HostTensor read_npy(std::filesystem::path const& file);

/// The source that --input NAME=FILE means: by extension .npy, .npz (entry NAME, or all of a sparse matrix),
/// .safetensors (tensor NAME), .mtx, .tns, else raw. FILE.npz:ENTRY and FILE.safetensors:TENSOR name another array.
Source source_for_file(std::string const& file, std::string const& name);

}  // namespace ein::tensor
