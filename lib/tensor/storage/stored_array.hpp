// An array of plain elements inside a storage, and reading boxes of it: as few reads as sensible, C or Fortran order,
// either byte order. Knows bytes, not dtypes.
// Example: StoredArray{file, 128, {4000, 400}, 4, 4} is what a little-endian f32 .npy file holds.
#pragma once

#include "lib/base/box.hpp"
#include "lib/tensor/storage/storage.hpp"

namespace ein::tensor {

enum class AxisOrder : std::uint8_t { c, fortran };
enum class ByteOrder : std::uint8_t { little, big };

struct StoredArray {
    StoragePtr storage;
    std::uint64_t offset = 0;  // of the first element, in bytes
    Shape shape;
    std::size_t element_bytes = 1;
    std::size_t number_bytes = 1;  // what byte order swaps: half an element for complex
    AxisOrder axis_order = AxisOrder::c;
    ByteOrder byte_order = ByteOrder::little;
};

/// Fills `out` with the elements of `box` in C order, little-endian.
/// @throws InputError when the storage does not have them
void read_box(StoredArray const& array, Box const& box, std::span<std::byte> out);

}  // namespace ein::tensor
