#include "executor/device/cpu/loops/reordered_kernel.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/cpu/loops/ordered_box.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

bool is_reordered(KernelShape const& shape) {
    Nest nest = make_nest(shape);
    simplify(nest);
    return make_reordered_kernel(
               nest, LoopBody::stored(shape.kernel->einsum, types_of(shape), {}, shape.output_dtype)) != nullptr;
}

struct Draw {
    std::string form, join;
    Shape extents;
    std::vector<DType> types;
    DType output;
};

/// Labels of 1 to 13, and one that makes the whole some 70000 elements; operands that have all labels, or some.
Draw draw(std::mt19937& random) {
    auto const below = [&](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
    Draw drawn;
    std::string const labels = std::string("abcde").substr(0, 2 + below(4));
    Extent elements = 1;
    for (std::size_t l = 0; l < labels.size(); ++l) {
        drawn.extents.push_back(1 + static_cast<Extent>(below(below(2) == 0 ? 4 : 13)));
        elements *= drawn.extents.back();
    }
    drawn.extents[below(labels.size())] *= 70000 / elements + 1;
    static std::array<std::vector<std::string>, 3> const joins{
        std::vector<std::string>{"x"}, {"x+y", "x*y", "max(x,y)", "where(x>y,x,y)"}, {"(x+y)*z", "where(x>y,z,x)"}};
    std::size_t const operands = 1 + below(3);
    drawn.join = joins[operands - 1][below(joins[operands - 1].size())];
    static std::array<std::vector<DType>, 6> const types{
        std::vector<DType>{DType::f32}, {DType::f64}, {DType::u8}, {DType::i64, DType::i16},
        {DType::bf16, DType::f32},      {DType::f16}};
    std::vector<DType> const& some = types[below(types.size())];
    for (std::size_t k = 0; k < operands; ++k) {
        std::string word = labels;
        std::shuffle(word.begin(), word.end(), random);
        if (k > 0 && below(2) == 0) word.resize(1 + below(labels.size()));
        drawn.form += (k == 0 ? "" : ",") + word;
        drawn.types.push_back(some[k % some.size()]);
    }
    drawn.form += "->" + labels;
    drawn.output = below(4) == 0 ? DType::f64 : some[0];
    return drawn;
}

/// einsum() numbers labels as they come first.
Shape in_order_of_labels(Draw const& drawn) {
    Shape extents;
    for (std::string const& label : einsum(drawn.form, drawn.extents, drawn.join).labels)
        extents.push_back(drawn.extents[static_cast<std::size_t>(label[0] - 'a')]);
    return extents;
}

}  // namespace

/// More of them: EIN_KERNELS=SEED:ROUNDS.
TEST_CASE("operands in other orders than an output with short rows are drawn at random", "[executor][device]") {
    char const* const more = std::getenv("EIN_KERNELS");
    unsigned seed = 1;
    int rounds = 60, reordered = 0;
    if (more != nullptr) REQUIRE(std::sscanf(more, "%u:%d", &seed, &rounds) == 2);
    std::mt19937 random(seed);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    for (int round = 0; round < rounds; ++round) {
        Draw const drawn = draw(random);
        KernelCase test(einsum(drawn.form, in_order_of_labels(drawn), drawn.join), drawn.types, drawn.output,
                        compute_dtype(drawn.types, drawn.output));
        if (random() % 3 == 0) test.scatter_layout(random);
        test.shape().accumulate = random() % 5 == 0;
        if (random() % 4 == 0) test.shape().output_bytes = Extent{64} << 20;  // goes past the cache
        test.fill(random);
        CAPTURE(seed, round, drawn.form, drawn.join, drawn.extents, name(drawn.types[0]), name(drawn.output));
        reordered += is_reordered(test.shape()) ? 1 : 0;
        REQUIRE(difference(test.elements(test.run(cpu, solo)), test.elements(test.run(reference, solo)), 0) == "");
    }
    CHECK(reordered * 4 > rounds);
}

TEST_CASE("operands in other orders than an output with short rows give the same for any number of threads",
          "[executor][device]") {
    CpuDevice cpu;
    std::string const form = GENERATE("acb,bca->abc", "bca,b->abc", "cab,cba->abc");
    graph::EinSum const written = einsum(form, {1, 1, 1}, "x+y");
    Shape extents;
    for (std::string const& label : written.labels) extents.push_back(label == "a" ? 60013 : label == "b" ? 3 : 5);
    KernelCase test(einsum(form, extents, "x+y"), {DType::f32, DType::f32}, DType::f32, DType::f32);
    REQUIRE(is_reordered(test.shape()));
    test.fill_with_fractions(5);
    same_on_teams(test, cpu);
}

TEST_CASE("a box of an operand is brought into order, whole and in part", "[executor][device]") {
    struct Case {
        Extent first, second, third;
        Extent step_of_first, step_of_second, step_of_third;
    };
    Case const at = GENERATE(Case{1, 700, 6, 0, 6, 1}, Case{1, 700, 6, 0, 1, 700}, Case{20, 30, 2, 1, 40, 20},
                             Case{3, 17, 33, 1, 99, 3}, Case{2, 20, 40, 1000, 1, 20}, Case{40, 3, 24, 1, 40, 120},
                             Case{1, 3000, 1, 0, 2, 0}, Case{2, 9, 1, 9, 1, 0});
    std::size_t const size = GENERATE(1, 2, 4, 8, 16);
    std::vector<std::byte> operand(6000 * size);
    for (std::size_t k = 0; k < operand.size(); ++k) operand[k] = static_cast<std::byte>(k * 2654435761u >> 13);
    auto const bytes = static_cast<Extent>(size);
    OrderedBox const box(size, {{at.first, at.step_of_first * bytes},
                                {at.second, at.step_of_second * bytes},
                                {at.third, at.step_of_third * bytes}});
    for (auto const& [first, second] :
         {std::pair{at.first, at.second}, {1, at.second}, {at.first, at.second / 2 + 1}}) {
        std::vector<std::byte> result(static_cast<std::size_t>(first * second * at.third * bytes)), wanted;
        for (Extent i = 0; i < first; ++i)
            for (Extent j = 0; j < second; ++j)
                for (Extent k = 0; k < at.third; ++k) {
                    std::byte const* const element =
                        operand.data() + (i * at.step_of_first + j * at.step_of_second + k * at.step_of_third) * bytes;
                    wanted.insert(wanted.end(), element, element + bytes);
                }
        box.bring(operand.data(), first, second, result.data());
        CAPTURE(size, first, second);
        CHECK(result == wanted);
    }
}

/// Of memory that is only reserved.
TEST_CASE("a box of an operand may span more than 2 GiB", "[executor][device]") {
    constexpr Extent apart = Extent{3} << 30, columns = 5;
    constexpr auto bytes = static_cast<std::size_t>(2 * apart + 4096);
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    auto* const operand = static_cast<std::byte*>(memory);
    std::vector<std::byte> wanted, result(3 * columns);
    for (Extent row = 0; row < 3; ++row)
        for (Extent column = 0; column < columns; ++column) {
            wanted.push_back(static_cast<std::byte>(1 + row * columns + column));
            operand[row * apart + 2 * column] = wanted.back();
        }
    OrderedBox(1, {{1, 0}, {3, apart}, {columns, 2}}).bring(operand, 1, 3, result.data());
    CHECK(result == wanted);
    munmap(memory, bytes);
}
