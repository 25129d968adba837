#include <random>

#include "executor/device/cpu/cpu_device.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

TEST_CASE("parts that a row shares are computed once, with the same bits", "[executor][device]") {
    struct Case {
        std::string form, join, part, rest;  // rest: of the join's operands and then the part
        std::string part_form, rest_form;
        Shape extents, part_extents;  // of labels as they appear
    };
    Case const at = GENERATE(
        Case{"pd,p->pd", "x*rsqrt(y*y + 0.5)", "rsqrt(x*x + 0.5)", "x*z", "p->p", "pd,p,p->pd", {1000, 8}, {1000}},
        Case{"pd,p->pd", "x*rsqrt(y*y + 0.5)", "rsqrt(x*x + 0.5)", "x*z", "p->p", "pd,p,p->pd", {300, 100}, {300}},
        Case{"pd,d->dp", "exp(y) + x", "exp(x)", "z + x", "d->d", "pd,d,d->dp", {300, 65}, {65}},
        Case{"bpd,bd->bpd", "x - exp(y)*x", "exp(x)", "x - z*x", "bd->bd", "bpd,bd,bd->bpd", {5, 60, 33}, {5, 33}},
        Case{"pd,->pd", "x/sqrt(y*y + 2)", "sqrt(x*x + 2)", "x/z", "->", "pd,,->pd", {333, 71}, {}});
    auto const types = GENERATE(std::vector{DType::f32, DType::f32}, std::vector{DType::f64, DType::f64},
                                std::vector{DType::f16, DType::f32}, std::vector{DType::bf16, DType::i8});
    DType const compute = types[0] == DType::f64 ? DType::f64 : DType::f32;
    CAPTURE(at.form, at.join, types, at.extents);
    KernelCase whole(einsum(at.form, at.extents, at.join), types, compute, compute);
    std::mt19937 random(3);
    whole.fill(random);
    CHECK(compare(whole, 1e-5) == "");

    CpuDevice cpu;
    SoloWorkerTeam solo;
    KernelCase part(einsum(at.part_form, at.part_extents, at.part), {types[1]}, compute, compute);
    part.operand(0) = whole.operand(1);
    KernelCase rest(einsum(at.rest_form, at.extents, at.rest), {types[0], types[1], compute}, compute, compute);
    rest.operand(0) = whole.operand(0);
    rest.operand(1) = whole.operand(1);
    rest.operand(2) = part.run(cpu, solo);
    CHECK(whole.run(cpu, solo) == rest.run(cpu, solo));
}
