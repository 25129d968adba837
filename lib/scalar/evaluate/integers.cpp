#include "lib/scalar/evaluate/integers.hpp"

namespace ein::scalar {
namespace {

std::optional<std::int64_t> exact_pow(std::int64_t base, std::int64_t exponent) {
    if (exponent < 0) return std::nullopt;
    if (base == 0 || base == 1 || base == -1) return integer_pow(base, exponent);
    std::int64_t value = 1;
    for (std::int64_t k = 0; k < exponent; ++k) {  // at most 63 iterations before it overflows
        if (__builtin_mul_overflow(value, base, &value)) return std::nullopt;
    }
    return value;
}

}  // namespace

std::optional<std::int64_t> exact_integer(Op op, std::int64_t a, std::int64_t b) {
    std::int64_t value = 0;
    if (op == Op::add) return __builtin_add_overflow(a, b, &value) ? std::nullopt : std::optional(value);
    if (op == Op::sub) return __builtin_sub_overflow(a, b, &value) ? std::nullopt : std::optional(value);
    if (op == Op::mul) return __builtin_mul_overflow(a, b, &value) ? std::nullopt : std::optional(value);
    if (op == Op::mod) return integer_mod(a, b);
    return op == Op::pow ? exact_pow(a, b) : std::nullopt;
}

std::int64_t wrap(std::int64_t value, DType type) {
    switch (type) {
        case DType::i8: return static_cast<std::int8_t>(value);
        case DType::i16: return static_cast<std::int16_t>(value);
        case DType::i32: return static_cast<std::int32_t>(value);
        case DType::u8: return static_cast<std::uint8_t>(value);
        case DType::boolean: return value != 0 ? 1 : 0;
        case DType::i64:
        case DType::f16:
        case DType::bf16:
        case DType::f32:
        case DType::f64:
        case DType::c64:
        case DType::c128: break;  // nothing to wrap
    }
    return value;
}

std::int64_t integer_mod(std::int64_t a, std::int64_t b) {
    if (b == 0 || b == -1) return 0;  // INT64_MIN % -1 overflows
    std::int64_t const rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::int64_t integer_pow(std::int64_t base, std::int64_t exponent) {
    if (exponent < 0) {
        if (base == -1) return exponent % 2 == 0 ? 1 : -1;
        return base == 1 ? 1 : 0;
    }
    std::int64_t value = 1;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 != 0) value = wrapping_mul(value, base);
        base = wrapping_mul(base, base);
    }
    return value;
}

std::int64_t to_integer(double value) {
    return value >= -0x1p63 && value < 0x1p63 ? static_cast<std::int64_t>(value) : 0;
}

}  // namespace ein::scalar
