#include "lib/base/dtype.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "lib/base/error.hpp"
#include "tests/support/catch.hpp"

using namespace ein;

namespace {

constexpr std::array<DType, dtype_count> all_dtypes{DType::f16, DType::bf16, DType::f32, DType::f64,
                                                    DType::c64, DType::c128, DType::i8,  DType::i16,
                                                    DType::i32, DType::i64,  DType::u8,  DType::boolean};

DType dtype(std::string_view name) { return dtype_from_name(name).value(); }

// numpy.promote_types of NumPy 1.24 (the same in 2.x), row by column; NumPy has no bf16.
constexpr std::array<char const*, 11> columns{"f16", "f32", "f64", "c64", "c128", "i8",
                                              "i16", "i32", "i64", "u8",  "bool"};
constexpr std::array<std::array<char const*, 11>, 11> numpy_promotion{{
    {"f16", "f32", "f64", "c64", "c128", "f16", "f32", "f64", "f64", "f16", "f16"},            // f16
    {"f32", "f32", "f64", "c64", "c128", "f32", "f32", "f64", "f64", "f32", "f32"},            // f32
    {"f64", "f64", "f64", "c128", "c128", "f64", "f64", "f64", "f64", "f64", "f64"},           // f64
    {"c64", "c64", "c128", "c64", "c128", "c64", "c64", "c128", "c128", "c64", "c64"},         // c64
    {"c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128"},  // c128
    {"f16", "f32", "f64", "c64", "c128", "i8", "i16", "i32", "i64", "i16", "i8"},              // i8
    {"f32", "f32", "f64", "c64", "c128", "i16", "i16", "i32", "i64", "i16", "i16"},            // i16
    {"f64", "f64", "f64", "c128", "c128", "i32", "i32", "i32", "i64", "i32", "i32"},           // i32
    {"f64", "f64", "f64", "c128", "c128", "i64", "i64", "i64", "i64", "i64", "i64"},           // i64
    {"f16", "f32", "f64", "c64", "c128", "i16", "i16", "i32", "i64", "u8", "u8"},              // u8
    {"f16", "f32", "f64", "c64", "c128", "i8", "i16", "i32", "i64", "u8", "bool"},             // bool
}};

}  // namespace

TEST_CASE("every dtype has a name that reads back, and NumPy's names mean the same", "[lib][base][dtype]") {
    for (DType type : all_dtypes) CHECK(dtype_from_name(name(type)) == type);
    std::vector<std::pair<char const*, DType>> const aliases{
        {"float16", DType::f16},       {"<f2", DType::f16},
        {"bfloat16", DType::bf16},     {"float32", DType::f32},
        {"<f4", DType::f32},           {"float64", DType::f64},
        {"<f8", DType::f64},           {"double", DType::f64},
        {"complex64", DType::c64},     {"complex128", DType::c128},
        {"<c8", DType::c64},           {"<c16", DType::c128},
        {"int8", DType::i8},           {"|i1", DType::i8},
        {"int16", DType::i16},         {"<i2", DType::i16},
        {"int32", DType::i32},         {"<i4", DType::i32},
        {"int64", DType::i64},         {"<i8", DType::i64},
        {"uint8", DType::u8},          {"|u1", DType::u8},
        {"bool", DType::boolean},      {"|b1", DType::boolean},
        {"numpy.float32", DType::f32}, {"torch.bfloat16", DType::bf16},
        {"np.int8", DType::i8},        {"=f8", DType::f64},
    };
    for (DTypeName const& taken : taken_dtype_names()) {
        CAPTURE(taken.written);
        CHECK(dtype_from_name(taken.written) == taken.type);
    }
    for (auto const& [text, type] : aliases) {
        CAPTURE(text);
        CHECK(dtype_from_name(text) == type);
    }
}

TEST_CASE("a dtype that libraries mean differently is reported with both", "[lib][base][dtype]") {
    CHECK(meanings_of_dtype("float") == "\"f64\", as in Python and NumPy, or \"f32\", as in PyTorch and C");
    CHECK(meanings_of_dtype("np.int") == "\"i64\", as in Python and NumPy, or \"i32\", as in PyTorch and C");
    CHECK(meanings_of_dtype("f32").empty());
    for (AmbiguousDType const& row : ambiguous_dtype_names()) {
        CAPTURE(row.written);
        CHECK_FALSE(dtype_from_name(row.written).has_value());
        CHECK(dtype_from_name(row.one.name).has_value());
        CHECK(dtype_from_name(row.other.name).has_value());
    }
}

TEST_CASE("names of no dtype are refused", "[lib][base][dtype]") {
    for (char const* text : {"", "f33", "F32", "u16", "int128", ">f4", " f32"}) {
        CAPTURE(text);
        CHECK_FALSE(dtype_from_name(text).has_value());
    }
    CHECK(dtype_names() == "f16, bf16, f32, f64, c64, c128, i8, i16, i32, i64, u8, bool");
}

TEST_CASE("sizes and kinds of the dtypes", "[lib][base][dtype]") {
    std::array<std::size_t, dtype_count> const sizes{2, 2, 4, 8, 8, 16, 1, 2, 4, 8, 1, 1};
    for (std::size_t i = 0; i < all_dtypes.size(); ++i) CHECK(size_of(all_dtypes[i]) == sizes[i]);
    CHECK(kind(DType::bf16) == Kind::real);
    CHECK(kind(DType::u8) == Kind::integer);
    CHECK(kind(DType::boolean) == Kind::boolean);
    CHECK(is_complex(DType::c64));
    CHECK_FALSE(is_complex(DType::f64));
    CHECK(is_integer(DType::i8));
    CHECK_FALSE(is_integer(DType::boolean));
}

TEST_CASE("promotion is NumPy's for every pair", "[lib][base][dtype]") {
    for (std::size_t row = 0; row < columns.size(); ++row)
        for (std::size_t column = 0; column < columns.size(); ++column) {
            CAPTURE(columns[row], columns[column]);
            CHECK(name(promote(dtype(columns[row]), dtype(columns[column]))) == numpy_promotion[row][column]);
        }
}

TEST_CASE("bf16 is promoted as f16 is, and with f16 to f32", "[lib][base][dtype]") {
    CHECK(promote(DType::bf16, DType::bf16) == DType::bf16);
    CHECK(promote(DType::bf16, DType::f16) == DType::f32);
    for (DType other : all_dtypes) {
        if (other == DType::f16 || other == DType::bf16) continue;
        CAPTURE(name(other));
        DType const with_half = promote(DType::f16, other);
        CHECK(promote(DType::bf16, other) == (with_half == DType::f16 ? DType::bf16 : with_half));
    }
}

TEST_CASE("promotion is commutative, idempotent and never narrows", "[lib][base][dtype]") {
    for (DType a : all_dtypes)
        for (DType b : all_dtypes) {
            CAPTURE(name(a), name(b));
            DType const both = promote(a, b);
            CHECK(both == promote(b, a));
            CHECK(promote(both, a) == both);
            CHECK(size_of(both) >= std::max(size_of(a), size_of(b)));
            CHECK(kind(both) == std::max(kind(a), kind(b)));
        }
}

TEST_CASE("the common dtype of several is that of promoting one after another", "[lib][base][dtype]") {
    CHECK(common_dtype(std::vector{DType::f32}) == DType::f32);
    CHECK(common_dtype(std::vector{DType::i8, DType::u8, DType::f32}) == DType::f32);
    CHECK(common_dtype(std::vector{DType::i32, DType::f32, DType::c64}) == DType::c128);
    CHECK_THROWS_AS(common_dtype({}), InternalError);
}

TEST_CASE("joins run in the common dtype, widened to the output's where its kind is not lower", "[lib][base][dtype]") {
    auto compute = [](std::vector<DType> const& inputs, DType output) { return compute_dtype(inputs, output); };
    CHECK(compute({DType::f32, DType::f32}, DType::f32) == DType::f32);
    CHECK(compute({DType::f32, DType::f32}, DType::f64) == DType::f64);
    CHECK(compute({DType::f64, DType::f32}, DType::f32) == DType::f64);  // rounded once, at the end
    CHECK(compute({DType::f16, DType::f16}, DType::f16) == DType::f32);
    CHECK(compute({DType::bf16}, DType::bf16) == DType::f32);
    CHECK(compute({DType::f32}, DType::boolean) == DType::f32);  // a narrower kind: compared in f32
    CHECK(compute({DType::f32}, DType::i64) == DType::f32);
    CHECK(compute({DType::i8}, DType::i64) == DType::i64);
    CHECK(compute({DType::boolean}, DType::i32) == DType::i32);
    CHECK(compute({DType::i32}, DType::f32) == DType::f64);
    CHECK(compute({DType::f64}, DType::c64) == DType::c128);
    CHECK(compute({}, DType::f64) == DType::f64);
    CHECK(compute({}, DType::f16) == DType::f32);
}

TEST_CASE("names of dtypes that are none are mended: capitals, letters, what others have", "[lib][base][dtype]") {
    for (auto const& [written, meant] : {std::pair("FP16", "f16"),
                                         {"Float32", "f32"},
                                         {"F32", "f32"},
                                         {"HALF", "f16"},
                                         {"Int64", "i64"},
                                         {"np.Float64", "f64"},
                                         {"flaot32", "f32"},
                                         {"Bool", "bool"},
                                         {"BF16", "bf16"},
                                         {"Double", "f64"}}) {
        CAPTURE(written);
        REQUIRE_FALSE(dtype_from_name(written));
        CHECK(mend_dtype(written) == "did you mean \"" + std::string(meant) + "\"?");
    }
    CHECK(mend_dtype("Float") == "write " + meanings_of_dtype("float"));
    CHECK(mend_dtype("uint16") == "there is none: write \"i32\", which holds all its values");
    CHECK(mend_dtype("UInt32") == "there is none: write \"i64\", which holds all its values");
    CHECK(mend_dtype("xyzxyzxyz") == "write one of these, or its NumPy name");
}
