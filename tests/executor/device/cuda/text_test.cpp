#include "executor/device/cuda/source/text.hpp"

#include <map>
#include <random>

#include "executor/device/cuda/source/kernels.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using namespace ein::executor::cuda;

namespace {

/// As kernels/walk.cuh divides.
std::uint32_t quotient(std::uint32_t n, std::vector<std::uint64_t> const& length) {
    std::uint64_t const multiplier = length[1] & 0xffffffffu, shift = length[1] >> 32;
    auto const high = static_cast<std::uint32_t>((n * multiplier) >> 32);
    return static_cast<std::uint32_t>(high + n) >> shift;
}

Program program_of(std::string const& subscripts, Shape const& extents, std::string const& join, DType type) {
    KernelCase test(einsum(subscripts, extents, join), {type}, type, compute_dtype(std::array{type}, type));
    return einsum_program(test.shape(), {{"eta", 0.5}});
}

}  // namespace

TEST_CASE("a length divides every 31-bit number", "[executor][device][cuda]") {
    std::mt19937 engine(5);
    auto const random = [&] { return static_cast<std::uint32_t>(engine()); };
    std::vector<std::uint32_t> divisors{1, 2, 3, 5, 7, 641, 65535, 65536, 65537, 0x3fffffff, 0x40000000, 0x7fffffff};
    for (int k = 0; k < 300; ++k) divisors.push_back(1 + (random() >> (1 + k % 31)));
    for (std::uint32_t const divisor : divisors) {
        std::vector<std::uint64_t> const length = Words().length(divisor).take();
        std::vector<std::uint32_t> numbers{0, 1, divisor - 1, divisor, 0x7fffffff};
        for (int k = 0; k < 200; ++k) numbers.push_back(random() >> 1);
        for (int k = 0; k < 50; ++k) {
            std::uint32_t const multiple = numbers.back() / divisor * divisor;
            numbers.insert(numbers.end(), {multiple, multiple - (multiple > 0), random() >> (1 + k % 31)});
        }
        for (std::uint32_t const number : numbers)
            if (quotient(number, length) != number / divisor) FAIL(number << " / " << divisor);
    }
    SUCCEED();
}

TEST_CASE("every operation of the table has its function in the sources of kernels", "[executor][device][cuda]") {
    std::string sources;
    for (char const* const part : kernels::parts) sources += part;
    std::map<std::string_view, std::string> const words{{"-", "sub"}, {"+", "add"}, {"*", "mul"}, {"/", "div"},
                                                        {"^", "pow"}, {"<", "lt"},  {"<=", "le"}, {">", "gt"},
                                                        {">=", "ge"}, {"==", "eq"}, {"!=", "ne"}};
    for (int k = 0; k < scalar::op_count; ++k) {
        scalar::Operation const& row = scalar::info(static_cast<scalar::Op>(k));
        using scalar::TypeRule;
        bool const in_text = row.type == TypeRule::leaf || row.type == TypeRule::cast || row.type == TypeRule::truth ||
                             row.type == TypeRule::choice;  // written as C++ has them
        if (in_text) continue;
        CAPTURE(row.name);
        std::string const word = row.op == scalar::Op::neg ? "neg"
                                 : words.count(row.name)   ? words.at(row.name)
                                                           : std::string(row.name);
        bool const found = sources.find(" op_" + word + "(") != std::string::npos ||
                           sources.find("EIN_REAL(op_" + word + ",") != std::string::npos;
        CHECK(found);
        if (row.complex.one != nullptr) CHECK(sources.find(" op_" + word + "(complex<T> ") != std::string::npos);
    }
}

TEST_CASE("shapes of one class have one kernel, and others have others", "[executor][device][cuda]") {
    auto const name = [](Program const& program) { return program.launches.at(0).kernel.name; };
    Program const one = program_of("ij->i", {100, 2048}, "x*eta", DType::f32),
                  other = program_of("ij->i", {300, 2048 + 4}, "x*eta", DType::f32);
    CHECK(name(one) == name(other));
    CHECK(one.launches[0].kernel.source == other.launches[0].kernel.source);
    CHECK(one.launches[0].constants != other.launches[0].constants);
    CHECK(name(one) != name(program_of("ij->i", {100, 2048}, "x*x", DType::f32)));
    CHECK(name(one) != name(program_of("ij->i", {100, 2048}, "x*eta", DType::f64)));
    CHECK(name(one) != name(program_of("ij->j", {100, 2048}, "x*eta", DType::f32)));
}

TEST_CASE("arguments are the addresses, then the task, begins and constants", "[executor][device][cuda]") {
    Launch launch;
    launch.operands = {1};
    launch.begins = {0};
    launch.constants = {77};
    int memory[4] = {};
    void const* const operands[] = {&memory[0], &memory[1]};
    std::array<Extent, 1> const begin{5};
    std::vector<std::uint64_t> const words =
        arguments(launch, {operands, &memory[2], &memory[3], nullptr, begin, TaskId{9}});
    auto const address = [](void const* at) {
        return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(at));
    };
    CHECK(words ==
          std::vector<std::uint64_t>{address(&memory[1]), address(&memory[2]), address(&memory[3]), 0, 9, 5, 77});
}

TEST_CASE("outputs and terms of no elements need no launch, or one that writes what is neutral",
          "[executor][device][cuda]") {
    CHECK(program_of("ij->i", {0, 4}, "x", DType::f32).launches.empty());
    CHECK(program_of("ij->i", {4, 0}, "x", DType::f32).launches.size() == 1);
}
