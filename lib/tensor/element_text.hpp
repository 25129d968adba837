// One element of a tensor as people read it: integers exactly, reals with nine digits, complex numbers as 1+2j.
#pragma once

#include <string>

#include "lib/tensor/host_tensor.hpp"

namespace ein::tensor {

/// @param at  C-order position
std::string element_text(HostTensor const& tensor, Extent at);

}  // namespace ein::tensor
