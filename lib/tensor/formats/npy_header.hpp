// The header of a .npy file (NumPy's format, versions 1 to 3): reading and writing. A header is a Python dictionary
// with 'descr', 'fortran_order' and 'shape', in any order. Leaves the elements to stored_array.hpp.
// Example: npy_header(f32, {3, 4}) is 128 bytes with {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
#pragma once

#include <string>

#include "lib/base/dtype.hpp"
#include "lib/tensor/storage/stored_array.hpp"

namespace ein::tensor {

struct NpyHeader {
    std::string descr;         // as written in the file: "<f4"
    DType dtype = DType::f32;  // '<V2', which is how ml_dtypes stores bfloat16, is bf16
    ByteOrder byte_order = ByteOrder::little;
    AxisOrder axis_order = AxisOrder::c;
    Shape shape;
    std::uint64_t data_offset = 0;  // bytes from the beginning of the storage
};

/// Reads the header at the beginning of `storage`.
/// @throws InputError for anything that is not a .npy header, or an element type that has no dtype here
NpyHeader read_npy_header(Storage const& storage);

/// The header that write functions write: version 1 (2 for a shape too long for it), padded so that elements begin at a
/// multiple of 64 bytes. bf16 is '<V2', which few programs read: see npy_dtype.
std::string npy_header(DType dtype, Shape const& shape);

}  // namespace ein::tensor
