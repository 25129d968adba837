#include <algorithm>
#include <random>

#include "executor/device/cpu/cpu_device.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using scalar::Agg;

TEST_CASE("operands that repeat a row, or have an element a row, are read where they lie", "[executor][device]") {
    struct Case {
        std::string form, join;
        Shape extents;  // of labels as they appear
        Agg agg = Agg::sum;
    };
    Case const at =
        GENERATE(Case{"pd,d->pd", "x - y", {300, 96}}, Case{"pd,p->pd", "x*y", {300, 100}},
                 Case{"pd,d,p->pd", "exp((x - y)/64)*z", {333, 71}}, Case{"pd,d->p", "(x - y)^2", {300, 128}},
                 Case{"pd,p->d", "exp((x - y)/64)", {300, 130}}, Case{"pd,d->p", "abs(x - y)", {200, 64}, Agg::max},
                 Case{"bpd,bd->bpd", "x + y", {5, 60, 100}}, Case{"p,d->pd", "x + y", {300, 100}},
                 Case{"pd,d->dp", "x - y", {96, 300}}, Case{"dp,d->pd", "x - y", {96, 300}});
    auto const types =
        GENERATE(std::vector{DType::f32, DType::f32, DType::f32}, std::vector{DType::f64, DType::f64, DType::f64},
                 std::vector{DType::f16, DType::f32, DType::f32}, std::vector{DType::f32, DType::i8, DType::f32});
    auto const output = GENERATE(DType::f32, DType::bf16);
    CAPTURE(at.form, at.join, types, output);
    DType const compute = types[0] == DType::f64 ? DType::f64 : DType::f32;
    auto operands = types;
    operands.resize(static_cast<std::size_t>(std::count(at.form.begin(), at.form.end(), ',')) + 1);
    KernelCase test(einsum(at.form, at.extents, at.join, at.agg), operands, output, compute);
    std::mt19937 random(1);
    test.fill(random);
    CHECK(compare(test, output == DType::bf16 ? 1e-2 : 1e-4) == "");
}

TEST_CASE("rows meet the operands that a join reads, however many it has", "[executor][device]") {
    std::string form = "pd,d", join = "x0 - x1";
    for (int k = 2; k < 40; ++k) form += ",p";
    for (int const k : {17, 30, 38, 39}) join = "(" + join + ")*x" + std::to_string(k);
    KernelCase test(einsum(form + "->pd", {300, 100}, join), std::vector(40, DType::f32), DType::f32, DType::f32);
    std::mt19937 random(3);
    test.fill(random);
    CHECK(compare(test, 1e-5) == "");
}

TEST_CASE("a matrix and a vector meet in loops where they are not multiplied", "[executor][device]") {
    auto const [form, join, agg] =
        GENERATE(table<std::string, std::string, Agg>({{"pd,d->p", "(x - y)^2", Agg::sum},
                                                       {"pd,d->p", "x + y", Agg::min},
                                                       {"pd,p->d", "x + y", Agg::min},
                                                       {"bpd,bd->bp", "abs(x - y)", Agg::sum},
                                                       {"d,pd->p", "x - y", Agg::max}}));
    CAPTURE(form, join, agg);
    KernelCase test(einsum(form, form[0] == 'b' ? Shape{3, 70, 90} : Shape{70, 90}, join, agg),
                    {DType::f32, DType::f32}, DType::f32, DType::f32);
    test.fill_with_fractions(2);
    CpuDevice cpu;
    same_on_teams(test, cpu);
    CHECK(compare(test, 1e-4) == "");
}
