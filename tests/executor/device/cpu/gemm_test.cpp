#include <array>
#include <cstring>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/cpu/gemm/gemm_calls.hpp"
#include "executor/device/cpu/gemm/gemm_grid.hpp"
#include "executor/device/kernel/gemm_match.hpp"
#include "executor/device/kernel/gemm_plan.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

std::optional<GemmPlan> plan_of(KernelCase& test) {
    Nest nest = make_nest(test.shape());
    simplify(nest);
    return plan_gemm({nest, 0, 1, test.kernel().compute, false});
}

}  // namespace

TEST_CASE("every transpose form of a product is right and runs in place", "[executor][device]") {
    std::string const form = GENERATE("ij,jk->ik", "ji,jk->ik", "ij,kj->ik", "ji,kj->ik", "ij,jk->ki", "ji,jk->ki",
                                      "ij,kj->ki", "ji,kj->ki");
    DType const type = GENERATE(DType::f32, DType::f64, DType::c64, DType::c128);
    CAPTURE(form, name(type));
    graph::EinSum const product = einsum(form, {37, 29, 43});
    Shape extents;
    for (std::string const& label : product.labels) extents.push_back(label == "i" ? 37 : label == "j" ? 29 : 43);
    KernelCase test(einsum(form, extents), {type, type}, type, type);
    std::mt19937 random(1);
    test.fill(random);
    CHECK(compare(test, 1e-5) == "");
    auto const plan = plan_of(test);
    REQUIRE(plan);
    for (GemmPlan::Matrix const& matrix : plan->matrices) CHECK_FALSE(matrix.packed);
}

TEST_CASE("products whose operands are views, batched, packed, converted or skinny are right", "[executor][device]") {
    struct Case {
        std::string form;
        Shape extents;
    };
    Case const at = GENERATE(Case{"bij,bjk->bik", {5, 17, 19, 23}}, Case{"bij,bjk->ibk", {5, 17, 19, 23}},
                             Case{"ibj,jbk->kib", {17, 5, 19, 23}}, Case{"abij,jkba->ikab", {3, 4, 9, 11, 13}},
                             Case{"ij,j->i", {129, 65}}, Case{"i,ij->j", {129, 65}}, Case{"ji,j->i", {65, 129}},
                             Case{"ijk,jkl->il", {21, 8, 9, 10}}, Case{"ijk,kjl->il", {21, 8, 9, 10}},
                             Case{"aij,jkc->ik", {3, 17, 19, 11, 4}}, Case{"ij,jk->ikn", {17, 19, 23, 3}},
                             Case{"iij,jk->ik", {13, 19, 23}}, Case{"ij,jk->ik", {1, 300, 1}},
                             Case{"ij,jk->ik", {200, 1, 100}}, Case{"bij,bij->b", {7, 11, 13}},
                             Case{"bhqd,bhkd->bhqk", {2, 3, 16, 8, 18}}, Case{"bqhd,bkhd->bhqk", {2, 16, 3, 8, 18}});
    std::mt19937 random(5);
    for (DType const type : {DType::f32, DType::f64, DType::c64, DType::f16, DType::bf16, DType::i32}) {
        for (bool const accumulate : {false, true}) {
            for (bool const views : {false, true}) {
                DType const compute = compute_dtype(std::array{type, type}, type);
                KernelCase test(einsum(at.form, at.extents, "x*y/2"), {type, type}, type, compute);
                if (accumulate) test.shape().output_dtype = compute == DType::i32 ? DType::f64 : compute;
                test.shape().accumulate = accumulate;
                if (views || accumulate) test.scatter_layout(random);
                test.fill(random);
                CAPTURE(at.form, name(type), accumulate, views);
                REQUIRE(compare(test, type == DType::f16 ? 2e-3 : type == DType::bf16 ? 2e-2 : 2e-5) == "");
            }
        }
    }
}

TEST_CASE("mixed operand types are converted to the compute type", "[executor][device]") {
    KernelCase test(einsum("ij,jk->ik", {30, 40, 50}), {DType::f32, DType::i16}, DType::f64, DType::f64);
    std::mt19937 random(3);
    test.fill(random);
    CHECK(compare(test, 1e-12) == "");
}

TEST_CASE("a product gives the same bits for any number of threads", "[executor][device]") {
    struct Case {
        std::string form;
        Shape extents;
    };
    Case const at =
        GENERATE(Case{"ij,jk->ik", {700, 300, 900}}, Case{"ij,ik->jk", {200000, 24, 17}},
                 Case{"bij,bkj->bik", {20, 130, 140, 150}}, Case{"ij,j->i", {3000, 2000}},
                 Case{"acbd,cedf->afbe", {12, 6, 10, 8, 16, 160}}, Case{"abcde,efcgd->agbf", {6, 8, 4, 24, 24, 8, 12}});
    KernelCase test(einsum(at.form, at.extents), {DType::f32, DType::f32}, DType::f32, DType::f32);
    test.fill_with_fractions(9);
    CpuDevice cpu;
    same_on_teams(test, cpu);
}

TEST_CASE("products are cut between the squares that are packed at once", "[executor][device]") {
    PairProduct const pair = pair_product(PairJoin::multiply, scalar::Agg::sum, DType::f32);
    if (pair.run == nullptr) return;  // no fused multiply-add: BLAS
    struct Case {
        std::string form;
        Shape extents;
        Extent columns, terms;
    };
    Case const at = GENERATE(
        Case{
            "acbd,cedf->afbe", {3, 6, 2, 8, 16, 80}, 8 * 16, 1},  // f lies side by side in b, e is inside it in columns
        Case{"abcde,efcgd->agbf", {2, 2, 4, 24, 24, 8, 3}, 1, 8 * 24},   // d lies side by side, e is inside it in terms
        Case{"abcde,efcgd->agbf", {2, 2, 4, 10, 90, 8, 3}, 1, 24 * 10},  // 8 x 90 terms are more than a block has
        Case{"ij,jk->ik", {8, 40, 600}, 1, 1}, Case{"ij,kj->ik", {8, 40, 600}, 1, 1});
    CAPTURE(at.form, at.columns, at.terms);
    KernelCase test(einsum(at.form, at.extents), {DType::f32, DType::f32}, DType::f32, DType::f32);
    std::mt19937 random(6);
    test.fill(random);
    CHECK(compare(test, 1e-6) == "");
    Nest nest = make_nest(test.shape());
    simplify(nest);
    auto const plan = plan_tiles({nest, 0, 1, DType::f32, false}, pair);
    REQUIRE(plan);
    CHECK(plan->whole_columns == at.columns);
    CHECK(plan->whole_terms == at.terms);
    Extent end = 0;
    for (std::int64_t part = 0; part < 3; ++part) {
        auto const [first, count] = grid_part(plan->n(), 3, part, grains_in_tiles(*plan, pair.columns).columns);
        CHECK(first == end);
        CHECK((part == 2 || count % at.columns == 0));
        end = first + count;
    }
    CHECK(end == plan->n());
}

TEST_CASE("a long sum of few outputs is cut, and the parts added", "[executor][device]") {
    KernelCase test(einsum("ij,ik->jk", {60000, 16, 16}), {DType::f64, DType::f64}, DType::f64, DType::f64);
    std::mt19937 random(4);
    test.fill(random);
    CHECK(compare(test, 0) == "");  // multiples of 1/16: exact
}

TEST_CASE("joins that are scaled products are recognised", "[executor][device]") {
    KernelTypes const types{DType::f32, DType::f32, DType::f32, DType::f32};
    auto const of = [&](std::string const& text) {
        return scaled_product(scalar::parse(text, {3, {"i"}, {"eta"}}).expr, types, {{"eta", 0.25}});
    };
    CHECK(of("x*y")->factor == 1);
    CHECK(of("-(y*eta)*x/2")->factor == -0.125);
    CHECK(of("x*y/sqrt(64)")->factor == 0.125);
    CHECK(of("z*x")->right == 0);
    for (std::string const other : {"x*x", "x*y*z", "x+y", "x*y*[i]", "0*x*y", "x/y", "x*y/0", "x", "exp(x)*y"}) {
        CAPTURE(other);
        CHECK_FALSE(of(other));
    }
}

TEST_CASE("conjugates of operands are recognised by those who ask for them", "[executor][device]") {
    auto const of = [](std::string const& text, DType type, Conjugates conjugates) {
        KernelTypes const types{type, type, type, type};
        return scaled_product(scalar::parse(text, {2, {}, {}}).expr, types, {}, conjugates);
    };
    auto const one = of("conj(x)*y", DType::c64, Conjugates::taken);
    REQUIRE(one);
    CHECK((one->conjugates(0) && !one->conjugates(1)));
    auto const both = of("conj(y*conj(x)/2)", DType::c64, Conjugates::taken);
    REQUIRE(both);
    CHECK((both->factor == 0.5 && !both->conjugates(0) && both->conjugates(1)));
    CHECK_FALSE(of("conj(x)*y", DType::c64, Conjugates::refused));
    CHECK(of("conj(conj(x))*y", DType::c64, Conjugates::refused));
    CHECK(of("conj(x)*y", DType::f32, Conjugates::refused));  // real numbers are their own
}

TEST_CASE("packing is chosen only where it pays", "[executor][device]") {
    KernelCase crossed(einsum("ijk,kjl->il", {64, 32, 32, 64}), {DType::f32, DType::f32}, DType::f32, DType::f32);
    auto const plan = plan_of(crossed);
    REQUIRE(plan);
    CHECK(plan->matrices[0].packed + plan->matrices[1].packed + static_cast<int>(plan->sum_loops.size()) == 1);
    KernelCase elementwise(einsum("ij,ij->ij", {64, 32}), {DType::f32, DType::f32}, DType::f32, DType::f32);
    CHECK_FALSE(plan_of(elementwise));
}

TEST_CASE("matrices that BLAS takes in place are distinguished from those it does not", "[executor][device]") {
    CHECK(blas_form(3, 4, {4, 1})->leading == 4);
    CHECK_FALSE(blas_form(3, 4, {4, 1})->transposed);
    CHECK(blas_form(3, 4, {1, 5})->transposed);
    CHECK(blas_form(1, 4, {0, 7})->leading == 7);
    CHECK_FALSE(blas_form(3, 4, {8, 2}));
    CHECK_FALSE(blas_form(3, 4, {2, 1}));  // rows overlap
    CHECK_FALSE(blas_form(3, Extent{1} << 32, {Extent{1} << 32, 1}));
}
