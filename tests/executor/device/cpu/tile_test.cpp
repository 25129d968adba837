#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "executor/device/cpu/instruction_set.hpp"
#include "executor/device/cpu/loops/tile_aggregate.hpp"
#include "executor/device/cpu/loops/tile_convert.hpp"
#include "lib/base/dtype.hpp"
#include "lib/tensor/convert.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

std::vector<std::byte> bits(std::size_t bytes, std::mt19937& random) {
    std::vector<std::byte> made(bytes);
    for (std::byte& byte : made) byte = static_cast<std::byte>(random());
    return made;
}

}  // namespace

TEST_CASE("halves are converted to the same bits as everywhere else", "[executor][device]") {
    std::mt19937 random(6);
    std::vector<std::uint16_t> halves(65536);
    for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
    std::vector<std::byte> const floats = bits(4 * 65536, random);
    for (DType const half : {DType::f16, DType::bf16}) {
        CAPTURE(name(half));
        std::vector<std::byte> ours(4 * 65536), theirs = ours;
        tile_convert(half, halves.data(), 1, DType::f32, ours.data(), 65536);
        tensor::convert(half, halves.data(), 1, DType::f32, theirs.data(), 65536);
        CHECK(ours == theirs);
        std::vector<std::byte> const widened = ours;
        for (std::vector<std::byte> const& from : {floats, widened}) {
            tile_convert(DType::f32, from.data(), 1, half, ours.data(), 65536);
            tensor::convert(DType::f32, from.data(), 1, half, theirs.data(), 65536);
            CHECK(ours == theirs);
        }
    }
}

TEST_CASE("runs of any dtype are converted to the same bits as everywhere else", "[executor][device]") {
    std::mt19937 random(8);
    constexpr std::size_t count = 1000;
    constexpr std::array all{DType::boolean, DType::u8,   DType::i8,  DType::i16, DType::i32, DType::i64,
                             DType::f16,     DType::bf16, DType::f32, DType::f64, DType::c64, DType::c128};
    for (DType const from : all)
        for (DType const to : all) {
            CAPTURE(name(from), name(to));
            std::vector<std::byte> const source = bits(count * size_of(from), random);
            std::vector<std::byte> expected(count * size_of(to));
            tensor::convert(from, source.data(), 1, to, expected.data(), count);
            auto const check = [&](auto const& convert) {
                std::vector<std::byte> found(count * size_of(to));
                convert(found.data());
                CHECK(found == expected);
            };
            check([&](void* found) { tile_convert(from, source.data(), 1, to, found, count); });
            std::vector<ConvertLoop> loops{baseline::convert_loop(from, to)};
#ifdef EIN_X86_LOOPS
            if (instruction_set() != InstructionSet::baseline) loops.push_back(avx2::convert_loop(from, to));
            if (instruction_set() == InstructionSet::avx512) loops.push_back(avx512::convert_loop(from, to));
#endif
            for (ConvertLoop const loop : loops)
                if (loop != nullptr) check([&](void* found) { loop(source.data(), found, count); });
        }
}

TEST_CASE("keys of halves are ordered as the halves are", "[executor][device]") {
    DType const half = GENERATE(DType::f16, DType::bf16);
    bool const greatest = GENERATE(false, true), equal_zeros = GENERATE(false, true);
    HalfKey const key{half, greatest, equal_zeros};
    CAPTURE(name(half), greatest, equal_zeros);
    std::vector<std::uint16_t> halves(65536), back(65536);
    std::vector<std::int16_t> keys(65536), others(65536);
    std::vector<float> floats(65536);
    for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i * 40503u);  // all of them
    keys_of(key, halves.data(), 1, keys.data(), 65536);
    halves_of(key, keys.data(), back.data(), 65536);
    tensor::convert(half, halves.data(), 1, DType::f32, floats.data(), 65536);
    std::vector<ConvertLoop> loops{baseline::key_loop(key)}, ways_back{baseline::half_loop(key)};
#ifdef EIN_X86_LOOPS
    if (instruction_set() != InstructionSet::baseline)
        loops.push_back(avx2::key_loop(key)), ways_back.push_back(avx2::half_loop(key));
#endif
    for (ConvertLoop const loop : loops) {
        loop(halves.data(), others.data(), 65536);
        CHECK(others == keys);
    }
    std::vector<std::uint16_t> found(65536);
    for (ConvertLoop const loop : ways_back) {
        loop(keys.data(), found.data(), 65536);
        CHECK(found == back);
    }
    keys_of(key, halves.data(), 2, others.data(), 32768);
    std::size_t wrong = others[20001] != keys[40002];
    for (std::size_t i = 0; i + 1 < 65536; ++i) {
        float const a = floats[i], b = floats[i + 1];
        bool const less = std::isnan(a) ? !greatest && !std::isnan(b) : std::isnan(b) ? greatest : a < b;
        bool const zeros = a == 0 && b == 0;
        wrong += !zeros && (keys[i] < keys[i + 1]) != less;
        wrong +=
            !equal_zeros && (std::isnan(a) ? back[i] != (half == DType::f16 ? 0x7e00 : 0x7fc0) : back[i] != halves[i]);
        wrong += equal_zeros && a == 0 && keys[i] != 0;
    }
    CHECK(wrong == 0);
}

#ifdef EIN_X86_LOOPS
TEST_CASE("every instruction set aggregates to the same bits", "[executor][device]") {
    std::mt19937 random(7);
    for (DType const type :
         {DType::f32, DType::f64, DType::c64, DType::c128, DType::i64, DType::i32, DType::i16, DType::i8, DType::u8})
        for (TileOp const op : {TileOp::sum, TileOp::prod, TileOp::min, TileOp::max, TileOp::any, TileOp::all})
            for (std::size_t const columns : {1u, 7u, 33u, 64u, 200u, 513u}) {
                TileAggregate const plain = baseline::tile_loops(op, type);
                if (plain.rows == nullptr) continue;
                std::size_t const size = size_of(type);
                std::vector<std::byte> values(3 * columns * size);
                for (std::size_t at = 0; at < values.size(); at += size) {
                    double const value = static_cast<double>(random()) * (is_exact(type) ? 0x1p-24 : 0x1p-31);
                    tensor::convert(DType::f64, &value, 1, type, values.data() + at, 1);
                }
                auto const run = [&](TileAggregate const& loops) {
                    std::vector<std::byte> results(values.begin(),
                                                   values.begin() + static_cast<std::ptrdiff_t>(columns * size));
                    loops.columns(results.data(), values.data(), static_cast<std::ptrdiff_t>(columns * size), 3,
                                  columns);
                    loops.combine(results.data(), values.data(), columns);
                    if (columns >= 3) loops.rows(results.data(), values.data(), 3, columns);
                    return results;
                };
                auto const expected = run(plain);
                CAPTURE(name(type), static_cast<int>(op), columns);
                if (instruction_set() != InstructionSet::baseline) CHECK(run(avx2::tile_loops(op, type)) == expected);
                if (instruction_set() == InstructionSet::avx512) CHECK(run(avx512::tile_loops(op, type)) == expected);
            }
}

TEST_CASE("every instruction set widens integers to the same sums", "[executor][device]") {
    std::mt19937 random(9);
    for (DType const from : {DType::u8, DType::i8, DType::i16, DType::i32})
        for (DType const to : {DType::i32, DType::i64})
            for (std::size_t const columns : {1u, 3u, 16u, 100u, 513u, 20000u}) {
                if (size_of(from) >= size_of(to)) continue;
                constexpr std::size_t rows = 300;
                CAPTURE(name(from), name(to), columns);
                std::vector<std::byte> const values = bits(rows * columns * size_of(from), random);
                std::vector<std::byte> wide(rows * columns * size_of(to)), sums(std::max(rows, columns) * size_of(to));
                tensor::convert(from, values.data(), 1, to, wide.data(), rows * columns);
                auto const by_rows = [&](TileAggregate const& loops, void const* of) {
                    std::vector<std::byte> made = sums;
                    loops.rows(made.data(), of, rows, columns);
                    loops.combine(made.data(), of, columns);
                    return made;
                };
                auto const by_columns = [&](TileAggregate const& loops, std::vector<std::byte> const& of) {
                    std::vector<std::byte> made = sums;
                    loops.columns(made.data(), of.data(), static_cast<std::ptrdiff_t>(of.size() / rows), rows, columns);
                    return made;
                };
                TileAggregate const plain = baseline::tile_loops(TileOp::sum, to);
                auto const check = [&](TileAggregate const& loops) {
                    CHECK(by_rows(loops, values.data()) == by_rows(plain, wide.data()));
                    CHECK(by_columns(loops, values) == by_columns(plain, wide));
                };
                check(baseline::widening_sums(from, to));
                if (instruction_set() != InstructionSet::baseline) check(avx2::widening_sums(from, to));
                if (instruction_set() == InstructionSet::avx512) check(avx512::widening_sums(from, to));
            }
}
#endif
