// Vector loops of programs that ask for labels, beside the programs an operation at a time.
#include <array>
#include <cstring>
#include <numeric>
#include <random>

#include "lib/base/float16.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/scalar/jit/vector_loop.hpp"
#include "tests/lib/scalar/scratch.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

constexpr std::size_t most = 250;

template <class T>
void put(T value, std::byte* to) {
    std::memcpy(to, &value, sizeof value);
}

/// A number as a type holds it, an integer its low bits.
void put_as(DType type, double value, std::byte* to) {
    auto const integer = [&] { return static_cast<std::int64_t>(value); };
    switch (type) {
        case DType::f32: return put(static_cast<float>(value), to);
        case DType::f16: return put(Half(static_cast<float>(value)).bits, to);
        case DType::bf16: return put(BFloat16(static_cast<float>(value)).bits, to);
        case DType::i16: return put(static_cast<std::int16_t>(integer()), to);
        case DType::i32: return put(static_cast<std::int32_t>(integer()), to);
        case DType::i64: return put(integer(), to);
        default: return put(static_cast<std::uint8_t>(integer()), to);
    }
}

double number_in(void const* registers, DType type, std::size_t at) {
    if (type == DType::f32) return static_cast<double>(static_cast<float const*>(registers)[at]);
    REQUIRE(type == DType::i64);
    return static_cast<double>(static_cast<std::int64_t const*>(registers)[at]);
}

struct LabelCase {
    char const* join;
    DType compute, stored;  // stored: the result; its type where that is an integer
};

/// x lies in memory as elements of the compute type, y is one that stands for all; [i] is one number, [j] counts.
struct LabelData {
    Scratch x{most * 8}, wide{most * 8}, y{8};

    LabelData(DType type, std::mt19937& random) {
        DType const registers = is_exact(type) ? DType::i64 : DType::f32;
        for (std::size_t k = 0; k < most; ++k) {
            double const value = type == DType::u8 ? random() % 256 : static_cast<double>(random() % 250) - 125;
            put_as(type, value, x.get() + k * size_of(type));
            put_as(registers, value, wide.get() + k * size_of(registers));
        }
        std::memcpy(y.get(), wide.get() + (random() % most) * size_of(registers), size_of(registers));
    }
};

/// How many of the results of the loop and of the program differ; -1: there is no loop.
int label_differences(LabelCase const& at, InstructionSet set, std::int64_t first, std::size_t count,
                      std::mt19937& random) {
    ParseResult const parsed = parse(at.join, Names{2, {"i", "j"}, {}});
    REQUIRE(parsed.faults.empty());
    Program const program(parsed.expr, at.compute, at.compute, {}, Program::Integers::own);
    bool const whole = is_exact(at.compute);
    VectorLoop::Use use;
    use.labels = 2;
    use.along = 1;
    use.constant = {false, true, true, true, false};
    use.ahead.assign(5, false);
    use.from = {std::nullopt, std::nullopt};
    if (whole) use.from = {at.compute, at.compute};
    if (at.stored != DType::f32) use.to = at.stored;
    auto const loop = VectorLoop::make(program, use, set);
    if (loop == nullptr) return -1;

    LabelData const data(at.compute, random);
    std::int32_t counted[most], labels[2] = {static_cast<std::int32_t>(first - 3), static_cast<std::int32_t>(first)};
    std::iota(counted, counted + most, 0);
    Scratch const scratch(program.scratch_bytes()), made(most * 8), expected(most * 8);
    std::array const indices{TileIndex{first - 3, 0}, TileIndex{first, 1}};
    std::array const operands{TileOperand{whole ? data.wide.get() : data.x.get(), false},
                              TileOperand{data.y.get(), true}};
    TileOperand const right = program.run(count, operands, indices, scratch.get());
    std::size_t const size = size_of(at.stored);
    for (std::size_t k = 0; k < count; ++k)
        put_as(at.stored, number_in(right.data, program.result_registers(), right.constant ? 0 : k),
               expected.get() + k * size);
    std::array const of_loop{TileOperand{data.x.get(), false}, TileOperand{data.y.get(), true},
                             TileOperand{labels, true}, TileOperand{labels + 1, true}, TileOperand{counted, false}};
    loop->run(count, of_loop, made.get());
    int found = 0;
    for (std::size_t k = 0; k < count; ++k)
        found += std::memcmp(made.get() + k * size, expected.get() + k * size, size) != 0;
    return found;
}

}  // namespace

TEST_CASE("loops with labels give what the program gives", "[lib][scalar][jit]") {
    auto const set = GENERATE(InstructionSet::avx2, InstructionSet::avx512);
    if (!supported(set)) return;
    std::mt19937 random(3);
    for (LabelCase const& at : {LabelCase{"[j]*x", DType::f32, DType::f32},
                                {"where([i] <= [j] and [j] - [i] < 70, x, -y)", DType::f32, DType::bf16},
                                {"x*([i] == [j]) + [j]*3", DType::f32, DType::f16},
                                {"[j]*x + [i]", DType::i8, DType::i8},
                                {"where([j] == [i] + 40, x, y)", DType::u8, DType::u8},
                                {"[i]*[j]*x - y", DType::i16, DType::i16},
                                {"where([j] > y, [j] - x, x*[i])", DType::i32, DType::i32},
                                {"min([j], x)", DType::i32, DType::i32},
                                {"max(-x, [j] - [i])", DType::i16, DType::i16},
                                {"[j] >= [i] + 100 or x < y", DType::i8, DType::boolean},
                                {"[j] < [i] + 20", DType::i32, DType::f16},
                                {"x + [j] % 7", DType::i8, DType::i8},
                                {"where([j] % 1000 == 0, x, [j] % -13)", DType::i32, DType::i32},
                                {"([j] - [i]*2 - 500) % 1048575 + x % 1", DType::i32, DType::i32},
                                {"(x * 17000000 + [j]) % -1048575", DType::i32, DType::i32},
                                {"(x * 17000000 + [j]) % 3", DType::i32, DType::i32},
                                {"x*([j] % 12) + [i] % -3", DType::f32, DType::f32}})
        for (std::int64_t const first : {std::int64_t{3}, std::int64_t{70000}, VectorLoop::most_of_a_label - 400})
            for (std::size_t const count : {1u, 16u, 67u, 250u}) {
                CAPTURE(at.join, name(at.compute), first, count);
                ParseResult const sum = parse("x + y", Names{2, {}, {}});
                if (!VectorLoop::possible(Program(sum.expr, DType::f32, DType::f32, {}), set)) return;
                CHECK(label_differences(at, set, first, count, random) == 0);
            }
}

TEST_CASE("integers that 32 bits may not hold are left to the program", "[lib][scalar][jit]") {
    std::mt19937 random(4);
    for (LabelCase const& at : {LabelCase{"[i]*[j]*[i] < 5", DType::i32, DType::boolean},
                                {"[j]*x", DType::i64, DType::i64},
                                {"where(x < [i]*[j], x, y)", DType::i8, DType::i8},
                                {"[j] % 2000000 + x", DType::i32, DType::i32},
                                {"[j] % y", DType::i32, DType::i32},
                                {"x + y", DType::i8, DType::i8}}) {
        CAPTURE(at.join);
        for (InstructionSet const set : {InstructionSet::avx2, InstructionSet::avx512})
            if (supported(set)) CHECK(label_differences(at, set, 3, 16, random) == -1);
    }
}
