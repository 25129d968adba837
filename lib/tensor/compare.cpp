#include "lib/tensor/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/error.hpp"

namespace ein::tensor {
namespace {

using Complex = std::complex<double>;

Complex number(scalar::Scalar const& value) {
    return value.is_integer ? Complex(static_cast<double>(value.integer)) : value.number;
}

bool is_nan(Complex value) { return std::isnan(value.real()) || std::isnan(value.imag()); }
bool is_finite(Complex value) { return std::isfinite(value.real()) && std::isfinite(value.imag()); }

double distance(std::int64_t a, std::int64_t b) {
    return static_cast<double>(static_cast<std::uint64_t>(std::max(a, b)) - static_cast<std::uint64_t>(std::min(a, b)));
}

/// Of one part: infinities of one sign are equal.
double distance(double a, double b) {
    if (a == b) return 0;
    return std::isfinite(a) && std::isfinite(b) ? std::fabs(a - b) : std::numeric_limits<double>::infinity();
}

double distance(Complex a, Complex b) {
    if (is_nan(a) && is_nan(b)) return 0;
    return std::hypot(distance(a.real(), b.real()), distance(a.imag(), b.imag()));
}

/// Without infinite parts, which say nothing of how far the other part may be off.
double finite_size(Complex value) {
    auto const part = [](double x) { return std::isfinite(x) ? x : 0; };
    return std::hypot(part(value.real()), part(value.imag()));
}

}  // namespace

double distance(scalar::Scalar const& a, scalar::Scalar const& b) {
    return a.is_integer && b.is_integer ? distance(a.integer, b.integer) : distance(number(a), number(b));
}

/// Scaled so that squares do not overflow.
double root_mean_square(HostTensor const& tensor) {
    double scale = 0, sum = 0;
    Extent count = 0;
    for (Extent i = 0; i < tensor.elements(); ++i) {
        Complex const value = number(tensor.at(i));
        if (is_finite(value)) scale = std::max({scale, std::abs(value.real()), std::abs(value.imag())});
    }
    if (scale == 0) return 0;
    for (Extent i = 0; i < tensor.elements(); ++i) {
        Complex const value = number(tensor.at(i));
        if (!is_finite(value)) continue;
        sum += std::norm(Complex(value.real() / scale, value.imag() / scale));
        ++count;
    }
    return scale * std::sqrt(sum / static_cast<double>(count));
}

Difference compare(HostTensor const& value, HostTensor const& reference, double tolerance,
                   std::span<double const> absolute) {
    bool const same_shape = value.shape() == reference.shape();
    return compare(value, reference, Allowed{tolerance, same_shape ? root_mean_square(reference) : 0}, absolute);
}

Difference compare(HostTensor const& value, HostTensor const& reference, Allowed const& allowed,
                   std::span<double const> absolute) {
    Difference out;
    out.same_shape = value.shape() == reference.shape();
    if (!out.same_shape) return out;
    double const tolerance = allowed.tolerance;
    out.largest_tolerance = tolerance;
    for (Extent i = 0; i < value.elements(); ++i) {
        scalar::Scalar const a = value.at(i), b = reference.at(i);
        double const apart = distance(a, b);
        if (apart == 0) continue;
        double const scale = std::max({finite_size(number(a)), finite_size(number(b)), allowed.rms});
        double const relative = std::isinf(apart) ? apart : apart / scale;
        double const more = absolute.empty() ? 0 : absolute[static_cast<std::size_t>(i)];
        if (std::isinf(more)) continue;
        double const permitted = std::max(tolerance, more / scale);
        out.largest_tolerance = std::max(out.largest_tolerance, permitted);
        bool const differs = relative > tolerance && !(apart <= more);
        out.max_abs = std::max(out.max_abs, apart);
        out.max_rel = std::max(out.max_rel, relative);
        // The worst one is the first that is furthest off of those that differ, else of all.
        if (out.worst < 0 || (differs && out.differing.empty()) ||
            (differs == !out.differing.empty() && relative > out.worst_rel)) {
            out.worst = i;
            out.worst_rel = relative;
            out.worst_tolerance = permitted;
        }
        if (differs) out.differing.push_back(i);
    }
    out.count = static_cast<Extent>(out.differing.size());
    return out;
}

double tolerance(DType dtype, double reduction_length) {
    auto const single = static_cast<double>(std::numeric_limits<float>::epsilon());
    double const twice = std::numeric_limits<double>::epsilon();
    double const root = std::sqrt(std::max(1.0, reduction_length));
    switch (dtype) {
        case DType::f16: return 8 * (0x1p-10 + root * single);
        case DType::bf16: return 8 * (0x1p-7 + root * single);
        case DType::f32:
        case DType::c64: return 8 * (single + root * single);
        case DType::f64:
        case DType::c128: return 8 * (twice + root * twice);
        case DType::i8:
        case DType::i16:
        case DType::i32:
        case DType::i64:
        case DType::u8:
        case DType::boolean: return 0;
    }
    throw InternalError("unknown dtype");
}

}  // namespace ein::tensor
