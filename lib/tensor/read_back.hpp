// Reading back what this run has written itself, which is no data from outside: --inputs-below says nothing to it.
// Example: einrun --verify --inputs-below data reads results/Z.npy.
#pragma once

#include "lib/tensor/read.hpp"

namespace ein::tensor {

/// Opens a .npy file that this run has written. @throws InputError as open()
std::unique_ptr<Reader> open_written(std::filesystem::path const& file, std::string const& name, DType dtype,
                                     Shape const& shape);

}  // namespace ein::tensor
