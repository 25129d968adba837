// Contractions whose labels lie in any order: every class of which labels are innermost where, tails of everything.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/cpu/gemm/pair_lanes.hpp"
#include "executor/device/kernel/gemm_plan.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

struct Contraction {
    char const* form;
    Shape extents;  // of labels in order of appearance
};

/// Rows, columns, terms or the batch innermost in a, in b and in the result.
std::vector<Contraction> const& classes() {
    static std::vector<Contraction> const all = {
        {"dbea,ec->abcd", {17, 7, 19, 33, 5}},      // result: d, operand: a
        {"efbad,cf->abcde", {37, 9, 3, 7, 21, 5}},  // two labels side by side in the result
        {"dega,gfbc->abcdef", {5, 7, 11, 9, 7, 3, 5}},
        {"dfgb,geac->abcdef", {5, 20, 7, 11, 6, 3, 10}},
        {"acd,dbc->ab", {33, 49, 57, 41}},  // terms side by side in both, but not the same
        {"adec,ebd->abc", {13, 17, 19, 51, 23}},
        {"aebd,ce->dcba", {17, 19, 7, 35, 5}},
        {"ijb,jkb->ikb", {7, 17, 19, 5}},  // the batch innermost everywhere
        {"ibj,kjb->bik", {17, 19, 7, 18}},
        {"bij,jkb->kib", {33, 7, 11, 13}},
        {"bij,bkj->bik", {37, 3, 5, 4}},  // many small products
        {"bij,bjk->bki", {65, 8, 7, 9}},
        {"bij,bjk->bik", {70, 9, 17, 16}},  // small ones whose columns lie side by side: whole vectors
        {"bij,bjk->ibk", {5, 3, 128, 41}},  // and cut ones
        {"jbi,bjk->bik", {11, 6, 21, 3}},
        {"bji,jbk->bik", {6, 13, 2, 64}},
        {"bij,bkj->bik", {35, 19, 21, 37}},  // or terms do: whole lines and cut ones
        {"bij,bjk->ibk", {12, 40, 3, 9}},
        {"abij,bajk->aikb", {2, 5, 7, 4, 33}},  // columns are not side by side
        {"abij,jkba->ikab", {3, 7, 17, 18, 19}},
        {"ijb,jkb->ikb", {50, 70, 33, 52}},  // several blocks of lanes
        {"abcdefghij,xycg->abxdefyhij", {2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 2}},
        {"abcdefgh,hbcx->adefgxbc", {3, 3, 3, 3, 3, 3, 3, 3, 3}},
        {"kabc,kd->dcba", {1, 17, 2, 19, 3}},
        {"abk,kc->cab", {33, 49, 500, 3}},
        {"ab,cd->acbd", {7, 9, 11, 13}},
        {"abcd,ae->bcde", {40, 9, 11, 7, 16}},
        {"dbea,ec->abcd", {32, 8, 6, 66, 3}},  // several blocks of columns that lie alike, and some that do not
        {"dea,ec->acd", {17, 48, 900, 2}},
        {"cbea,ed->abcd", {41, 9, 28, 6, 18}},  // runs that are no whole lines, and go on with the other operand's rows
        {"bda,dc->abc", {43, 24, 5, 20}},
        {"degb,gfac->abcdef", {5, 24, 12, 3, 20, 4, 5}},
        {"degb,gfac->abcdef", {3, 9, 12, 4, 7, 5, 9}},
        {"dcbea,fe->fabcd", {20, 4, 2, 2, 36, 2}},   // boxes with whole lines of two labels of the result
        {"abcde,fb->edcfa", {24, 2, 2, 20, 26, 2}},  // and with less of the operand, to be small enough
        {"abcdef,gc->fgabde", {3, 2, 2, 28, 6, 10, 3}},
        {"bcad,de->eabc", {5, 7, 35, 30, 6}},             // terms in runs that are no whole squares
        {"bcad,de->eabc", {3, 5, 50, 19, 3}},             // of which one or three are left
        {"abcdef,gc->fgabde", {4, 3, 5, 14, 12, 10, 7}},  // columns in such runs, whose lines cross slivers
        {"aebcd,fe->dacfb", {6, 9, 18, 5, 22, 8}},
        {"dega,gfbc->abcdef", {12, 4, 2, 9, 20, 2, 2}},  // rows in the result's order, beside many columns
        {"abc,bd->dca", {314, 4, 302, 3}},               // whole squares after pieces of lines
        {"ki,kj->ij", {700, 16, 16}},                    // read in place, though terms lie apart
        {"ki,kj->ij", {390, 21, 48}},
        {"ki,kj->ij", {130, 64, 32}},
    };
    return all;
}

}  // namespace

TEST_CASE("contractions of any order of labels are right, for all types, added to what is there or not",
          "[executor][device]") {
    std::mt19937 random(11);
    std::size_t turn = 0;
    for (Contraction const& at : classes()) {
        bool const others = turn % 2 == 1;      // a class has two of the four types, the next class the other two
        bool accumulate = turn++ / 2 % 2 == 1;  // of one of the two, the other one two classes later
        for (DType const type : {others ? DType::f64 : DType::f32, others ? DType::c64 : DType::c128}) {
            CAPTURE(at.form, name(type), accumulate);
            KernelCase test(einsum(at.form, at.extents, "x*y/2"), {type, type}, type, type);
            test.shape().accumulate = accumulate;
            test.fill(random);
            REQUIRE(compare(test, 2e-5) == "");
            accumulate = !accumulate;
        }
    }
}

TEST_CASE("contractions of conjugates, and of real numbers by complex ones, are right in any order of labels",
          "[executor][device]") {
    struct Kind {
        char const* join;
        DType first, second, output;
    };
    constexpr DType f32 = DType::f32, f64 = DType::f64, c64 = DType::c64, c128 = DType::c128;
    std::array<Kind, 9> const kinds = {{{"conj(x)*y", c64, c64, c64},
                                        {"x*conj(y)/2", c128, c128, c128},
                                        {"conj(x)*conj(y)", c64, c64, c64},
                                        {"conj(x*y)", c128, c128, c128},
                                        {"x*y", f32, c64, c64},
                                        {"x*y/4", c128, f64, c128},
                                        {"conj(x)*y", c64, f32, c64},
                                        {"conj(x)*y", f64, c128, c128},
                                        {"x*y", c64, f64, c128}}};
    std::mt19937 random(12);
    std::size_t turn = 0;
    for (Contraction const& at : classes())
        for (int of_a_class = 0; of_a_class < 2; ++of_a_class) {
            Kind const kind = kinds[turn++ % kinds.size()];
            CAPTURE(at.form, kind.join, name(kind.first), name(kind.second));
            KernelCase test(einsum(at.form, at.extents, kind.join), {kind.first, kind.second}, kind.output,
                            kind.output);
            test.shape().accumulate = turn % 3 == 0;
            test.fill(random);
            REQUIRE(compare(test, 2e-5) == "");
        }
}

/// More of them: EIN_KERNELS=SEED:ROUNDS.
TEST_CASE("contractions of any order of labels are right for extents drawn at random", "[executor][device]") {
    char const* const more = std::getenv("EIN_KERNELS");
    unsigned seed = 1;
    int rounds = 10;
    if (more != nullptr) REQUIRE(std::sscanf(more, "%u:%d", &seed, &rounds) == 2);
    constexpr std::array types = {DType::f32, DType::f64, DType::c64, DType::c128, DType::f32, DType::bf16};
    std::array<std::string, 4> const joins = {"", "conj(x)*y", "x*conj(y)", "conj(x*y)"};
    std::mt19937 random(seed);
    auto const below = [&](Extent limit) { return static_cast<Extent>(random() % static_cast<unsigned>(limit)); };
    for (int round = 0; round < rounds; ++round) {
        Contraction at = classes()[static_cast<std::size_t>(below(static_cast<Extent>(classes().size())))];
        Extent terms = 1;
        for (Extent& extent : at.extents) {
            extent = 1 + (below(2) == 0 ? below(40) : below(3) == 0 ? 16 * below(3) + 7 : below(320));
            extent = std::clamp<Extent>(extent, 1, std::max<Extent>(1, 3000000 / terms));
            terms *= extent;
        }
        std::shuffle(at.extents.begin(), at.extents.end(), random);
        DType const type = types[static_cast<std::size_t>(below(types.size()))];
        std::string const join = is_complex(type) ? joins[static_cast<std::size_t>(below(joins.size()))] : "";
        CAPTURE(seed, round, at.form, at.extents, name(type), join);
        KernelCase test(einsum(at.form, at.extents, join), {type, type}, type, type == DType::bf16 ? DType::f32 : type);
        test.shape().accumulate = below(3) == 0;
        test.fill(random);
        REQUIRE(compare(test, type == DType::bf16 ? 1e-2 : 2e-5) == "");
    }
}

TEST_CASE("contractions of any order of labels give the same bits for any number of threads", "[executor][device]") {
    CpuDevice cpu;
    for (Contraction const& at : classes()) {
        CAPTURE(at.form);
        KernelCase test(einsum(at.form, at.extents), {DType::f32, DType::f32}, DType::f32, DType::f32);
        test.fill_with_fractions(5);
        same_on_teams(test, cpu);
    }
}

TEST_CASE("outputs that are written past the cache are right", "[executor][device]") {
    DType const type = GENERATE(DType::f32, DType::c64);
    KernelCase test(einsum("ebad,ce->abcd", {3, 5, 4, 48, 7}), {type, type}, type, type);
    test.shape().output_bytes = Extent{64} << 20;  // of the whole output, of which this is a part
    std::mt19937 random(3);
    test.fill(random);
    CHECK(compare(test, 1e-5) == "");
    KernelCase runs(einsum("cbea,ed->abcd", {32, 6, 28, 8, 18}), {type, type}, type, type);
    runs.shape().output_bytes = Extent{64} << 20;
    runs.fill(random);
    CHECK(compare(runs, 1e-5) == "");
}

TEST_CASE("a box of labels is packed where operand and result have others innermost", "[executor][device]") {
    PairProduct const pair = pair_product(PairJoin::multiply, scalar::Agg::sum, DType::f32);
    if (pair.run == nullptr) return;  // no fused multiply-add: BLAS
    KernelCase test(einsum("ec,dbea->cbad", {96, 24, 96, 84, 96}), {DType::f32, DType::f32}, DType::f32, DType::f32);
    Nest nest = make_nest(test.shape());
    simplify(nest);
    auto const plan = plan_tiles({nest, 0, 1, DType::f32}, pair);
    REQUIRE(plan);
    CHECK(plan->n() == 96 * 84 * 96);
    CHECK(plan->column_group > 0);
    Extent inside = 1;
    for (std::size_t l = static_cast<std::size_t>(plan->column_group); l < plan->columns.size(); ++l)
        inside *= plan->columns[l].length;
    CHECK(inside == plan->whole_columns);
    CHECK(inside >= 16 * 32);
}

TEST_CASE("what keeps order sums its terms as the whole does, whatever box they are packed in", "[executor][device]") {
    CpuDevice cpu;
    SoloWorkerTeam solo;
    KernelCase whole(einsum("acd,dbc->ab", {16, 40, 50, 12}), {DType::f32, DType::f32}, DType::f32, DType::f32);
    whole.shape().keeps_order = true;
    whole.fill_with_fractions(4);
    std::vector<scalar::Scalar> const all = whole.elements(whole.run(cpu, solo));
    KernelCase part(einsum("acd,dbc->ab", {16, 40, 50, 12}), {DType::f32, DType::f32}, DType::f32, DType::f32);
    part.shape().keeps_order = true;
    part.fill_with_fractions(4);
    part.shape().lengths[0] = 5;  // the first rows, of blocks that are whole
    std::vector<scalar::Scalar> const some = part.elements(part.run(cpu, solo));
    for (std::size_t k = 0; k < 5 * 12; ++k) CHECK(some[k].number == all[k].number);
}

TEST_CASE("small products whose columns lie side by side are multiplied one by one, and parts of them alike",
          "[executor][device]") {
    if (one_by_one(DType::f32).run == nullptr) return;  // no fused multiply-add
    Shape const extents{20, 8, 12, 8, 6};
    auto const made = [&] {
        return std::make_unique<KernelCase>(einsum("bij,bjkl->bikl", extents),
                                            std::vector<DType>{DType::f32, DType::f32}, DType::f32, DType::f32);
    };
    Nest nest = make_nest(made()->shape());
    simplify(nest);
    auto const plan = plan_tiles({nest, 0, 1, DType::f32, false, true},
                                 pair_product(PairJoin::multiply, scalar::Agg::sum, DType::f32));
    REQUIRE(plan);
    CHECK(plan->batch == GemmPlan::Batch::one_by_one);

    CpuDevice cpu;
    SoloWorkerTeam solo;
    auto const whole = made(), part = made();
    for (KernelCase* test : {whole.get(), part.get()}) {
        test->shape().keeps_order = true;
        test->fill_with_fractions(4);
    }
    std::vector<scalar::Scalar> const all = whole->elements(whole->run(cpu, solo));
    part->shape().lengths[4] = 5;  // l: columns of the part are apart
    std::vector<scalar::Scalar> const some = part->elements(part->run(cpu, solo));
    for (std::size_t at = 0; at < all.size(); ++at)
        if (at % 6 < 5) CHECK(some[at].number == all[at].number);
}
