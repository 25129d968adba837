// Rounding errors at random, as large as arithmetic in a type makes them. Computing something several times with them
// shows how much of its result rounding can change (Monte Carlo arithmetic). Example: Noise(1).rounded(1.0 / 3,
// DType::f32) is within 2^-24 / 3 of 1/3; of 0.5, which f32 holds, nothing is changed. Source: Parker, Pierce, Eggert:
// Monte Carlo Arithmetic, Computing in Science & Engineering 2(4), 2000.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>

#include "lib/base/dtype.hpp"
#include "lib/base/hash.hpp"
#include "lib/scalar/expression/expr.hpp"

namespace ein::scalar {

class Noise {
public:
    /// @param tf32  multiplications in f32 may round their factors to 11 significant bits first, as TF32 has them
    explicit Noise(std::uint64_t seed, bool tf32 = false)
        : state_(mix64(seed + 1)), tf32_(tf32), order_(static_cast<Order>(seed % 4)) {}

    /// `value` as an operation in `type` may leave it: up to half a unit in the last place off, infinite or lost where
    /// it is out of range. What is not finite, or has so few digits that nothing can have been rounded, stays.
    double rounded(double value, DType type);
    /// Both parts are off by as much as the whole, as after a complex product.
    std::complex<double> rounded(std::complex<double> value, DType type);
    /// The same of a sum that is not complete, out of range or not: that is left to reordered().
    double partial(double value, DType type) { return digits(value, std::fabs(value), type); }
    std::complex<double> partial(std::complex<double> value, DType type);
    /// A sum as some order of adding up may leave it: infinite or nan where partial sums can be out of range. Each
    /// fourth seed goes for one of the outcomes, if it is within reach; each other fourth is out of range only as a
    /// whole. An infinite term leaves nan behind partial sums that were infinite the other way.
    /// @param finite     the sum of its terms that are finite
    /// @param magnitude  the sum of their absolute values
    double reordered(double sum, double finite, double magnitude, DType type) const;
    std::complex<double> reordered(std::complex<double> sum, std::complex<double> finite, double magnitude,
                                   DType type) const;
    /// The same, and rounded as sums of such terms are.
    double summed(double sum, double finite, double magnitude, DType type);
    std::complex<double> summed(std::complex<double> sum, std::complex<double> finite, double magnitude, DType type);
    /// `value` as a multiplication in `type` may take it.
    double factor(double value, DType type);
    std::complex<double> factor(std::complex<double> value, DType type);
    /// a b before it is rounded. The products that make up a complex one are rounded each: where one is out of range,
    /// the parts may be nan though exactly they are not.
    std::complex<double> product(std::complex<double> a, std::complex<double> b, DType type);

private:
    double rounded(double value, double size, DType type);
    double digits(double value, double size, DType type);

    double between_minus_one_and_one() {
        state_ += 0x9e3779b97f4a7c15u;
        return static_cast<double>(static_cast<std::int64_t>(mix64(state_))) * 0x1p-63;
    }

    friend class NoisyProduct;

    /// Which partial results come first: of a sum positive terms are high, of a product factors above 1.
    enum class Order : std::uint8_t { as_they_come, high_first, low_first, apart };

    std::uint64_t state_;
    bool tf32_;
    Order order_;
};

/// A sum of many terms, added up with noise, as some order may leave it (Noise::reordered).
/// @tparam T  double or a complex number
template <class T>
class NoisySum {
public:
    NoisySum(Noise& noise, DType type) : noise_(noise), type_(type) {}

    void add(T term) {
        double const size = std::abs(term);
        total_ = is_first_ ? term : noise_.partial(total_ + term, type_);
        is_first_ = false;
        if (!std::isfinite(size)) return;
        finite_ += term;
        magnitude_ += size;
    }
    T value() const { return noise_.reordered(total_, finite_, magnitude_, type_); }

private:
    Noise& noise_;
    DType type_;
    bool is_first_ = true;
    T total_ = 0, finite_ = 0;
    double magnitude_ = 0;  // of the finite ones
};

/// A product of many factors as some order of multiplying may leave it: infinite, lost or nan where partial products
/// can be out of range. Example: of 1e30, 1e30 and 0 in f32 it is 0, or inf * 0, which is nan.
class NoisyProduct {
public:
    /// @param type  that it is kept in; real or complex
    NoisyProduct(Noise& noise, DType type) : noise_(noise), type_(type) {}

    void multiply(std::complex<double> factor);
    /// The outcome that the seed goes for, if it is within reach; else the product, rounded as often as multiplied.
    std::complex<double> value() const;

private:
    std::complex<double> infinity() const;

    Noise& noise_;
    DType type_;
    std::complex<double> digits_ = 1;  // of the finite factors that are not 0: times two to the exponent
    int exponent_ = 0;
    double above_ = 0, below_ = 0;  // logarithms to the base 2 of the products of factors above 1, and below
    bool zero_ = false, infinite_ = false, nan_ = false;
};

}  // namespace ein::scalar
