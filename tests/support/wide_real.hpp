// The widest real type at hand, by one name with its elementary functions: __float128 where the compiler has it, else
// long double. What tests of accuracy compare with: none of it is what they test.
// Example: units_off(std::sin(1.0), wide::sin(1)) is at most 0.6.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#ifdef EIN_WITH_QUADMATH
#include <quadmath.h>
#endif

namespace ein::wide {

#ifdef EIN_WITH_QUADMATH
__extension__ typedef __float128 Real;
#define EIN_WIDE(name) \
    inline Real name(Real x) { return name##q(x); }
#define EIN_WIDE_OF_TWO(name) \
    inline Real name(Real x, Real y) { return name##q(x, y); }
#else
using Real = long double;
#define EIN_WIDE(name) \
    inline Real name(Real x) { return std::name(x); }
#define EIN_WIDE_OF_TWO(name) \
    inline Real name(Real x, Real y) { return std::name(x, y); }
#endif

EIN_WIDE(fabs)
EIN_WIDE(sqrt)
EIN_WIDE(cbrt)
EIN_WIDE(exp)
EIN_WIDE(exp2)
EIN_WIDE(expm1)
EIN_WIDE(log)
EIN_WIDE(log2)
EIN_WIDE(log1p)
EIN_WIDE(sin)
EIN_WIDE(cos)
EIN_WIDE(tan)
EIN_WIDE(atan)
EIN_WIDE(sinh)
EIN_WIDE(cosh)
EIN_WIDE(tanh)
EIN_WIDE(asinh)
EIN_WIDE(acosh)
EIN_WIDE(atanh)
EIN_WIDE(erf)
EIN_WIDE(erfc)
EIN_WIDE_OF_TWO(atan2)
EIN_WIDE_OF_TWO(pow)
#undef EIN_WIDE
#undef EIN_WIDE_OF_TWO

inline Real rsqrt(Real x) { return 1 / sqrt(x); }
inline Real sigmoid(Real x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }
inline Real silu(Real x) { return x * sigmoid(x); }
inline Real softplus(Real x) { return (x > 0 ? x : x < 0 ? 0 : x) + log1p(exp(-fabs(x))); }
inline Real gelu(Real x) { return x / 2 * erfc(-x * sqrt(Real(1) / 2)); }

/// How far `found` is from `exact`, in units of the last place that T has at `exact` (subnormal spacing at least); 1e9
/// where one is a nan or infinite in T and the other is not.
template <class T>
double units_off(T found, Real exact) {
    T const nearest = static_cast<T>(exact);
    if (std::isnan(nearest)) return std::isnan(found) ? 0 : 1e9;
    if (std::isinf(nearest)) return found == nearest ? 0 : 1e9;
    if (!std::isfinite(found)) return 1e9;
    T const size = std::max(std::fabs(nearest), std::numeric_limits<T>::min());
    Real const spacing = std::ldexp(1.0L, std::ilogb(size) - std::numeric_limits<T>::digits + 1);
    return static_cast<double>(fabs(Real(found) - exact) / spacing);
}

}  // namespace ein::wide
