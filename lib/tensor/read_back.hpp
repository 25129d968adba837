// Reading back what this run has written itself, which is no data from outside: --inputs-below says nothing to it.
// Example: einrun --verify --inputs-below data reads results/Z.npy.
#pragma once

#include <optional>

#include "lib/tensor/read.hpp"

namespace ein::tensor {

/// An output's file.
struct WrittenOutput {
    std::filesystem::path file;            // .npy, or .npz of a sparse one
    std::optional<scalar::Scalar> fill{};  // of a sparse one
};

/// Opens what this run has written. @throws InputError as open()
std::unique_ptr<Reader> open_written(WrittenOutput const& output, std::string const& name, DType dtype,
                                     Shape const& shape);

}  // namespace ein::tensor
