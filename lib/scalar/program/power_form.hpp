// How x^n is computed where n is a known number: by few operations instead of a power. Every device asks here. A form
// gives what a power gives but for roundings (docs/graph-format/einsum.md says which): the same nans, infinities and
// zeros, with their signs. Example: of f32, x^2 is x*x, x^0.5 is sqrt(x + 0) but for -inf, and x^0.3 stays a power.
#pragma once

#include "lib/scalar/evaluate/evaluate.hpp"

namespace ein::scalar {

enum class PowerForm : std::uint8_t {
    power,
    square,      // x*x
    product,     // |n| up to 16: products, and 1 over them where n < 0
    reciprocal,  // 1/x
    root         // sqrt(x + 0): a power of -0 is 0; pow(-inf, 0.5) is inf, sqrt(-inf) nan
};

/// @param exponent  of type `work`
PowerForm power_form(Scalar const& exponent, DType work);

}  // namespace ein::scalar
