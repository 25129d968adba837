// Batches of products of small matrices of bf16 and f16: right in every order of labels, on every instruction set.
#include <cstring>
#include <random>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/cpu/narrow/narrow_choice.hpp"
#include "executor/device/cpu/narrow/narrow_small_kernel.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "lib/base/float16.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/narrow_limit.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

constexpr std::array vector_sets{NarrowSet::avx2, NarrowSet::avx512, NarrowSet::avx512bf16, NarrowSet::amx};

bool is_small(KernelCase& test) {
    Nest nest = make_nest(test.shape());
    simplify(nest);
    return make_narrow_small(test.shape(), nest, types_of(test.shape()), {}) != nullptr;
}

void put(KernelCase& test, std::size_t operand, std::size_t at, float value) {
    BFloat16 const narrow(value);
    std::memcpy(test.operand(operand).data() + 2 * at, &narrow, 2);
}

}  // namespace

TEST_CASE("small matrices of halves are multiplied one by one, however they lie", "[executor][device]") {
    std::mt19937 random(11);
    auto const between = [&](Extent least, Extent most) {
        return least + static_cast<Extent>(random()) % (most + 1 - least);
    };
    struct Form {
        std::string text, labels;  // labels in order of appearance: b and a batch, i rows, j terms, k columns
    };
    std::array const forms{
        Form{"bij,bjk->bik", "bijk"},     Form{"bij,bkj->bik", "bijk"},     Form{"bji,bjk->bik", "bjik"},
        Form{"bji,bkj->bik", "bjik"},     Form{"bij,bjk->bki", "bijk"},     Form{"bji,bkj->bki", "bjik"},
        Form{"abij,abjk->abik", "abijk"}, Form{"aibj,akbj->abik", "aibjk"}, Form{"baij,abjk->abik", "baijk"}};
    struct Types {
        DType left, right, output;
        std::string join;
    };
    using enum DType;
    std::array const types{Types{bf16, bf16, bf16, ""}, Types{bf16, bf16, f32, "x*y/4"}, Types{f16, f16, f16, ""},
                           Types{f32, bf16, f16, "-2*x*y"}, Types{bf16, f16, f32, ""}};
    for (int round = 0; round < 45; ++round) {
        Form const& form = forms[static_cast<std::size_t>(round) % forms.size()];
        Types const& of = types[static_cast<std::size_t>(round) % types.size()];
        Extent const most = round % 9 == 0 ? 64 : 18;
        Shape extents;
        for (char label : form.labels)
            extents.push_back(label == 'a' || label == 'b' ? between(2, 3) : between(label == 'j' ? 2 : 12, most));
        CAPTURE(round, form.text, extents, of.left, of.right, of.output, of.join);
        for (NarrowSet const set : vector_sets) {
            NarrowLimit const limit(set);
            if (!limit.there()) continue;
            CAPTURE(name(set));
            KernelCase test(einsum(form.text, extents, of.join), {of.left, of.right}, of.output, f32);
            std::mt19937 values(static_cast<unsigned>(round));
            test.fill(values);
            CHECK(is_small(test));
            CHECK(compare(test, tolerance_of(of.output, f32)) == "");
        }
    }
}

TEST_CASE("small matrices with subnormal numbers, infinities and nans are multiplied as f32", "[executor][device]") {
    DType const output = GENERATE(DType::bf16, DType::f32);
    Extent const batch = 7, rows = 9, terms = GENERATE(6, 7), columns = 18;
    for (NarrowSet const set : vector_sets) {
        NarrowLimit const limit(set);
        if (!limit.there()) continue;
        CAPTURE(name(set), terms, output);
        KernelCase test(einsum("bij,bjk->bik", {batch, rows, terms, columns}), {DType::bf16, DType::bf16}, output,
                        DType::f32);
        std::mt19937 random(3);
        test.fill(random);
        auto const left = [&](Extent b, Extent i, Extent j) {
            return static_cast<std::size_t>((b * rows + i) * terms + j);
        };
        auto const right = [&](Extent b, Extent j, Extent k) {
            return static_cast<std::size_t>((b * terms + j) * columns + k);
        };
        for (Extent j = 0; j < terms; ++j) put(test, 0, left(2, 4, j), 0x1p-130f);  // a row of subnormal numbers
        for (Extent j = 0; j < terms; ++j) put(test, 1, right(2, j, 3), 0x1p120f);  // and large ones that meet them
        put(test, 0, left(6, 1, 0), 0x1p-130f);                                     // the last one
        put(test, 1, right(6, 0, 0), 0x1p100f);
        put(test, 0, left(4, 2, 1), std::numeric_limits<float>::infinity());
        put(test, 1, right(5, 1, 17), std::numeric_limits<float>::quiet_NaN());
        for (Extent j = 0; j < terms; ++j) put(test, 0, left(3, 0, j), 0x1p-70f);  // whose products are subnormal
        for (Extent j = 0; j < terms; ++j)
            for (Extent k = 0; k < columns; ++k) put(test, 1, right(3, j, k), 0x1p-60f);
        REQUIRE(is_small(test));
        CpuDevice cpu;
        ReferenceDevice reference;
        SoloWorkerTeam solo;
        auto const found = test.elements(same_on_teams(test, cpu)), expected = test.elements(test.run(reference, solo));
        CHECK(difference(found, expected, 1e-2) == "");
        auto const at = [&](Extent b, Extent i, Extent k) {
            return static_cast<std::size_t>((b * rows + i) * columns + k);
        };
        double const tiny = found[at(2, 4, 3)].number.real(), product = found[at(3, 0, 5)].number.real();
        CHECK(tiny == expected[at(2, 4, 3)].number.real());
        CHECK(tiny != 0);
        CHECK((set >= NarrowSet::avx512bf16 || product == expected[at(3, 0, 5)].number.real()));
    }
}

TEST_CASE("what is not small, or has no sides that lie adjacent, is left to others", "[executor][device]") {
    using enum DType;
    auto const small = [&](std::string const& form, Shape const& extents, DType left, DType output) {
        KernelCase test(einsum(form, extents), {left, left}, output, left == f16 || left == bf16 ? f32 : left);
        return is_small(test);
    };
    NarrowLimit const limit(NarrowSet::avx2);
    if (!limit.there()) return;
    CHECK(small("bij,bjk->bik", {4, 8, 8, 12}, bf16, bf16));
    CHECK_FALSE(small("bij,bjk->bik", {4, 8, 8, 8}, bf16, bf16));     // lanes of f32 are faster
    CHECK_FALSE(small("bij,bjk->bik", {4, 8, 80, 12}, bf16, bf16));   // panels are
    CHECK_FALSE(small("ijb,jkb->ikb", {12, 8, 40, 12}, bf16, bf16));  // the batch lies adjacent
    CHECK_FALSE(small("bij,bjk->bik", {4, 8, 8, 12}, i8, i8));        // no floats
    CHECK_FALSE(small("bij,bjk->bik", {4, 8, 8, 12}, f32, f32));      // the kernels of f32
    CHECK_FALSE(small("ij,jk->ik", {8, 8, 12}, bf16, bf16));          // no batch
}
