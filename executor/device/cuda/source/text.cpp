#include "executor/device/cuda/source/text.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

namespace ein::executor::cuda {
namespace {

std::string real_literal(double value, std::string const& type) {
    if (std::isnan(value)) return "(" + type + ")EIN_NAN";
    if (std::isinf(value)) return "(" + type + ")" + (value < 0 ? "-EIN_INFINITY" : "EIN_INFINITY");
    std::array<char, 40> digits{};
    std::snprintf(digits.data(), digits.size(), "%a", value);
    return "(" + type + ")" + digits.data();
}

std::string integer_literal(std::int64_t value, std::string const& type) {
    bool const least = value == std::numeric_limits<std::int64_t>::min();
    return "(" + type + ")" + (least ? "(-9223372036854775807ll - 1)" : "(" + std::to_string(value) + "ll)");
}

std::string hash_of(std::string const& text) {
    std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
    return digits.data();
}

}  // namespace

std::string element_name(DType type) { return type == DType::boolean ? "boolean" : std::string(name(type)); }

std::string register_name(DType type) {
    switch (kind(type)) {
        case Kind::boolean: return "i32";
        case Kind::integer: return type == DType::i64 ? "i64" : "i32";
        case Kind::real: return type == DType::f64 ? "f64" : "f32";
        case Kind::complex: break;
    }
    return std::string(name(type));
}

std::size_t register_bytes(DType type) { return std::max<std::size_t>(4, size_of(type)); }

std::string converted(std::string const& value, DType to) { return "to_" + std::string(name(to)) + "(" + value + ")"; }

std::string literal(scalar::Scalar const& value, DType type) {
    std::string const made = register_name(type);
    if (value.is_integer) return integer_literal(value.integer, made);
    if (!is_complex(type)) return real_literal(value.number.real(), made);
    std::string const part = type == DType::c64 ? "f32" : "f64";
    return made + "{" + real_literal(value.number.real(), part) + ", " + real_literal(value.number.imag(), part) + "}";
}

Kernel named(std::string const& stem, std::string source) {
    Kernel kernel{"ein_" + stem + "_" + hash_of(source), ""};
    for (char c : source) {
        if (c == '@')
            kernel.source += kernel.name;
        else
            kernel.source += c;
    }
    return kernel;
}

Words& Words::add(Extent value) {
    words_.push_back(static_cast<std::uint64_t>(value));
    return *this;
}

/// For n below 2^31: n / d = (((n m) >> 32) + n) >> s with s = ceil(log2 d), m = floor(2^32 (2^s - d) / d) + 1.
/// Source: Granlund and Montgomery, Division by invariant integers using multiplication, 1994.
Words& Words::length(Extent value) {
    std::uint64_t multiplier = 0, shift = 0;
    if (value > 0 && value < (Extent{1} << 31)) {
        auto const divisor = static_cast<std::uint64_t>(value);
        shift = static_cast<std::uint64_t>(std::bit_width(divisor - 1));
        multiplier = ((std::uint64_t{1} << 32) * ((std::uint64_t{1} << shift) - divisor)) / divisor + 1;
    }
    add(value);
    words_.push_back((multiplier & 0xffffffffu) | shift << 32);
    return *this;
}

}  // namespace ein::executor::cuda
