// Random EinGraph files of loops and of gradients. The same seed gives the same file.
// Example: a loop that carries a matrix of f64, two vectors that are handed over to each other, and a counter.
#pragma once

#include <cstdint>

#include "lib/base/json.hpp"

namespace ein::test {

/// Several tensors of other shapes and dtypes are carried, some handed over, some begun as the same; conditions, and
/// loops in loops.
Json random_loops(std::uint64_t seed);

/// A scalar "loss" of T0 + h*D0, T1 + h*D1, ..., with the param h = 0, through every kind of node, and its gradients.
/// The output "slope" is what they say of the loss's derivative by h.
Json random_gradients(std::uint64_t seed);

}  // namespace ein::test
