// Writing .npy files in parts: one rank makes the file under a temporary name and reserves its space, every rank writes
// its own boxes, one rank renames it when all are done. Until then nothing stands under the final name.
// bf16 has no NumPy type: it is written as f32, or, where every bit counts, as numpy.save writes ml_dtypes.bfloat16.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "lib/base/box.hpp"
#include "lib/base/files/written_file.hpp"
#include "lib/tensor/host_tensor.hpp"

namespace ein::tensor {

/// The dtype that a tensor has in a .npy file: its own, but f32 for bf16.
DType npy_dtype(DType dtype);

/// Throws RunError: a file that cannot be written, why, and what to do. @param option  that names its folder
[[noreturn]] void fail_write(std::filesystem::path const& file, std::string const& option, std::string const& what,
                             int error);

/// What a .npy file is written for.
struct NpyUse {
    std::string option;      // of the command line, which names the folder; for messages
    bool keeps_bits = true;  // bf16 is written as it is: f32 does not tell all of its nans apart
};

/// A .npy file that stays open while boxes of it are written. Each function throws RunError, with the system's reason.
class NpyWriter {
public:
    NpyWriter(std::filesystem::path file, DType dtype, Shape shape, NpyUse use);

    /// Makes the file under a name that must be free, writes the header and takes the space of the whole array.
    void make();
    /// The same, with space for these boxes alone: the rest reads as zeros.
    void make(std::span<Box const> boxes);
    /// Opens what this process or another has made.
    void open_made();

    /// Writes `bytes` (elements of the dtype, C order over box.length) where `box` lies.
    void write(Box const& box, std::span<std::byte const> bytes);
    /// Has the disk begin with all that lies between the first and the last element of a box.
    void begin_sync(Box const& box) const;
    /// Waits until what was written is on the disk.
    void sync();
    void close();

private:
    DType stored() const { return use_.keeps_bits ? dtype_ : npy_dtype(dtype_); }
    std::uint64_t bytes() const;
    void make_with(std::string const& header, std::span<Box const> boxes);
    void write_elements(std::uint64_t offset, std::span<std::byte const> bytes);
    void check(int error, std::uint64_t needed) const;

    std::filesystem::path file_;
    DType dtype_;
    Shape shape_;
    NpyUse use_;
    WrittenFile written_;
};

/// Makes `file` (a temporary name, which must be free), writes the header and reserves the space of the whole array.
/// @throws RunError (with the bytes needed and the system's reason) when the disk is full or the folder cannot be
/// written
void create_npy(std::filesystem::path const& file, DType dtype, Shape const& shape);

/// Writes `bytes` (elements of `dtype`, C order over box.length) where `box` lies in the array of `shape`.
/// @throws RunError
void write_npy_box(std::filesystem::path const& file, DType dtype, Shape const& shape, Box const& box,
                   std::span<std::byte const> bytes);

/// Writes a whole tensor under its final name, by way of a temporary one.
void write_npy(std::filesystem::path const& file, HostTensor const& tensor);

}  // namespace ein::tensor
