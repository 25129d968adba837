#include <cstring>
#include <random>

#include "executor/device/cpu/cpu_device.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using scalar::Agg;

namespace {

/// Operands whose sums round.
void fill(KernelCase& test, DType type, bool special_values) {
    std::mt19937 random(7);
    if (type == DType::f32 && !special_values)
        test.fill_with_fractions(7);
    else
        test.fill(random, special_values);
    if (type != DType::f64 || special_values) return;
    for (std::size_t at = 0; at < test.operand(0).size(); at += sizeof(double)) {
        double const value = static_cast<double>(random()) / 3e9 - 0.5;
        std::memcpy(test.operand(0).data() + at, &value, sizeof value);
    }
}

}  // namespace

TEST_CASE("rows that are aggregated together have the bits of each alone", "[executor][device]") {
    DType const type = GENERATE(DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8, DType::u8, DType::i16,
                                DType::i32, DType::i64, DType::boolean);
    Agg const agg = GENERATE(Agg::sum, Agg::prod, Agg::min, Agg::max, Agg::any, Agg::all);
    bool const special_values = agg == Agg::sum || agg == Agg::prod ? false : GENERATE(false, true);  // which nan
    CpuDevice cpu;
    SoloWorkerTeam solo;
    for (Extent const columns : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 31, 33, 63, 64, 100, 127, 128})
        for (Extent const rows : {1, 3, 16, 17, 70, 131}) {
            DType const compute = size_of(type) == 2 && kind(type) == Kind::real ? DType::f32 : type;
            CAPTURE(type, scalar::name(agg), special_values, columns, rows);
            DType const output = scalar::info(agg).asks ? DType::boolean : compute;
            KernelCase together(einsum("ij->i", {rows, columns}, "x", agg), {type}, output, compute);
            fill(together, type, special_values);
            REQUIRE(compare(together, 1e-4) == "");
            std::vector<std::byte> const results = together.run(cpu, solo);
            KernelCase alone(einsum("j->", {columns}, "x", agg), {type}, output, compute);
            std::size_t const row_bytes = alone.operand(0).size(), bytes = size_of(output);
            for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
                std::memcpy(alone.operand(0).data(), together.operand(0).data() + r * row_bytes, row_bytes);
                std::vector<std::byte> const result = alone.run(cpu, solo);
                REQUIRE(std::memcmp(result.data(), results.data() + r * bytes, bytes) == 0);
            }
        }
}

TEST_CASE("the best of halves may become an f32", "[executor][device]") {
    auto const [form, extents] = GENERATE(table<std::string, Shape>({{"ij->i", {9, 300}},
                                                                     {"ij->j", {300, 9}},
                                                                     {"ij->i", {70, 33}},
                                                                     {"ij->", {300, 900}},
                                                                     {"bij->bj", {3, 200, 17}},
                                                                     {"ij->i", {2, 20000}}}));
    auto const half = GENERATE(DType::f16, DType::bf16);
    auto const agg = GENERATE(Agg::min, Agg::max);
    bool const special_values = GENERATE(false, true), accumulate = GENERATE(false, true);
    CAPTURE(form, extents, half, scalar::name(agg), special_values, accumulate);
    KernelCase test(einsum(form, extents, "x", agg), {half}, DType::f32, DType::f32);
    test.shape().accumulate = accumulate;
    std::mt19937 random(4);
    test.fill(random, special_values);
    CHECK(compare(test, 0) == "");
}

TEST_CASE("a label between two others is aggregated as it lies", "[executor][device]") {
    DType const type = GENERATE(DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8, DType::u8, DType::i16,
                                DType::i32, DType::i64, DType::boolean, DType::c64);
    std::mt19937 random(9);
    for (Agg const agg : {Agg::sum, Agg::prod, Agg::min, Agg::max, Agg::any, Agg::all})
        for (Extent const columns : {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 100})
            for (Extent const terms : {2, 3, 8, 17})
                for (Extent const rows : {2, 17, 70}) {
                    bool const ordered = agg == Agg::min || agg == Agg::max;
                    if (type == DType::c64 && ordered) continue;
                    DType const compute = size_of(type) == 2 && kind(type) == Kind::real ? DType::f32 : type;
                    DType const output = scalar::info(agg).asks ? DType::boolean : compute;
                    std::string const form = random() % 3 == 0 ? "ikj->ji" : "ikj->ij";
                    KernelCase test(einsum(form, {rows, terms, columns}, "x", agg), {type}, output, compute);
                    test.fill(random, ordered && random() % 2 == 0);
                    CAPTURE(type, scalar::name(agg), form, rows, terms, columns);
                    REQUIRE(compare(test, 1e-4) == "");
                }
}

TEST_CASE("integers and truths are summed into wider ones over a label between two others", "[executor][device]") {
    DType const type = GENERATE(DType::i8, DType::u8, DType::i16, DType::i32, DType::f32, DType::f16);
    std::mt19937 random(10);
    for (std::string const join : {"x", "x > 0", "x < 0.5"})
        for (Extent const columns : {1, 3, 8, 17, 33})
            for (Extent const terms : {2, 8, 17}) {
                bool const real = kind(type) == Kind::real;
                if (real ? join == "x" : join == "x < 0.5") continue;
                DType const compute = size_of(type) == 2 && real ? DType::f32 : type;
                KernelCase test(einsum("ikj->ij", {70, terms, columns}, join), {type}, DType::i64, compute);
                test.fill(random);
                CAPTURE(type, join, terms, columns);
                REQUIRE(compare(test, 0) == "");
            }
}
