#include "executor/device/cpu/moves/update_kernel.hpp"

#include <cstring>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "lib/graph/update.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

/// The kernel's last operand, in whose memory the device makes the result; beside it the reference's result elsewhere.
std::string difference_in_place(KernelCase& test, Device& device) {
    std::size_t const over = test.shape().operand_strides.size() - 1;
    SoloWorkerTeam solo;
    ReferenceDevice reference;
    auto const expected = test.elements(test.run(reference, solo));
    std::vector<std::byte> memory = test.operand(over);
    std::vector<void const*> operands;
    for (std::size_t k = 0; k < over; ++k) operands.push_back(test.operand(k).data());
    operands.push_back(memory.data());
    test.shape().over = static_cast<std::int32_t>(over);
    device.prepare(test.shape(), {})->launch({operands, memory.data(), test.begin(), {}, 0}, solo);
    return difference(test.elements(memory), expected, 0);
}

void set(KernelCase& test, std::size_t k, std::int64_t at, double value, DType type) {
    store_element(scalar::convert(scalar::Scalar::of(std::complex<double>(value)), DType::c128, type),
                  test.operand(k).data() + at * static_cast<std::int64_t>(size_of(type)), type);
}

/// Notes the lengths of a label for which kernels are launched.
struct Launches {
    std::vector<Extent> lengths;
    std::unique_ptr<PreparedKernel const> prepare(KernelShape const& shape, std::size_t label) {
        struct Noting final : PreparedKernel {
            std::vector<Extent>* to = nullptr;
            Extent length = 0;
            void launch(KernelCall const&, WorkerTeam&) const override { to->push_back(length); }
        };
        auto out = std::make_unique<Noting>();
        out->to = &lengths, out->length = shape.lengths[label];
        return out;
    }
};

/// Lengths that an update of "p,b,bph->bph" computes where the condition's elements are true in [begin, end).
std::vector<Extent> computed(Extent begin, Extent end) {
    KernelCase test(einsum("p,bh,bph->bph", {1000, 2, 16}, "where(x, y, z)"), {DType::boolean, DType::f32, DType::f32},
                    DType::f32, DType::f32);
    for (Extent p = 0; p < 1000; ++p) set(test, 0, p, p >= begin && p < end ? 1 : 0, DType::boolean);
    test.shape().over = 2;
    Launches launches;
    auto const kernel =
        make_update_kernel(test.shape(), {}, [&](KernelShape const& shape) { return launches.prepare(shape, 0); });
    std::vector<void const*> operands;
    for (std::size_t k = 0; k < 3; ++k) operands.push_back(test.operand(k).data());
    SoloWorkerTeam solo;
    REQUIRE(kernel != nullptr);
    kernel->launch({operands, test.operand(2).data(), test.begin(), {}, 0}, solo);
    return launches.lengths;
}

}  // namespace

TEST_CASE("an update computes no more than where its condition holds", "[device][update]") {
    CHECK(computed(17, 17).empty());
    CHECK(computed(17, 18) == std::vector<Extent>{1});
    CHECK(computed(999, 1000) == std::vector<Extent>{1});
    CHECK(computed(5, 23) == std::vector<Extent>{16, 1, 1});
    CHECK(computed(0, 1000) == std::vector<Extent>{1000});
}

TEST_CASE("an update in place gives what it gives elsewhere", "[device][update]") {
    CpuDevice cpu;
    std::mt19937 random(7);
    auto const join = GENERATE("where([p] == x, y, z)", "where([p] < x, y + z, z)", "where(x > 0.5, y, z)",
                               "where([p] - x >= 2 && [p] <= 40, y, z)", "where(x == 0, z, where([p] == x, y, z))",
                               "where([p]*2 == x, y, z)");
    for (DType const type : {DType::f32, DType::f64, DType::f16, DType::i64})
        for (double const value : {0.0, 0.5, 3.0, 39.0, 40.0, -1.0, 1e6})
            for (Extent const begin : {0, 30}) {
                std::array const types{type, type, type};
                KernelCase test(einsum(",bh,bph->bph", {3, 5, 64}, join), {type, type, type}, type,
                                compute_dtype(types, type));
                test.kernel().einsum.extents.back() = 200;
                test.fill(random);
                set(test, 0, 0, value, type);
                for (std::size_t l = 0; l < test.begin().size(); ++l)
                    if (test.kernel().einsum.labels[l] == "p") test.begin()[l] = begin;
                CAPTURE(join, name(type), value, begin);
                REQUIRE(difference_in_place(test, cpu) == "");
            }
}

TEST_CASE("elementwise kernels of every type give in place what they give elsewhere", "[device][update]") {
    CpuDevice cpu;
    std::mt19937 random(8);
    auto const join = GENERATE("y - 0.25*x", "x*y", "where(x > y, x*y, y + 1)", "y", "max(x, y) + y*y");
    auto const form = GENERATE("ij,ij->ij", "j,ij->ij", "ji,ij->ij", ",ij->ij");
    for (DType const type : {DType::f32, DType::f64, DType::bf16, DType::c64, DType::i32, DType::u8}) {
        if (is_exact(type) && std::string(join).find('.') != std::string::npos) continue;
        if (type == DType::c64 && std::string(join).find_first_of("w>") != std::string::npos) continue;
        if (type == DType::c64 && std::string(join).find("max") != std::string::npos) continue;
        for (Shape const& extents : {Shape{7, 9}, Shape{130, 65}, Shape{300, 500}}) {
            std::array const types{type, type};
            KernelCase test(einsum(form, extents, join), {type, type}, type, compute_dtype(types, type));
            test.fill(random);
            CAPTURE(join, form, name(type), extents[0]);
            REQUIRE(difference_in_place(test, cpu) == "");
        }
    }
}

TEST_CASE("an update asks few elements, none that wrap, and not what it replaces", "[graph][update]") {
    auto const is_update = [](std::string const& form, std::string const& join, DType compute = DType::f32) {
        graph::EinSum const of = einsum(form, {64, 8, 4}, join);
        return graph::as_update(of, of.operands() - 1, of.extents, compute).has_value();
    };
    CHECK(is_update("p,bh,bph->bph", "where(x, y, z)"));
    CHECK(is_update("p,bh,bph->bph", "where(x, z, y)"));
    CHECK_FALSE(is_update("bph,bh,bph->bph", "where(x, y, z)"));
    CHECK_FALSE(is_update("p,bh,bph->bph", "where(x, y, z) + 1"));
    CHECK_FALSE(is_update("p,bh,bph->bph", "where(x, y, z + 1)"));
    CHECK_FALSE(is_update("p,bh,bhp->bph", "where(x, y, z)"));
    CHECK_FALSE(is_update("p,bh,bph->bph", "where(x && z, y, z)"));
    CHECK(is_update("p,bh,bph->bph", "where(x + 1 == 2, y, z)", DType::i64));
    CHECK_FALSE(is_update("p,bh,bph->bph", "where(x + 1 == 2, y, z)", DType::u8));
    CHECK_FALSE(is_update("p,bh,bph->bph", "where(x * 2 == 4, y, z)", DType::i64));
}
