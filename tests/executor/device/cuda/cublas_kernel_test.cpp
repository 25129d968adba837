// Products through cuBLAS, over a fake of it that multiplies by plain loops, against the reference.
#include <array>

#include "executor/device/cuda/make_cuda_device.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "tests/executor/device/cuda/on_accelerator.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/fake_cuda/fake_cuda.hpp"

using namespace ein;
using namespace ein::executor;
using test::FakeCuda;

namespace {

/// A GPU that takes no time, for many kernels.
struct Place {
    FakeCuda fake;
    std::unique_ptr<Accelerator> device = cuda::make_cuda_device({.products = cuda::Products::by_cublas});
    OnAccelerator on{*device, 4 << 20};
    std::mt19937 random{5};

    std::string differs(KernelCase& test, double tolerance) {
        test.fill(random);
        SoloWorkerTeam solo;
        ReferenceDevice reference;
        return difference(test.elements(test.run(on, solo)), test.elements(test.run(reference, solo)), tolerance);
    }
    /// Calls of cuBLAS while `work` is done.
    template <class Work>
    std::int64_t calls(Work const& work) {
        std::int64_t const before = FakeCuda::calls("cublasGemmStridedBatchedEx");
        work();
        return FakeCuda::calls("cublasGemmStridedBatchedEx") - before;
    }
};

double tolerance_of(DType type) { return type == DType::f16 ? 2e-3 : type == DType::bf16 ? 2e-2 : 2e-5; }

}  // namespace

TEST_CASE("every transpose form of a product is one call of cuBLAS and right", "[executor][cuda]") {
    Place place;
    for (std::string const form :
         {"ij,jk->ik", "ji,jk->ik", "ij,kj->ik", "ji,kj->ik", "ij,jk->ki", "ji,jk->ki", "ij,kj->ki", "ji,kj->ki"})
        for (DType const type : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::c128})
            for (bool const accumulate : {false, true}) {
                CAPTURE(form, name(type), accumulate);
                graph::EinSum const labels = einsum(form, {});
                Shape extents;
                for (std::string const& label : labels.labels)
                    extents.push_back(label == "i" ? 37 : label == "j" ? 29 : 43);
                DType const compute = compute_dtype(std::array{type, type}, type);
                KernelCase test(einsum(form, extents, "-x*y/2"), {type, type}, type, compute);
                test.shape().accumulate = accumulate;
                std::int64_t const launches = FakeCuda::calls("cuLaunchKernel");
                CHECK(place.calls([&] { CHECK(place.differs(test, tolerance_of(type)) == ""); }) == 1);
                CHECK(FakeCuda::calls("cuLaunchKernel") == launches);
            }
}

TEST_CASE("products whose operands are views, batched, packed, converted or skinny are right", "[executor][cuda]") {
    struct Case {
        std::string form;
        Shape extents;
    };
    Place place;
    std::vector<std::pair<std::string, std::unique_ptr<KernelCase>>> tests;
    for (Case const& at : {Case{"bij,bjk->bik", {5, 17, 19, 23}}, Case{"bij,bjk->ibk", {5, 17, 19, 23}},
                           Case{"ibj,jbk->kib", {17, 5, 19, 23}}, Case{"abij,jkba->ikab", {3, 4, 9, 11, 13}},
                           Case{"ij,j->i", {129, 65}}, Case{"ijk,jkl->il", {21, 8, 9, 10}},
                           Case{"ijk,kjl->il", {21, 8, 9, 10}}, Case{"aij,jkc->ik", {3, 17, 19, 11, 4}},
                           Case{"ij,jk->ikn", {17, 19, 23, 3}}, Case{"iij,jk->ik", {13, 19, 23}},
                           Case{"bhqd,bhkd->bhqk", {2, 3, 16, 8, 18}}, Case{"bqhd,bkhd->bhqk", {2, 16, 3, 8, 18}}})
        for (DType const type : {DType::f32, DType::f16})
            for (bool const accumulate : {false, true})
                for (bool const views : {false, true}) {
                    if (views && type == DType::f16) continue;
                    auto test = std::make_unique<KernelCase>(einsum(at.form, at.extents, "x*y/2"),
                                                             std::vector{type, type}, type, DType::f32);
                    test->shape().accumulate = accumulate;
                    if (views) test->scatter_layout(place.random);
                    place.device->prepare(test->shape(), {});  // compiles beside others
                    tests.emplace_back(at.form + " " + std::string(name(type)) + (accumulate ? " accumulate" : "") +
                                           (views ? " views" : ""),
                                       std::move(test));
                }
    for (auto const& [text, test] : tests) {
        CAPTURE(text);
        CHECK(place.calls([&] { REQUIRE(place.differs(*test, tolerance_of(test->shape().output_dtype)) == ""); }) > 0);
    }
}

TEST_CASE("products of f32 alone round their operands where that is allowed", "[executor][cuda]") {
    for (bool const allowed : {false, true}) {
        FakeCuda const fake;
        std::unique_ptr<Accelerator> const device =
            cuda::make_cuda_device({.tf32 = allowed, .products = cuda::Products::by_cublas});
        OnAccelerator on(*device, 4 << 20);
        ReferenceDevice reference;
        SoloWorkerTeam solo;
        auto const off = [&](DType type) {
            KernelCase test(einsum("ij,jk->ik", {40, 50, 60}), {type, type}, type, type);
            std::mt19937 random(3);
            test.fill(random);
            if (type != DType::f64) test.fill_with_fractions(7);
            auto const found = test.elements(test.run(on, solo)), expected = test.elements(test.run(reference, solo));
            REQUIRE(difference(found, expected, 1e-2) == "");
            return difference(found, expected, 1e-5) != "";
        };
        CHECK(off(DType::f32) == allowed);
        CHECK_FALSE(off(DType::f64));
        CHECK_FALSE(off(DType::c64));
    }
}

TEST_CASE("products of halves are what they are where products of f32 may round their operands", "[executor][cuda]") {
    FakeCuda const fake;
    std::unique_ptr<Accelerator> const device =
        cuda::make_cuda_device({.tf32 = true, .products = cuda::Products::by_cublas});
    OnAccelerator on(*device, 4 << 20);
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    std::mt19937 random(3);
    for (DType const type : {DType::f16, DType::bf16})
        for (DType const output : {type, DType::f32}) {
            CAPTURE(name(type), name(output));
            KernelCase test(einsum("ij,jk->ik", {40, 50, 60}), {type, type}, output, DType::f32);
            test.fill(random);
            CHECK(difference(test.elements(test.run(on, solo)), test.elements(test.run(reference, solo)),
                             tolerance_of(output)) == "");
        }
}

TEST_CASE("heads within rows are one batch", "[executor][cuda]") {
    Place place;
    KernelCase test(einsum("qhd,khd->hqk", {64, 4, 32, 64}), {DType::f32, DType::f32}, DType::f32, DType::f32);
    std::int64_t const calls = place.calls([&] { CHECK(place.differs(test, 1e-5) == ""); });
    CHECK(calls == 1);
    KernelCase outer(einsum("bqhd,bkhd->bhqk", {2, 64, 4, 32, 64}), {DType::f32, DType::f32}, DType::f32, DType::f32);
    std::int64_t const outer_calls = place.calls([&] { CHECK(place.differs(outer, 1e-5) == ""); });
    CHECK(outer_calls == 2);
}

TEST_CASE("mixed types become the type of the arithmetic, halves may add up in f32", "[executor][cuda]") {
    Place place;
    auto const check = [&](DType left, DType right, DType output, DType compute) {
        CAPTURE(name(left), name(right), name(output));
        KernelCase test(einsum("ij,jk->ik", {30, 40, 50}), {left, right}, output, compute);
        CHECK(place.calls([&] { CHECK(place.differs(test, tolerance_of(output)) == ""); }) == 1);
    };
    check(DType::f32, DType::i16, DType::f64, DType::f64);
    check(DType::f16, DType::f16, DType::f32, DType::f32);
    check(DType::bf16, DType::bf16, DType::f32, DType::f32);
    check(DType::f16, DType::bf16, DType::f32, DType::f32);
    check(DType::f16, DType::f32, DType::f16, DType::f32);
}

TEST_CASE("integers, maxima and elementwise products are not cuBLAS's", "[executor][cuda]") {
    Place place;
    KernelCase integers(einsum("ij,jk->ik", {30, 40, 50}), {DType::i32, DType::i32}, DType::i32, DType::i32);
    KernelCase maxima(einsum("ij,jk->ik", {30, 40, 50}, "x*y", scalar::Agg::max), {DType::f32, DType::f32}, DType::f32,
                      DType::f32);
    KernelCase elementwise(einsum("ij,ij->ij", {30, 40}), {DType::f32, DType::f32}, DType::f32, DType::f32);
    KernelCase nothing(einsum("ij,jk->ik", {30, 0, 50}), {DType::f32, DType::f32}, DType::f32, DType::f32);
    for (KernelCase* const test : {&integers, &maxima, &elementwise, &nothing})
        CHECK(place.calls([&] { CHECK(place.differs(*test, 1e-6) == ""); }) == 0);
}

TEST_CASE("an operand whose own label is summed in parts is packed beside what the parts need", "[executor][cuda]") {
    Place place;
    KernelCase test(einsum("aij,jk->ik", {4000, 3, 4, 5}), {DType::f64, DType::f64}, DType::f64, DType::f64);
    CHECK(place.calls([&] { CHECK(place.differs(test, 1e-9) == ""); }) == 1);
}
