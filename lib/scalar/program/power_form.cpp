#include "lib/scalar/program/power_form.hpp"

#include <cmath>

namespace ein::scalar {

PowerForm power_form(Scalar const& exponent, DType work) {
    if (is_complex(work) && exponent.number.imag() != 0) return PowerForm::power;
    double const n = is_exact(work) ? static_cast<double>(exponent.integer) : exponent.number.real();
    bool const real = kind(work) == Kind::real;
    if (n == 2) return PowerForm::square;
    if (real && n == -1) return PowerForm::reciprocal;
    if (real && n == 0.5) return PowerForm::root;
    bool const whole = n == std::trunc(n) && n != 0 && std::fabs(n) <= 16;
    return whole && (real || n > 0) ? PowerForm::product : PowerForm::power;
}

}  // namespace ein::scalar
