#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/cpu/narrow/narrow_blocks.hpp"
#include "executor/device/cpu/narrow/narrow_choice.hpp"
#include "executor/device/cpu/narrow/narrow_kernel.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "lib/base/float16.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/narrow_limit.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using scalar::Agg;

namespace {

constexpr std::array sets{NarrowSet::baseline,   NarrowSet::avx2,       NarrowSet::avx512,
                          NarrowSet::avx512vnni, NarrowSet::avx512bf16, NarrowSet::amx};

struct Types {
    DType left, right, output;
    std::string join = "";
    Agg agg = Agg::sum;
};

std::vector<Types> const& all_types() {
    using enum DType;
    static std::vector<Types> const types{{bf16, bf16, bf16},
                                          {bf16, bf16, f32, "x*y/4"},
                                          {f16, f16, f16},
                                          {f16, f16, f32, "-2*x*y"},
                                          {f32, bf16, f32},
                                          {bf16, f16, f32},
                                          {i8, f16, f16},
                                          {i8, i8, i8},
                                          {u8, u8, u8},
                                          {i8, u8, i16},
                                          {u8, i8, i32},
                                          {i8, i8, i32},
                                          {u8, u8, i32},
                                          {i8, u8, i64},
                                          {i16, i16, i16},
                                          {i16, i16, i32},
                                          {i16, u8, i16},
                                          {i32, i32, i32},
                                          {i32, i8, i32},
                                          {i32, i32, i8},
                                          {boolean, i8, i8},
                                          {boolean, boolean, boolean, "x and y", Agg::any},
                                          {boolean, boolean, boolean, "x or y", Agg::all},
                                          {boolean, boolean, boolean}};
    return types;
}

std::string describe(Types const& types, std::string const& form, NarrowSet set) {
    return form + " " + std::string(name(types.left)) + " " + std::string(name(types.right)) + " " +
           std::string(name(types.output)) + " " + types.join + " on " + std::string(name(set));
}

DType compute_of(Types const& types) {
    std::array const operands{types.left, types.right};
    return compute_dtype(operands, types.output);
}

/// Every value of integers, so that sums wrap; truth values that are seldom true; halves as KernelCase has them.
void fill(KernelCase& test, Types const& types, std::mt19937& random) {
    test.fill(random);
    std::array const operands{types.left, types.right};
    for (std::size_t k = 0; k < operands.size(); ++k)
        for (std::byte& byte : test.operand(k)) {
            if (is_integer(operands[k])) byte = static_cast<std::byte>(random());
            if (operands[k] == DType::boolean)
                byte = static_cast<std::byte>((random() % 8 == 0) != (types.agg == Agg::all));
        }
}

/// Every other one; the others the next time. Which is tried flips in between, so that types have either.
std::vector<Types> some_types(std::size_t turn) {
    std::vector<Types> some;
    for (std::size_t k = turn % 2; k < all_types().size(); k += 2) some.push_back(all_types()[k]);
    if (turn / 2 % 2 == 1) std::rotate(some.begin(), some.begin() + 1, some.end());
    return some;
}

/// Of floats whose sums are exact enough in any order.
double tolerance(Types const& types) { return tolerance_of(types.output, DType::f32); }

bool is_narrow(KernelCase& test) {
    Nest nest = make_nest(test.shape());
    simplify(nest);
    return make_narrow_kernel(test.shape(), nest, types_of(test.shape()), {}) != nullptr;
}

struct Form {
    std::string text;
    Shape extents;
};

enum class Expect { anything, narrow };

/// On all sets that there are, beside the reference.
void check(Form const& form, Types const& types, bool views, bool accumulate, Expect expect) {
    std::mt19937 random(static_cast<unsigned>(form.extents[0]) + (views ? 7 : 3));
    KernelCase test(einsum(form.text, form.extents, types.join, types.agg), {types.left, types.right}, types.output,
                    compute_of(types));
    test.shape().accumulate = accumulate;
    if (views) test.scatter_layout(random);
    fill(test, types, random);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    TestTeam three(3);
    auto const expected = test.elements(test.run(reference, solo));
    for (NarrowSet const set : sets) {
        NarrowLimit const limit(set);
        if (!limit.there()) continue;
        CAPTURE(describe(types, form.text, set), views, accumulate);
        auto const found = test.run(cpu, solo);
        CHECK(difference(test.elements(found), expected, tolerance(types)) == "");
        CHECK(found == test.run(cpu, three));
        bool const slow = set == NarrowSet::baseline && (!is_exact(types.left) || types.output == DType::i64);
        if (expect == Expect::narrow && !slow) CHECK(is_narrow(test));
    }
}

}  // namespace

TEST_CASE("products of narrow types are right on every instruction set", "[executor][device]") {
    // Order of labels: as they appear.
    for (Form const& form : {Form{"ij,jk->ik", {67, 45, 51}}, Form{"ji,kj->ki", {37, 35, 70}},
                             Form{"ij,kj->ik", {33, 131, 17}}, Form{"ji,jk->ik", {70, 34, 49}}})
        for (Types const& types : all_types()) {
            bool const exact = types.output != DType::f16 || types.left == DType::f16;  // else floats: not on baseline
            check(form, types, false, false, exact ? Expect::narrow : Expect::anything);
        }
}

TEST_CASE("products of narrow types with any labels, views and tails are right", "[executor][device]") {
    bool flip = false;
    std::size_t turn = 0;
    for (Form const& form :
         {Form{"bij,bjk->bik", {3, 17, 19, 23}}, Form{"ibj,jbk->kib", {17, 2, 40, 23}},
          Form{"abij,jkba->ikab", {3, 2, 9, 33, 13}}, Form{"acbd,dbe->cea", {5, 7, 6, 8, 9}},
          Form{"dbea,ec->abcd", {4, 5, 40, 3, 31}}, Form{"ij,j->i", {129, 65}}, Form{"i,ij->j", {129, 65}},
          Form{"ij,jk->ik", {1, 300, 40}}, Form{"ij,jk->ik", {40, 1, 100}}, Form{"ij,jk->ik", {100, 33, 1}},
          Form{"ij,jk->ik", {5, 1200, 6}}, Form{"ijk,kjl->il", {11, 8, 19, 10}},
          Form{"aij,jabk->kabi", {2, 3, 9, 33, 4}}})  // k and b in boxes, the last of them shorter
        for (Types const& types : some_types(turn++)) {
            check(form, types, flip, !flip, Expect::anything);
            flip = !flip;
        }
}

TEST_CASE("batches of small products of narrow types are right", "[executor][device]") {
    bool flip = false;
    std::size_t turn = 0;
    for (Form const& form : {Form{"bij,bjk->bik", {4000, 8, 8, 8}}, Form{"bij,bkj->bki", {1055, 5, 7, 3}},
                             Form{"aij,jabk->kabi", {70, 3, 9, 33, 4}}, Form{"ibj,jkb->bik", {4, 2049, 4, 4}}})
        for (Types const& types : some_types(turn++)) {
            check(form, types, flip, !flip, Expect::anything);
            flip = !flip;
        }
}

TEST_CASE("sums of few narrow terms are right, of many rows and columns", "[executor][device]") {
    for (Extent const terms : {2, 4, 30})  // a word of each kind
        for (Types const& types : all_types())
            check({"ji,jk->ik", {terms, 220, 149}}, types, false, false, Expect::anything);
}

TEST_CASE("long sums of narrow types are cut, and right", "[executor][device]") {
    for (Types const& types : all_types()) check({"ij,jk->ik", {3, 9001, 5}}, types, false, true, Expect::anything);
}

TEST_CASE("few rows of narrow types times what is read where it lies are right", "[executor][device]") {
    bool flip = false;
    std::size_t turn = 0;
    for (Form const& form :
         {Form{"i,ij->j", {700, 133}}, Form{"ij,jk->ik", {8, 70, 1030}}, Form{"ij,jk->ik", {5, 2000, 17}},
          Form{"ij,kj->ik", {3, 800, 37}}, Form{"j,kj->k", {5000, 9}}, Form{"jk,j->k", {523, 48}},
          Form{"hj,khj->hk", {3, 64, 130}}, Form{"hk,khj->hj", {3, 300, 40}}, Form{"j,kaj->ak", {90, 31, 5}},
          Form{"ja,jkba->kb", {41, 20, 3, 2}}, Form{"ij,ikj->ik", {2, 513, 70}}})
        for (Types const& types : some_types(turn++)) {
            check(form, types, flip, !flip, Expect::anything);
            flip = !flip;
        }
}

TEST_CASE("rows of infinities and nans do not spread where few rows are multiplied", "[executor][device]") {
    bool const along_terms = GENERATE(false, true);
    Extent const terms = 203, columns = 45;  // no whole vectors
    KernelCase test(einsum(along_terms ? "ij,kj->ik" : "ij,jk->ik", {2, terms, columns}), {DType::bf16, DType::bf16},
                    DType::f32, DType::f32);
    std::mt19937 random(5);
    test.fill(random);
    BFloat16 const infinite(std::numeric_limits<float>::infinity());
    std::memcpy(test.operand(0).data() + 2 * (terms - 1), &infinite, 2);  // the last term of the first row
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    CHECK(difference(test.elements(test.run(cpu, solo)), test.elements(test.run(reference, solo)), 2e-5) == "");
}

TEST_CASE("few rows that keep order have the bits of the whole, whatever part of them", "[executor][device]") {
    auto const [text, label] = GENERATE(std::pair{"ij,jk->ik", 0}, std::pair{"ij,jk->ik", 2}, std::pair{"ij,kj->ik", 0},
                                        std::pair{"ij,kj->ik", 2}, std::pair{"kj,ij->ik", 2});
    CAPTURE(text, label);
    CpuDevice cpu;
    SoloWorkerTeam solo;
    bool const exchanged = std::string(text) == "kj,ij->ik";
    Shape const extents = exchanged ? Shape{210, 700, 4} : Shape{4, 700, 210};
    KernelCase whole(einsum(text, extents), {DType::bf16, DType::bf16}, DType::f32, DType::f32),
        part(einsum(text, extents), {DType::bf16, DType::bf16}, DType::f32, DType::f32);
    for (KernelCase* made : {&whole, &part}) {
        std::mt19937 random(4);
        made->shape().keeps_order = true;
        made->fill(random);
    }
    Extent& length = part.shape().lengths[static_cast<std::size_t>(label)];
    length = length > 10 ? 7 : 3;
    auto const all = whole.elements(whole.run(cpu, solo)), some = part.elements(part.run(cpu, solo));
    bool const is_row = label == 0 || exchanged;
    std::size_t const rows = is_row ? 3 : 4, columns = is_row ? 210 : 7;
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t column = 0; column < columns; ++column) {
            std::size_t const k = row * 210 + column;
            CAPTURE(row, column);
            REQUIRE(some[k].number == all[k].number);
        }
}

TEST_CASE("large products of narrow types are the same bits for any number of threads", "[executor][device]") {
    for (NarrowSet const set : sets) {
        NarrowLimit const limit(set);
        if (!limit.there()) continue;
        for (Types const& types : all_types()) {
            KernelCase test(einsum("ij,jk->ik", {300, 90, 600}, types.join, types.agg), {types.left, types.right},
                            types.output, compute_of(types));
            std::mt19937 random(1);
            fill(test, types, random);
            CpuDevice cpu;
            CAPTURE(describe(types, "large", set));
            same_on_teams(test, cpu);
        }
    }
}

TEST_CASE("infinities, nans and subnormal operands are what they are in f32", "[executor][device]") {
    NarrowSet const set = GENERATE(from_range(sets));
    NarrowLimit const limit(set);
    if (!limit.there()) return;
    DType const type = GENERATE(DType::bf16, DType::f16);
    CAPTURE(name(set), name(type));
    KernelCase test(einsum("ij,jk->ik", {40, 50, 60}), {type, type}, DType::f32, DType::f32);
    std::mt19937 random(3);
    test.fill(random);
    auto const put = [&](std::size_t operand, std::size_t at, float value) {
        std::uint16_t bits = 0;
        if (type == DType::bf16) {
            BFloat16 const narrow(value);
            std::memcpy(&bits, &narrow, 2);
        } else {
            Half const narrow(value);
            std::memcpy(&bits, &narrow, 2);
        }
        std::memcpy(test.operand(operand).data() + 2 * at, &bits, 2);
    };
    constexpr float infinity = std::numeric_limits<float>::infinity();
    float const tiny = type == DType::bf16 ? 0x1p-130f : 0x1p-20f, huge = type == DType::bf16 ? 0x1p120f : 0x1p15f;
    for (std::size_t j = 0; j < 50; ++j) put(0, 7 * 50 + j, tiny);  // a row of subnormal numbers
    for (std::size_t k = 0; k < 60; ++k) put(1, 9 * 60 + k, huge);  // and large ones that meet them
    put(0, 3 * 50 + 4, infinity);
    put(0, 5 * 50 + 4, std::numeric_limits<float>::quiet_NaN());
    put(0, 11 * 50 + 2, -infinity);
    put(1, 2 * 60 + 30, tiny);  // an infinity times it is one
    put(1, 2 * 60 + 31, 0.0f);  // or no number
    put(0, 13 * 50 + 1, -0.0f);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    auto const found = test.elements(same_on_teams(test, cpu)), expected = test.elements(test.run(reference, solo));
    CHECK(difference(found, expected, 2e-5) == "");
    double const small = found[7 * 60 + 1].number.real();  // the row of subnormal numbers counts
    CHECK(std::abs(small - expected[7 * 60 + 1].number.real()) <= 1e-3 * std::abs(small));
    CHECK(small != 0);
}

TEST_CASE("what a narrow product is cut into covers it once", "[executor][device]") {
    NarrowLoops loops;
    loops.rows = 8;
    loops.columns = 48;
    loops.terms = 2;
    loops.words = 1;
    for (NarrowSizes const& sizes :
         {NarrowSizes{4096, 4096, 4096, 1}, NarrowSizes{1, 1, 1, 1}, NarrowSizes{5, 700, 3, 9},
          NarrowSizes{1000, 3, 100000, 1}, NarrowSizes{100000, 100000, 64, 1}}) {
        TermBlocks const terms = term_blocks(loops, sizes);
        Extent covered = 0;
        for (Extent split = 0; split < terms.splits; ++split) {
            auto const [first, last] = terms.of_split(split);
            for (Extent block = first; block < last; ++block) covered += terms.size(block);
        }
        CHECK(covered == sizes.terms);
        for (int const threads : {1, 2, 64}) {
            TaskBlocks const blocks = task_blocks(loops, sizes, terms, threads);
            CHECK(blocks.rows % loops.rows == 0);
            CHECK(blocks.columns % loops.columns == 0);
            CHECK(blocks.wave_rows % blocks.rows == 0);
            CHECK(blocks.wave_columns % blocks.columns == 0);
            CHECK(blocks.wave_calls >= 1);
            Extent const packed = (blocks.packs_a ? blocks.wave_rows : 0) + (blocks.packs_b ? blocks.wave_columns : 0);
            CHECK(packed * blocks.wave_calls * terms.words * terms.count * 4 <= Extent{32} << 20);
        }
    }
}
