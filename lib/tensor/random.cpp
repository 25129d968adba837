#include "lib/tensor/random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/tensor/cast.hpp"
#include "lib/tensor/convert.hpp"

namespace ein::tensor {
namespace {

__extension__ using Wide = unsigned __int128;

inline void philox_rounds(std::uint32_t& c0, std::uint32_t& c1, std::uint32_t& c2, std::uint32_t& c3, std::uint64_t seed) {
    auto k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
        std::uint64_t const p0 = std::uint64_t{0xD2511F53} * c0, p1 = std::uint64_t{0xCD9E8D57} * c2;
        c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
        c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
        c1 = static_cast<std::uint32_t>(p1);
        c3 = static_cast<std::uint32_t>(p0);
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
}

constexpr std::size_t strip = 512;   // elements made at a time; even

/// The four words of philox(n, n >> 32, stream, 0) for n = first, first + 1, ...: words 0 and 1 in low, 2 and 3 in high.
void draw(std::uint64_t seed, std::uint64_t first, std::uint32_t stream, std::size_t count, std::uint64_t* low, std::uint64_t* high) {
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t const n = first + i;
        auto c0 = static_cast<std::uint32_t>(n), c1 = static_cast<std::uint32_t>(n >> 32);
        std::uint32_t c2 = stream, c3 = 0;
        philox_rounds(c0, c1, c2, c3, seed);
        low[i] = c0 | (std::uint64_t{c1} << 32);
        high[i] = c2 | (std::uint64_t{c3} << 32);
    }
}

/// bits(n) for n = first, ... `count` <= strip.
void draw_bits(std::uint64_t seed, Extent first, std::size_t count, std::uint64_t* bits) {
    std::array<std::uint64_t, strip / 2 + 1> low, high;
    auto const begin = static_cast<std::uint64_t>(first);
    std::uint64_t const block = begin / 2;
    draw(seed, block, 0, static_cast<std::size_t>((begin + count + 1) / 2 - block), low.data(), high.data());
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t const at = static_cast<std::size_t>((begin + i) / 2 - block);
        bits[i] = (begin + i) % 2 == 0 ? low[at] : high[at];
    }
}

/// A number of 53 bits as a double: exact, and without the slow conversion from 64-bit integers.
inline double to_double(std::uint64_t bits53) {
    double const high = static_cast<double>(static_cast<std::int32_t>(bits53 >> 32));
    double const low = std::bit_cast<double>((bits53 & 0xffffffffu) | 0x4330000000000000u) - 0x1p52;
    return high * 0x1p32 + low;
}

inline double unit(std::uint64_t bits) { return to_double(bits >> 11) * 0x1p-53; }

/// log u for u in (0, 1]: u = 2^e m with m in [sqrt(1/2), sqrt 2), log m = 2 atanh(s) with s = (m - 1) / (m + 1), as the sum of
/// s^(2k) / (2k + 1) for k = 11 down to 0 (Horner) times 2s. Within 2 ulp, but near 1, where the error is 2^-53 absolute.
inline double log_of(double u) {
    std::uint64_t const bits = std::bit_cast<std::uint64_t>(u);
    std::uint64_t const shifted = bits + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);   // so that the exponent field steps at sqrt 2
    auto const exponent = static_cast<std::int32_t>(shifted >> 52) - 1023;
    double const m = std::bit_cast<double>((shifted & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu);
    double const s = (m - 1.0) / (m + 1.0);
    double const z = s * s;
    double sum = 1.0 / 23;
    for (int k = 10; k >= 0; --k) sum = sum * z + 1.0 / (2 * k + 1);
    return 2.0 * s * sum + exponent * 0.693147180559945309417232;
}

/// (-1)^k / (2k + odd)! for k = 0, 1, ...: the factorials are exact, so each is rounded once.
template <std::size_t Terms>
constexpr std::array<double, Terms> taylor_series(int odd) {
    std::array<double, Terms> out{};
    double factorial = 1, sign = 1;
    for (std::size_t k = 0; k < Terms; ++k, sign = -sign) {
        int const n = 2 * static_cast<int>(k) + odd;
        if (n > 1) factorial *= n * (n - 1);
        out[k] = sign / factorial;
    }
    return out;
}

/// cos(2 pi v) for v in [0, 1): q = floor(4 v + 1/2), x = 2 pi (v - q / 4), then the Taylor series of cos x to x^18, or that of
/// sin(x) / x to x^16 times x (in x^2, Horner from the highest term), by q mod 4: cos x, -sin x, -cos x, sin x.
inline double cos_of_turn(double v) {
    constexpr auto cosine_terms = taylor_series<10>(0);
    constexpr auto sine_terms = taylor_series<9>(1);
    auto const q = static_cast<std::int32_t>(4.0 * v + 0.5);
    double const x = (v - 0.25 * q) * 6.28318530717958647692529;
    double const z = x * x;
    double cosine = cosine_terms[9], sine = sine_terms[8];
    for (std::size_t k = 9; k-- > 0;) cosine = cosine * z + cosine_terms[k];
    for (std::size_t k = 8; k-- > 0;) sine = sine * z + sine_terms[k];
    sine *= x;
    double const value = (q & 1) != 0 ? sine : cosine;
    return ((q + 1) & 2) != 0 ? -value : value;
}

void uniform_reals(RandomSource const& source, Extent first, std::size_t count, double* out) {
    std::array<std::uint64_t, strip> bits;
    draw_bits(source.seed, first, count, bits.data());
    double const low = source.a, range = source.b - source.a;
    for (std::size_t i = 0; i < count; ++i) out[i] = low + range * unit(bits[i]);
}

void normal_reals(RandomSource const& source, Extent first, std::size_t count, double* out) {
    std::array<std::uint64_t, strip> one, two;
    draw(source.seed, static_cast<std::uint64_t>(first), 1, count, one.data(), two.data());
    for (std::size_t i = 0; i < count; ++i) {
        double const u = unit(one[i]) + 0x1p-53;
        out[i] = source.a + source.b * (std::sqrt(-2.0 * log_of(u)) * cos_of_turn(unit(two[i])));
    }
}

void reals(RandomSource const& source, Extent first, std::size_t count, double* out) {
    if (source.distribution == Distribution::uniform) uniform_reals(source, first, count, out);
    else normal_reals(source, first, count, out);
}

template <class T>
T next_below(T value) { return std::nextafter(value, -std::numeric_limits<T>::infinity()); }

template <class H>
double half_next_below(H value) {
    if (value.bits == 0 || value.bits == 0x8000u) value.bits = 0x8001u;
    else if ((value.bits & 0x8000u) != 0) ++value.bits;
    else --value.bits;
    return static_cast<float>(value);
}

/// The greatest value of a real dtype below `high`.
double greatest_below(DType real, double high) {
    return with_type(real, [&]<class T>(T) -> double {
        T const nearest = cast<T>(high);
        if (cast<double>(nearest) < high) return cast<double>(nearest);
        if constexpr (is_half_type<T>) return half_next_below(nearest);
        else if constexpr (std::is_floating_point_v<T>) return next_below(nearest);
        else throw InternalError("a real dtype is asked for");
    });
}

DType part_dtype(DType type) { return type == DType::c64 ? DType::f32 : type == DType::c128 ? DType::f64 : type; }

/// Real and complex dtypes: `count` real numbers from real index `first` on.
void fill_reals(RandomSource const& source, DType real, Extent first, Extent count, std::byte* out) {
    std::array<double, strip> values;
    bool const bounded = source.distribution == Distribution::uniform && source.a < source.b;
    double const top = bounded ? greatest_below(real, source.b) : std::numeric_limits<double>::infinity();
    for (Extent done = 0; done < count; done += static_cast<Extent>(strip)) {
        std::size_t const now = std::min(strip, static_cast<std::size_t>(count - done));
        reals(source, first + done, now, values.data());
        for (std::size_t i = 0; i < now; ++i) values[i] = values[i] > top ? top : values[i];
        convert(DType::f64, values.data(), 1, real, out + static_cast<std::size_t>(done) * size_of(real), now);
    }
}

/// What an integer dtype can hold.
struct IntegerRange {
    double low, high;   // high is the last value, or 2^63 - 1 rounded up for i64
};

IntegerRange range_of(DType dtype) {
    double const bits = 8.0 * static_cast<double>(size_of(dtype));
    if (dtype == DType::u8) return {0, 255};
    return {-std::exp2(bits - 1), std::exp2(bits - 1) - 1};
}

void integers(RandomSource const& source, DType dtype, Extent first, std::size_t count, std::int64_t* out) {
    if (source.distribution == Distribution::uniform) {
        auto const low = static_cast<std::uint64_t>(static_cast<std::int64_t>(std::ceil(source.a)));
        Wide const span = std::max(1.0, std::ceil(source.b) - std::ceil(source.a)) >= 0x1p64 ? Wide{1} << 64
                          : static_cast<Wide>(std::max(1.0, std::ceil(source.b) - std::ceil(source.a)));
        std::array<std::uint64_t, strip> bits;
        draw_bits(source.seed, first, count, bits.data());
        for (std::size_t i = 0; i < count; ++i)
            out[i] = static_cast<std::int64_t>(low + static_cast<std::uint64_t>((bits[i] * span) >> 64));
        return;
    }
    IntegerRange const range = range_of(dtype);
    std::array<double, strip> values;
    normal_reals(source, first, count, values.data());
    for (std::size_t i = 0; i < count; ++i) {
        double const whole = std::nearbyint(values[i]);
        out[i] = whole >= 0x1p63 ? std::numeric_limits<std::int64_t>::max()
                                 : static_cast<std::int64_t>(std::clamp(whole, range.low, range.high));
    }
}

void fill_integers(RandomSource const& source, DType dtype, Extent first, Extent count, std::byte* out) {
    std::array<std::int64_t, strip> values;
    for (Extent done = 0; done < count; done += static_cast<Extent>(strip)) {
        std::size_t const now = std::min(strip, static_cast<std::size_t>(count - done));
        integers(source, dtype, first + done, now, values.data());
        convert(DType::i64, values.data(), 1, dtype, out + static_cast<std::size_t>(done) * size_of(dtype), now);
    }
}

void fill_bools(RandomSource const& source, Extent first, Extent count, std::byte* out) {
    std::array<double, strip> values;
    double const middle = source.distribution == Distribution::uniform ? source.a + (source.b - source.a) * 0.5 : source.a;
    for (Extent done = 0; done < count; done += static_cast<Extent>(strip)) {
        std::size_t const now = std::min(strip, static_cast<std::size_t>(count - done));
        reals(source, first + done, now, values.data());
        for (std::size_t i = 0; i < now; ++i) out[static_cast<std::size_t>(done) + i] = std::byte{values[i] > middle};
    }
}

std::string text_of(double value) {
    std::string text(32, '\0');
    text.resize(static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.17g", value)));
    return text;
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t seed) {
    philox_rounds(counter[0], counter[1], counter[2], counter[3], seed);
    return counter;
}

void check_random(RandomSource const& source, std::string const& tensor, DType dtype) {
    bool const uniform = source.distribution == Distribution::uniform;
    auto refuse = [&](std::string expected, std::string mend) {
        std::string const found = uniform ? "low " + text_of(source.a) + ", high " + text_of(source.b)
                                          : "mean " + text_of(source.a) + ", std " + text_of(source.b);
        throw InputError(Fault{"", "random tensor '" + tensor + "'", std::move(expected), found, std::move(mend)});
    };
    if (!std::isfinite(source.a) || !std::isfinite(source.b) || !std::isfinite(source.b - source.a))
        refuse("finite numbers", uniform ? "give finite low and high" : "give a finite mean and std");
    if (uniform && source.a > source.b) refuse("low <= high", "exchange low and high");
    if (!uniform && source.b < 0) refuse("std >= 0", "give a standard deviation that is not negative");
    if (!uniform || !is_integer(dtype)) return;
    IntegerRange const range = range_of(dtype);
    double const low = std::ceil(source.a), limit = std::ceil(source.b);
    if (low == limit && source.a < source.b) refuse("a whole number between low and high", "widen the range, or use a real dtype");
    if (low < range.low || low > range.high || limit > range.high + 1 || (low == limit && low >= 0x1p63))
        refuse("whole numbers that " + std::string(name(dtype)) + " can hold", "narrow the range, or declare a wider dtype");
}

void fill_random(RandomSource const& source, DType dtype, Extent first, Extent count, std::byte* out) {
    if (is_complex(dtype)) fill_reals(source, part_dtype(dtype), 2 * first, 2 * count, out);
    else if (kind(dtype) == Kind::real) fill_reals(source, dtype, first, count, out);
    else if (is_integer(dtype)) fill_integers(source, dtype, first, count, out);
    else fill_bools(source, first, count, out);
}

}  // namespace ein::tensor
