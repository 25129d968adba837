// Aggregation of two values and its neutral element, for the reference.
#include <cmath>
#include <limits>

#include "lib/base/error.hpp"
#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/scalar/evaluate/functions.hpp"
#include "lib/scalar/evaluate/integers.hpp"

namespace ein::scalar {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool nonzero(Scalar const& value) { return value.is_integer ? value.integer != 0 : value.number != 0.0; }

std::int64_t least(DType type) {
    if (!is_integer(type) || type == DType::u8) return 0;
    return std::numeric_limits<std::int64_t>::min() >> (64 - 8 * size_of(type));
}

std::int64_t greatest(DType type) {
    if (type == DType::boolean) return 1;
    return type == DType::u8 ? 255 : ~least(type);
}

Scalar of_type(DType type, std::int64_t integer, double number) {
    return is_exact(type) ? Scalar::of(integer) : Scalar::of(std::complex<double>(number));
}

/// log(e^a + e^b), with the larger taken out of the logarithm.
double add_logarithms(double a, double b) {
    double const high = real_function(Op::max, a, b);
    if (std::isnan(high) || std::isinf(high)) return high;
    return static_cast<double>(high + std::log1p(std::exp(-std::fabs(static_cast<long double>(a) - b))));
}

std::complex<double> add_logarithms(std::complex<double> a, std::complex<double> b) {
    if (a.real() < b.real()) std::swap(a, b);
    if (std::isinf(a.real())) return a;
    return a + complex_function(Op::log1p, std::exp(b - a));
}

std::int64_t combine_integers(Agg agg, DType type, std::int64_t a, std::int64_t b) {
    bool const logic = type == DType::boolean;
    switch (agg) {
        case Agg::sum: return logic ? a | b : wrap(wrapping_add(a, b), type);
        case Agg::prod: return logic ? a & b : wrap(wrapping_mul(a, b), type);
        case Agg::min: return a < b ? a : b;
        case Agg::max: return a > b ? a : b;
        case Agg::any:
        case Agg::all:
        case Agg::logsumexp: break;
    }
    throw InternalError("integers are not combined by " + std::string(name(agg)));
}

std::complex<double> combine_numbers(Agg agg, DType type, std::complex<double> a, std::complex<double> b) {
    switch (agg) {
        case Agg::sum: return a + b;
        case Agg::prod: return is_complex(type) ? multiply(a, b) : std::complex<double>(a.real() * b.real());
        case Agg::min: return real_function(Op::min, a.real(), b.real());
        case Agg::max: return real_function(Op::max, a.real(), b.real());
        case Agg::logsumexp:
            return is_complex(type) ? add_logarithms(a, b) : std::complex<double>(add_logarithms(a.real(), b.real()));
        case Agg::any:
        case Agg::all: break;
    }
    throw InternalError("numbers are not combined by " + std::string(name(agg)));
}

}  // namespace

Scalar identity(Agg agg, DType type) {
    switch (agg) {
        case Agg::sum: return of_type(type, 0, 0.0);
        case Agg::prod: return of_type(type, 1, 1.0);
        case Agg::min: return of_type(type, greatest(type), infinity);
        case Agg::max: return of_type(type, least(type), -infinity);
        case Agg::any: return Scalar::of(std::int64_t{0});
        case Agg::all: return Scalar::of(std::int64_t{1});
        case Agg::logsumexp: return of_type(type, least(type), -infinity);
    }
    throw InternalError("an aggregation without a neutral element");
}

Scalar combine(Agg agg, DType type, Scalar a, Scalar b) {
    if (agg == Agg::any) return Scalar::of(std::int64_t{nonzero(a) || nonzero(b)});
    if (agg == Agg::all) return Scalar::of(std::int64_t{nonzero(a) && nonzero(b)});
    if (is_exact(type)) return Scalar::of(combine_integers(agg, type, a.integer, b.integer));
    return Scalar::of(combine_numbers(agg, type, a.number, b.number));
}

}  // namespace ein::scalar
