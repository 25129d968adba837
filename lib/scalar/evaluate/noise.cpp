#include "lib/scalar/evaluate/noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/float16.hpp"

namespace ein::scalar {
namespace {

/// What a floating-point type can hold; of a complex type, its parts.
struct Limits {
    double epsilon, least_normal, greatest;
};

template <class Float>
constexpr Limits limits = {std::numeric_limits<Float>::epsilon(), std::numeric_limits<Float>::min(),
                           std::numeric_limits<Float>::max()};

Limits limits_of(DType type) {
    if (type == DType::f16) return {0x1p-10, 0x1p-14, 65504};
    if (type == DType::bf16) return {0x1p-7, limits<float>.least_normal, 0x1.FEp127};
    return type == DType::f32 || type == DType::c64 ? limits<float> : limits<double>;
}

constexpr double tf32_epsilon = 0x1p-10;

/// Whether 11 significant bits hold the value.
bool has_tf32_digits(double value) {
    int exponent = 0;
    double const digits = std::ldexp(std::frexp(value, &exponent), 11);
    return digits == std::trunc(digits);
}

/// Whether the type holds the value; for f64, whether f32 does: a double cannot tell what it lost.
bool is_held(double value, DType type) {
    auto const narrow = static_cast<float>(value);
    if (type == DType::f16) return static_cast<float>(Half(narrow)) == value;
    if (type == DType::bf16) return static_cast<float>(BFloat16(narrow)) == value;
    return narrow == value;
}

/// How large what rounds a complex number's parts is: as the whole, but where one part is infinite or nan the other has
/// digits all the same.
std::complex<double> sizes_of_parts(std::complex<double> value) {
    double const size = std::hypot(value.real(), value.imag());
    if (std::isfinite(size)) return {size, size};
    return {std::fabs(value.real()), std::fabs(value.imag())};
}

}  // namespace

double Noise::rounded(double value, DType type) { return rounded(value, std::fabs(value), type); }

std::complex<double> Noise::rounded(std::complex<double> value, DType type) {
    std::complex<double> const size = sizes_of_parts(value);
    return {rounded(value.real(), size.real(), type), rounded(value.imag(), size.imag(), type)};
}

double Noise::reordered(double sum, double finite, double magnitude, DType type) const {
    constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    double const greatest = limits_of(type).greatest;
    bool const high = magnitude / 2 + finite / 2 > greatest, low = magnitude / 2 - finite / 2 > greatest;
    if (std::isnan(sum)) return sum;
    if (std::isinf(sum)) return (sum < 0 ? high : low) && order_ != Order::as_they_come ? nan : sum;
    if (order_ == Order::high_first && high) return infinity;
    if (order_ == Order::low_first && low) return -infinity;
    if (order_ == Order::apart && high && low) return nan;
    return std::fabs(sum) > greatest ? std::copysign(infinity, sum) : sum;
}

std::complex<double> Noise::reordered(std::complex<double> sum, std::complex<double> finite, double magnitude,
                                      DType type) const {
    double const imag = is_complex(type) ? reordered(sum.imag(), finite.imag(), magnitude, type) : sum.imag();
    return {reordered(sum.real(), finite.real(), magnitude, type), imag};
}

double Noise::summed(double sum, double finite, double magnitude, DType type) {
    double const size = std::max(std::fabs(sum), std::min(magnitude, limits_of(type).greatest));
    return reordered(rounded(sum, size, type), finite, magnitude, type);
}

std::complex<double> Noise::summed(std::complex<double> sum, std::complex<double> finite, double magnitude,
                                   DType type) {
    return {summed(sum.real(), finite.real(), magnitude, type), summed(sum.imag(), finite.imag(), magnitude, type)};
}

double Noise::factor(double value, DType type) {
    if (!tf32_ || type != DType::f32 || !std::isfinite(value) || has_tf32_digits(value)) return value;
    return value * (1 + tf32_epsilon / 2 * between_minus_one_and_one());
}

std::complex<double> Noise::factor(std::complex<double> value, DType type) {
    return tf32_ && type == DType::f32 ? factor(value.real(), type) : value;
}

double Noise::digits(double value, double size, DType type) {
    if (!std::isfinite(value) || is_held(value, type)) return value;
    return value + limits_of(type).epsilon / 2 * size * between_minus_one_and_one();
}

std::complex<double> Noise::partial(std::complex<double> value, DType type) {
    std::complex<double> const size = sizes_of_parts(value);
    return {digits(value.real(), size.real(), type), digits(value.imag(), size.imag(), type)};
}

double Noise::rounded(double value, double size, DType type) {
    if (!std::isfinite(value) || is_held(value, type)) return value;
    Limits const limit = limits_of(type);
    double const off = digits(value, size, type);
    if (std::fabs(off) > limit.greatest) return std::copysign(std::numeric_limits<double>::infinity(), off);
    bool const lost = std::fabs(off) < limit.least_normal && between_minus_one_and_one() < 0;
    return lost ? 0 : off;
}

std::complex<double> Noise::product(std::complex<double> a, std::complex<double> b, DType type) {
    if (!is_complex(type)) return factor(a, type).real() * factor(b, type).real();
    double const reals = rounded(a.real() * b.real(), type), imags = rounded(a.imag() * b.imag(), type);
    double const outer = rounded(a.real() * b.imag(), type), inner = rounded(a.imag() * b.real(), type);
    return {reals - imags, outer + inner};
}

void NoisyProduct::multiply(std::complex<double> factor) {
    double const size = std::abs(factor);
    nan_ = nan_ || std::isnan(size);
    infinite_ = infinite_ || std::isinf(size);
    zero_ = zero_ || size == 0;
    if (!std::isfinite(size) || size == 0) {
        if (std::signbit(factor.real())) digits_ = -digits_;
        return;
    }
    double const power = std::log2(size);
    (power > 0 ? above_ : below_) += power;
    int const scale = std::ilogb(size);
    bool const is_first = exponent_ == 0 && digits_ == 1.0;
    digits_ *= std::complex<double>(std::ldexp(factor.real(), -scale), std::ldexp(factor.imag(), -scale));
    exponent_ += scale;
    if (!is_first) digits_ = noise_.partial(digits_, type_);
    int const rest = std::ilogb(std::abs(digits_));
    digits_ = {std::ldexp(digits_.real(), -rest), std::ldexp(digits_.imag(), -rest)};
    exponent_ += rest;
}

/// The parts of a complex one depend on too much: it is nan.
std::complex<double> NoisyProduct::infinity() const {
    if (is_complex(type_)) return std::numeric_limits<double>::quiet_NaN();
    return std::copysign(std::numeric_limits<double>::infinity(), digits_.real());
}

std::complex<double> NoisyProduct::value() const {
    using Order = Noise::Order;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (nan_ || (zero_ && infinite_)) return nan;
    Limits const limit = limits_of(type_);
    bool const high = infinite_ || above_ > std::log2(limit.greatest);
    bool const low = zero_ || below_ < std::log2(limit.least_normal);
    if (noise_.order_ == Order::high_first && high) return zero_ ? nan : infinity();
    if (noise_.order_ == Order::low_first && low) return infinite_ ? nan : 0;
    if (noise_.order_ == Order::apart && high && low) return nan;
    if (zero_) return 0;
    if (infinite_) return infinity();
    std::complex<double> const product(std::ldexp(digits_.real(), exponent_), std::ldexp(digits_.imag(), exponent_));
    return std::abs(product) > limit.greatest ? infinity() : product;
}

}  // namespace ein::scalar
