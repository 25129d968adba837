// Writing .npy files in parts: one rank makes the file under a temporary name and reserves its space, every rank writes
// its own boxes, one rank renames it when all are done. Until then nothing stands under the final name.
// bf16 has no NumPy type: it is written as f32.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "lib/base/box.hpp"
#include "lib/tensor/host_tensor.hpp"

namespace ein::tensor {

/// The dtype that a tensor has in a .npy file: its own, but f32 for bf16.
DType npy_dtype(DType dtype);

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
