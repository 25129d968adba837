#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "lib/base/float16.hpp"
#include "lib/scalar/evaluate/integers.hpp"
#include "lib/scalar/kernels/kernels.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scalar;

TEST_CASE("exact cases are exact", "[lib][scalar][kernels]") {
    auto const at = [](Op op, double x) {
        double y = 0;
        kernels().unary[static_cast<int>(op)][1](&y, &x, 1);
        return y;
    };
    CHECK(at(Op::exp, 0) == 1);
    CHECK(at(Op::log, 1) == 0);
    CHECK(at(Op::sigmoid, 0) == 0.5);
    CHECK(at(Op::tanh, 100) == 1);
    for (int k = -1074; k < 1024; ++k) {
        REQUIRE(at(Op::exp2, k) == std::ldexp(1.0, k));
        REQUIRE(at(Op::log2, std::ldexp(1.0, k)) == k);
    }
}

TEST_CASE("the sign of zero is kept", "[lib][scalar][kernels]") {
    for (Op const op : {Op::expm1, Op::tanh, Op::asinh, Op::atanh, Op::erf, Op::silu, Op::gelu, Op::sin, Op::atan,
                        Op::log1p, Op::sqrt}) {
        CAPTURE(std::string(info(op).name));
        double const zeros[] = {-0.0, 0.0};
        float const narrow_zeros[] = {-0.0f, 0.0f};
        double y[2];
        float z[2];
        kernels().unary[static_cast<int>(op)][register_number(DType::f64)](y, zeros, 2);
        kernels().unary[static_cast<int>(op)][register_number(DType::f32)](z, narrow_zeros, 2);
        CHECK((std::signbit(y[0]) && std::signbit(z[0])));
        CHECK_FALSE((std::signbit(y[1]) || std::signbit(z[1])));
        CHECK((y[0] == 0 && y[1] == 0 && z[0] == 0 && z[1] == 0));
    }
}

TEST_CASE("rounding to f16 and bf16 is that of the storage types, for every kind of value", "[lib][scalar][kernels]") {
    std::vector<float> values;
    for (std::uint32_t high = 0; high < 0x10000u; ++high) {
        for (std::uint32_t const low :
             {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0x0fffu, 0x1000u, 0x1001u, 0x2fffu, 0x3000u, 0x3001u}) {
            values.push_back(__builtin_bit_cast(float, (high << 16) | low));
        }
    }
    std::vector<float> half(values.size()), brain(values.size());
    kernels().round_f16(half.data(), values.data(), values.size());
    kernels().round_bf16(brain.data(), values.data(), values.size());
    int wrong = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
        float const h = Half(values[k]), b = BFloat16(values[k]);
        bool const same_half = h == half[k] || (std::isnan(h) && std::isnan(half[k]));
        bool const same_brain = b == brain[k] || (std::isnan(b) && std::isnan(brain[k]));
        wrong += !same_half + !same_brain;
    }
    CHECK(wrong == 0);
}

namespace {

constexpr std::size_t widths[register_count] = {4, 8, 8, 16, 8, 4, 2, 1, 1};

/// Bytes of a result: abs, real and imag of complex numbers are real.
std::size_t unary_width(Op op, int number) {
    bool const halves = (op == Op::abs || op == Op::real || op == Op::imag) && (number == 2 || number == 3);
    return halves ? widths[number] / 2 : widths[number];
}

/// Registers full of random numbers of all sizes, special values among them.
std::vector<std::byte> random_register(int number, std::size_t count, std::mt19937_64& random) {
    std::vector<std::byte> bytes(count * widths[number]);
    if (number > 4) {
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 3 == 0 ? 0 : random());
        return bytes;
    }
    bool const single = number == 0 || number == 2;
    for (std::size_t at = 0; at < bytes.size(); at += single ? 4 : 8) {
        double const size =
            std::ldexp(std::uniform_real_distribution<double>(-1, 1)(random), static_cast<int>(random() % 40) - 20);
        double const special[] = {0, -0.0, HUGE_VAL, -HUGE_VAL, std::nan(""), 1, -1, 0.5};
        double const value = random() % 5 == 0 ? special[random() % 8] : size;
        if (single) {
            auto const narrow = static_cast<float>(value);
            std::memcpy(&bytes[at], &narrow, 4);
        } else if (number == 4) {
            std::uint64_t const bits = random() % 3 == 0 ? random() % 5 : random();
            std::memcpy(&bytes[at], &bits, 8);
        } else {
            std::memcpy(&bytes[at], &value, 8);
        }
    }
    return bytes;
}

/// Every nan made alike: hardware is free to choose among nans.
std::vector<std::byte> canonical(std::vector<std::byte> bytes, bool f32) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += f32 ? 4 : 8) {
        float narrow = 0;
        double wide = 0;
        std::memcpy(&narrow, &bytes[at], 4);
        std::memcpy(&wide, &bytes[at], 8);
        if (f32 && std::isnan(narrow)) std::memset(&bytes[at], 0xff, 4);
        if (!f32 && std::isnan(wide)) std::memset(&bytes[at], 0xff, 8);
    }
    return bytes;
}

int differences(std::vector<std::byte> const& a, std::vector<std::byte> const& b, bool f32) {
    auto const x = canonical(a, f32), y = canonical(b, f32);
    int count = 0;
    for (std::size_t k = 0; k < x.size(); ++k) count += x[k] != y[k];
    return count;
}

}  // namespace

TEST_CASE("every instruction set and every place in a tile gives the same bits", "[lib][scalar][kernels]") {
    std::mt19937_64 random(11);
    constexpr std::size_t count = 515;
    Kernels const& reference = kernels(InstructionSet::baseline);
    for (InstructionSet const set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
        if (!supported(set)) continue;
        Kernels const& table = kernels(set);
        for (int number = 0; number < register_count; ++number) {
            auto const a = random_register(number, count, random);
            auto const b = random_register(number, count, random);
            for (int op = 0; op < op_count; ++op) {
                CAPTURE(static_cast<int>(set), number, std::string(info(static_cast<Op>(op)).name));
                if (UnaryKernel const kernel = table.unary[op][number]) {
                    std::vector<std::byte> whole(count * 16), single(count * 16);
                    kernel(whole.data(), a.data(), count);
                    std::size_t const width = unary_width(static_cast<Op>(op), number);
                    for (std::size_t k = 0; k < count; ++k)
                        reference.unary[op][number](&single[k * width], &a[k * widths[number]], 1);
                    bool const f32 = number == 0 || number == 2;
                    CHECK(differences(whole, single, f32) == 0);
                }
                BinaryKernels const& forms = table.binary[op][number];
                if (forms.vv == nullptr) continue;
                bool const compares = op >= static_cast<int>(Op::lt) && op <= static_cast<int>(Op::logical_or);
                std::size_t const width = compares && number < 4                ? 8
                                          : op == static_cast<int>(Op::complex) ? 2 * widths[number]
                                                                                : widths[number];
                bool const f32 = !compares && (number == 0 || number == 2);
                std::vector<std::byte> vv(count * 16), vs(count * 16), sv(count * 16), one(count * 16),
                    one_vs(count * 16), one_sv(count * 16);
                forms.vv(vv.data(), a.data(), b.data(), count);
                forms.vs(vs.data(), a.data(), b.data(), count);
                forms.sv(sv.data(), a.data(), b.data(), count);
                BinaryKernel const kernel_of_one = reference.binary[op][number].vv;
                for (std::size_t k = 0; k < count; ++k) {
                    std::byte const* const x = &a[k * widths[number]];
                    std::byte const* const y = &b[k * widths[number]];
                    kernel_of_one(&one[k * width], x, y, 1);
                    kernel_of_one(&one_vs[k * width], x, b.data(), 1);
                    kernel_of_one(&one_sv[k * width], a.data(), y, 1);
                }
                CHECK(differences(vv, one, f32) == 0);
                CHECK(differences(vs, one_vs, f32) == 0);
                CHECK(differences(sv, one_sv, f32) == 0);
            }
        }
    }
}

TEST_CASE("remainders of integers are those of every pair of them", "[lib][scalar][kernels]") {
    auto const wrong = []<class T>(DType type, std::vector<T> const& values) {
        BinaryKernels const& mod = kernels().binary[static_cast<int>(Op::mod)][integer_register_number(type)];
        std::vector<T> found(values.size());
        int count = 0;
        for (T const divisor : values) {
            mod.vs(found.data(), values.data(), &divisor, values.size());
            for (std::size_t k = 0; k < values.size(); ++k) count += found[k] != integer_mod(values[k], divisor);
            std::vector<T> const divisors(values.size(), divisor);
            mod.vv(found.data(), values.data(), divisors.data(), values.size());
            for (std::size_t k = 0; k < values.size(); ++k) count += found[k] != integer_mod(values[k], divisor);
            mod.sv(found.data(), &divisor, values.data(), values.size());
            for (std::size_t k = 0; k < values.size(); ++k) count += found[k] != integer_mod(divisor, values[k]);
        }
        return count;
    };
    std::vector<std::int8_t> bytes;
    std::vector<std::uint8_t> positive;
    for (int value = -128; value < 128; ++value) bytes.push_back(static_cast<std::int8_t>(value));
    for (int value = 0; value < 256; ++value) positive.push_back(static_cast<std::uint8_t>(value));
    std::vector<std::int16_t> halves;
    std::vector<std::int32_t> words;
    std::mt19937 random(3);
    for (int k = 0; k < 1000; ++k) {
        halves.push_back(static_cast<std::int16_t>(random() >> (random() % 32)));
        words.push_back(static_cast<std::int32_t>(random() >> (random() % 32)));
    }
    for (std::int32_t const extreme : {-2147483647 - 1, -2147483647, 2147483647, 2147483646, -1, 0, 1}) {
        words.push_back(extreme);
        halves.push_back(static_cast<std::int16_t>(extreme >> 16));
    }
    CHECK(wrong(DType::i8, bytes) == 0);
    CHECK(wrong(DType::u8, positive) == 0);
    CHECK(wrong(DType::i16, halves) == 0);
    CHECK(wrong(DType::i32, words) == 0);
    std::vector<std::int64_t> wide;  // in turn moderate ones by themselves, for the shorter form, and others
    std::mt19937_64 random_wide(3);
    for (std::int64_t const near : {std::int64_t{0}, std::int64_t{1} << 50, std::int64_t{1} << 53})
        for (std::int64_t by = -2; by <= 2; ++by) wide.insert(wide.end(), {near + by, -near - by});
    for (int k = 0; k < 600; ++k) wide.push_back(static_cast<std::int64_t>(random_wide()) >> (random_wide() % 64));
    CHECK(wrong(DType::i64, wide) == 0);
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> moderate{1, -1, 2, -2, 3, -7, 1000, -1048577, (std::int64_t{1} << 50) - 1};
    std::vector<std::int64_t> dividends(wide);
    for (std::int64_t by = 0; by < 9; ++by) dividends.insert(dividends.end(), {most - by, -most - 1 + by});
    BinaryKernels const& mod = kernels().binary[static_cast<int>(Op::mod)][integer_register_number(DType::i64)];
    for (std::int64_t const divisor : moderate) {
        std::vector<std::int64_t> found(dividends.size());
        mod.vs(found.data(), dividends.data(), &divisor, dividends.size());
        int count = 0;
        for (std::size_t k = 0; k < found.size(); ++k) count += found[k] != integer_mod(dividends[k], divisor);
        CAPTURE(divisor);
        CHECK(count == 0);
    }
}
