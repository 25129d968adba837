#include "executor/call_check/call_again.hpp"

#include <cmath>

#include "executor/call_check/checked_element.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using scalar::Scalar;
using Verdict = CheckedElement::Verdict;

namespace {

Scalar real(double value) { return Scalar::of(std::complex<double>(value)); }

/// A call of a kernel on operands of f32, one behind another in memory.
struct Called {
    schedule::Kernel kernel;
    KernelShape shape;
    std::vector<std::vector<float>> operands;
    std::vector<void const*> pointers;
    std::vector<Extent> begin;

    Called(std::string const& subscripts, Shape const& extents, std::vector<std::vector<float>> values,
           std::string const& join = "", scalar::Agg agg = scalar::Agg::sum, DType output = DType::f32)
        : kernel{"Z", einsum(subscripts, extents, join, agg), DType::f32},
          shape(whole_shape(kernel, std::vector(kernel.einsum.operands(), DType::f32), output)),
          operands(std::move(values)) {
        begin.assign(shape.lengths.size(), 0);
        for (std::vector<float> const& operand : operands) pointers.push_back(operand.data());
    }
    Called(Called const&) = delete;

    KernelCall call() const { return {pointers, nullptr, begin, {}}; }
    CallAgain::Element element(ElementPlace const& place, std::optional<Scalar> held = {}) const {
        SoloWorkerTeam solo;
        return CallAgain(shape, params).element(call(), place, held, solo);
    }
    CheckedElement checked(ElementPlace const& place, Scalar const& found, bool tf32 = false) const {
        SoloWorkerTeam solo;
        CallAgain const again(shape, params);
        return check_element(again, call(), place, {}, again.element(call(), place, {}, solo), found, tf32, solo);
    }
    scalar::Params const params{};
};

}  // namespace

TEST_CASE("an element of a product, of a diagonal, of what is held, and over nothing", "[executor][call_check]") {
    Called const product("ij,jk->ik", {2, 3, 2}, {{1, 2, 3, 4, 5, 6}, {1, -1, 2, -2, 3, -3}});
    CallAgain::Element const element = product.element({1, 1});
    CHECK(element.value.number == -4.0 - 10.0 - 18.0);
    CHECK(element.magnitude == 32);
    CHECK(element.terms == 3);

    CHECK(Called("ii->i", {2}, {{1, 2, 3, 4}}).element({1}).value.number == 4.0);
    CHECK(Called("ij->i", {1, 0}, {{}}).element({0}).value.number == 0.0);
    CHECK(Called("ij->i", {1, 2}, {{3, 7}}, "", scalar::Agg::max).element({0}).value.number == 7.0);

    CallAgain::Element const onto = Called("i->", {2}, {{1, 2}}).element({}, real(-10));
    CHECK(onto.value.number == -7.0);
    CHECK(onto.magnitude == 13);
    CHECK(onto.terms == 3);
}

TEST_CASE("long sums are added up in runs, and joins know where a call begins", "[executor][call_check]") {
    std::vector<float> ones(3 * 1300, 1);
    CHECK(Called("ij->", {3, 1300}, {ones}).element({}).value.number == 3900.0);
    CHECK(Called("ij->i", {3, 1300}, {ones}).element({2}).terms == 1300);

    Called places("i->i", {2}, {{5, 5}}, "x*[i]");
    places.begin = {40};
    CHECK(places.element({1}).value.number == 205.0);
}

TEST_CASE("what may be off depends on the sum of the terms' sizes", "[executor][call_check]") {
    Called const cancels("i->", {3}, {{1e8F, -1e8F, 1}});
    CHECK(cancels.checked({}, real(1)).verdict == Verdict::right);
    CHECK(cancels.checked({}, real(0)).verdict == Verdict::right);  // f32 may have lost the 1
    CHECK(cancels.checked({}, real(1000)).verdict == Verdict::wrong);

    Called const plain("i->", {3}, {{1, 2, 4}});
    CHECK(plain.checked({}, real(7)).relative == 0);
    CHECK(plain.checked({}, real(7.000001)).verdict == Verdict::right);
    CheckedElement const wrong = plain.checked({}, real(7.01));
    CHECK(wrong.verdict == Verdict::wrong);
    CHECK(wrong.relative == Approx(0.01 / 7));
    CHECK(wrong.tolerance < 1e-5);
    CHECK(plain.checked({}, real(7.01), true).verdict == Verdict::right);  // as coarse as TF32
}

TEST_CASE("a logarithm of small exponents may be off as its own size allows", "[executor][call_check]") {
    Called const thirds("i->", {3}, {{1e-3F, 2e-3F, -1e-3F}}, "", scalar::Agg::logsumexp);
    float const value = static_cast<float>(thirds.element({}).value.number.real());  // log(3) and a little
    CHECK(thirds.checked({}, real(std::nextafter(value, 2.0F))).verdict == Verdict::right);
    CHECK(thirds.checked({}, real(value + 1e-4)).verdict == Verdict::wrong);
}

TEST_CASE("what a join loses is excused, and an infinity where a partial sum may be one", "[executor][call_check]") {
    // in f32 (x + 1e8) - 1e8 is a multiple of 8
    Called const loses("i->i", {1}, {{3.3F}}, "(x + 100000000) - 100000000");
    CHECK(loses.checked({0}, real(0)).verdict == Verdict::ill_conditioned);
    CHECK(loses.checked({0}, real(200)).verdict == Verdict::wrong);

    Called const large("i->", {3}, {{3e38F, 3e38F, -3e38F}});
    double const infinity = std::numeric_limits<double>::infinity();
    CHECK(large.checked({}, real(infinity)).verdict == Verdict::overflow);
    CHECK(large.checked({}, real(-infinity)).verdict == Verdict::wrong);
    CHECK(Called("i->", {2}, {{1, 2}}).checked({}, real(infinity)).verdict == Verdict::wrong);
    CHECK(Called("i->", {2}, {{1, 2}}).checked({}, real(std::nan(""))).verdict == Verdict::wrong);
}

TEST_CASE("whole numbers are compared exactly, and equality of what is computed is nobody's",
          "[executor][call_check]") {
    Called const count("i->", {3}, {{1, 2, 0}}, "x > 0", scalar::Agg::sum, DType::i32);
    CHECK(count.checked({}, Scalar::of(std::int64_t{2})).verdict == Verdict::right);
    CHECK(count.checked({}, Scalar::of(std::int64_t{3})).verdict == Verdict::wrong);

    Called const stored("i,i->i", {1}, {{0.3F}, {0.3F}}, "where(x == y, 1, 0)");
    CHECK(stored.checked({0}, real(0)).verdict == Verdict::wrong);
    Called const computed("i,i->i", {1}, {{0.3F}, {0.09F}}, "where(x*x == y, 1, 0)");
    CHECK(computed.checked({0}, real(1)).verdict != Verdict::wrong);
}
