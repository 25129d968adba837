// The directory of a .safetensors file: 8 bytes of header length, then JSON with dtype, shape and place of every
// tensor. Leaves the elements to stored_array.hpp.
// Example: SafetensorsDirectory(*open_file("m.safetensors")).find("tok.w") gives dtype, shape and place of tok.w.
#pragma once

#include <string>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/base/json.hpp"
#include "lib/tensor/storage/storage.hpp"

namespace ein::tensor {

struct SafetensorsEntry {
    DType dtype = DType::f32;
    Shape shape;
    std::uint64_t offset = 0;  // of the first element in the storage, in bytes
};

class SafetensorsDirectory {
public:
    /// @throws InputError when the header is not one
    explicit SafetensorsDirectory(Storage const& storage);

    /// @throws InputError for a name that the file does not have (with the nearest ones), a dtype that we do not have,
    /// or a place outside the file
    SafetensorsEntry find(std::string const& tensor) const;
    std::vector<std::string> names() const;

private:
    std::string file_;
    std::uint64_t file_bytes_;
    std::uint64_t data_offset_ = 0;
    Json header_;
};

}  // namespace ein::tensor
