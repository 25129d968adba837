#include "lib/scalar/program/program.hpp"

#include <array>

#include "lib/base/error.hpp"
#include "lib/scalar/evaluate/integers.hpp"
#include "tests/lib/scalar/random_tile.hpp"
#include "tests/lib/scalar/scratch.hpp"

using namespace ein;
using namespace ein::scalar;

TEST_CASE("a program knows when it computes nothing", "[lib][scalar][program]") {
    auto const program = [](std::string const& text, DType type) {
        return Program(parsed(text), type, type, {{"eta", 1}});
    };
    CHECK(program("y", DType::f32).is_operand(1));
    CHECK_FALSE(program("y", DType::f32).is_operand(0));
    CHECK(program("1*z - 0", DType::f64).is_operand(2));
    CHECK(program("eta*x", DType::f32).is_operand(0));
    CHECK(program("floor(conj(real(x)))", DType::i32).is_operand(0));
    CHECK_FALSE(program("-x", DType::f32).is_operand(0));
    CHECK_FALSE(program("x*1", DType::boolean).is_operand(0));
    CHECK(program("x", DType::boolean).result_dtype() == DType::boolean);
}

TEST_CASE("unused operands are not touched and constants stay single", "[lib][scalar][program]") {
    Program const program(parsed("x*rsqrt(z/64)*[i]"), DType::f32, DType::f32, {});
    Scratch const scratch(program.scratch_bytes());
    std::array<float, 4> const x{1, 2, 3, 4};
    float const z = 256;
    std::vector<TileOperand> const operands{{x.data(), false}, {nullptr, false}, {&z, true}};
    TileOperand const tile = program.run(4, operands, std::vector<TileIndex>{{5, 1}}, scratch.get());
    REQUIRE_FALSE(tile.constant);
    CHECK(loaded<std::array<float, 4>>(tile.data) == std::array<float, 4>{2.5f, 6, 10.5f, 16});
    std::vector<TileOperand> const single{{&z, true}, {nullptr, false}, {&z, true}};
    TileOperand const constant = program.run(512, single, std::vector<TileIndex>{{3, 0}}, scratch.get());
    CHECK(constant.constant);
    CHECK(loaded<float>(constant.data) == 384);
    CHECK_FALSE(program.run(0, {}, {}, scratch.get()).constant);
}

TEST_CASE("powers of integers wrap as the reference's", "[lib][scalar][program]") {
    for (int exponent = 1; exponent <= 18; ++exponent)
        for (DType const type : {DType::i8, DType::u8, DType::i64})
            for (auto const integers : {Program::Integers::own, Program::Integers::wide}) {
                Program const program(parsed("x^" + std::to_string(exponent)), type, type, {}, integers);
                Scratch const scratch(program.scratch_bytes());
                bool const narrow = type != DType::i64 && integers == Program::Integers::own;
                for (std::int64_t value = type == DType::u8 ? 0 : -128; value < 128; ++value) {
                    auto const byte = static_cast<std::uint8_t>(value);
                    std::vector<TileOperand> const operands{{narrow ? static_cast<void const*>(&byte) : &value, false}};
                    void const* const made = program.run(1, operands, {}, scratch.get()).data;
                    std::int64_t const expected = wrap(integer_pow(value, exponent), type);
                    std::int64_t const found = !narrow             ? loaded<std::int64_t>(made)
                                               : type == DType::u8 ? loaded<std::uint8_t>(made)
                                                                   : loaded<std::int8_t>(made);
                    CAPTURE(exponent, name(type), value);
                    REQUIRE(found == expected);
                }
            }
}

TEST_CASE("a mask is a select of tiles", "[lib][scalar][program]") {
    Program const program(parsed("where([i] >= [k], eta*x, -inf)"), DType::f32, DType::f32, {{"eta", 0.5}});
    Scratch const scratch(program.scratch_bytes());
    std::array<float, 4> const x{2, 4, 6, 8};
    std::vector<TileOperand> const operands{{x.data(), false}};
    TileOperand const result = program.run(4, operands, std::vector<TileIndex>{{2, 0}, {1, 1}}, scratch.get());
    float const low = -HUGE_VALF;
    CHECK(loaded<std::array<float, 4>>(result.data) == std::array<float, 4>{1, 2, low, low});
    TileOperand const none = program.run(4, operands, std::vector<TileIndex>{{2, 0}, {3, 0}}, scratch.get());
    CHECK(none.constant);
    CHECK(loaded<float>(none.data) == low);
    TileOperand const all = program.run(4, operands, std::vector<TileIndex>{{2, 0}, {1, 0}}, scratch.get());
    CHECK(loaded<std::array<float, 4>>(all.data) == std::array<float, 4>{1, 2, 3, 4});
}

TEST_CASE("equal parts are computed once and tiles reused", "[lib][scalar][program]") {
    Program const once(parsed("exp(x - y)"), DType::f32, DType::f32, {});
    Program const twice(parsed("exp(x - y)/(1 + exp(x - y))"), DType::f32, DType::f32, {});
    auto const bytes = [](Program const& program, std::size_t registers) {
        return registers * 4 * program.tile() + 256;
    };
    CHECK(twice.scratch_bytes() <= bytes(twice, 3));
    CHECK(once.scratch_bytes() <= bytes(once, 2));
    CHECK(twice.tile() < once.tile());
    std::string chain = "x";
    for (int k = 0; k < 300; ++k) chain += " + y*" + std::to_string(k) + ".5";
    Program const program(parsed(chain), DType::f32, DType::f32, {});
    CHECK(program.scratch_bytes() <= bytes(program, 4) + 16 * 1300);
}

TEST_CASE("tiles are shorter where more registers live at once", "[lib][scalar][program]") {
    std::string wide = "0";
    for (int k = 0; k < 64; ++k) wide = "max(sin(x*" + std::to_string(k) + ".5), " + wide + ")";
    Program const few(parsed("x + 1"), DType::f64, DType::f64, {}), many(parsed(wide), DType::f64, DType::f64, {});
    CHECK(few.tile() == 2048);
    CHECK(many.tile() >= 256);
    CHECK(many.tile() < few.tile());
}

TEST_CASE("a computed result goes where it is asked to", "[lib][scalar][program]") {
    std::vector<float> const x{1, 2, 3, 4}, y{5};
    std::array<float, 4> to{};
    std::array const operands{TileOperand{x.data(), false}, TileOperand{y.data(), true}};
    auto const run = [&](std::string const& text) {
        Program const program(parsed(text), DType::f32, DType::f32, {});
        Scratch const scratch(program.scratch_bytes());
        TileOperand const result = program.run(4, operands, {}, scratch.get(), to.data());
        return std::pair(result.constant, result.data == to.data());
    };
    CHECK(run("(x + y)*x - y") == std::pair(false, true));
    CHECK(to == std::array<float, 4>{1, 9, 19, 31});
    CHECK(run("y*y") == std::pair(true, true));
    CHECK(to[0] == 25);
    CHECK(run("x") == std::pair(false, false));  // nothing is computed
}

TEST_CASE("a program refuses what it cannot run", "[lib][scalar][program]") {
    CHECK_THROWS_AS(Program(parsed("eta*x"), DType::f32, DType::f32, {}), InputError);
    CHECK_THROWS_AS(Program(parsed("x < y"), DType::c64, DType::c64, {}), InputError);
    Program const program(parsed("position(x, 3)"), DType::i32, DType::i32, {});
    Scratch const scratch(program.scratch_bytes());
    std::array<std::int64_t, 3> indices{2, -3, 0};
    std::vector<TileOperand> const operands{{indices.data(), false}};
    TileOperand const result = program.run(3, operands, {}, scratch.get());
    CHECK(loaded<std::array<std::int64_t, 3>>(result.data) == std::array<std::int64_t, 3>{2, 0, 0});
    indices[2] = 3;
    CHECK_THROWS_AS(program.run(3, operands, {}, scratch.get()), InputError);
}

namespace {

template <class T>
float cast_result(std::string const& text, DType type, T value) {
    Program const program(parsed(text), type, type, {});
    Scratch const scratch(program.scratch_bytes());
    std::array<T, 3> const x{value, value, value};
    TileOperand const result = program.run(3, std::vector<TileOperand>{{x.data(), false}}, {}, scratch.get());
    return loaded<std::array<float, 3>>(result.data)[2];
}

}  // namespace

TEST_CASE("casts to f16 and bf16 round once", "[lib][scalar][program]") {
    double const above_f16 = 1 + 0x1p-11 + 0x1p-40, above_bf16 = 1 + 0x1p-8 + 0x1p-40;
    CHECK(cast_result("cast_f16(x)", DType::f64, above_f16) == 1 + 0x1p-10f);
    CHECK(cast_result("cast_f16(x)", DType::f64, -above_f16) == -1 - 0x1p-10f);
    CHECK(cast_result("cast_bf16(x)", DType::f64, above_bf16) == 1 + 0x1p-7f);
    CHECK(cast_result("cast_bf16(x)", DType::c128, std::complex<double>(above_bf16, 1)) == 1 + 0x1p-7f);
    CHECK(cast_result("cast_bf16(x)", DType::i64, (std::int64_t{257} << 53) + 1) == 0x1.02p61f);
    CHECK(cast_result("cast_bf16(x)", DType::i64, -(std::int64_t{257} << 53) - 1) == -0x1.02p61f);
    CHECK(cast_result("cast_bf16(x)", DType::i64, std::int64_t{257} << 53) == 0x1p61f);
    CHECK(cast_result("cast_f32(x)", DType::i64, std::int64_t{9007199791611905}) == 9007200328482816.0f);
    CHECK(std::signbit(cast_result("cast_f16(x)", DType::f64, -0.0)));
}
