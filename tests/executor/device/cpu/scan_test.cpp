// Aggregations over prefixes and suffixes beside the reference: rows along memory and across it, few columns side by
// side, long rows that are cut into parts, of every type and aggregation.
#include <cstring>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/cpu/loops/scan_kernel.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using scalar::Agg;

namespace {

struct ScanCase {
    std::string form, condition;
    Shape extents;
};

std::string join_of(std::string const& condition, Agg agg, DType type) {
    std::string const fill = agg == Agg::sum    ? "0"
                             : agg == Agg::prod ? "1"
                             : agg == Agg::max  ? (type == DType::u8 ? "0" : "-inf")
                                                : (type == DType::u8 ? "255" : "inf");
    return "where(" + condition + ", x, " + fill + ")";
}

/// In C order and in layouts of any order, on one thread and on several, which give the same bits.
void compare_scan(ScanCase const& at, DType type, Agg agg, unsigned seed) {
    std::mt19937 random(seed);
    DType const compute = compute_dtype(std::array{type}, type);
    for (bool const views : {false, true}) {
        KernelCase test(einsum(at.form, at.extents, join_of(at.condition, agg, type), agg), {type}, type, compute);
        if (views) test.scatter_layout(random);
        test.fill(random);
        CAPTURE(at.form, at.condition, at.extents, name(type), agg, views);
        Nest nest = make_nest(test.shape());
        simplify(nest);
        REQUIRE(make_scan_kernel(test.shape(), nest, types_of(test.shape())) != nullptr);
        CpuDevice cpu;
        SoloWorkerTeam solo;
        TestTeam team(3);
        CHECK(test.run(cpu, solo) == test.run(cpu, team));
        CHECK(compare(test, 4 * tolerance_of(type, compute)) == "");
    }
}

constexpr DType every_type[] = {DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::c128,
                                DType::i8,  DType::u8,   DType::i16, DType::i32, DType::i64};

}  // namespace

TEST_CASE("prefixes are scanned in every type and layout", "[executor][device]") {
    ScanCase const at =
        GENERATE(ScanCase{"ij->ik", "[j] <= [k]", {21, 70, 70}}, ScanCase{"ij->ik", "[j] <= [k]", {40, 5, 5}},
                 ScanCase{"ji->ki", "[j] <= [k]", {70, 37, 70}}, ScanCase{"ijc->ikc", "[j] <= [k]", {5, 70, 3, 70}},
                 ScanCase{"jc->kc", "[j] <= [k]", {300, 6, 300}}, ScanCase{"ij->ki", "[j] <= [k]", {21, 70, 70}},
                 ScanCase{"ji->ik", "[j] >= [k]", {70, 21, 70}}, ScanCase{"ij->ik", "[j] >= [k]", {9, 70, 70}},
                 ScanCase{"ijc->ikc", "[j] > [k]", {18, 33, 2, 33}}, ScanCase{"ij->ik", "[j] < [k] - 3", {17, 40, 50}},
                 ScanCase{"ij->ik", "[j] <= [k] + 9", {17, 40, 50}}, ScanCase{"ij->ik", "[j] <= [k] + 60", {3, 40, 50}},
                 ScanCase{"ij->ik", "[j] >= [k] + 5", {33, 40, 30}});
    for (DType const type : every_type) compare_scan(at, type, Agg::sum, 51);
}

TEST_CASE("products, the least and the greatest of prefixes are scanned", "[executor][device]") {
    ScanCase const at =
        GENERATE(ScanCase{"ij->ik", "[j] <= [k]", {21, 70, 70}}, ScanCase{"ji->ki", "[j] < [k]", {70, 37, 70}},
                 ScanCase{"ijc->ikc", "[j] >= [k]", {5, 70, 3, 70}});
    for (DType const type : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::u8}) {
        compare_scan(at, type, Agg::max, 52);
        compare_scan(at, type, Agg::min, 53);
    }
    ScanCase few = at;
    for (Extent& extent : few.extents) extent = std::min<Extent>(extent, 9);
    for (DType const type : {DType::f32, DType::c64, DType::i8, DType::i64}) compare_scan(few, type, Agg::prod, 54);
}

TEST_CASE("a long row is scanned in parts, in the order of its terms", "[executor][device]") {
    std::string const condition = GENERATE("[j] <= [k]", "[j] >= [k]", "[j] < [k] - 70");
    ScanCase const at = GENERATE_COPY(
        ScanCase{"j->k", condition, {20011, 20011}}, ScanCase{"jc->kc", condition, {20011, 3, 20011}},
        ScanCase{"jc->kc", condition, {20011, 20, 20011}}, ScanCase{"ij->ik", condition, {5, 20011, 20011}});
    for (DType const type : {DType::f16, DType::f32, DType::f64, DType::c64, DType::i32})
        for (Agg const agg : {Agg::sum, Agg::max}) {
            if (agg == Agg::max && (is_complex(type) || is_integer(type))) continue;
            KernelCase test(einsum(at.form, at.extents, join_of(at.condition, agg, type), agg), {type}, type,
                            compute_dtype(std::array{type}, type));
            std::mt19937 random(55);
            test.fill(random);
            CAPTURE(at.form, condition, at.extents, name(type), agg);
            CpuDevice cpu;
            SoloWorkerTeam solo;
            TestTeam team(3);
            auto const whole = test.run(cpu, solo);
            CHECK(whole == test.run(cpu, team));
            test.shape().keeps_order = true;  // then there are no parts; small numbers are added exactly both ways
            CHECK(difference(test.elements(whole), test.elements(test.run(cpu, solo)), 0) == "");
        }
}

TEST_CASE("a sum of f64 loses nothing on the way, along memory and across it", "[executor][device]") {
    std::string const form = GENERATE("ij->ik", "ji->ki");
    Extent const rows = GENERATE(1, 20);
    Extent const terms = GENERATE(30, 9000);
    Shape const extents = form == "ij->ik" ? Shape{rows, terms, terms} : Shape{terms, rows, terms};
    KernelCase test(einsum(form, extents, "where([j] <= [k], x, 0)"), {DType::f64}, DType::f64, DType::f64);
    for (Extent row = 0; row < rows; ++row)
        for (Extent j = 0; j < terms; ++j) {
            double const value = j % 3 == 0 ? 1e16 : j % 3 == 1 ? 1 : -1e16;  // after each three one more
            Extent const at = form == "ij->ik" ? row * terms + j : j * rows + row;
            std::memcpy(test.operand(0).data() + at * 8, &value, 8);
        }
    CpuDevice cpu;
    SoloWorkerTeam solo;
    auto const found = test.elements(test.run(cpu, solo));
    Extent const triples = terms / 3, last = 3 * triples - 1;
    auto const at = static_cast<std::size_t>(form == "ij->ik" ? last : last * rows);
    CHECK(found[at].number.real() == static_cast<double>(triples));
}

TEST_CASE("truths of prefixes are scanned", "[executor][device]") {
    Agg const agg = GENERATE(Agg::any, Agg::all);
    KernelCase test(
        einsum("ij->ik", {19, 40, 40}, agg == Agg::any ? "where([j] <= [k], x, 0)" : "where([j] <= [k], x, 1)", agg),
        {DType::boolean}, DType::boolean, DType::boolean);
    std::mt19937 random(56);
    test.fill(random);
    CHECK(compare(test, 0) == "");
}
