// Joins of operands that lie in different orders, and of operands that stand for many elements of a vector tile.
#include <array>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/cpu/loops/loop_plan.hpp"
#include "executor/device/cpu/loops/tile_gather.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using scalar::Agg;

namespace {

struct JoinOrder {
    std::string form, join;
    Shape extents;
    Agg agg = Agg::sum;
};

/// Small values and results that are exact, so that the order of terms does not matter.
void compare_order(JoinOrder const& at, DType type, std::size_t operands, Extent output_bytes) {
    CAPTURE(at.form, at.join, at.agg, name(type), output_bytes);
    std::vector<DType> const types(operands, type);
    DType const compute = compute_dtype(types, type);
    KernelCase test(einsum(at.form, at.extents, at.join, at.agg), types, type, compute);
    test.shape().output_bytes = output_bytes;
    std::mt19937 random(5);
    test.fill(random);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    TestTeam team(3);
    auto const found = test.run(cpu, solo);
    CHECK(difference(test.elements(found), test.elements(test.run(reference, solo)), 1e-2) == "");
    CHECK(found == test.run(cpu, team));
}

constexpr Extent leaves_the_cache = 64 << 20;

}  // namespace

TEST_CASE("operands in other orders are joined as the reference does", "[executor][device]") {
    JoinOrder const at =
        GENERATE(JoinOrder{"ij,ji->ij", "x-y", {130, 300}}, JoinOrder{"ij,ji->ij", "x-y", {9, 64}},
                 JoinOrder{"ij,ij->ji", "x+y", {77, 259}}, JoinOrder{"ijk,kji->ijk", "x-y", {70, 5, 99}},
                 JoinOrder{"ijk,jik->ijk", "x+y", {9, 8, 70}}, JoinOrder{"ijk,ikj->ijk", "x+y", {3, 65, 129}},
                 JoinOrder{"ij,ji->ij", "x-y+[i]-[j]", {65, 270}});
    DType const type = GENERATE(DType::f32, DType::f64, DType::bf16, DType::i32, DType::i8, DType::c64, DType::c128);
    if (is_complex(type) && at.join.find('[') != std::string::npos) return;
    compare_order(at, type, 2, GENERATE(Extent{0}, leaves_the_cache));
}

TEST_CASE("operands in other orders are aggregated as the reference does", "[executor][device]") {
    JoinOrder const at =
        GENERATE(JoinOrder{"ij,ji->", "x-y", {130, 300}}, JoinOrder{"ij,ji->i", "abs(x-y)", {70, 300}, Agg::max},
                 JoinOrder{"ij,ji->j", "x+y", {70, 530}}, JoinOrder{"ij,ji->j", "x+y", {300, 70}, Agg::min},
                 JoinOrder{"ijk,kji->j", "x-y", {65, 5, 70}}, JoinOrder{"ijk,kji->ik", "x-y", {65, 5, 300}},
                 JoinOrder{"ijk,kji->k", "x-y", {65, 5, 300}}, JoinOrder{"ijk,kij->ij", "x-y", {9, 65, 66}});
    compare_order(at, GENERATE(DType::f32, DType::f64, DType::i32), 2, 0);
}

TEST_CASE("elements and rows that are repeated are those of the reference", "[executor][device]") {
    DType const type = GENERATE(DType::f32, DType::f64, DType::bf16, DType::u8, DType::c128);
    Extent const output_bytes = GENERATE(Extent{0}, leaves_the_cache);
    Extent const few = GENERATE(Extent{2}, Extent{3}, Extent{4}, Extent{7}, Extent{8}, Extent{11});
    compare_order({"ij->ijk", "x", {37, 41, few}}, type, 1, output_bytes);
    compare_order({"ij->iajb", "x", {17, 41, 2, few}}, type, 1, output_bytes);
    compare_order({"ir,jr->ijr", "x*y", {23, few, 130}}, type, 2, output_bytes);
    compare_order({"ij,kl->ikjl", "x*y", {9, 33, 5, few}}, type, 2, output_bytes);
}

TEST_CASE("vector tiles that cross an operand have its grain in the innermost loop", "[executor][device]") {
    KernelCase test(einsum("ij,ji->ij", {100, 400}, "x-y"), {DType::f32, DType::f32}, DType::f32, DType::f32);
    Nest nest = make_nest(test.shape());
    simplify(nest);
    LoopPlan const plan = plan_loops(nest, 2048);
    CHECK(plan.inner == 1);
    CHECK(plan.grain == 0);
    CHECK(plan.levels.back().label == 0);
    CHECK(plan.levels.back().block == 1);
}

TEST_CASE("a tile is gathered from rows and elements at any steps", "[executor][device]") {
    std::uint16_t const from[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    auto const gathered = [&](TileAxis rows, TileAxis columns) {
        std::vector<std::uint16_t> to(rows.count * columns.count);
        gather_tile(2, reinterpret_cast<std::byte const*>(from), rows, columns,
                    reinterpret_cast<std::byte*>(to.data()));
        return to;
    };
    using Values = std::vector<std::uint16_t>;
    CHECK(gathered({2, 6}, {3, 2}) == Values{1, 2, 3, 4, 5, 6});
    CHECK(gathered({2, 8}, {3, 2}) == Values{1, 2, 3, 5, 6, 7});
    CHECK(gathered({3, 0}, {2, 2}) == Values{1, 2, 1, 2, 1, 2});
    CHECK(gathered({2, 2}, {3, 0}) == Values{1, 1, 1, 2, 2, 2});
    CHECK(gathered({3, 2}, {2, 6}) == Values{1, 4, 2, 5, 3, 6});
    CHECK(gathered({3, 0}, {2, 6}) == Values{1, 4, 1, 4, 1, 4});
}
