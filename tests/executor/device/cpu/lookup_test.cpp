#include <array>
#include <cmath>
#include <cstring>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/cpu/moves/gather_kernel.hpp"
#include "executor/device/cpu/moves/lookup_kernel.hpp"
#include "executor/device/cpu/moves/scatter_kernel.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using scalar::Agg;

namespace {

/// Positions below `bound`, in the operand's integer type.
void fill_positions(KernelCase& test, std::size_t k, DType type, std::mt19937& random, std::int64_t bound) {
    std::size_t const size = size_of(type);
    for (std::size_t at = 0; at < test.operand(k).size(); at += size)
        store_element(scalar::Scalar::of(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound))),
                      test.operand(k).data() + at, type);
}

struct Case {
    std::string form;
    Shape extents;
};

/// Every dtype and layout on the CPU beside the reference; some positions belong to other blocks.
template <class Make>
void compare_with_reference(Case const& at, DType positions, Make make, unsigned seed) {
    std::mt19937 random(seed);
    for (DType const type : {DType::f32, DType::f16, DType::c64, DType::i16})
        for (bool const accumulate : {false, true})
            for (bool const views : {false, true}) {
                KernelCase test(
                    einsum(at.form, at.extents, random() % 2 == 0 ? "where(y == [v], x, 0)" : "where([v] == y, x, 0)"),
                    {type, positions}, type, compute_dtype(std::array{type, positions}, type));
                test.shape().accumulate = accumulate;
                if (accumulate) test.shape().output_dtype = test.kernel().compute;
                if (views || accumulate) test.scatter_layout(random);
                test.fill(random);
                fill_positions(test, 1, positions, random, 14);
                for (std::size_t l = 0; l < test.begin().size(); ++l)
                    if (test.kernel().einsum.labels[l] == "v") test.begin()[l] = 2;
                CAPTURE(at.form, name(type), accumulate, views);
                REQUIRE(make(test.shape()) != nullptr);
                CpuDevice cpu;
                ReferenceDevice reference;
                SoloWorkerTeam solo;
                REQUIRE(difference(test.elements(test.run(cpu, solo)), test.elements(test.run(reference, solo)),
                                   1e-3) == "");
            }
}

}  // namespace

TEST_CASE("lookups copy the rows that positions name, and zero where another block has them", "[executor][device]") {
    Case const at =
        GENERATE(Case{"vd,i->id", {9, 5, 7}}, Case{"vd,i->di", {9, 5, 7}}, Case{"dv,i->id", {5, 9, 7}},
                 Case{"v,ij->ij", {9, 4, 6}}, Case{"vd,ij->ijd", {9, 3, 7, 300}}, Case{"bvd,bi->bid", {3, 9, 5, 7}},
                 Case{"vd,->d", {9, 5}}, Case{"vd,i->id", {9, 0, 7}}, Case{"vd,i->id", {9, 60, 7}});
    compare_with_reference(at, GENERATE(DType::i32, DType::i64, DType::u8), make_lookup_kernel, 8);
}

TEST_CASE("elements are gathered where positions run along the output, in tiles of any form", "[executor][device]") {
    Case const at = GENERATE(Case{"iv,j->ij", {5, 9, 600}}, Case{"iv,j->ij", {700, 9, 3}},
                             Case{"iv,ij->ij", {5, 9, 33}}, Case{"vj,ij->ij", {9, 40, 7}}, Case{"iv,i->i", {1100, 9}},
                             Case{"aivb,bj->aijb", {2, 3, 9, 5, 4}}, Case{"iva,j->ija", {3, 9, 4, 1300}});
    KernelCase test(einsum(at.form, at.extents, "where(y == [v], x, 0)"), {DType::f32, DType::i32}, DType::f16,
                    DType::f32);
    CHECK(make_gather_kernel(test.shape()) != nullptr);
    compare_with_reference(at, GENERATE(DType::i32, DType::i8), make_lookup_kernel, 9);
}

TEST_CASE("rows that are worth a copy each are not gathered", "[executor][device]") {
    KernelCase test(einsum("vd,i->id", {9, 60, 7}, "where(y == [v], x, 0)"), {DType::f32, DType::i32}, DType::f32,
                    DType::f32);
    CHECK(make_gather_kernel(test.shape()) == nullptr);
}

TEST_CASE("a large gather gives the same for any number of threads", "[executor][device]") {
    KernelCase test(einsum("iv,j->ij", {5, 300, 70000}, "where(y == [v], x, 0)"), {DType::f32, DType::i32}, DType::f32,
                    DType::f32);
    test.shape().output_bytes = GENERATE(Extent{0}, Extent{64} << 20);
    std::mt19937 random(3);
    test.fill(random);
    fill_positions(test, 1, DType::i32, random, GENERATE(300, 310));
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    TestTeam team(4);
    auto const once = test.run(cpu, solo);
    CHECK(once == test.run(cpu, team));
    CHECK(once == test.run(reference, solo));
}

TEST_CASE("a zero that is looked up keeps its sign", "[executor][device]") {
    bool const accumulate = GENERATE(false, true);
    KernelCase test(einsum("v,i->i", {3, 4}, "where(y == [v], x, 0)"), {DType::f32, DType::i32}, DType::f32,
                    DType::f32);
    float const data[] = {-0.0f, 0.0f, -0.0f};
    std::int32_t const positions[] = {0, 1, 2, 7};
    std::memcpy(test.operand(0).data(), data, sizeof data);
    std::memcpy(test.operand(1).data(), positions, sizeof positions);
    test.shape().accumulate = accumulate;
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    for (Device* device : std::initializer_list<Device*>{&cpu, &reference}) {
        auto const found = test.elements(test.run(*device, solo));
        for (std::size_t i = 0; i < 4; ++i)
            CHECK(std::signbit(found[i].number.real()) == (!accumulate && positions[i] % 2 == 0));
    }
}

TEST_CASE("a large lookup gives the same for any number of threads", "[executor][device]") {
    KernelCase test(einsum("vd,i->id", {100, 64, 9000}, "where(y == [v], x, 0)"), {DType::f32, DType::i32}, DType::f32,
                    DType::f64);
    std::mt19937 random(2);
    test.fill(random);
    fill_positions(test, 1, DType::i32, random, 120);
    CpuDevice cpu;
    SoloWorkerTeam solo;
    TestTeam team(4);
    auto const once = test.run(cpu, solo);
    CHECK(once == test.run(cpu, team));
    for (std::size_t row : {std::size_t{0}, std::size_t{4321}}) {
        std::int32_t position = 0;
        std::memcpy(&position, test.operand(1).data() + 4 * row, 4);
        std::vector<std::byte> const zeros(256);
        std::byte const* const expected = position < 100 ? test.operand(0).data() + position * 256 : zeros.data();
        CHECK(std::memcmp(once.data() + row * 256, expected, 256) == 0);
    }
}

TEST_CASE("scatters add rows where positions say, and leave out those of another block", "[executor][device]") {
    Case const at =
        GENERATE(Case{"id,i->vd", {11, 5, 9}}, Case{"di,i->dv", {5, 11, 9}}, Case{"ijd,ij->dv", {3, 4, 5, 9}},
                 Case{"bid,bi->bvd", {3, 11, 5, 9}}, Case{"d,i->vd", {5, 11, 9}}, Case{"i,i->v", {40, 33}},
                 Case{"ib,bi->vb", {11, 4, 9}}, Case{"id,i->vd", {0, 5, 9}}, Case{"id,ij->vd", {5, 7, 3, 9}},
                 Case{"id,i->vd", {300, 77, 9}}, Case{"id,i->vd", {300, 3, 12}}, Case{"di,i->dv", {5, 600, 9}},
                 Case{"ijk,ijk->v", {3, 4, 50, 33}});
    compare_with_reference(at, GENERATE(DType::i32, DType::i64, DType::u8), make_scatter_kernel, 9);
}

TEST_CASE("rows of any length are copied, along any axis", "[executor][device]") {
    Extent const width = GENERATE(1, 2, 3, 4, 5, 8, 12, 16, 24, 33, 64, 65, 100, 190, 256, 257, 600);
    DType const positions = GENERATE(DType::i64, DType::i32, DType::u8);
    Extent const output_bytes = GENERATE(Extent{0}, Extent{64} << 20);  // a large output goes past the cache
    for (DType const type : {DType::i8, DType::f16, DType::f32, DType::c128})
        for (std::string const form : {"vd,i->id", "bvd,i->bid", "bvd,bi->ibd"}) {
            Shape const extents = form[0] == 'v' ? Shape{9, width, 70} : Shape{3, 9, width, 70};
            KernelCase test(einsum(form, extents, "where(y == [v], x, 0)"), {type, positions}, type,
                            compute_dtype(std::array{type, positions}, type));
            std::mt19937 random(11);
            test.fill(random);
            fill_positions(test, 1, positions, random, 11);
            test.shape().output_bytes = output_bytes;
            CAPTURE(form, name(type));
            CpuDevice cpu;
            ReferenceDevice reference;
            SoloWorkerTeam solo;
            CHECK(test.run(cpu, solo) == test.run(reference, solo));
        }
}

namespace {

/// Rows in groups beside the reference, on one thread and on several.
void compare_groups(Case const& at, DType type, Agg agg, DType positions, bool all_alike) {
    std::string const fill = agg == Agg::sum ? "0" : agg == Agg::prod ? "1" : agg == Agg::max ? "-2" : "2";
    KernelCase test(einsum(at.form, at.extents, "where(y == [v], x, " + fill + ")", agg), {type, positions}, type,
                    compute_dtype(std::array{type, positions}, type));
    std::mt19937 random(12);
    test.fill(random);
    fill_positions(test, 1, positions, random, all_alike ? 1 : 11);
    CAPTURE(at.form, at.extents, name(type), agg, all_alike);
    REQUIRE(make_scatter_kernel(test.shape()) != nullptr);
    CpuDevice cpu;
    SoloWorkerTeam solo;
    TestTeam team(3);
    auto const once = test.run(cpu, solo);
    CHECK(once == test.run(cpu, team));
    CHECK(difference(test.elements(once), reference_of(test),
                     2 * tolerance_of(type, compute_dtype(std::array{type}, type))) == "");
}

}  // namespace

TEST_CASE("rows are combined by group in every type and aggregation", "[executor][device]") {
    Case const at =
        GENERATE(Case{"id,i->vd", {300, 1, 40}}, Case{"id,i->vd", {300, 12, 9}}, Case{"id,i->vd", {40, 70, 9}},
                 Case{"id,i->vd", {40, 300, 9}}, Case{"di,i->dv", {5, 300, 9}}, Case{"bid,bi->bvd", {3, 100, 5, 9}});
    bool const all_alike = GENERATE(false, true);
    for (DType const type : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::i8, DType::u8,
                             DType::i16, DType::i32, DType::i64})
        for (Agg const agg : {Agg::sum, Agg::max, Agg::min, Agg::prod}) {
            if (is_complex(type) && agg != Agg::sum) continue;
            if (type == DType::u8 && agg == Agg::max) continue;   // has no -2
            if (agg == Agg::prod && !is_integer(type)) continue;  // would leave what halves hold
            compare_groups(at, type, agg, DType::i64, all_alike);
        }
}

TEST_CASE("many narrow groups are sorted, many rows have several tables", "[executor][device]") {
    Case const at =
        GENERATE(Case{"id,i->vd", {40, 5, 9000}}, Case{"id,i->dv", {40, 5, 9000}}, Case{"id,i->vd", {30000, 5, 9}});
    for (DType const type : {DType::bf16, DType::f32, DType::i32})
        for (Agg const agg : {Agg::sum, Agg::max}) compare_groups(at, type, agg, DType::u8, false);
}

TEST_CASE("a large scatter gives the same for any number of threads", "[executor][device]") {
    Case const at = GENERATE(Case{"id,i->vd", {9000, 64, 3000}}, Case{"di,i->dv", {20, 9000, 3000}},
                             Case{"id,i->vd", {90000, 5, 40}}, Case{"id,i->vd", {9000, 40, 300}});
    KernelCase test(einsum(at.form, at.extents, "where(y == [v], x, 0)"), {DType::f32, DType::i32}, DType::f32,
                    DType::f64);
    test.fill_with_fractions(3);
    std::mt19937 random(2);
    fill_positions(test, 1, DType::i32, random, 3100);
    CpuDevice cpu;
    SoloWorkerTeam solo;
    TestTeam team(4);
    CHECK(test.run(cpu, solo) == test.run(cpu, team));
}

TEST_CASE("what chooses its label by anything but a position of its own is no scatter", "[executor][device]") {
    auto const made = [](std::string const& form, Shape const& extents, std::string const& join, DType positions) {
        KernelCase test(einsum(form, extents, join), {DType::f32, positions}, DType::f32, DType::f64);
        return make_scatter_kernel(test.shape()) != nullptr;
    };
    std::string const join = "where(y == [v], x, 0)";
    CHECK(made("id,i->vd", {40, 5, 9}, join, DType::i32));
    CHECK_FALSE(made("id,i->vd", {40, 5, 9}, join, DType::f32));
    CHECK_FALSE(made("id,i->vd", {40, 5, 9}, "where(y == [v], x, 1)", DType::i32));
    CHECK_FALSE(made("id,i->v", {40, 5, 9}, join, DType::i32));       // also a sum over d
    CHECK_FALSE(made("id,i->ivd", {40, 5, 9}, join, DType::i32));     // nothing is summed
    CHECK_FALSE(made("vid,i->vd", {9, 40, 5}, join, DType::i32));     // each v has an x of its own
    CHECK_FALSE(made("id,i->vdw", {40, 5, 9, 2}, join, DType::i32));  // a broadcast
    CHECK_FALSE(made("id,i->vd", {40, 5, 2}, join, DType::i32));      // 10 elements: comparing is as fast
}

TEST_CASE("positions that are no integers, and sums over lookups, are left to loops", "[executor][device]") {
    KernelCase real(einsum("vd,i->id", {4, 3, 5}, "where(y == [v], x, 0)"), {DType::f32, DType::f32}, DType::f32,
                    DType::f32);
    CHECK(make_lookup_kernel(real.shape()) == nullptr);
    KernelCase summed(einsum("vd,i->d", {4, 3, 5}, "where(y == [v], x, 0)"), {DType::f32, DType::i32}, DType::f32,
                      DType::f64);
    CHECK(make_lookup_kernel(summed.shape()) == nullptr);
}
