#include <cstring>
#include <random>

#include "lib/scalar/jit/vector_loop.hpp"
#include "tests/lib/scalar/random_expression.hpp"
#include "tests/lib/scalar/scratch.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

constexpr std::size_t rows = 5, most = 130;

Names const three{3, {}, {}};

Expr parsed(std::string const& text) {
    ParseResult const result = parse(text, three);
    REQUIRE(result.faults.empty());
    return result.expr;
}

struct Matrix {
    Matrix(std::size_t bytes, unsigned seed) : memory(bytes) {
        std::mt19937 random(seed);
        for (std::size_t k = 0; k < bytes; ++k)  // small numbers in every type, exponents of halves and floats included
            memory.get()[k] = static_cast<std::byte>(random() % 64);
    }
    Scratch memory;
};

}  // namespace

TEST_CASE("a loop over rows gives what a loop over each row does, and writes nothing else", "[lib][scalar][jit]") {
    auto const set = GENERATE(InstructionSet::avx2, InstructionSet::avx512);
    auto const type = GENERATE(DType::f32, DType::f64);
    std::string const text = GENERATE("x*y + z", "exp(x - y)/z", "where(x < y, log(z), x)", "x - y*z");
    bool const element_a_row = GENERATE(false, true);  // z is; else a row that stands for all
    Program const program(parsed(text), type, type, {});
    if (!supported(set) || !VectorLoop::possible(program, set)) return;
    std::vector<DType> stored{type}, written{type};
    if (type == DType::f32) {
        stored.insert(stored.end(), {DType::f16, DType::bf16, DType::i8, DType::u8, DType::i16, DType::boolean});
        written.insert(written.end(), {DType::f16, DType::bf16, DType::u8});
    } else {
        stored.push_back(DType::i32);
    }
    CHECK(VectorLoop::has_tails(set) == (set == InstructionSet::avx512));
    for (DType const from : stored)
        for (DType const to : written)
            for (std::size_t const count : {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 100}) {
                VectorLoop::Use use;
                use.constant = {false, false, element_a_row};
                use.ahead = {true, false, false};
                use.from = {from, std::nullopt, std::nullopt};
                if (to != type) use.to = to;
                auto const each = VectorLoop::make(program, use, set);
                use.by_row = true;
                use.with_tails = count != 7 && count != 64;
                auto const all = VectorLoop::make(program, use, set);
                REQUIRE((each != nullptr && all != nullptr));
                Matrix const x(rows * most * 8, 1), y(most * 8, 2), z(rows * most * 8, 3);
                std::size_t const gap = 3, bytes = rows * (count + gap) * size_of(to);
                Scratch const found(bytes), expected(bytes);
                std::memset(found.get(), 0x5a, bytes);
                std::memset(expected.get(), 0x5a, bytes);
                auto const wide = static_cast<std::int64_t>(size_of(type));
                auto const step = static_cast<std::int64_t>((count + gap) * size_of(to));
                std::vector<std::int64_t> const steps{static_cast<std::int64_t>((count + 1) * size_of(from)), 0,
                                                      element_a_row ? wide : 0};
                std::vector<TileOperand> operands{
                    {x.memory.get(), false}, {y.memory.get(), false}, {z.memory.get(), element_a_row}};
                std::span<std::byte const> const next(x.memory.get(), count);  // changes nothing
                all->run_rows(rows, count, operands, steps, found.get(), step, next);
                for (std::size_t r = 0; r < rows; ++r) {
                    each->run(count, operands, expected.get() + static_cast<std::int64_t>(r) * step);
                    for (std::size_t k = 0; k < operands.size(); ++k)
                        operands[k].data = static_cast<std::byte const*>(operands[k].data) + steps[k];
                }
                CAPTURE(text, type, from, to, count, element_a_row);
                CHECK(std::memcmp(found.get(), expected.get(), bytes) == 0);
            }
}

TEST_CASE("nothing is read behind the last row", "[lib][scalar][jit]") {
    auto const set = GENERATE(InstructionSet::avx2, InstructionSet::avx512);
    Program const program(parsed("x*y + z"), DType::f32, DType::f32, {});
    if (!supported(set) || !VectorLoop::possible(program, set)) return;
    constexpr std::size_t count = 16;
    VectorLoop::Use use;
    use.constant = {false, true, true};
    use.ahead = {false, false, false};
    use.by_row = true;
    auto const loop = VectorLoop::make(program, use, set);
    REQUIRE(loop != nullptr);
    Matrix const x(count * 4, 1), y(4, 2), z(4, 3);
    Scratch const found(count * 4);
    constexpr std::int64_t nowhere = std::int64_t{1} << 46;  // no address that a process has
    std::vector<TileOperand> const operands{{x.memory.get(), false}, {y.memory.get(), true}, {z.memory.get(), true}};
    loop->run_rows(1, count, operands, std::vector<std::int64_t>(3, nowhere), found.get(), nowhere);
    float element[3];
    for (std::size_t k = 0; k < 3; ++k) std::memcpy(&element[k], operands[k].data, sizeof element[k]);
    float first;
    std::memcpy(&first, found.get(), sizeof first);
    CHECK(first == element[0] * element[1] + element[2]);
}
