#include "lib/base/dtype.hpp"

#include <algorithm>
#include <array>

#include "lib/base/error.hpp"

namespace ein {
namespace {

struct Info {
    DType type;
    std::string_view name;
    std::size_t bytes;
    Kind kind;
    std::array<std::string_view, 4> other_names;
};

constexpr std::array<Info, dtype_count> infos{{
    {DType::f16, "f16", 2, Kind::real, {"float16", "<f2", "half", "e"}},
    {DType::bf16, "bf16", 2, Kind::real, {"bfloat16", "", "", ""}},
    {DType::f32, "f32", 4, Kind::real, {"float32", "<f4", "single", "float"}},
    {DType::f64, "f64", 8, Kind::real, {"float64", "<f8", "double", ""}},
    {DType::c64, "c64", 8, Kind::complex, {"complex64", "<c8", "", ""}},
    {DType::c128, "c128", 16, Kind::complex, {"complex128", "<c16", "", ""}},
    {DType::i8, "i8", 1, Kind::integer, {"int8", "<i1", "|i1", ""}},
    {DType::i16, "i16", 2, Kind::integer, {"int16", "<i2", "", ""}},
    {DType::i32, "i32", 4, Kind::integer, {"int32", "<i4", "", ""}},
    {DType::i64, "i64", 8, Kind::integer, {"int64", "<i8", "int", ""}},
    {DType::u8, "u8", 1, Kind::integer, {"uint8", "<u1", "|u1", ""}},
    {DType::boolean, "bool", 1, Kind::boolean, {"boolean", "|b1", "<b1", "bool_"}},
}};

Info const& info(DType type) { return infos.at(static_cast<std::size_t>(type)); }

DType signed_of_bits(std::size_t bytes) {
    return bytes <= 1 ? DType::i8 : bytes <= 2 ? DType::i16 : bytes <= 4 ? DType::i32 : DType::i64;
}

/// The smallest real type that holds every value of a bool or integer type, as NumPy has it.
DType real_for(DType integral) {
    if (integral == DType::boolean || size_of(integral) == 1) return DType::f16;
    return size_of(integral) == 2 ? DType::f32 : DType::f64;
}

DType promote_reals(DType a, DType b) {
    if (a == b) return a;
    if (size_of(a) == 2 && size_of(b) == 2) return DType::f32;  // f16 with bf16
    return size_of(a) > size_of(b) ? a : b;
}

}  // namespace

std::string_view name(DType type) { return info(type).name; }
std::size_t size_of(DType type) { return info(type).bytes; }
Kind kind(DType type) { return info(type).kind; }

std::optional<DType> dtype_from_name(std::string_view text) {
    if (text.empty()) return std::nullopt;
    for (Info const& entry : infos) {
        auto const& others = entry.other_names;
        if (entry.name == text || std::find(others.begin(), others.end(), text) != others.end()) return entry.type;
    }
    return std::nullopt;
}

std::string dtype_names() {
    std::string out;
    for (Info const& entry : infos) out += (out.empty() ? "" : ", ") + std::string(entry.name);
    return out;
}

DType promote(DType a, DType b) {
    if (kind(a) > kind(b)) std::swap(a, b);  // now kind(a) <= kind(b)
    switch (kind(b)) {
        case Kind::boolean: return DType::boolean;
        case Kind::integer: {
            if (a == DType::boolean || a == b) return b;
            if (a == DType::u8 || b == DType::u8) {  // u8 needs one more bit in a signed type
                DType const other = a == DType::u8 ? b : a;
                return signed_of_bits(std::max<std::size_t>(2, size_of(other)));
            }
            return size_of(a) > size_of(b) ? a : b;
        }
        case Kind::real: {
            if (kind(a) == Kind::real) return promote_reals(a, b);
            return b == DType::bf16 && real_for(a) == DType::f16 ? DType::bf16 : promote_reals(real_for(a), b);
        }
        case Kind::complex: {
            if (kind(a) == Kind::complex) return size_of(a) > size_of(b) ? a : b;
            DType const real = kind(a) == Kind::real ? a : real_for(a);
            return real == DType::f64 ? DType::c128 : b;
        }
    }
    throw InternalError("unknown kind of dtype");
}

DType common_dtype(std::span<DType const> types) {
    promise(!types.empty(), "common_dtype of no types");
    DType common = types.front();
    for (DType type : types.subspan(1)) common = promote(common, type);
    return common;
}

DType compute_dtype(std::span<DType const> inputs, DType output) {
    DType type = inputs.empty() ? output : common_dtype(inputs);
    if (kind(output) >= kind(type)) type = promote(type, output);
    return size_of(type) == 2 && kind(type) == Kind::real ? DType::f32 : type;
}

}  // namespace ein
