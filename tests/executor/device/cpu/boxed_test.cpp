#include <array>
#include <random>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/cpu/gemm/gemm_kernel.hpp"
#include "executor/device/cpu/gemm/pair_product.hpp"
#include "executor/device/cpu/narrow/box_plan.hpp"
#include "executor/device/cpu/narrow/boxed_kernel.hpp"
#include "executor/device/cpu/narrow/tuning.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

struct BoxedForm {
    std::string text;
    Shape extents;  // of labels in the order in which they appear
};

// Batches and columns innermost, few rows or columns, orders that differ in all three: what panels take long for.
std::vector<BoxedForm> const boxed_forms{
    {"beca,caed->bdac", {24, 3, 33, 9, 30}},   {"dcbfe,cab->edfa", {7, 20, 13, 4, 31, 5}},
    {"abde,bace->cadb", {20, 13, 12, 10, 11}}, {"edb,badc->abec", {6, 40, 9, 40, 13}},
    {"eca,abd->decb", {24, 30, 12, 4, 38}},    {"ij,jk->ki", {700, 33, 9}},
    {"bij,bjk->bik", {1055, 5, 7, 3}},         {"ijb,jkb->ikb", {17, 9, 301, 23}}};

std::vector<std::array<DType, 3>> const boxed_types{
    {DType::f16, DType::f16, DType::f16},   {DType::bf16, DType::bf16, DType::bf16},
    {DType::bf16, DType::bf16, DType::f32}, {DType::f32, DType::bf16, DType::f32},
    {DType::i8, DType::i8, DType::i8},      {DType::u8, DType::u8, DType::u8},
    {DType::i16, DType::i16, DType::i16},   {DType::i32, DType::i32, DType::i32},
    {DType::i32, DType::i8, DType::i32}};

KernelCase boxed_case(BoxedForm const& form, std::array<DType, 3> const& of) {
    return KernelCase(einsum(form.text, form.extents), {of[0], of[1]}, of[2],
                      compute_dtype(std::vector<DType>{of[0], of[1]}, of[2]));
}

}  // namespace

TEST_CASE("products in boxes are right, whatever their labels and types", "[executor][device]") {
    bool accumulate = false;
    std::size_t turn = 0;
    for (BoxedForm const& form : boxed_forms)
        for (int some = 0; some < 3; ++some) {  // each of the types two or three times
            std::array<DType, 3> const& of = boxed_types[turn++ % boxed_types.size()];
            KernelCase test = boxed_case(form, of);
            std::mt19937 random(7);
            test.shape().accumulate = accumulate = !accumulate;
            if (form.text.size() % 2 == 0) test.scatter_layout(random);
            test.fill(random);
            CAPTURE(form.text, name(of[0]), name(of[1]), name(of[2]), accumulate);
            SoloWorkerTeam solo;
            TestTeam three(3);
            CpuDevice cpu;
            ReferenceDevice reference;
            auto const found = test.run(cpu, solo);
            CHECK(difference(test.elements(found), test.elements(test.run(reference, solo)),
                             tolerance_of(of[2], test.shape().kernel->compute)) == "");
            CHECK(found == test.run(cpu, three));
        }
}

TEST_CASE("boxes stay in the cache, cover all labels, and hold whole runs where there are any", "[executor][device]") {
    for (BoxedForm const& form : boxed_forms) {
        KernelCase test = boxed_case(form, {DType::f16, DType::f16, DType::f16});
        Nest nest = make_nest(test.shape());
        simplify(nest);
        ProductSides const sides(nest, {0, 1});
        std::optional<BoxPlan> const plan = plan_boxes(sides, 1e11);
        CAPTURE(form.text);
        REQUIRE(plan);
        double words = 0;
        for (std::size_t side : {ProductSides::A, ProductSides::B, ProductSides::C})
            words += sides.elements(plan->parts, side);
        CHECK(4 * words <= static_cast<double>(narrow_tuning::box_bytes));
        for (std::size_t l = 0; l < plan->parts.size(); ++l) {
            CHECK(plan->parts[l] >= 1);
            CHECK(plan->parts[l] <= nest.labels[l].length);
        }
        CHECK(plan->seconds > 0);
    }
}

TEST_CASE("boxes are taken where labels lie badly for panels, and not for large matrices", "[executor][device]") {
    if (pair_product(PairJoin::multiply, scalar::Agg::sum, DType::f32).run == nullptr) return;
    auto const in_boxes = [](BoxedForm const& form, DType type) {
        KernelCase test = boxed_case(form, {type, type, type});
        Nest nest = make_nest(test.shape());
        simplify(nest);
        auto const words = [&](Nest const& box) {
            return make_gemm_kernel(test.shape(), box, types_of(test.shape()), {});
        };
        return make_boxed_kernel(test.shape(), nest, types_of(test.shape()), {}, words) != nullptr;
    };
    for (DType const type : {DType::f16, DType::bf16}) {
        CAPTURE(name(type));
        CHECK(in_boxes({"beca,caed->bdac", {195, 25, 61, 9, 176}}, type));
        CHECK(in_boxes({"bij,bjk->bik", {4000, 8, 8, 8}}, type));
        CHECK_FALSE(in_boxes({"ij,jk->ik", {900, 1100, 1000}}, type));
    }
}
