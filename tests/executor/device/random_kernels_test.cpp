#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "lib/base/float16.hpp"
#include "lib/scalar/expression/type.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/random_kernel.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

/// Subscripts over labels a, b, c, ...: each operand and the output take some of them, in any order.
std::string random_subscripts(std::mt19937& random, std::size_t operands, std::size_t labels, std::string& used) {
    std::string text, all = std::string("abcde").substr(0, labels);
    for (std::size_t k = 0; k < operands; ++k) {
        std::shuffle(all.begin(), all.end(), random);
        std::string part = all.substr(0, below(random, labels + 1));
        if (!part.empty() && random() % 6 == 0) part += part.front();  // a diagonal
        for (char c : part)
            if (used.find(c) == std::string::npos) used += c;
        text += (k == 0 ? "" : ",") + part;
    }
    std::shuffle(all.begin(), all.end(), random);
    std::string const output = all.substr(0, below(random, labels + 1));
    for (char c : output)
        if (used.find(c) == std::string::npos) used += c;
    return (operands == 0 ? "!" : text) + "->" + output;
}

std::string random_join(std::mt19937& random, std::size_t operands, std::string const& labels) {
    static std::vector<std::string> const one{"",      "",      "x*x",   "abs(x)",     "exp(x)",
                                              "2*x+1", "x > 0", "eta*x", "cast_f64(x)"};
    static std::vector<std::string> const two{"",         "",         "x*y/eta", "-y*x",   "abs(x-y)", "max(x,y)",
                                              "min(x,y)", "exp(x-y)", "x+y",     "x == y", "y",        "x*y+x"};
    static std::vector<std::string> const three{"", "x+y*z", "max(x,min(y,z))", "x*y-z"};
    std::string join = operands == 0   ? "1"
                       : operands == 1 ? one[below(random, one.size())]
                       : operands == 2 ? two[below(random, two.size())]
                                       : three[below(random, three.size())];
    if (labels.empty() || random() % 4 != 0) return join;
    if (join.empty()) join = operands == 1 ? "x" : operands == 2 ? "x*y" : "x*y*z";
    return random_indexed(random, join, labels);
}

std::string describe(KernelCase& test, std::string const& text) {
    std::ostringstream out;
    out << text << " lengths " << to_string(test.shape().lengths) << " compute " << name(test.kernel().compute)
        << " agg " << name(test.kernel().einsum.agg) << " operands";
    for (DType type : test.shape().operand_dtypes) out << ' ' << name(type);
    out << " output " << name(test.shape().output_dtype) << (test.shape().accumulate ? " accumulate" : "");
    return out.str();
}

/// One random kernel on both devices. @return what differs, or ""
std::string compare(std::mt19937& random, Device& cpu, Device& reference, Lengths lengths) {
    bool const long_labels = lengths == Lengths::many;
    std::size_t const operands = below(random, 10) == 0 ? 0 : 1 + below(random, 3),
                      labels = below(random, long_labels ? 4 : 6);
    std::string used;
    std::string const subscripts = random_subscripts(random, operands, labels, used),
                      join = random_join(random, operands, used);
    Shape const extents = random_extents(random, used.size(), lengths);
    auto const agg = static_cast<scalar::Agg>(random() % 2 == 0 ? 0 : below(random, 7));
    DType const common = random_dtype(random);
    std::vector<DType> const dtypes = random_dtypes(random, operands, common);
    DType output = random() % 3 == 0 ? random_dtype(random) : common;
    DType const compute = compute_dtype(dtypes, output);
    auto const of = [&](DType stored) {
        return std::make_unique<KernelCase>(einsum(subscripts, extents, join, agg), dtypes, stored, compute);
    };
    std::unique_ptr<KernelCase> drawn = of(output);
    scalar::Expr const& parsed = drawn->kernel().einsum.join;
    if (!scalar::type_of(parsed, compute, compute_dtype({}, output)).problem.empty()) return "";
    KernelTypes const types = types_of(drawn->shape());
    bool const accumulate = random() % 3 == 0;
    if (accumulate && output != types.accumulate) drawn = of(output = types.accumulate);
    KernelCase& test = *drawn;
    test.shape().accumulate = accumulate;
    bool const rounding = kind(types.accumulate) >= Kind::real && kind(output) < Kind::real;
    if (rounding && (join.find_first_of("/e+*") != std::string::npos || agg >= scalar::Agg::prod))
        return "";  // a last bit may change an integer
    if (agg == scalar::Agg::prod && kind(output) < kind(types.accumulate)) return "";
    bool const unordered =
        is_complex(types.accumulate) && agg != scalar::Agg::sum && agg != scalar::Agg::prod;  // min of complex numbers
    bool const overflows = agg == scalar::Agg::prod && lengths != Lengths::few && kind(types.accumulate) >= Kind::real;
    if (unordered || overflows) return "";
    // What lies one behind another in memory is what most fast paths are for.
    if (lengths != Lengths::mixed || random() % 3 == 0) test.scatter_layout(random);
    test.fill(random, random() % 5 == 0 && !is_complex(types.compute) && kind(output) >= Kind::real);
    for (Extent& begin : test.begin()) begin = static_cast<Extent>(below(random, 5));
    SoloWorkerTeam solo;
    auto const found = test.elements(test.run(cpu, solo)), expected = test.elements(test.run(reference, solo));
    std::string const wrong = difference(found, expected, tolerance_of(output, types.accumulate));
    return wrong.empty() ? "" : describe(test, subscripts + " join " + join) + ": " + wrong;
}

void compare_all(unsigned seed, int rounds, Lengths lengths) {
    std::mt19937 random(seed);
    CpuDevice cpu;
    ReferenceDevice reference;
    for (int round = 0; round < rounds; ++round) {
        std::string const wrong = compare(random, cpu, reference, lengths);
        INFO("seed " << seed << ", round " << round);
        REQUIRE(wrong == "");
    }
}

}  // namespace

TEST_CASE("the cpu agrees with the reference on random kernels", "[executor][device]") {
    compare_all(2024, 6000, Lengths::few);
}

TEST_CASE("the cpu agrees with the reference on kernels with long labels", "[executor][device]") {
    compare_all(77, 150, Lengths::many);
}

/// More of them: EIN_KERNELS=SEED:ROUNDS.
TEST_CASE("the cpu agrees with the reference on kernels with labels of all lengths", "[executor][device]") {
    char const* const more = std::getenv("EIN_KERNELS");
    unsigned seed = 5;
    int rounds = 300;
    if (more != nullptr) REQUIRE(std::sscanf(more, "%u:%d", &seed, &rounds) == 2);
    compare_all(seed, rounds, Lengths::mixed);
}

namespace {

/// The result of one kernel of one operand with this one element.
template <class From, class To>
To result_of(Device& device, std::string const& join, From value, DType from, DType to, DType compute) {
    KernelCase test(einsum("i->i", {1}, join), {from}, to, compute);
    std::memcpy(test.operand(0).data(), &value, sizeof value);
    SoloWorkerTeam solo;
    To result;
    std::memcpy(&result, test.run(device, solo).data(), sizeof result);
    return result;
}

}  // namespace

TEST_CASE("conversions round once and zeros keep their signs, on every device", "[executor][device]") {
    CpuDevice cpu;
    ReferenceDevice reference;
    for (Device* const device : std::array<Device*, 2>{&cpu, &reference}) {
        CAPTURE(device->name());
        std::int64_t const whole = 9007199791611905;
        double const above = 1 + 0x1p-11 + 0x1p-40, above_brain = 1 + 0x1p-8 + 0x1p-40;
        auto const single = result_of<std::int64_t, float>(*device, "x", whole, DType::i64, DType::f32, DType::i64);
        auto const half = result_of<double, Half>(*device, "x", above, DType::f64, DType::f16, DType::f64);
        auto const brain = result_of<double, BFloat16>(*device, "x", above_brain, DType::f64, DType::bf16, DType::f64);
        auto const cast = result_of<double, float>(*device, "cast_f16(x)", above, DType::f64, DType::f32, DType::f64);
        auto const large = result_of<std::int64_t, BFloat16>(*device, "x", (std::int64_t{257} << 53) + 1, DType::i64,
                                                             DType::bf16, DType::i64);
        CHECK(single == 9007200328482816.0f);
        CHECK(half == Half(1 + 0x1p-10f));
        CHECK(brain == BFloat16(1 + 0x1p-7f));
        CHECK(cast == 1 + 0x1p-10f);
        CHECK(large == BFloat16(0x1.02p61f));
        for (DType const type : {DType::f64, DType::f32}) {
            double const zero = result_of<double, double>(*device, "-x", 0.0, DType::f64, DType::f64, DType::f64);
            float const narrow = result_of<float, float>(*device, "x", -0.0f, DType::f32, DType::f32, type);
            CHECK(std::signbit(zero));
            CHECK(std::signbit(narrow));
        }
        CHECK(std::signbit(result_of<double, float>(*device, "x", -0.0, DType::f64, DType::f32, DType::f64)));
        CHECK(std::signbit(result_of<double, double>(*device, "min(0, x)", -0.0, DType::f64, DType::f64, DType::f64)));
        CHECK(std::signbit(result_of<double, double>(*device, "max(0, x)", -0.0, DType::f64, DType::f64, DType::f64)));
        CHECK(!std::signbit(result_of<double, double>(*device, "min(x, 0)", -0.0, DType::f64, DType::f64, DType::f64)));
        CHECK(!std::signbit(result_of<double, double>(*device, "max(x, 0)", -0.0, DType::f64, DType::f64, DType::f64)));
    }
}

TEST_CASE("what integers do that has no meaning elsewhere is the same on every device", "[executor][device]") {
    CpuDevice cpu;
    ReferenceDevice reference;
    struct Row {
        std::string join;
        std::int64_t x, value;
    };
    for (Device* const device : std::array<Device*, 2>{&cpu, &reference})
        for (Row const& row :
             {Row{"(0*x + 2)^x", -1, 0}, Row{"(0*x - 1)^x", -3, -1}, Row{"(0*x)^x", -1, 0}, Row{"mod(7, x)", 0, 0},
              Row{"mod(x, 0*x - 1)", INT64_MIN, 0}, Row{"-x", INT64_MIN, INT64_MIN},
              Row{"abs(x)", INT64_MIN, INT64_MIN}, Row{"cast_i64(x/0)", 1, 0}, Row{"cast_i64(x/0)", 0, 0},
              Row{"cast_i8(x*1.0)", 300, 44}, Row{"cast_u8(x*1.0)", -1, 255}, Row{"cast_i8(x*1e30)", 1, 0},
              Row{"-cast_bool(x)", 5, -1}, Row{"cast_bool(x) - cast_bool(1)", 0, -1}}) {
            CAPTURE(device->name(), row.join, row.x);
            CHECK(result_of<std::int64_t, std::int64_t>(*device, row.join, row.x, DType::i64, DType::i64, DType::i64) ==
                  row.value);
        }
}
