// Joins that are one number but where a label equals an operand: beside the reference, of every type and layout.
#include <array>
#include <limits>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/cpu/moves/mark_kernel.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

/// Most of them among the labels from 2 on, some beyond.
void fill_marked(KernelCase& test, std::size_t k, DType type, std::mt19937& random) {
    std::size_t const size = size_of(type);
    for (std::size_t at = 0; at < test.operand(k).size(); at += size) {
        auto value = static_cast<std::int64_t>(random() % 12);
        if (random() % 8 == 0) value = type == DType::u8 ? 200 : -3;
        if (random() % 8 == 0 && type == DType::i64) value = std::numeric_limits<std::int64_t>::max();
        store_element(scalar::Scalar::of(value), test.operand(k).data() + at, type);
    }
}

struct MarkCase {
    std::string form;
    Shape extents;
};

void check_marks(KernelCase& test, std::vector<DType> const& types, bool marks) {
    for (std::size_t l = 0; l < test.begin().size(); ++l)
        if (test.kernel().einsum.labels[l] == "v") test.begin()[l] = 2;
    CHECK((make_mark_kernel(test.shape(), types_of(test.shape())) != nullptr) == marks);
    CAPTURE(types);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    CHECK(difference(test.elements(test.run(cpu, solo)), test.elements(test.run(reference, solo)), 0) == "");
}

}  // namespace

TEST_CASE("what equals a label is marked, of every type and layout", "[executor][device]") {
    MarkCase const at = GENERATE(MarkCase{"i->iv", {100, 7}}, MarkCase{"i->vi", {33, 8}},
                                 MarkCase{"ij->ivj", {5, 31, 9}}, MarkCase{"i->iv", {3, 1}}, MarkCase{"->v", {17}},
                                 MarkCase{"ij->jvi", {16, 3, 10}}, MarkCase{"i->iv", {3000, 33}});
    CAPTURE(at.form, at.extents);
    std::mt19937 random(3);
    for (DType const positions : {DType::u8, DType::i8, DType::i16, DType::i32, DType::i64})
        for (DType const type : {DType::boolean, DType::i8, DType::u8, DType::f16, DType::bf16, DType::f32, DType::f64,
                                 DType::i64, DType::c64, DType::c128})
            for (std::string const join :
                 {"[v] == x", "x == [v]", "where(x == [v], 2, 1)", "where([v] == x, 1.5, 0)"}) {
                KernelCase test(einsum(at.form, at.extents, join), {positions}, type, positions);
                if (random() % 2 == 0) test.scatter_layout(random);
                fill_marked(test, 0, positions, random);
                CAPTURE(join);
                check_marks(test, {positions, type}, true);
            }
}

TEST_CASE("an element is copied where a label equals another operand", "[executor][device]") {
    MarkCase const at =
        GENERATE(MarkCase{"iv,i->iv", {100, 7}}, MarkCase{"vi,i->vi", {8, 33}}, MarkCase{"i,i->iv", {100, 17}},
                 MarkCase{"v,ij->ijv", {16, 5, 31}}, MarkCase{"ivj,ij->ijv", {15, 9, 31}});
    CAPTURE(at.form, at.extents);
    std::mt19937 random(4);
    for (DType const positions : {DType::u8, DType::i8, DType::i32, DType::i64})
        for (DType const type : {DType::i8, DType::u8, DType::f16, DType::bf16, DType::f32, DType::f64, DType::i64,
                                 DType::c64, DType::c128}) {
            std::string const join = random() % 2 == 0 ? "where(y == [v], x, 0)" : "where([v] == y, x, 3)";
            DType const compute = compute_dtype(std::array{type, positions}, type);
            KernelCase test(einsum(at.form, at.extents, join), {type, positions}, type, compute);
            if (random() % 2 == 0) test.scatter_layout(random);
            test.fill(random);
            fill_marked(test, 1, positions, random);
            bool const same = is_exact(type) ? type == compute : true;
            bool const holds = !is_exact(compute) || promote(positions, compute) == compute;
            if (same && holds) check_marks(test, {positions, type}, true);
        }
}

TEST_CASE("other conditions and conditions in narrow types are left to loops", "[executor][device]") {
    std::mt19937 random(5);
    for (std::string const join : {"[v] <= x", "where(x == [v], [v], 0)", "where(x == [v] && x > 3, 1, 0)"}) {
        KernelCase test(einsum("i->iv", {30, 9}, join), {DType::i32}, DType::i32, DType::i32);
        fill_marked(test, 0, DType::i32, random);
        check_marks(test, {DType::i32}, false);
    }
    KernelCase wraps(einsum("i->iv", {30, 300}, "[v] == x"), {DType::i8}, DType::f32, DType::i8);
    fill_marked(wraps, 0, DType::i8, random);
    check_marks(wraps, {DType::i8}, false);
}
