#include "lib/base/dtype.hpp"

#include <algorithm>
#include <array>

#include "lib/base/error.hpp"
#include "lib/base/text/letters.hpp"
#include "lib/base/text/module_names.hpp"
#include "lib/base/text/near_names.hpp"

namespace ein {
namespace {

struct Info {
    DType type;
    std::string_view name;
    std::size_t bytes;
    Kind kind;
};

constexpr std::array<Info, dtype_count> infos{{
    {DType::f16, "f16", 2, Kind::real},
    {DType::bf16, "bf16", 2, Kind::real},
    {DType::f32, "f32", 4, Kind::real},
    {DType::f64, "f64", 8, Kind::real},
    {DType::c64, "c64", 8, Kind::complex},
    {DType::c128, "c128", 16, Kind::complex},
    {DType::i8, "i8", 1, Kind::integer},
    {DType::i16, "i16", 2, Kind::integer},
    {DType::i32, "i32", 4, Kind::integer},
    {DType::i64, "i64", 8, Kind::integer},
    {DType::u8, "u8", 1, Kind::integer},
    {DType::boolean, "bool", 1, Kind::boolean},
}};

constexpr DTypeName taken_names[]{
    {"float16", DType::f16},  {"half", DType::f16},      {"f2", DType::f16},          {"<f2", DType::f16},
    {"=f2", DType::f16},      {"e", DType::f16},         {"fp16", DType::f16},        {"bfloat16", DType::bf16},
    {"bfloat", DType::bf16},  {"fp32", DType::f32},      {"fp64", DType::f64},        {"float32", DType::f32},
    {"single", DType::f32},   {"f4", DType::f32},        {"<f4", DType::f32},         {"=f4", DType::f32},
    {"float64", DType::f64},  {"double", DType::f64},    {"<f8", DType::f64},         {"=f8", DType::f64},
    {"float_", DType::f64},   {"complex64", DType::c64}, {"csingle", DType::c64},     {"c8", DType::c64},
    {"<c8", DType::c64},      {"=c8", DType::c64},       {"complex128", DType::c128}, {"complex", DType::c128},
    {"cdouble", DType::c128}, {"c16", DType::c128},      {"<c16", DType::c128},       {"=c16", DType::c128},
    {"int8", DType::i8},      {"i1", DType::i8},         {"<i1", DType::i8},          {"|i1", DType::i8},
    {"int16", DType::i16},    {"short", DType::i16},     {"i2", DType::i16},          {"<i2", DType::i16},
    {"=i2", DType::i16},      {"int32", DType::i32},     {"i4", DType::i32},          {"<i4", DType::i32},
    {"=i4", DType::i32},      {"int64", DType::i64},     {"<i8", DType::i64},         {"=i8", DType::i64},
    {"long", DType::i64},     {"int_", DType::i64},      {"uint8", DType::u8},        {"u1", DType::u8},
    {"<u1", DType::u8},       {"|u1", DType::u8},        {"boolean", DType::boolean}, {"bool_", DType::boolean},
    {"b1", DType::boolean},   {"<b1", DType::boolean},   {"|b1", DType::boolean},
};

constexpr AmbiguousDType ambiguous_names[]{
    {"float", {"f64", "as in Python and NumPy"}, {"f32", "as in PyTorch and C"}},
    {"int", {"i64", "as in Python and NumPy"}, {"i32", "as in PyTorch and C"}},
    {"byte", {"i8", "as in NumPy"}, {"u8", "as in PyTorch"}},
    {"cfloat", {"c128", "as in NumPy"}, {"c64", "as in PyTorch"}},
    {"f8", {"f64", "as in NumPy, in bytes"}, {"f16", "the smallest there is, if 8 bits are meant"}},
};

/// What others have and we do not.
struct LackingDType {
    std::string_view written, instead;
};
constexpr LackingDType lacking_names[]{
    {"uint16", R"("i32", which holds all its values)"},
    {"u16", R"("i32", which holds all its values)"},
    {"uint32", R"("i64", which holds all its values)"},
    {"u32", R"("i64", which holds all its values)"},
    {"uint64", R"("i64", which holds those below 2^63)"},
    {"u64", R"("i64", which holds those below 2^63)"},
    {"float128", R"("f64")"},
    {"f128", R"("f64")"},
    {"longdouble", R"("f64")"},
    {"int128", R"("i64")"},
    {"i128", R"("i64")"},
    {"complex256", R"("c128")"},
    {"complex32", R"("c64")"},
    {"c32", R"("c64")"},
    {"tf32", R"("f32"; einrun --allow-tf32 rounds so on a GPU)"},
    {"tfloat32", R"("f32"; einrun --allow-tf32 rounds so on a GPU)"},
    {"fp8", R"("f16")"},
    {"float8", R"("f16")"},
    {"f8_e4m3", R"("f16")"},
    {"f8_e5m2", R"("f16")"},
    {"float8_e4m3fn", R"("f16")"},
    {"float8_e5m2", R"("f16")"},
    {"int4", R"("i8")"},
    {"str", "numbers that stand for the words"},
    {"string", "numbers that stand for the words"},
    {"object", "numbers"},
};

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
    text = without_modules(text);
    for (Info const& entry : infos)
        if (entry.name == text) return entry.type;
    for (DTypeName const& taken : taken_names)
        if (taken.written == text) return taken.type;
    return std::nullopt;
}

std::span<DTypeName const> taken_dtype_names() { return taken_names; }
std::span<AmbiguousDType const> ambiguous_dtype_names() { return ambiguous_names; }

std::string mend_dtype(std::string_view text) {
    std::string const plain = lowered(without_modules(text));
    if (std::string const meanings = meanings_of_dtype(plain); !meanings.empty()) return "write " + meanings;
    if (auto const type = dtype_from_name(plain)) return did_you_mean(name(*type));
    for (LackingDType const& row : lacking_names)
        if (row.written == plain) return "there is none: write " + std::string(row.instead);
    std::vector<std::string> known;
    for (Info const& entry : infos) known.emplace_back(entry.name);
    for (DTypeName const& taken : taken_names)
        if (taken.written.size() > 3) known.emplace_back(taken.written);
    std::string const near = nearest_name(plain, known);
    return near.empty() ? "write one of these, or its NumPy name" : did_you_mean(name(*dtype_from_name(near)));
}

std::string meanings_of_dtype(std::string_view text) {
    for (AmbiguousDType const& row : ambiguous_names)
        if (row.written == without_modules(text))
            return "\"" + std::string(row.one.name) + "\", " + std::string(row.one.where) + ", or \"" +
                   std::string(row.other.name) + "\", " + std::string(row.other.where);
    return "";
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
