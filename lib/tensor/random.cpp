#include "lib/tensor/random.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/tensor/cast.hpp"
#include "lib/tensor/convert.hpp"
#include "lib/tensor/random_numbers.hpp"

namespace ein::tensor {
namespace {

__extension__ using Wide = unsigned __int128;

/// Elements that follow one another.
struct Consecutive {
    Extent first;

    void bits(std::uint64_t seed, Extent begin, std::size_t count, std::uint64_t* out) const {
        draw_bits(seed, first + begin, count, out);
    }
    void words(std::uint64_t seed, Extent begin, std::size_t count, std::uint64_t* one, std::uint64_t* two) const {
        draw(seed, static_cast<std::uint64_t>(first + begin), 1, count, one, two);
    }
};

/// Elements anywhere.
struct Anywhere {
    std::uint64_t const* places;

    void bits(std::uint64_t seed, Extent begin, std::size_t count, std::uint64_t* out) const {
        for (std::size_t i = 0; i < count; ++i) {
            std::uint64_t low = 0, high = 0, place = places[static_cast<std::size_t>(begin) + i];
            draw(seed, place / 2, 0, 1, &low, &high);
            out[i] = place % 2 == 0 ? low : high;
        }
    }
    void words(std::uint64_t seed, Extent begin, std::size_t count, std::uint64_t* one, std::uint64_t* two) const {
        for (std::size_t i = 0; i < count; ++i)
            draw(seed, places[static_cast<std::size_t>(begin) + i], 1, 1, one + i, two + i);
    }
};

template <class Places>
void uniform_reals(RandomSource const& source, Places at, Extent begin, std::size_t count, double* out) {
    std::array<std::uint64_t, batch> bits;
    at.bits(source.seed, begin, count, bits.data());
    double const low = source.a, range = source.b - source.a;
    for (std::size_t i = 0; i < count; ++i) out[i] = low + range * unit(bits[i]);
}

template <class Places>
void normal_reals(RandomSource const& source, Places at, Extent begin, std::size_t count, double* out) {
    std::array<std::uint64_t, batch> one, two;
    at.words(source.seed, begin, count, one.data(), two.data());
    for (std::size_t i = 0; i < count; ++i) {
        double const u = unit(one[i]) + 0x1p-53;
        out[i] = source.a + source.b * (std::sqrt(-2.0 * log_of(u)) * cos_of_turn(unit(two[i])));
    }
}

template <class Places>
void reals(RandomSource const& source, Places at, Extent begin, std::size_t count, double* out) {
    if (source.distribution == Distribution::uniform)
        uniform_reals(source, at, begin, count, out);
    else
        normal_reals(source, at, begin, count, out);
}

template <class T>
T next_below(T value) {
    return std::nextafter(value, -std::numeric_limits<T>::infinity());
}

template <class H>
double half_next_below(H value) {
    if (value.bits == 0 || value.bits == 0x8000u)
        value.bits = 0x8001u;
    else if ((value.bits & 0x8000u) != 0)
        ++value.bits;
    else
        --value.bits;
    return static_cast<float>(value);
}

/// The greatest value of a real dtype below `high`.
double greatest_below(DType real, double high) {
    return with_type(real, [&]<class T>(T) -> double {
        T const nearest = cast<T>(high);
        if (cast<double>(nearest) < high) return cast<double>(nearest);
        if constexpr (is_half_type<T>)
            return half_next_below(nearest);
        else if constexpr (std::is_floating_point_v<T>)
            return next_below(nearest);
        else
            throw InternalError("a real dtype is asked for");
    });
}

DType part_dtype(DType type) { return type == DType::c64 ? DType::f32 : type == DType::c128 ? DType::f64 : type; }

/// Real and complex dtypes: `count` real numbers.
template <class Places>
void fill_reals(RandomSource const& source, DType real, Places at, Extent count, std::byte* out) {
    std::array<double, batch> values;
    bool const bounded = source.distribution == Distribution::uniform && source.a < source.b;
    double const top = bounded ? greatest_below(real, source.b) : std::numeric_limits<double>::infinity();
    for (Extent done = 0; done < count; done += static_cast<Extent>(batch)) {
        std::size_t const now = std::min(batch, static_cast<std::size_t>(count - done));
        reals(source, at, done, now, values.data());
        for (std::size_t i = 0; i < now; ++i) values[i] = values[i] > top ? top : values[i];
        convert(DType::f64, values.data(), 1, real, out + static_cast<std::size_t>(done) * size_of(real), now);
    }
}

/// What an integer dtype can hold.
struct IntegerRange {
    double low, high;  // high is the last value, or 2^63 - 1 rounded up for i64
};

IntegerRange range_of(DType dtype) {
    double const bits = 8.0 * static_cast<double>(size_of(dtype));
    if (dtype == DType::u8) return {0, 255};
    return {-std::exp2(bits - 1), std::exp2(bits - 1) - 1};
}

template <class Places>
void integers(RandomSource const& source, DType dtype, Places at, Extent begin, std::size_t count, std::int64_t* out) {
    if (source.distribution == Distribution::uniform) {
        auto const low = static_cast<std::uint64_t>(static_cast<std::int64_t>(std::ceil(source.a)));
        Wide const span = std::max(1.0, std::ceil(source.b) - std::ceil(source.a)) >= 0x1p64
                              ? Wide{1} << 64
                              : static_cast<Wide>(std::max(1.0, std::ceil(source.b) - std::ceil(source.a)));
        std::array<std::uint64_t, batch> bits;
        at.bits(source.seed, begin, count, bits.data());
        for (std::size_t i = 0; i < count; ++i)
            out[i] = static_cast<std::int64_t>(low + static_cast<std::uint64_t>((bits[i] * span) >> 64));
        return;
    }
    IntegerRange const range = range_of(dtype);
    std::array<double, batch> values;
    normal_reals(source, at, begin, count, values.data());
    for (std::size_t i = 0; i < count; ++i) {
        double const whole = std::nearbyint(values[i]);
        out[i] = whole >= 0x1p63 ? std::numeric_limits<std::int64_t>::max()
                                 : static_cast<std::int64_t>(std::clamp(whole, range.low, range.high));
    }
}

template <class Places>
void fill_integers(RandomSource const& source, DType dtype, Places at, Extent count, std::byte* out) {
    std::array<std::int64_t, batch> values;
    for (Extent done = 0; done < count; done += static_cast<Extent>(batch)) {
        std::size_t const now = std::min(batch, static_cast<std::size_t>(count - done));
        integers(source, dtype, at, done, now, values.data());
        convert(DType::i64, values.data(), 1, dtype, out + static_cast<std::size_t>(done) * size_of(dtype), now);
    }
}

template <class Places>
void fill_bools(RandomSource const& source, Places at, Extent count, std::byte* out) {
    std::array<double, batch> values;
    double const middle =
        source.distribution == Distribution::uniform ? source.a + (source.b - source.a) * 0.5 : source.a;
    for (Extent done = 0; done < count; done += static_cast<Extent>(batch)) {
        std::size_t const now = std::min(batch, static_cast<std::size_t>(count - done));
        reals(source, at, done, now, values.data());
        for (std::size_t i = 0; i < now; ++i) out[static_cast<std::size_t>(done) + i] = std::byte{values[i] > middle};
    }
}

/// Dtypes of one number an element.
template <class Places>
void fill_parts(RandomSource const& source, DType dtype, Places at, Extent count, std::byte* out) {
    if (kind(dtype) == Kind::real)
        fill_reals(source, dtype, at, count, out);
    else if (is_integer(dtype))
        fill_integers(source, dtype, at, count, out);
    else
        fill_bools(source, at, count, out);
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
    auto refuse = [&](std::string expected, std::string fix) {
        std::string const found = uniform ? "low " + text_of(source.a) + ", high " + text_of(source.b)
                                          : "mean " + text_of(source.a) + ", std " + text_of(source.b);
        throw InputError(Fault{"", "random tensor '" + tensor + "'", std::move(expected), found, std::move(fix)});
    };
    if (!std::isfinite(source.a) || !std::isfinite(source.b) || !std::isfinite(source.b - source.a))
        refuse("finite numbers", uniform ? "give finite low and high" : "give a finite mean and std");
    if (uniform && source.a > source.b) refuse("low <= high", "exchange low and high");
    if (!uniform && source.b < 0) refuse("std >= 0", "give a standard deviation that is not negative");
    if (!uniform || !is_integer(dtype)) return;
    IntegerRange const range = range_of(dtype);
    double const low = std::ceil(source.a), limit = std::ceil(source.b);
    if (low == limit && source.a < source.b)
        refuse("a whole number between low and high", "widen the range, or use a real dtype");
    if (low < range.low || low > range.high || limit > range.high + 1 || (low == limit && low >= 0x1p63))
        refuse("whole numbers that " + std::string(name(dtype)) + " can hold",
               "narrow the range, or declare a wider dtype");
}

void fill_random(RandomSource const& source, DType dtype, Extent first, Extent count, std::byte* out) {
    if (is_complex(dtype))
        fill_reals(source, part_dtype(dtype), Consecutive{2 * first}, 2 * count, out);
    else
        fill_parts(source, dtype, Consecutive{first}, count, out);
}

void fill_random_at(RandomSource const& source, DType dtype, std::span<std::uint64_t const> places, std::byte* out) {
    auto const count = static_cast<Extent>(places.size());
    if (!is_complex(dtype)) return fill_parts(source, dtype, Anywhere{places.data()}, count, out);
    std::vector<std::uint64_t> parts;
    parts.reserve(2 * places.size());
    for (std::uint64_t place : places) parts.insert(parts.end(), {2 * place, 2 * place + 1});
    fill_reals(source, part_dtype(dtype), Anywhere{parts.data()}, 2 * count, out);
}

}  // namespace ein::tensor
