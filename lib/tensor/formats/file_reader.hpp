// Readers of tensors in files, one function a format: each checks that the file holds what is wanted, and says how to
// fix it when not.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "lib/tensor/read.hpp"

namespace ein::tensor {

/// What open() was asked for.
struct Wanted {
    std::string const& name;
    DType dtype;
    Shape const& shape;
    std::filesystem::path const& folder;
};

/// A file of a folder, as messages show it: without "." on the way. (".." stays: behind a link it is another folder.)
std::filesystem::path path_in(std::filesystem::path const& folder, std::string const& file);

std::unique_ptr<Reader> open_npy(NpySource const& source, Wanted const& wanted);
std::unique_ptr<Reader> open_npz(NpzSource const& source, Wanted const& wanted);
std::unique_ptr<Reader> open_safetensors(SafetensorsSource const& source, Wanted const& wanted);
std::unique_ptr<Reader> open_raw(RawSource const& source, Wanted const& wanted);

}  // namespace ein::tensor
