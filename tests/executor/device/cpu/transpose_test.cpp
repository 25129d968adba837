#include "executor/device/cpu/moves/transpose_kernel.hpp"

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

bool is_transpose(KernelShape const& shape) {
    Nest nest = make_nest(shape);
    simplify(nest);
    return make_transpose_kernel(nest) != nullptr;
}

}  // namespace

TEST_CASE("permuted axes are copied element by element, of every size and at every edge", "[executor][device]") {
    struct Case {
        std::string form;
        Shape extents;
    };
    Case const at = GENERATE(
        Case{"ij->ji", {64, 128}}, Case{"ij->ji", {67, 131}}, Case{"ij->ji", {8, 9}}, Case{"ijk->kji", {40, 3, 70}},
        Case{"bhij->bhji", {2, 3, 65, 33}}, Case{"ijk->kij", {5, 13, 66}}, Case{"abcde->edcba", {16, 5, 3, 2, 40}},
        Case{"abcde->ecabd", {3, 7, 2, 16, 33}}, Case{"abcde->edcba", {9, 70, 2, 3, 80}}, Case{"ij->jki", {35, 34}});
    std::mt19937 random(4);
    for (DType const type : {DType::boolean, DType::i8, DType::f16, DType::bf16, DType::f32, DType::i32, DType::f64,
                             DType::c64, DType::c128}) {
        Shape extents = at.extents;
        if (at.form == "ij->jki") extents.push_back(3);  // a label of the output alone
        KernelCase test(einsum(at.form, extents, "x"), {type}, type, compute_dtype(std::array{type}, type));
        test.fill(random);
        CAPTURE(at.form, to_string(extents), name(type));
        REQUIRE(is_transpose(test.shape()));
        CpuDevice cpu;
        ReferenceDevice reference;
        SoloWorkerTeam solo;
        REQUIRE(difference(test.elements(test.run(cpu, solo)), test.elements(test.run(reference, solo)), 0) == "");
    }
}

/// Elements that are permuted or repeated are no copies of what is asked for.
TEST_CASE("whether one element is not 0 is 1 or 0", "[executor][device]") {
    auto const agg = GENERATE(scalar::Agg::any, scalar::Agg::all);
    std::string const form = GENERATE("iaj->ji", "ia->ij", "aij->ji");
    std::mt19937 random(3);
    for (DType const type : {DType::i8, DType::bf16, DType::i32, DType::f32, DType::f64, DType::c64}) {
        graph::EinSum written = einsum(form, {1, 1, 1}, "x", agg);
        Shape extents;
        for (std::string const& label : written.labels) extents.push_back(label == "a" ? 1 : label == "i" ? 33 : 70);
        KernelCase test(einsum(form, extents, "x", agg), {type}, type, compute_dtype(std::array{type}, type));
        test.fill(random);
        CAPTURE(form, name(type));
        CpuDevice cpu;
        ReferenceDevice reference;
        SoloWorkerTeam solo;
        REQUIRE(difference(test.elements(test.run(cpu, solo)), test.elements(test.run(reference, solo)), 0) == "");
    }
}

TEST_CASE("a transpose in and out of larger blocks touches nothing else", "[executor][device]") {
    std::mt19937 random(6);
    for (int round = 0; round < 30; ++round) {
        KernelCase test(einsum("ijk->kji", {17, 2, 40}, "x"), {DType::f32}, DType::f32, DType::f32);
        test.scatter_layout(random);
        test.fill(random);
        CpuDevice cpu;
        ReferenceDevice reference;
        SoloWorkerTeam solo;
        REQUIRE(test.run(cpu, solo) == test.run(reference, solo));
    }
}

TEST_CASE("a large transpose is the same for any number of threads", "[executor][device]") {
    KernelCase test(einsum("ij->ji", {1000, 1100}, "x"), {DType::f32}, DType::f32, DType::f32);
    std::mt19937 random(2);
    test.fill(random);
    CpuDevice cpu;
    SoloWorkerTeam solo;
    TestTeam team(4);
    CHECK(test.run(cpu, solo) == test.run(cpu, team));
}

TEST_CASE("what computes, converts or stays in order is no transpose", "[executor][device]") {
    CHECK_FALSE(
        is_transpose(KernelCase(einsum("ij->ij", {64, 64}, "x"), {DType::f32}, DType::f32, DType::f32).shape()));
    CHECK_FALSE(
        is_transpose(KernelCase(einsum("ij->ji", {64, 64}, "x"), {DType::f32}, DType::f64, DType::f64).shape()));
    CHECK_FALSE(
        is_transpose(KernelCase(einsum("ijk->ki", {64, 4, 64}, "x"), {DType::f32}, DType::f32, DType::f32).shape()));
    CHECK_FALSE(is_transpose(KernelCase(einsum("ij->ji", {64, 3}, "x"), {DType::f32}, DType::f32, DType::f32).shape()));
    KernelCase adds(einsum("ij->ji", {64, 64}, "x"), {DType::f32}, DType::f32, DType::f32);
    adds.shape().accumulate = true;
    CHECK_FALSE(is_transpose(adds.shape()));
}
