#include "lib/tensor/convert.hpp"

#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <vector>

#include "lib/base/float16.hpp"
#include "lib/tensor/cast.hpp"
#include "lib/tensor/host_tensor.hpp"
#include "tests/lib/tensor/special_values.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using tensor::HostTensor;

namespace {

using test::inf;

std::vector<std::complex<double>> special_values() {
    std::vector<std::complex<double>> values;
    for (double real : {0.0,           -0.0,       1.0,          -1.0,          0.5,    -0.75,       2.5,     127.0,
                        128.0,         -129.0,     255.9,        256.0,         300.0,  32767.0,     65504.0, 65519.0,
                        65520.0,       -65536.0,   2147483648.0, -2147483649.0, 0x1p62, 0x1p63,      -0x1p63, 1e30,
                        -1e30,         6e-8,       2.9e-8,       5.97e-5,       1e-310, 0x1p-149,    3.4e38,  1e39,
                        1.00048828125, 1.00390625, 1.01171875,   inf,           -inf,   std::nan("")})
        for (double imag : {0.0, 1.5}) values.emplace_back(real, imag);
    return values;
}

/// NumPy's astype, spelled out slowly for one element. Mantissa bits 11 (f16) and 8 (bf16) by nearest even on doubles.
double rounded(double value, int bits, int least_exponent, double greatest) {
    if (value == 0 || !std::isfinite(value)) return value;
    int exponent = 0;
    std::frexp(value, &exponent);
    double const unit = std::ldexp(1.0, std::max(exponent - bits, least_exponent));
    double const nearest = std::nearbyint(value / unit) * unit;
    return std::fabs(nearest) > greatest ? std::copysign(inf, value) : nearest;
}

double to_real(double value, DType to) {
    switch (to) {
        case DType::f16: return rounded(value, 11, -24, 65504.0);
        case DType::bf16: return rounded(value, 8, -133, 0x1.fep127);
        case DType::f32:
        case DType::c64: return static_cast<double>(static_cast<float>(value));
        default: return value;
    }
}

scalar::Scalar slow_convert(scalar::Scalar value, DType to) {
    std::complex<double> const number = value.is_integer ? static_cast<double>(value.integer) : value.number;
    if (kind(to) <= Kind::integer) {
        if (to == DType::boolean)
            return scalar::Scalar::of(std::int64_t{value.is_integer ? value.integer != 0 : number != 0.0});
        double const real = number.real();
        std::int64_t whole = value.is_integer                   ? value.integer
                             : real >= -0x1p63 && real < 0x1p63 ? static_cast<std::int64_t>(real)
                                                                : 0;
        int const drop = 64 - 8 * static_cast<int>(size_of(to));
        auto const shifted = static_cast<std::uint64_t>(whole) << drop;
        whole =
            to == DType::u8 ? static_cast<std::int64_t>(shifted >> drop) : static_cast<std::int64_t>(shifted) >> drop;
        return scalar::Scalar::of(whole);
    }
    return scalar::Scalar::of(
        std::complex<double>(to_real(number.real(), to), is_complex(to) ? to_real(number.imag(), to) : 0.0));
}

bool same(scalar::Scalar a, scalar::Scalar b) {
    auto equal = [](double x, double y) {
        return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
    };
    if (a.is_integer != b.is_integer) return false;
    return a.is_integer ? a.integer == b.integer
                        : equal(a.number.real(), b.number.real()) && equal(a.number.imag(), b.number.imag());
}

/// All special values that `type` can hold, as stored elements.
HostTensor stored_values(DType type) {
    auto const values = special_values();
    HostTensor out(type, {static_cast<Extent>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i)
        out.set(static_cast<Extent>(i), slow_convert(scalar::Scalar::of(values[i]), type));
    return out;
}

std::string stored_text(scalar::Scalar value) {
    return value.is_integer ? std::to_string(value.integer)
                            : std::to_string(value.number.real()) + " + " + std::to_string(value.number.imag()) + "i";
}

}  // namespace

TEST_CASE("every pair of dtypes converts as NumPy's astype, with any stride", "[lib][tensor][convert]") {
    for (int f = 0; f < dtype_count; ++f) {
        for (int t = 0; t < dtype_count; ++t) {
            auto const from = static_cast<DType>(f), to = static_cast<DType>(t);
            HostTensor const source = stored_values(from);
            for (std::ptrdiff_t stride : {0, 1, 3}) {
                Extent const count = stride == 3 ? source.elements() / 3 : source.elements();
                HostTensor result(to, {count});
                tensor::convert(from, source.bytes().data(), stride, to, result.bytes().data(),
                                static_cast<std::size_t>(count));
                for (Extent i = 0; i < count; ++i) {
                    scalar::Scalar const expected = slow_convert(source.at(i * stride), to);
                    bool const equal = same(result.at(i), expected);
                    if (equal) continue;
                    CAPTURE(name(from), name(to), stride, stored_text(source.at(i * stride)), stored_text(result.at(i)),
                            stored_text(expected));
                    REQUIRE(equal);
                }
            }
        }
    }
}

TEST_CASE("all f16 and bf16 bit patterns and their neighbours in f32 convert as Half and BFloat16 do",
          "[lib][tensor][convert]") {
    int wrong = 0;
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        Half half;
        half.bits = static_cast<std::uint16_t>(bits);
        float const value = half;
        float const fast = tensor::half_value(half.bits);
        wrong += std::bit_cast<std::uint32_t>(value) != std::bit_cast<std::uint32_t>(fast);
        for (std::uint32_t nudge : {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x1fffu}) {
            float const near = std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) + nudge);
            wrong += tensor::half_bits(near) != Half(near).bits;
            float const top = std::bit_cast<float>((bits << 16) + (nudge << 4));
            wrong += tensor::bfloat_bits(top) != BFloat16(top).bits;
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("f64 to f16 and bf16 rounds once", "[lib][tensor][convert]") {
    // just above the midpoint of two neighbours, but so little that f32 would round it to the midpoint and then to even
    double const value = 1.0 + 0x1p-11 + 0x1p-40, brain = 1.0 + 0x1p-8 + 0x1p-40;
    Half half;
    BFloat16 bfloat;
    tensor::convert(DType::f64, &value, 1, DType::f16, &half, 1);
    tensor::convert(DType::f64, &brain, 1, DType::bf16, &bfloat, 1);
    CHECK(half == Half(1.0f + 0x1p-10f));
    CHECK(bfloat == BFloat16(1.0f + 0x1p-7f));
}

TEST_CASE("integers of 64 bits round once, whatever they become", "[lib][tensor][convert]") {
    std::int64_t const values[] = {9007199791611905, (std::int64_t{257} << 53) + 1, -(std::int64_t{257} << 53) - 1};
    float singles[3];
    BFloat16 brains[3];
    std::complex<float> complexes[3];
    tensor::convert(DType::i64, values, 1, DType::f32, singles, 3);
    tensor::convert(DType::i64, values, 1, DType::bf16, brains, 3);
    tensor::convert(DType::i64, values, 1, DType::c64, complexes, 3);
    CHECK(singles[0] == 9007200328482816.0f);
    CHECK(complexes[0] == 9007200328482816.0f);
    CHECK(static_cast<float>(brains[1]) == 0x1.02p61f);
    CHECK(static_cast<float>(brains[2]) == -0x1.02p61f);
    std::int32_t const narrow = (257 << 20) + 1;
    tensor::convert(DType::i32, &narrow, 1, DType::bf16, brains, 1);
    CHECK(static_cast<float>(brains[0]) == 0x1.02p28f);
}

TEST_CASE("a negative stride reads backwards and unaligned elements are fine", "[lib][tensor][convert]") {
    std::vector<std::byte> bytes(1 + 4 * sizeof(float));
    for (int i = 0; i < 4; ++i) {
        float const value = static_cast<float>(i);
        std::memcpy(bytes.data() + 1 + static_cast<std::size_t>(i) * sizeof(float), &value, sizeof value);
    }
    std::vector<double> out(4);
    tensor::convert(DType::f32, bytes.data() + 1 + 3 * sizeof(float), -1, DType::f64, out.data(), 4);
    CHECK(out == std::vector<double>{3, 2, 1, 0});
}
