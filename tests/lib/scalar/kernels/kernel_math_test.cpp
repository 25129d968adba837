#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "lib/base/float16.hpp"
#include "lib/scalar/kernels/kernels.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

using Exact = long double (*)(long double);

struct Function {
    Op op;
    Exact exact;
    double low, high;  // where it is neither constant nor infinite
    double most_ulps;
};

long double sigmoid(long double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }
long double softplus(long double x) { return std::max(x, 0.0L) + std::log1p(std::exp(-std::fabs(x))); }

long double gelu(long double x) { return 0.5L * x * std::erfc(-x * std::sqrt(0.5L)); }

std::vector<Function> functions(bool f64) {
    double const most = f64 ? 710 : 89;
    return {
        {Op::erf, [](long double x) { return std::erf(x); }, -6, 6, 2},
        {Op::gelu, gelu, f64 ? -38.4 : -14.2, 20, 9},
        {Op::exp, [](long double x) { return std::exp(x); }, f64 ? -746.0 : -104.0, most, 2},
        {Op::exp2, [](long double x) { return std::exp2(x); }, f64 ? -1075.0 : -150.0, f64 ? 1024.0 : 128.0, 2},
        {Op::expm1, [](long double x) { return std::expm1(x); }, -40, most, 2},
        {Op::log, [](long double x) { return std::log(x); }, 0, 100, 2},
        {Op::log2, [](long double x) { return std::log2(x); }, 0, 100, f64 ? 2.0 : 3.0},
        {Op::log1p, [](long double x) { return std::log1p(x); }, -1, 100, 2},
        {Op::sin, [](long double x) { return std::sin(x); }, -1e5, 1.1e5, 2},
        {Op::cos, [](long double x) { return std::cos(x); }, -1e5, 1.1e5, 2},
        {Op::tanh, [](long double x) { return std::tanh(x); }, -20, 20, 3},
        {Op::asinh, [](long double x) { return std::asinh(x); }, -1e3, 1e10, 3},
        {Op::acosh, [](long double x) { return std::acosh(x); }, 1, 1e10, 3},
        {Op::atanh, [](long double x) { return std::atanh(x); }, -1, 1, 3},
        {Op::sigmoid, sigmoid, -most, 40, 3},
        {Op::silu, [](long double x) { return x * sigmoid(x); }, f64 ? -755.0 : -110.0, 40, 4},
        {Op::softplus, softplus, -most, 40, 3},
    };
}

/// How far `found` is from `exact`, in units of the last place that T has at `exact` (subnormal spacing at least).
template <class T>
double ulps(T found, long double exact) {
    T const nearest = static_cast<T>(exact);
    if (std::isnan(nearest) || std::isinf(nearest)) return std::isnan(nearest) ? !std::isnan(found) : found != nearest;
    T const size = std::max(std::fabs(nearest), std::numeric_limits<T>::min());
    long double const spacing = std::ldexp(1.0L, std::ilogb(size) - std::numeric_limits<T>::digits + 1);
    return static_cast<double>(std::fabs(static_cast<long double>(found) - exact) / spacing);
}

template <class T>
std::vector<T> arguments(Function const& function, int count, std::mt19937_64& random) {
    std::uniform_real_distribution<T> spread(static_cast<T>(function.low), static_cast<T>(function.high));
    std::vector<T> list;
    for (int k = 0; k < count; ++k) {
        T const x = spread(random);
        list.push_back(k % 3 == 0 ? x : k % 3 == 1 ? std::ldexp(x, -static_cast<int>(random() % 60)) : x / 50);
    }
    return list;
}

template <class T>
double worst(UnaryKernel kernel, Exact exact, std::vector<T> const& list, T& where) {
    std::vector<T> results(list.size());
    kernel(results.data(), list.data(), list.size());
    double most = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
        double const error = ulps(results[k], exact(static_cast<long double>(list[k])));
        if (error > most) where = list[k];
        most = std::max(most, error);
    }
    return most;
}

template <class T>
std::vector<T> special_arguments() {
    using L = std::numeric_limits<T>;
    std::vector<T> list{0,
                        1,
                        T(0.5),
                        2,
                        T(0.34657),
                        T(0.34658),
                        L::min(),
                        L::denorm_min(),
                        L::max(),
                        L::infinity(),
                        L::epsilon(),
                        3 * L::denorm_min(),
                        L::min() - L::denorm_min(),
                        T(1) + L::epsilon(),
                        T(1) - L::epsilon(),
                        T(0.70710678118654752),
                        T(87.33655),
                        T(88.72283),
                        T(88.72284),
                        T(103.27893),
                        T(103.97208),
                        T(709.782712893384),
                        T(708.3964185322641),
                        T(709.7827128933841),
                        T(744.4400719213812),
                        T(745.1332191019411),
                        T(745.1332191019412),
                        T(745.2),
                        1024,
                        1075,
                        127,
                        128,
                        149,
                        150,
                        T(16777217),
                        T(1e10)};
    std::size_t const half = list.size();
    for (std::size_t k = 0; k < half; ++k) list.push_back(-list[k]);
    list.push_back(L::quiet_NaN());
    return list;
}

template <class T>
void check_functions(DType type) {
    std::mt19937_64 random(3);
    for (Function const& function : functions(type == DType::f64)) {
        UnaryKernel const kernel = kernels().unary[static_cast<int>(function.op)][register_number(type)];
        REQUIRE(kernel != nullptr);
        T where = 0;
        CAPTURE(std::string(info(function.op).name), name(type));
        double const error = worst(kernel, function.exact, arguments<T>(function, 200000, random), where);
        CAPTURE(where);
        CHECK(error <= function.most_ulps);
        auto const specials = special_arguments<T>();
        std::vector<T> results(specials.size());
        kernel(results.data(), specials.data(), specials.size());
        for (std::size_t k = 0; k < specials.size(); ++k) {
            bool const minus_infinity = specials[k] == -std::numeric_limits<T>::infinity();  // -inf * 0
            bool const undefined = (function.op == Op::gelu || function.op == Op::silu) && minus_infinity;
            CAPTURE(specials[k], results[k]);
            if (!undefined)
                CHECK(ulps(results[k], function.exact(static_cast<long double>(specials[k]))) <= function.most_ulps);
        }
    }
}

}  // namespace

TEST_CASE("vector functions of f32 err by few units in the last place", "[lib][scalar][kernels]") {
    check_functions<float>(DType::f32);
}
TEST_CASE("vector functions of f64 err by few units in the last place", "[lib][scalar][kernels]") {
    check_functions<double>(DType::f64);
}

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

constexpr std::size_t widths[register_count] = {4, 8, 8, 16, 8};

/// Bytes of a result: abs, real and imag of complex numbers are real.
std::size_t unary_width(Op op, int number) {
    bool const halves = (op == Op::abs || op == Op::real || op == Op::imag) && (number == 2 || number == 3);
    return halves ? widths[number] / 2 : widths[number];
}

/// Registers full of random numbers of all sizes, special values among them.
std::vector<std::byte> random_register(int number, std::size_t count, std::mt19937_64& random) {
    std::vector<std::byte> bytes(count * widths[number]);
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

TEST_CASE("every instruction set and every place in a strip gives the same bits", "[lib][scalar][kernels]") {
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
                std::size_t const width = compares                              ? 8
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
