// Kernels for functions without a vector form, shared by every instruction set.
// Example: fill_plain_kernels(table) enters sin, whose loop calls std::sin once an element.
#pragma once

#include "lib/scalar/kernels/kernels.hpp"

namespace ein::scalar {

void fill_plain_kernels(Kernels& table);

}  // namespace ein::scalar
