// One element of a block as a Scalar: what slow paths and the reference read and write.
// Example: load_element(&x, DType::f32) of a float 2.5 is the number 2.5; of an i8 it is an integer.
#pragma once

#include "lib/scalar/evaluate/evaluate.hpp"

namespace ein::executor {

scalar::Scalar load_element(void const* from, DType type);

/// @param value  of dtype `type` already (see scalar::convert)
void store_element(scalar::Scalar const& value, void* to, DType type);

}  // namespace ein::executor
