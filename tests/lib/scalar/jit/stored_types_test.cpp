// Vector loops whose operands or results lie in memory as another type, beside loops of the same join in its own type.
#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "lib/base/float16.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/scalar/jit/vector_loop.hpp"
#include "tests/lib/scalar/scratch.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

constexpr std::size_t counts[] = {1, 5, 16, 67, 256};

Program program_of(char const* text, DType type) {
    ParseResult const result = parse(text, Names{2, {}, {}});
    REQUIRE(result.faults.empty());
    return Program(result.expr, type, type, {});
}

template <class T>
T load(std::byte const* from, std::size_t at) {
    T value;
    std::memcpy(&value, from + at * sizeof(T), sizeof(T));
    return value;
}

/// What lib/tensor converts an element to.
double number(std::byte const* from, std::size_t at, DType stored) {
    switch (stored) {
        case DType::bf16: return static_cast<double>(static_cast<float>(load<BFloat16>(from, at)));
        case DType::f16: return static_cast<double>(static_cast<float>(load<Half>(from, at)));
        case DType::i32: return load<std::int32_t>(from, at);
        case DType::i16: return load<std::int16_t>(from, at);
        case DType::i8: return load<std::int8_t>(from, at);
        case DType::u8: return load<std::uint8_t>(from, at);
        case DType::boolean: return load<std::uint8_t>(from, at) != 0 ? 1 : 0;
        default: return static_cast<double>(load<float>(from, at));
    }
}

/// The bits that storing an f32 gives, of a nan those of any.
std::uint32_t stored_bits(float value, DType to) {
    if (to == DType::bf16) return BFloat16(value).bits;
    if (to == DType::f16) return Half(value).bits;
    if (to == DType::boolean) return value != 0 ? 1 : 0;
    bool const fits = value >= -0x1p63f && value < 0x1p63f;
    return static_cast<std::uint8_t>(fits ? static_cast<std::int64_t>(value) : 0);
}

struct Values {
    Scratch stored{256 * 8}, as_numbers{256 * 8};

    Values(DType type, DType numbers, std::mt19937& random) {
        for (std::size_t k = 0; k < 256 * 8; ++k)
            stored.get()[k] = static_cast<std::byte>(random() % 5 == 0 ? 0 : random() & 0xff);
        for (std::size_t k = 0; k < 256; ++k) {
            double const value = number(stored.get(), k, type);
            if (numbers == DType::f64)
                std::memcpy(as_numbers.get() + 8 * k, &value, 8);
            else
                reinterpret_cast<float*>(as_numbers.get())[k] = static_cast<float>(value);
        }
    }
};

/// The same bits; which nan is not looked at.
template <class T>
bool same(T a, T b) {
    return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
}

}  // namespace

TEST_CASE("operands that lie as another type are converted while they are read", "[lib][scalar][jit]") {
    auto const set = GENERATE(InstructionSet::avx2, InstructionSet::avx512);
    auto const type = GENERATE(DType::f32, DType::f64);
    Program const program = program_of("x - 3*y", type);
    if (!supported(set) || !VectorLoop::possible(program, set)) return;
    std::mt19937 random(7);
    int read = 0;
    for (DType const stored :
         {DType::f32, DType::i32, DType::bf16, DType::f16, DType::i16, DType::i8, DType::u8, DType::boolean}) {
        if (!VectorLoop::reads(stored, type)) continue;
        ++read;
        VectorLoop::Use use{{false, false}, {true, true}, false};
        auto const plain = VectorLoop::make(program, use, set);
        use.from = {stored, std::nullopt};
        auto const loop = VectorLoop::make(program, use, set);
        REQUIRE((plain != nullptr && loop != nullptr));
        for (std::size_t const count : counts) {
            Values const x(stored, type, random), y(DType::f32, type, random);
            Scratch const expected(count * 8), found(count * 8 + 64);
            std::memset(found.get(), 0x5a, count * 8 + 64);
            plain->run(count, std::array{TileOperand{x.as_numbers.get()}, TileOperand{y.as_numbers.get()}},
                       expected.get());
            loop->run(count, std::array{TileOperand{x.stored.get()}, TileOperand{y.as_numbers.get()}}, found.get());
            CAPTURE(name(stored), name(type), count);
            bool alike = true;
            for (std::size_t k = 0; k < count; ++k)
                alike =
                    alike && (type == DType::f32 ? same(load<float>(expected.get(), k), load<float>(found.get(), k))
                                                 : same(load<double>(expected.get(), k), load<double>(found.get(), k)));
            CHECK(alike);
            CHECK(found.get()[count * size_of(type)] == std::byte{0x5a});
        }
    }
    CHECK(read == (type == DType::f32 ? 7 : 2));
}

TEST_CASE("results that are stored as another type are rounded or cut once", "[lib][scalar][jit]") {
    auto const set = GENERATE(InstructionSet::avx2, InstructionSet::avx512);
    auto const past_cache = GENERATE(false, true);
    Program const program = program_of("x*y", DType::f32);
    if (!supported(set) || !VectorLoop::possible(program, set)) return;
    std::mt19937 random(8);
    for (DType const to : {DType::bf16, DType::f16, DType::i8, DType::u8, DType::boolean}) {
        REQUIRE(VectorLoop::writes(to, DType::f32));
        VectorLoop::Use use{{false, true}, {false, false}, false};
        auto const plain = VectorLoop::make(program, use, set);
        use.to = to;
        use.past_cache = past_cache;
        auto const loop = VectorLoop::make(program, use, set);
        REQUIRE((plain != nullptr && loop != nullptr));
        std::size_t const size = size_of(to);
        for (float const factor : {1.0f, 0x1p-20f, 0x1p-40f, 0x1p40f}) {
            for (std::size_t const count : counts) {
                Values const x(random() % 2 == 0 ? DType::f32 : DType::i32, DType::f32, random);
                Scratch const expected(count * 4), found(count * size + 64);
                std::memset(found.get(), 0x5a, count * size + 64);
                std::array const operands{TileOperand{x.as_numbers.get()}, TileOperand{&factor, true}};
                plain->run(count, operands, expected.get());
                loop->run(count, operands, found.get());
                CAPTURE(name(to), count, past_cache, factor);
                int different = 0;
                for (std::size_t k = 0; k < count; ++k) {
                    std::uint32_t const wanted = stored_bits(load<float>(expected.get(), k), to);
                    different += wanted !=
                                 (size == 2 ? load<std::uint16_t>(found.get(), k) : load<std::uint8_t>(found.get(), k));
                }
                CHECK(different == 0);
                CHECK(found.get()[count * size] == std::byte{0x5a});
            }
        }
    }
}

TEST_CASE("loops of f64 store what they compute, and no loop reads complex numbers", "[lib][scalar][jit]") {
    for (DType const stored : {DType::bf16, DType::u8, DType::boolean})
        CHECK_FALSE(VectorLoop::writes(stored, DType::f64));
    for (DType const type : {DType::f32, DType::f64}) CHECK_FALSE(VectorLoop::reads(DType::c64, type));
    CHECK_FALSE(VectorLoop::reads(DType::i64, DType::f64));
}
