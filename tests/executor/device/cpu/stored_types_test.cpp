// Loops beside the reference where operands and results lie in memory as other types than a join is computed in, and
// where rows are short: kernels that are large enough for machine code of their own.
#include "executor/device/cpu/cpu_device.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using scalar::Agg;

namespace {

struct StoredCase {
    std::string form, join;
    Shape extents;
    std::vector<DType> operands;
    DType output, compute;
    Agg agg = Agg::sum;
};

/// In C order and in layouts of any order, for one thread and for several, small numbers and special ones.
void compare_stored(StoredCase const& at, unsigned seed) {
    std::mt19937 random(seed);
    for (bool const views : {false, true})
        for (bool const special : {false, true}) {
            KernelCase test(einsum(at.form, at.extents, at.join, at.agg), at.operands, at.output, at.compute);
            if (views) test.scatter_layout(random);
            test.fill(random, special && at.agg != Agg::sum);
            CAPTURE(at.form, at.join, at.extents, name(at.operands[0]), name(at.output), views, special);
            CpuDevice cpu;
            SoloWorkerTeam solo;
            TestTeam team(3);
            CHECK(test.run(cpu, solo) == test.run(cpu, team));
            CHECK(compare(test, tolerance_of(at.output, at.compute)) == "");
        }
}

constexpr DType f32 = DType::f32, f64 = DType::f64, bf16 = DType::bf16, f16 = DType::f16, i8 = DType::i8,
                u8 = DType::u8, i16 = DType::i16, i32 = DType::i32, i64 = DType::i64, c64 = DType::c64,
                boolean = DType::boolean;

}  // namespace

TEST_CASE("joins read and write halves, bytes and bools where they lie", "[executor][device]") {
    compare_stored(GENERATE(StoredCase{"ij,ij->ij", "x+y", {90, 130}, {bf16, bf16}, bf16, f32},
                            StoredCase{"ij,ij->ij", "x*y", {90, 130}, {f16, f32}, f16, f32},
                            StoredCase{"ij,j->ij", "x-y", {90, 131}, {bf16, f16}, f32, f32},
                            StoredCase{"nc,c->nc", "x/255-y", {5003, 3}, {u8, f32}, f32, f32},
                            StoredCase{"ij,i->ij", "cast_i8(round(x*y))", {90, 130}, {f32, f32}, i8, f32},
                            StoredCase{"ij,i->ij", "cast_u8(x*y)", {90, 130}, {f32, bf16}, u8, f32},
                            StoredCase{"ij->ij", "x > 0.5 || x < -0.5", {90, 130}, {f32}, boolean, f32},
                            StoredCase{"ij->ij", "x != x", {90, 130}, {bf16}, boolean, f32},
                            StoredCase{"ij,ij->ij", "where(y, x, 0)", {90, 130}, {f32, boolean}, f32, f32},
                            StoredCase{"ij,ij->ij", "x*y", {90, 130}, {i8, f32}, f32, f32},
                            StoredCase{"ij,ij->ij", "x*y", {90, 130}, {f32, i32}, f64, f64},
                            StoredCase{"ij,ji->ij", "x*y", {130, 700}, {bf16, bf16}, bf16, f32},
                            StoredCase{"ij,ji->ij", "x*y", {130, 1100}, {u8, u8}, u8, u8}),
                   31);
}

TEST_CASE("integers are compared as they are, with numbers that they cannot hold too", "[executor][device]") {
    compare_stored(GENERATE(StoredCase{"ij,ij->ij", "x == y", {90, 130}, {i32, i32}, boolean, i32},
                            StoredCase{"ij,ij->ij", "x < y", {90, 130}, {i8, i8}, boolean, i8},
                            StoredCase{"ij->ij", "x < 300", {90, 130}, {u8}, boolean, u8},
                            StoredCase{"ij->ij", "x >= -1", {90, 130}, {u8}, boolean, u8},
                            StoredCase{"ij->ij", "where(x > 2, x, 100)", {90, 130}, {i16}, i16, i16}),
                   32);
}

TEST_CASE("short rows are aggregated several at a time", "[executor][device]") {
    Extent const columns = GENERATE(2, 3, 4, 5, 6, 7, 8);
    DType const type = GENERATE(f32, f64, i32, i64);
    for (Agg const agg : {Agg::sum, Agg::min, Agg::max})
        compare_stored({"ij->i", "x", {4003, columns}, {type}, type, type, agg}, 33);
    compare_stored({"ij,ij->i", "x*y", {4003, columns}, {type, type}, type, type}, 34);
}

TEST_CASE("rows of a square or two become columns where values combine in any order", "[executor][device]") {
    DType const type = GENERATE(f32, f64, bf16, i8, u8, i16, i32, i64, boolean);
    Extent const columns = GENERATE(16, 32, 48), rows = GENERATE(7, 1003);
    DType const compute = type == bf16 ? f32 : type;
    CAPTURE(columns, rows);
    for (Agg const agg : {Agg::min, Agg::max}) {
        compare_stored({"ij->i", "x", {rows, columns}, {type}, type, compute, agg}, 41);
        compare_stored({"ij->i", "abs(x)", {rows, columns}, {f32}, f32, f32, agg}, 42);
    }
    if (is_integer(type)) compare_stored({"ij->i", "x", {rows, columns}, {type}, type, compute, Agg::sum}, 43);
}

TEST_CASE("the first of equal values is found in every type, in rows and in columns", "[executor][device]") {
    DType const type = GENERATE(f32, f64, bf16, u8, i16, i32, i64);
    Shape const extents = GENERATE(Shape{700, 130}, Shape{3001, 5}, Shape{900, 16}, Shape{40, 70}, Shape{5, 3001});
    DType const compute = type == bf16 ? f32 : type;
    std::string const best = "9223372036854775807)";
    compare_stored({"ij,i->i", "where(x == y || x != x, [j], " + best, extents, {type, type}, i64, compute, Agg::min},
                   35);
    compare_stored({"ij,j->j", "where(x == y || x != x, [i], " + best, extents, {type, type}, i64, compute, Agg::min},
                   36);
}

TEST_CASE("scans along rows take integers and halves", "[executor][device]") {
    DType const type = GENERATE(i8, u8, i16, i32, i64, bf16, f16);
    DType const compute = type == bf16 || type == f16 ? f32 : type;
    Extent const length = GENERATE(9, 60);
    compare_stored({"ij->ik", "where([j] <= [k], x, 0)", {9, length, length}, {type}, type, compute}, 37);
    compare_stored({"ij->ik", "where([j] >= [k], x, 0)", {9, length, length}, {type}, type, compute}, 38);
}

TEST_CASE("complex numbers are divided, by 0 too", "[executor][device]") {
    compare_stored(
        GENERATE(StoredCase{"ij,ij->ij", "x/y", {30, 70}, {c64, c64}, c64, c64},
                 StoredCase{"ij,ij->ij", "x/y", {30, 70}, {DType::c128, DType::c128}, DType::c128, DType::c128},
                 StoredCase{"ij,j->ij", "x/y", {30, 70}, {c64, c64}, c64, c64},
                 StoredCase{"ij->ij", "1/x", {30, 70}, {c64}, c64, c64}),
        39);
}
