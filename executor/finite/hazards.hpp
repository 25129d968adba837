// Where a join makes NaN and infinities out of finite numbers, in words: what to write in its place. Which element it
// was nobody looks up: a logarithm is -inf at 0 whatever was computed.
// Example: of -y*log(x): "log(x) is -inf where x is 0, and 0 times that is NaN: ...".
#pragma once

#include <string>

#include "lib/schedule/model/header.hpp"
#include "lib/tensor/non_finite.hpp"

namespace ein::executor {

/// @param kernel  of the node in which they begin  @param result  of what it makes  @param found  what began there
/// @return what the first such function of the join does and what to write, else how sums leave their range: never
/// empty
std::string mend_of_hazard(schedule::Kernel const& kernel, DType result, tensor::NonFinite const& found);

}  // namespace ein::executor
