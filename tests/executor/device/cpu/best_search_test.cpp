// The place of the best of values, found without knowing the best one: as the reference finds it, which knows.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/cpu/instruction_set.hpp"
#include "executor/device/cpu/loops/best_loops.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "lib/graph/best_search.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using scalar::Agg;

namespace {

struct Search {
    std::string values, result;  // "ij", "i"
    std::string label;           // "j"
    Shape extents;
    std::string value = "x";
};

graph::EinSum einsum_of(Search const& of) {
    std::string const v = "(" + of.value + ")";
    return einsum(of.values + "," + of.result + "->" + of.result, of.extents,
                  "where(" + v + " == y || " + v + " != " + v + ", [" + of.label + "], 9223372036854775807)", Agg::min);
}

enum class Data { random, few_values, one_value, rising, falling, nans, infinite, all_nan };

void fill(KernelCase& test, DType type, Data data, std::mt19937& random) {
    std::vector<std::byte>& bytes = test.operand(0);
    std::size_t const size = size_of(type), count = bytes.size() / size;
    bool const real = kind(type) == Kind::real;
    double const inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < count; ++i) {
        double value = static_cast<double>(random() % 200) - (type == DType::u8 || type == DType::boolean ? 0 : 100);
        if (data == Data::few_values) value = static_cast<double>(random() % 2);
        if (data == Data::one_value) value = 1;
        if (data == Data::rising) value = static_cast<double>(i) * 100 / static_cast<double>(count);
        if (data == Data::falling) value = static_cast<double>(count - i) * 100 / static_cast<double>(count);
        if (data == Data::nans && real && random() % 40 == 0) value = nan;
        if (data == Data::infinite && real) value = random() % 2 == 0 ? inf : -inf;
        if (data == Data::all_nan && real) value = nan;
        if (type == DType::boolean) value = value > 0 ? 1 : 0;
        scalar::Scalar const number = scalar::Scalar::of(std::complex<double>(value));
        store_element(scalar::convert(number, DType::c128, type), bytes.data() + i * size, type);
    }
}

/// The first place that differs, or "".
std::string searched(Search const& of, DType type, Agg agg, Data data) {
    std::mt19937 random(7);
    bool const is_real = kind(type) == Kind::real;
    DType const compute = type == DType::bf16 || type == DType::f16 ? DType::f32 : type;
    KernelCase best(einsum(of.values + "->" + of.result, of.extents, of.value, agg), {type}, compute, compute);
    KernelCase test(einsum_of(of), {type, compute}, DType::i64, compute);
    fill(test, type, data, random);
    best.operand(0) = test.operand(0);
    ReferenceDevice reference;
    CpuDevice cpu;
    SoloWorkerTeam solo;
    test.operand(1) = best.run(reference, solo);
    auto const expected = test.elements(test.run(reference, solo));
    auto const kernel = cpu.prepare_best_search(test.shape(), agg, {});
    REQUIRE(kernel != nullptr);
    std::fill(test.operand(1).begin(), test.operand(1).end(),
              std::byte{is_real ? std::uint8_t{0x7f} : std::uint8_t{3}});
    std::vector<std::int64_t> found(expected.size() + 1, -5);
    void const* const operands[] = {test.operand(0).data(), test.operand(1).data()};
    kernel->launch({operands, found.data(), test.begin()}, solo);
    CHECK(found.back() == -5);
    found.pop_back();
    std::vector<scalar::Scalar> results;
    for (std::int64_t place : found) results.push_back(scalar::Scalar::of(place));
    return difference(results, expected, 0);
}

}  // namespace

TEST_CASE("the place of the best is found with it, of every type and over any axis", "[executor][device]") {
    Search const of = GENERATE(
        Search{"ij", "i", "j", {5, 2300}}, Search{"ij", "j", "i", {90, 70}}, Search{"ij", "j", "i", {20, 300}},
        Search{"ij", "i", "j", {170, 16}}, Search{"ij", "i", "j", {170, 7}}, Search{"ij", "i", "j", {9, 63}},
        Search{"aib", "ab", "i", {3, 30, 70}}, Search{"aib", "ba", "i", {3, 30, 70}},
        Search{"abi", "ba", "i", {3, 11, 70}}, Search{"iab", "ab", "i", {90, 3, 5}}, Search{"ij", "j", "i", {40, 1}},
        Search{"ij", "i", "j", {70, 2}}, Search{"ij", "i", "j", {171, 3}}, Search{"ij", "i", "j", {170, 33}},
        Search{"ij", "i", "j", {67, 100}}, Search{"ij", "i", "j", {67, 257}}, Search{"abi", "ab", "i", {40, 3, 5}},
        Search{"aib", "ab", "i", {70, 8, 3}}, Search{"aib", "ab", "i", {70, 5, 16}},
        Search{"aib", "ba", "i", {33, 3, 17}});
    CAPTURE(of.values, of.result, of.extents);
    int round = 0;
    for (DType const type : {DType::f32, DType::f64, DType::bf16, DType::f16, DType::i8, DType::u8, DType::i16,
                             DType::i32, DType::i64, DType::boolean})
        for (Data const data : {Data::random, Data::few_values, Data::one_value, Data::rising, Data::falling,
                                Data::nans, Data::infinite, Data::all_nan}) {
            CAPTURE(type, static_cast<int>(data));
            CHECK(searched(of, type, ++round % 2 == 0 ? Agg::max : Agg::min, data) == "");
        }
}

TEST_CASE("the best of a join is found as it is computed", "[executor][device]") {
    for (std::string const value : {"-x", "abs(x)", "x*x", "2*x-1"})
        for (Data const data : {Data::random, Data::nans}) {
            CAPTURE(value, static_cast<int>(data));
            CHECK(searched({"ij", "i", "j", {70, 300}, value}, DType::f32, Agg::min, data) == "");
            CHECK(searched({"ij", "j", "i", {300, 70}, value}, DType::f64, Agg::max, data) == "");
        }
}

namespace {

template <class T>
bool is_nan(T value) {
    return std::is_floating_point_v<T> && std::isnan(static_cast<double>(value));
}

template <class T>
void compare_sets(DType type, T least, std::size_t rows, std::size_t columns) {
    std::vector<std::pair<std::string, BestLoops (*)(Better, DType)>> sets{{"baseline", baseline::best_tile_loops}};
#ifdef EIN_X86_LOOPS
    if (instruction_set() != InstructionSet::baseline) sets.emplace_back("avx2", avx2::best_tile_loops);
    if (instruction_set() == InstructionSet::avx512) sets.emplace_back("avx512", avx512::best_tile_loops);
#endif
    std::mt19937 random(5);
    std::vector<T> values(rows * columns);
    for (T& value : values) value = static_cast<T>(random() % 9 + (random() % 3 == 0 ? 120 : 0));
    if constexpr (std::is_floating_point_v<T>)
        for (T& value : values) value = random() % 50 == 0 ? static_cast<T>(NAN) : value;
    std::vector<std::int64_t> by_column(columns, -1), by_row(rows, -1);
    std::vector<T> greatest(columns), greatest_of_row(rows);
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::size_t const r = i / columns, c = i % columns;
        auto const look = [&](T& best, std::int64_t& place, std::size_t index) {
            bool const takes = is_nan(values[i]) && !is_nan(best);
            if (place < 0 || values[i] > best || takes) best = values[i], place = static_cast<std::int64_t>(index);
        };
        look(greatest[c], by_column[c], 10 + r);
        look(greatest_of_row[r], by_row[r], 10 + c);
    }
    for (auto const& [name, loops_of] : sets) {
        CAPTURE(name, rows, columns, type);
        BestLoops const loops = loops_of(Better::greater, type);
        std::vector<T> best(columns, least), best_of_row(rows, least);
        std::vector<std::int64_t> found(columns, 10), found_in_row(rows, 10);
        loops.columns(best.data(), found.data(), values.data(), static_cast<std::ptrdiff_t>(columns * sizeof(T)), rows,
                      columns, 10);
        loops.rows(best_of_row.data(), found_in_row.data(), values.data(), rows, columns, 10);
        CHECK(found == by_column);
        CHECK(found_in_row == by_row);
    }
}

}  // namespace

TEST_CASE("every instruction set finds the same places", "[executor][device]") {
    for (std::size_t const columns : {1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 64, 77, 100, 256, 300})
        for (std::size_t const rows : {1, 3, 65, 130}) {
            compare_sets<float>(DType::f32, -std::numeric_limits<float>::infinity(), rows, columns);
            compare_sets<double>(DType::f64, -std::numeric_limits<double>::infinity(), rows, columns);
            compare_sets<std::int8_t>(DType::i8, std::numeric_limits<std::int8_t>::min(), rows, columns);
            compare_sets<std::uint8_t>(DType::u8, 0, rows, columns);
            compare_sets<std::int16_t>(DType::i16, std::numeric_limits<std::int16_t>::min(), rows, columns);
            compare_sets<std::int32_t>(DType::i32, std::numeric_limits<std::int32_t>::min(), rows, columns);
        }
}

TEST_CASE("searches for the best are known by their join", "[graph]") {
    graph::EinSum const search = einsum_of({"ij", "i", "j", {4, 5}});
    auto const of = graph::as_best_search(search);
    REQUIRE(of);
    CHECK(of->label == 1);
    CHECK(of->best == 1);
    CHECK(graph::is_best_of(einsum("ij->i", {4, 5}, "x", Agg::max), search, *of));
    CHECK(graph::is_best_of(einsum("ij->i", {4, 5}, "x", Agg::min), search, *of));
    CHECK_FALSE(graph::is_best_of(einsum("ij->i", {4, 5}, "x", Agg::sum), search, *of));
    CHECK_FALSE(graph::is_best_of(einsum("ij->i", {4, 5}, "-x", Agg::max), search, *of));
    CHECK_FALSE(graph::is_best_of(einsum("ji->i", {5, 4}, "x", Agg::max), search, *of));
    for (std::string const join :
         {"where(x == y || x != x, [i], 9223372036854775807)", "where(x == y || x != x, [j], 922337203685477580)",
          "where(x == y && x != x, [j], 9223372036854775807)", "where(x <= y || x != x, [j], 9223372036854775807)",
          "where(x == y || y != y, [j], 9223372036854775807)",
          "where(x+y == y || x+y != x+y, [j], 9223372036854775807)"}) {
        CAPTURE(join);
        CHECK_FALSE(graph::as_best_search(einsum("ij,i->i", {4, 5}, join, Agg::min)));
    }
}
