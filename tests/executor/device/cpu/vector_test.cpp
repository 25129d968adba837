#include "executor/device/cpu/gemm/vector_product.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "executor/device/cpu/cpu_device.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

bool is_vector_product(KernelCase& test) {
    Nest nest = make_nest(test.shape());
    simplify(nest);
    KernelTypes const types = types_of(test.shape());
    return make_vector_kernel(test.shape(), nest, types, test.params()) != nullptr;
}

struct VectorTypes {
    DType first, second, compute;
};

constexpr VectorTypes vector_types[13]{
    {DType::f32, DType::f32, DType::f32},   {DType::f64, DType::f64, DType::f64},
    {DType::c64, DType::c64, DType::c64},   {DType::c128, DType::c128, DType::c128},
    {DType::bf16, DType::bf16, DType::f32}, {DType::f16, DType::f16, DType::f32},
    {DType::f32, DType::f64, DType::f64},   {DType::bf16, DType::f32, DType::f32},
    {DType::i16, DType::f64, DType::f64},   {DType::i16, DType::f32, DType::f32},
    {DType::i32, DType::f64, DType::f64},   {DType::c64, DType::c128, DType::c128},
    {DType::c64, DType::f32, DType::c64},
};

struct VectorCase {
    std::string form;
    Shape extents;
};

}  // namespace

TEST_CASE("a matrix times a vector is right for every type, order of labels and length", "[executor][device]") {
    VectorTypes const types = vector_types[GENERATE(range(0, 13))];
    VectorCase const at = GENERATE(
        VectorCase{"ij,j->i", {9, 16}}, VectorCase{"ij,j->i", {130, 33}}, VectorCase{"ij,j->i", {3, 100}},
        VectorCase{"bij,bj->bi", {3, 5, 37}}, VectorCase{"ijk,jk->i", {7, 3, 150}},
        VectorCase{"ikj,jk->i", {6, 4, 140}}, VectorCase{"ibj,bj->bi", {4, 3, 21}}, VectorCase{"ijk,k->ji", {4, 5, 40}},
        VectorCase{"dacbe,eb->bdca", {3, 2, 5, 14, 20}}, VectorCase{"aibcj,cbaj->icab", {2, 70, 3, 5, 17}},
        VectorCase{"ibjk,kbj->bi", {70, 5, 3, 130}}, VectorCase{"ij,j->i", {5, 2100}},
        VectorCase{"abij,j->ba", {2, 3, 4, 5}}, VectorCase{"ij,i->j", {9, 16}}, VectorCase{"ij,i->j", {600, 35}},
        VectorCase{"i,ij->j", {5, 5000}}, VectorCase{"bij,bi->bj", {3, 9, 33}}, VectorCase{"ijk,ij->k", {3, 9, 40}},
        VectorCase{"jik,ij->k", {9, 3, 40}}, VectorCase{"aij,i->ja", {3, 17, 20}});
    for (bool const accumulate : {false, true})
        for (bool const views : {false, true}) {
            std::mt19937 random(5);
            KernelCase test(einsum(at.form, at.extents, accumulate ? "x*y/4" : ""), {types.first, types.second},
                            accumulate || is_exact(types.first) ? types.compute : types.first, types.compute);
            test.shape().accumulate = accumulate;
            if (views) test.scatter_layout(random);
            test.fill(random);
            CAPTURE(at.form, at.extents, name(types.first), name(types.second), accumulate, views);
            CHECK(compare(test, tolerance_of(test.shape().output_dtype, types.compute)) == "");
        }
}

TEST_CASE("a conjugate matrix times a vector, or the matrix times a conjugate, is right", "[executor][device]") {
    std::string const join = GENERATE("conj(x)*y", "x*conj(y)", "conj(x*y)/2");
    DType const type = GENERATE(DType::c64, DType::c128);
    VectorCase const at =
        GENERATE(VectorCase{"ij,j->i", {9, 37}}, VectorCase{"j,ij->i", {51, 7}}, VectorCase{"bij,bj->bi", {3, 5, 33}},
                 VectorCase{"ij,i->j", {600, 35}}, VectorCase{"bi,bij->bj", {3, 9, 40}});
    std::mt19937 random(6);
    KernelCase test(einsum(at.form, at.extents, join), {type, type}, type, type);
    test.shape().accumulate = at.extents[0] == 9;
    test.fill(random);
    CAPTURE(at.form, join, name(type));
    CHECK(is_vector_product(test));
    CHECK(compare(test, tolerance_of(type, type)) == "");
}

TEST_CASE("vector products are taken where terms lie together, the matrix first or second", "[executor][device]") {
    auto const taken = [](std::string const& form, Shape const& extents, std::string const& join = "",
                          scalar::Agg agg = scalar::Agg::sum, DType type = DType::f32) {
        KernelCase test(einsum(form, extents, join, agg), {type, type}, type, type);
        return is_vector_product(test);
    };
    CHECK(taken("ij,j->i", {30, 40}));
    CHECK(taken("j,ij->i", {40, 30}));
    CHECK(taken("bij,bj->bi", {2, 30, 40}, "3*x*y"));
    CHECK(taken("ij,i->j", {30, 40}));
    CHECK_FALSE(taken("ij,i->j", {30, 2}));
    CHECK_FALSE(taken("ij,j->i", {30, 2}));        // shorter than a vector
    CHECK_FALSE(taken("ij,jk->ik", {30, 40, 5}));  // a product of matrices
    CHECK_FALSE(taken("ij,ij->i", {30, 40}));      // reads both once
    CHECK_FALSE(taken("ij,j->i", {30, 40}, "x*y", scalar::Agg::max));
    CHECK_FALSE(taken("ij,j->i", {30, 40}, "x + y"));
    CHECK_FALSE(taken("ij,j->i", {30, 40}, "", scalar::Agg::sum, DType::i32));
}

TEST_CASE("what was added already counts once where the last vector overlaps", "[executor][device]") {
    double const infinity = std::numeric_limits<double>::infinity();
    for (int const place : {0, 14, 18, 19})
        for (std::size_t const operand : {std::size_t{0}, std::size_t{1}}) {
            KernelCase test(einsum("ij,j->i", {3, 20}), {DType::f64, DType::f64}, DType::f64, DType::f64);
            for (std::size_t k = 0; k < 2; ++k)
                for (std::size_t at = 0; at < test.operand(k).size(); at += 8)
                    store_element(scalar::Scalar::of(std::complex<double>(1.0)), test.operand(k).data() + at,
                                  DType::f64);
            store_element(scalar::Scalar::of(std::complex<double>(infinity)), test.operand(operand).data() + 8 * place,
                          DType::f64);
            CpuDevice cpu;
            SoloWorkerTeam solo;
            std::vector<scalar::Scalar> const found = test.elements(test.run(cpu, solo));
            CAPTURE(place, operand);
            CHECK(found[0].number.real() == infinity);
            CHECK(found[2].number.real() == (operand == 0 ? 20 : infinity));
        }
}

TEST_CASE("an infinity among sums of many terms stays one", "[executor][device]") {
    VectorCase const at = GENERATE(VectorCase{"ij,j->i", {2, 5000}}, VectorCase{"ij,i->j", {2000, 20}});
    KernelCase test(einsum(at.form, at.extents), {DType::f32, DType::f32}, DType::f32, DType::f32);
    float const one = 1, infinity = std::numeric_limits<float>::infinity();
    for (std::size_t k = 0; k < 2; ++k)
        for (std::size_t place = 0; place < test.operand(k).size(); place += 4)
            std::memcpy(test.operand(k).data() + place, &one, 4);
    std::memcpy(test.operand(0).data() + 4 * 1000, &infinity, 4);  // row 0; column 0 of row 50
    REQUIRE(is_vector_product(test));
    CpuDevice cpu;
    SoloWorkerTeam solo;
    std::vector<scalar::Scalar> const found = test.elements(test.run(cpu, solo));
    CHECK(found[0].number.real() == infinity);
    CHECK(found[1].number.real() == static_cast<double>(at.extents[at.form == "ij,j->i" ? 1 : 0]));
}

TEST_CASE("a large vector product gives the same bits for any number of threads", "[executor][device]") {
    VectorCase const at = GENERATE(VectorCase{"ij,j->i", {2000, 301}}, VectorCase{"bij,bj->bi", {30, 17, 500}},
                                   VectorCase{"ij,i->j", {5000, 60}}, VectorCase{"bij,bi->bj", {40, 500, 40}},
                                   VectorCase{"aibj,abj->abi", {2, 300, 9, 50}});
    KernelCase test(einsum(at.form, at.extents), {DType::f32, DType::f32}, DType::f32, DType::f32);
    test.fill_with_fractions(7);
    REQUIRE(is_vector_product(test));
    CpuDevice cpu;
    SoloWorkerTeam solo;
    TestTeam team(4);
    CHECK(test.run(cpu, solo) == test.run(cpu, team));
}

TEST_CASE("long sums of products by a vector lose nothing that matters", "[executor][device]") {
    constexpr Extent terms = 1 << 20;
    KernelCase test(einsum("ij,j->i", {2, terms}), {DType::f32, DType::f32}, DType::f32, DType::f32);
    float const one = 1, tenth = 0.1f;
    for (Extent k = 0; k < 2 * terms; ++k) std::memcpy(test.operand(0).data() + 4 * k, &tenth, 4);
    for (Extent k = 0; k < terms; ++k) std::memcpy(test.operand(1).data() + 4 * k, &one, 4);
    CpuDevice cpu;
    SoloWorkerTeam solo;
    double const exact = static_cast<double>(tenth) * terms;
    for (scalar::Scalar const& sum : test.elements(test.run(cpu, solo)))
        CHECK(std::abs(sum.number.real() - exact) <= 4e-6 * exact);  // runs of 2048, in the fewest lanes 512 in each
}
