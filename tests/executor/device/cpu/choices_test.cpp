// Sums in which a condition makes most terms 0, beside the reference: with nan and infinities where the condition says
// no and where it says yes, in layouts of any kind, in pieces, and with order kept.
#include "executor/device/cpu/choices/choice_kernel.hpp"

#include <array>
#include <limits>

#include "executor/device/cpu/cpu_device.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

struct ChoosingSum {
    std::string subscripts;
    Shape extents;
    std::string join;
    std::vector<DType> operands;
    DType output, compute;
};

/// Whether the device takes it for what this file is about, where products have kernels.
bool is_choice(KernelCase& test) {
    struct Nothing final : PreparedKernel {
        void launch(KernelCall const&, WorkerTeam&) const override {}
    };
    auto const nothing = [](KernelShape const&) { return std::make_unique<Nothing>(); };
    return make_choice_kernel(test.shape(), types_of(test.shape()), test.params(), nothing, nothing) != nullptr;
}

void put_number(KernelCase& test, std::size_t k, std::size_t element, std::complex<double> value) {
    DType const type = test.shape().operand_dtypes[k];
    auto& bytes = test.operand(k);
    store_element(scalar::convert(scalar::Scalar::of(value), DType::c128, type),
                  bytes.data() + element * size_of(type) % bytes.size(), type);
}

void check_choosing_sum(ChoosingSum const& sum, unsigned seed, bool with_specials) {
    CAPTURE(sum.subscripts, sum.join, sum.operands, sum.output, seed, with_specials);
    KernelCase test(einsum(sum.subscripts, sum.extents, sum.join), sum.operands, sum.output, sum.compute);
    std::mt19937 random(seed);
    if (seed % 2 == 1) test.scatter_layout(random);
    test.fill(random);
    double const special[] = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()};
    for (std::size_t k = 0; with_specials && k < sum.operands.size(); ++k)
        for (double value : special)
            if (!is_exact(sum.operands[k])) put_number(test, k, random() % 4000, value);
    CHECK(is_choice(test));
    double const tolerance = tolerance_of(sum.output, sum.compute);
    std::vector<scalar::Scalar> const expected = reference_of(test);
    CHECK(compare(test, expected, tolerance) == "");
    if (seed % 2 == 0) {  // blocks of sums that keep their order have all of their terms side by side
        test.shape().keeps_order = true;
        CHECK(compare(test, expected, tolerance) == "");  // the reference knows no other order
        test.shape().keeps_order = false;
    }
    test.shape().accumulate = true;
    CHECK(compare(test, tolerance) == "");
}

}  // namespace

TEST_CASE("products under a condition that one operand decides", "[cpu][choices]") {
    std::string const join =
        GENERATE("where([i] >= [j], x*y, 0)", "where([i] - [j] <= 5 && [j] < 60, x*y, 0)",
                 "where([i] < [j], 0, -x*y/4)", "2*where(!([i] == [j]), x*y*0.5, 0)/4", "where([j] > 40, y*x, 0)",
                 "where([j] >= [k], x*y, 0)", "where([i] > 3, where([j] >= [i], x*y, 0), 0)",
                 "where([j] < 60, where([j] > 9, x, 0)*y, 0)", "where([j] < 60, x*where([j] > 9, y, 0), 0)");
    // Each order of labels with every type, layout (by seed) and special values; not all of them together.
    std::vector<std::string> const orders{"ij,jk->ik", "ji,kj->ki", "ij,kj->ik"};
    for (std::size_t order = 0; order < orders.size(); ++order) {
        auto const check = [&](DType type, DType compute, std::size_t drawn) {
            check_choosing_sum({orders[order], {50, 70, 40}, join, {type, type}, type, compute},
                               1 + static_cast<unsigned>((drawn + order) % 2), (drawn + order) % 4 < 2);
        };
        check(DType::f32, DType::f32, 0);
        check(DType::f32, DType::f32, 3);
        check(DType::f64, DType::f64, 1);
        check(DType::bf16, DType::f32, 2);
        check(DType::f16, DType::f32, 3);
    }
}

TEST_CASE("a 0 under a condition that is multiplied further may become nan", "[cpu][choices]") {
    double const infinity = std::numeric_limits<double>::infinity();
    std::string const join =
        GENERATE("where([j] < 60, where([j] > 9, x, 0)*y, 0)", "where([j] < 60, y*where([j] > 9, x, 0), 0)");
    for (Shape const& extents : {Shape{50, 70, 40}, Shape{40, 70, 50}}) {
        KernelCase test(einsum("ij,jk->ik", extents, join), {DType::f32, DType::f32}, DType::f32, DType::f32);
        REQUIRE(is_choice(test));
        std::mt19937 random(1);
        test.fill(random);
        put_number(test, 1, static_cast<std::size_t>(5 * extents[2] + 3),
                   infinity);  // y[5, 3], where the inner condition says no
        CpuDevice cpu;
        SoloWorkerTeam solo;
        auto const elements = test.elements(test.run(cpu, solo));
        CHECK(std::isnan(elements[3].number.real()));
        CHECK(std::isfinite(elements[4].number.real()));
    }
}

/// where(c, p*where(d, x, 0)*y, 0) and the like, the inner conditions and factors drawn.
std::string random_choice(std::mt19937& random) {
    auto const one_of = [&](std::vector<std::string> const& all) { return all[random() % all.size()]; };
    std::vector<std::string> const of_x{"[i] >= [j]", "[j] > 9", "[j] < 50", "[j] % 2 == 0", "x > 0"};
    std::vector<std::string> const of_y{"[k] > [j]", "[j] > 9", "[j] < 50", "[j] % 2 == 0", "y > 0"};
    auto const side = [&](std::string const& operand, std::vector<std::string> const& conditions) {
        std::string const chosen = "where(" + one_of(conditions) + ", " + operand + ", 0)";
        return one_of({operand, operand, chosen, chosen, "2*" + chosen, "eta*" + chosen});
    };
    std::string const a = side("x", of_x), b = side("y", of_y);
    std::string product = random() % 2 == 0 ? a + "*" + b : b + "*" + a;
    if (random() % 3 == 0) product = "where(" + one_of(of_x) + ", x*y, 0)";
    product += one_of({"", "", "*2", "*eta", "/eta"});
    return one_of({"", "3*"}) + "where(" + one_of(random() % 2 == 0 ? of_x : of_y) + ", " + product + ", 0)";
}

TEST_CASE("random conditions around products and their factors", "[cpu][choices]") {
    double const infinity = std::numeric_limits<double>::infinity();
    std::size_t taken = 0;
    for (unsigned seed = 1; seed <= 120; ++seed) {
        std::mt19937 random(seed);
        std::string const join = random_choice(random);
        double const eta = std::array{2.0, infinity, 0.0}[random() % 3];
        Shape const extents = random() % 2 == 0 ? Shape{50, 70, 40} : Shape{40, 70, 50};
        CAPTURE(seed, join, eta);
        KernelCase test(einsum("ij,jk->ik", extents, join), {DType::f32, DType::f32}, DType::f32, DType::f32);
        test.params()["eta"] = eta;
        test.fill(random);
        for (std::size_t k = 0; k < 2; ++k)
            if (random() % 2 == 0) put_number(test, k, random() % 2000, infinity);
        taken += is_choice(test) ? 1 : 0;
        CHECK(compare(test, tolerance_of(DType::f32, DType::f32)) == "");
    }
    CHECK(taken > 60);
}

TEST_CASE("conditions of operands, other types, batches and further factors", "[cpu][choices]") {
    bool const with_specials = GENERATE(false, true);
    unsigned const seed = GENERATE(1U, 2U);
    auto const check = [&](ChoosingSum const& sum) { check_choosing_sum(sum, seed, with_specials); };
    check({"ij,jk->ik", {50, 70, 40}, "where(x > 0, x*y, 0)", {DType::f32, DType::f32}, DType::f32, DType::f32});
    check({"ij,jk->ik", {50, 70, 40}, "where(y != 0, x*y, 0)", {DType::f32, DType::bf16}, DType::f32, DType::f32});
    check({"ij,jk,ij->ik",
           {50, 70, 40},
           "where(z, x*y, 0)",
           {DType::f32, DType::f32, DType::boolean},
           DType::f32,
           DType::f32});
    check({"ij,jk,ij->ik",
           {50, 70, 40},
           "where(z, 0, x*y)",
           {DType::bf16, DType::bf16, DType::boolean},
           DType::bf16,
           DType::f32});
    check({"ij,jk,j->ik",
           {50, 70, 40},
           "where(x > z, x*y*z, 0)",
           {DType::f64, DType::f64, DType::f64},
           DType::f64,
           DType::f64});
    check({"bij,bjk->bik",
           {9, 30, 20, 40},
           "where([i] >= [j] || x > 1, x*y, 0)",
           {DType::f32, DType::f32},
           DType::f32,
           DType::f32});
    check({"ij,jk->ik", {50, 70, 40}, "where([i] >= [j], x*y, 0)", {DType::c64, DType::c64}, DType::c64, DType::c64});
    check(
        {"ij,jk->ik", {50, 70, 40}, "where([i] >= [j], x*y, 0)", {DType::c128, DType::f64}, DType::c128, DType::c128});
    check({"ij,jk->ik", {50, 70, 40}, "where([i] >= [j], x*y, 0)", {DType::i32, DType::i32}, DType::i32, DType::i32});
    check({"ij,jk->ik", {50, 70, 40}, "where([i] >= [j], x*y, 0)", {DType::f32, DType::i64}, DType::f64, DType::f64});
    check({"ij,jk->ik", {50, 70, 40}, "where([i] >= [j], x*y, 0)", {DType::bf16, DType::bf16}, DType::f32, DType::f32});
    check({"i,ijk->jk", {50, 40, 40}, "where(x > 0, x*y, 0)", {DType::f32, DType::f32}, DType::f32, DType::f32});
}

TEST_CASE("pieces that are zeros by their indices are left out", "[cpu][choices]") {
    for (bool const with_specials : {false, true})
        for (std::string const join : {"where([i] >= [j], x*y, 0)", "where([i] - [j] <= 40 && [i] >= [j], x*y, 0)",
                                       "where([j] > 300, x*y, 0)", "where([i] > 600, x*y, 0)"})
            check_choosing_sum({"ij,jk->ik", {601, 530, 9}, join, {DType::f32, DType::f32}, DType::f32, DType::f32}, 1,
                               with_specials);
}

TEST_CASE("a product under a condition is none where zeros would not do", "[cpu][choices]") {
    auto const taken = [](std::string const& join, scalar::Agg agg = scalar::Agg::sum) {
        KernelCase test(einsum("ij,jk->ik", {50, 70, 40}, join, agg), {DType::f32, DType::f32}, DType::f32, DType::f32);
        return is_choice(test);
    };
    CHECK(taken("where([i] >= [j], x*y, 0)"));
    CHECK(!taken("where([i] >= [j], x*y, 1)"));
    CHECK(!taken("where([i] >= [j], x*y, 0)", scalar::Agg::max));
    CHECK(!taken("where([i] >= [k], x*y, 0)"));
    CHECK(!taken("where([i] >= [j] && [j] >= [k], x*y, 0)"));
    CHECK(!taken("where(x > y, x*y, 0)"));
    CHECK(!taken("where([i] >= [j], x*y, 0)*eta"));  // 0*eta is nan of an infinite eta
    CHECK(!taken("where([i] >= [j], x*y, 0)*x"));    // and of an infinite x
    CHECK(!taken("where([i] >= [j], x + y, 0)"));
    CHECK(!taken("1e300*where([i] >= [j], x*y, 0)"));  // infinite in f32
}

TEST_CASE("a comparison with a label times an element is a lookup or a scatter", "[cpu][choices]") {
    bool const with_specials = GENERATE(false, true);
    unsigned const seed = GENERATE(1U, 2U);
    std::string const join = GENERATE("(y == [v])*x", "x*([v] == y)", "x*where(y == [v], 1, 0)");
    check_choosing_sum({"vd,i->id", {7, 90, 200}, join, {DType::f32, DType::i64}, DType::f32, DType::f64}, seed,
                       with_specials);
    check_choosing_sum({"vd,i->id", {7, 90, 200}, join, {DType::bf16, DType::i8}, DType::bf16, DType::f32}, seed,
                       with_specials);
    check_choosing_sum({"vd,i->id", {7, 90, 200}, join, {DType::c64, DType::i8}, DType::c64, DType::c64}, seed,
                       with_specials);
    check_choosing_sum({"id,i->vd", {200, 90, 7}, join, {DType::f32, DType::i64}, DType::f32, DType::f64}, seed,
                       with_specials);
    check_choosing_sum({"bid,bi->bdv", {3, 50, 90, 7}, join, {DType::f64, DType::i64}, DType::f64, DType::f64}, seed,
                       with_specials);
    check_choosing_sum({"vd,i->id", {7, 90, 200}, join, {DType::i64, DType::i64}, DType::i64, DType::i64}, seed, false);
}

TEST_CASE("comparisons with a label that are summed are counted", "[cpu][choices]") {
    unsigned const seed = GENERATE(1U, 2U);
    std::string const join = GENERATE("x == [v]", "[v] == x", "where(x == [v], 1, 0)");
    for (auto [type, output, compute] : {std::tuple{DType::i64, DType::f32, DType::f64},
                                         {DType::i8, DType::f32, DType::f32},
                                         {DType::i64, DType::i64, DType::i64},
                                         {DType::u8, DType::f64, DType::f64},
                                         {DType::u8, DType::bf16, DType::f32}}) {
        check_choosing_sum({"i->v", {20000, 5}, join, {type}, output, compute}, seed, false);
        check_choosing_sum({"bij->bv", {3, 60, 70, 6}, join, {type}, output, compute}, seed, false);
        check_choosing_sum({"bi->vb", {3, 6000, 6}, join, {type}, output, compute}, seed, false);
    }
}
