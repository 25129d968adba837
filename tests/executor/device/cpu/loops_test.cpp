#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/cpu/loops/loop_plan.hpp"
#include "executor/device/cpu/past_cache.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "lib/base/error.hpp"
#include "lib/tensor/convert.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using scalar::Agg;

namespace {

void set(KernelCase& test, std::vector<float> const& values) {
    std::memcpy(test.operand(0).data(), values.data(), values.size() * sizeof(float));
}

LoopPlan loops_of(KernelCase& test) {
    Nest nest = make_nest(test.shape());
    simplify(nest);
    return plan_loops(nest, 512);
}

constexpr float inf = std::numeric_limits<float>::infinity(), not_a_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("large kernels give the same bits for any number of threads, near the reference", "[executor][device]") {
    struct Case {
        std::string form, join;
        Shape extents;
        Agg agg;
    };
    Case const at =
        GENERATE(Case{"ij->", "x", {700, 900}, Agg::sum}, Case{"ij->j", "x", {3000, 130}, Agg::sum},
                 Case{"ij->i", "x*x", {1000, 600}, Agg::sum}, Case{"ij->", "abs(x)", {700, 900}, Agg::logsumexp},
                 Case{"ij->j", "x", {9000, 33}, Agg::logsumexp}, Case{"ij->i", "x", {33, 9000}, Agg::max},
                 Case{"ij->j", "x", {150000, 3}, Agg::sum}, Case{"ij->ji", "exp(x)", {700, 500}, Agg::sum});
    CAPTURE(at.form, at.join, at.agg);
    KernelCase test(einsum(at.form, at.extents, at.join, at.agg), {DType::f32}, DType::f32, DType::f32);
    test.fill_with_fractions(1);
    CpuDevice cpu;
    auto const once = same_on_teams(test, cpu);
    SoloWorkerTeam solo;
    ReferenceDevice reference;
    CHECK(difference(test.elements(once), test.elements(test.run(reference, solo)), 1e-4) == "");
}

TEST_CASE("rows that a tile of outputs cuts are not read as one run", "[executor][device]") {
    struct Case {
        std::string form;
        Shape extents;  // of labels as they appear
        DType dtype;
    };
    Case const at =
        GENERATE(Case{"ibj,jkb->bik", {4, 700, 4, 1}, DType::i16}, Case{"ibj,jkb->bik", {4, 1030, 4, 4}, DType::i8},
                 Case{"ibj,jkb->bik", {4, 2049, 4, 1}, DType::u8}, Case{"bj,jb->b", {700, 4}, DType::i16});
    CAPTURE(at.form, at.extents, at.dtype);
    KernelCase test(einsum(at.form, at.extents), {at.dtype, at.dtype}, at.dtype, at.dtype);
    std::mt19937 random(5);
    test.fill(random);
    CHECK(compare(test, 0) == "");
}

TEST_CASE("every aggregation has loops that agree with the reference", "[executor][device]") {
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    for (scalar::AggInfo const& row : scalar::aggregations)
        for (std::string const form : {"ij->i", "ij->j", "ij->"}) {
            CAPTURE(row.name, form);
            KernelCase test(einsum(form, {40, 70}, "x", row.agg), {DType::f32}, DType::f32,
                            row.asks ? DType::boolean : DType::f32);
            test.fill_with_fractions(4);
            CHECK(difference(test.elements(test.run(cpu, solo)), test.elements(test.run(reference, solo)), 1e-5) == "");
        }
}

TEST_CASE("the min-plus product is blocked and right", "[executor][device]") {
    std::string const form = GENERATE("ij,jk->ik", "ij,kj->ik");
    CAPTURE(form);
    bool const transposed = form == "ij,kj->ik";
    KernelCase test(einsum(form, transposed ? Shape{70, 150, 600} : Shape{70, 150, 600}, "x+y", Agg::min),
                    {DType::f32, DType::f32}, DType::f32, DType::f32);
    test.fill_with_fractions(2);
    CpuDevice cpu;
    ReferenceDevice reference;
    TestTeam team(3);
    CHECK(difference(test.elements(test.run(cpu, team)), test.elements(test.run(reference, team)), 1e-6) == "");
    LoopPlan const plan = loops_of(test);
    CHECK(plan.tile >= 16);  // one vector tile of an operand serves many outputs
}

TEST_CASE("sums over rows keep a row of accumulators, sums over columns run along the row", "[executor][device]") {
    KernelCase rows(einsum("ij->j", {1000, 1000}), {DType::f32}, DType::f32, DType::f32);
    CHECK(loops_of(rows).tile == 1000);
    KernelCase columns(einsum("ij->i", {1000, 1000}), {DType::f32}, DType::f32, DType::f32);
    CHECK(loops_of(columns).tile == 1);
    KernelCase flat(einsum("ij,ij->ij", {1000, 1000}, "x+y"), {DType::f32, DType::f32}, DType::f32, DType::f32);
    CHECK(loops_of(flat).levels.size() == 1);
    KernelCase short_rows(einsum("ij,i->ij", {100000, 7}, "x-y"), {DType::f32, DType::f32}, DType::f32, DType::f32);
    CHECK(loops_of(short_rows).outer != LoopPlan::none);
}

TEST_CASE("logsumexp is stable and knows infinities", "[executor][device]") {
    auto const of = [](std::vector<float> const& values) {
        KernelCase test(einsum("i->", {static_cast<Extent>(values.size())}, "x", Agg::logsumexp), {DType::f32},
                        DType::f32, DType::f32);
        set(test, values);
        CpuDevice cpu;
        SoloWorkerTeam solo;
        return test.elements(test.run(cpu, solo))[0].number.real();
    };
    CHECK(of({1000, 1000}) == Approx(1000.693147));
    CHECK(of({-1000, -1000, -inf}) == Approx(-999.306853));
    CHECK(of({-inf, -inf}) == -inf);
    CHECK(of({-inf, inf, 3}) == inf);
    CHECK(std::isnan(of({1, not_a_number, 2})));
    CHECK(of(std::vector<float>(5000, 0.5f)) == Approx(0.5 + std::log(5000.0)));
}

TEST_CASE("nan wins every minimum and maximum, wherever it stands", "[executor][device]") {
    for (std::size_t count : {2u, 9u, 40u, 700u})
        for (std::size_t place : {std::size_t{0}, count / 2, count - 1})
            for (Agg agg : {Agg::min, Agg::max}) {
                KernelCase test(einsum("i->", {static_cast<Extent>(count)}, "x", agg), {DType::f32}, DType::f32,
                                DType::f32);
                std::vector<float> values(count, 1);
                values[place] = not_a_number;
                set(test, values);
                CpuDevice cpu;
                SoloWorkerTeam solo;
                CAPTURE(count, place);
                REQUIRE(std::isnan(test.elements(test.run(cpu, solo))[0].number.real()));
            }
}

TEST_CASE("the aggregate of nothing is the identity, or what the output held", "[executor][device]") {
    for (bool const accumulate : {false, true}) {
        KernelCase test(einsum("ij->i", {3, 0}, "x", Agg::min), {DType::i8}, DType::i8, DType::i8);
        test.shape().accumulate = accumulate;
        CpuDevice cpu;
        SoloWorkerTeam solo;
        for (auto const& value : test.elements(test.run(cpu, solo))) CHECK(value.integer == (accumulate ? 0 : 127));
    }
}

TEST_CASE("small integers wrap in sums, also when the output is wider", "[executor][device]") {
    KernelCase test(einsum("i->", {3}), {DType::i8}, DType::i32, DType::i8);
    std::memset(test.operand(0).data(), 100, 3);
    CpuDevice cpu;
    SoloWorkerTeam solo;
    CHECK(test.elements(test.run(cpu, solo))[0].integer == 44);
}

TEST_CASE("an index out of range ends a launch with InputError, on any thread", "[executor][device]") {
    graph::EinSum positions = einsum("i->i", {400000});
    positions.join = scalar::Expr::call(scalar::Op::position, {scalar::Expr::operand(0), scalar::Expr::integer(5)});
    KernelCase test(positions, {DType::i32}, DType::i64, DType::i32);
    std::int32_t const wrong = 5;
    std::memcpy(test.operand(0).data() + 399999 * 4, &wrong, 4);
    CpuDevice cpu;
    SoloWorkerTeam solo;
    TestTeam team(3);
    CHECK_THROWS_AS(test.run(cpu, solo), InputError);
    CHECK_THROWS_AS(test.run(cpu, team), InputError);
}

TEST_CASE("a copy past the cache writes what it is asked to and nothing beside it", "[executor][device]") {
    std::vector<unsigned char> from(700), to(700), expected(700);
    for (std::size_t k = 0; k < from.size(); ++k) from[k] = static_cast<unsigned char>(k * 7 + 1);
    for (std::size_t begin = 0; begin < 70; ++begin)
        for (std::size_t bytes : {0u, 1u, 63u, 64u, 65u, 128u, 191u, 500u}) {
            std::fill(to.begin(), to.end(), 0);
            std::fill(expected.begin(), expected.end(), 0);
            std::memcpy(expected.data() + begin, from.data() + 3, bytes);
            copy_past_cache(to.data() + begin, from.data() + 3, bytes);
            finish_past_cache();
            CAPTURE(begin, bytes);
            REQUIRE(to == expected);
        }
}

TEST_CASE("outputs larger than the cache are written whole", "[executor][device]") {
    auto const [form, join] = GENERATE(std::pair{"ij,i->ij", "x*2+y"}, std::pair{"ij,i->ji", "x*2+y"});
    DType const output = GENERATE(DType::f32, DType::f64);
    CAPTURE(form, output);
    constexpr Extent rows = 4099, columns = 2051;  // 32 MiB of f32
    KernelCase test(einsum(form, {rows, columns}, join), {DType::f32, DType::f32}, output, DType::f32);
    std::vector<float> x(rows * columns), y(rows);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>(k % 1000);
    for (std::size_t k = 0; k < y.size(); ++k) y[k] = static_cast<float>(k * 1000);
    std::memcpy(test.operand(0).data(), x.data(), x.size() * sizeof(float));
    std::memcpy(test.operand(1).data(), y.data(), y.size() * sizeof(float));
    CpuDevice cpu;
    TestTeam team(3);
    std::vector<std::byte> const bytes = test.run(cpu, team);
    bool const turned = std::string(form) == "ij,i->ji";
    int wrong = 0;
    for (Extent i = 0; i < rows; ++i)
        for (Extent j = 0; j < columns; ++j) {
            auto const at = static_cast<std::size_t>(turned ? j * rows + i : i * columns + j);
            float const expected = x[static_cast<std::size_t>(i * columns + j)] * 2 + y[static_cast<std::size_t>(i)];
            double found = 0;
            float narrow = 0;
            if (output == DType::f64) {
                std::memcpy(&found, &bytes[at * 8], 8);
            } else {
                std::memcpy(&narrow, &bytes[at * 4], 4);
                found = narrow;
            }
            wrong += found != expected;
        }
    CHECK(wrong == 0);
}

namespace {

/// NumPy's sum: eight accumulators up to 128 elements, halves above. Source: numpy/core/src/umath/loops_utils.h.src.
template <class T>
T sum_in_halves(T const* x, std::size_t count) {
    if (count > 128) {
        std::size_t const half = count / 2 - count / 2 % 8;
        return sum_in_halves(x, half) + sum_in_halves(x + half, count - half);
    }
    T sums[8] = {};
    std::size_t at = 0;
    for (; at + 8 <= count; at += 8)
        for (std::size_t k = 0; k < 8; ++k) sums[k] += x[at + k];
    T sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (; at < count; ++at) sum += x[at];
    return sum;
}

enum class Signs : std::uint8_t { positive, any };

/// Sums over i of x[i][j] or x[j][i].
struct LongSums {
    std::string form;
    Shape extents;
    std::size_t terms, sums, step;  // from one term to the next

    std::size_t first(std::size_t sum) const { return step == 1 ? sum * terms : sum; }
};

/// Numbers that `dtype` holds, positive or of any sign. Each sum has a scale of its own in [1, 2), so that none is
/// favoured by where powers of two lie.
template <class T>
std::vector<T> drawn(LongSums const& of, DType dtype, Signs signs, unsigned seed) {
    DType const wide = sizeof(T) == 8 ? DType::f64 : DType::f32;
    std::mt19937_64 random(seed);
    std::vector<T> numbers(of.terms * of.sums);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        double const number = static_cast<double>(random() >> 11) * 0x1p-53;
        auto const sum = static_cast<double>(of.step == 1 ? i / of.terms : i % of.sums);
        double const scale = std::exp2((sum + 0.5) / static_cast<double>(of.sums));
        numbers[i] = static_cast<T>(scale * (signs == Signs::any ? 2 * number - 1 : number));
    }
    if (dtype == DType::f16) {
        std::vector<std::uint16_t> held(numbers.size());
        tensor::convert(wide, numbers.data(), 1, dtype, held.data(), held.size());
        tensor::convert(dtype, held.data(), 1, wide, numbers.data(), held.size());
    }
    return numbers;
}

/// Squares of errors of the device and of NumPy.
template <class T>
std::array<double, 2> squared_errors(LongSums const& of, std::string const& join, DType dtype, Signs signs,
                                     unsigned seed) {
    DType const wide = sizeof(T) == 8 ? DType::f64 : DType::f32, result = promote(dtype, wide);
    KernelCase test(einsum(of.form, of.extents, join), {dtype}, result, result);
    std::vector<T> const numbers = drawn<T>(of, dtype, signs, seed);
    tensor::convert(wide, numbers.data(), 1, dtype, test.operand(0).data(), numbers.size());
    CpuDevice cpu;
    TestTeam team(3);
    std::vector<scalar::Scalar> const found = test.elements(test.run(cpu, team));
    std::array<double, 2> squares{};
    for (std::size_t j = 0; j < of.sums; ++j) {
        std::vector<T> terms(of.terms);
        for (std::size_t i = 0; i < of.terms; ++i) terms[i] = numbers[of.first(j) + i * of.step];
        long double exact = 0;
        for (T const term : terms) exact += static_cast<long double>(term);
        auto const off = [&](T sum) { return static_cast<double>(static_cast<long double>(sum) - exact); };
        squares[0] += std::pow(off(static_cast<T>(found[j].number.real())), 2);
        squares[1] += std::pow(off(sum_in_halves(terms.data(), terms.size())), 2);
    }
    return squares;
}

}  // namespace

TEST_CASE("long sums err no more than NumPy's", "[executor][device]") {
    LongSums const of =
        GENERATE(LongSums{"ji->j", {999, 100}, 100, 999, 1}, LongSums{"ji->j", {500, 1000}, 1000, 500, 1},
                 LongSums{"ji->j", {100, 8192}, 8192, 100, 1}, LongSums{"ji->j", {40, 20000}, 20000, 40, 1},
                 LongSums{"ji->j", {7, 150000}, 150000, 7, 1}, LongSums{"ij->j", {50000, 6}, 50000, 6, 6});
    std::string const join = GENERATE("x", "x - 0");
    DType const dtype = GENERATE(DType::f32, DType::f64, DType::f16, DType::c64);
    Signs const signs = GENERATE(Signs::positive, Signs::any);
    if (signs == Signs::any && of.sums < 40) return;                        // too few for a mean
    if (join != "x" && dtype != DType::f32 && dtype != DType::f64) return;  // conversions are those of "x"
    CAPTURE(of.form, of.terms, join, dtype, signs);
    double ours = 0, theirs = 0;
    for (unsigned seed = 0; seed < (of.sums < 40 ? 5 : 2); ++seed) {
        auto const squares = dtype == DType::f64 ? squared_errors<double>(of, join, dtype, signs, seed)
                                                 : squared_errors<float>(of, join, dtype, signs, seed);
        ours += squares[0];
        theirs += squares[1];
    }
    INFO(std::sqrt(ours / theirs));
    CHECK(std::sqrt(ours) <= 1.1 * std::sqrt(theirs));
}

TEST_CASE("long sums keep infinities, nan and zeros without a number", "[executor][device]") {
    static constexpr float largest = std::numeric_limits<float>::max();
    struct Case {
        float first, last, expected;
    };
    Case const at = GENERATE(Case{inf, 1, inf}, Case{1, -inf, -inf}, Case{inf, -inf, not_a_number},
                             Case{not_a_number, 1, not_a_number}, Case{largest, largest, inf}, Case{0, 0, 0});
    CAPTURE(at.first, at.last);
    KernelCase test(einsum("i->", {400000}, "x"), {DType::f32}, DType::f32, DType::f32);
    std::vector<float> values(400000, 0.0f);
    values.front() = at.first;
    values.back() = at.last;
    set(test, values);
    CpuDevice cpu;
    SoloWorkerTeam solo;
    auto const found = static_cast<float>(test.elements(test.run(cpu, solo)).front().number.real());
    CHECK((found == at.expected || (std::isnan(found) && std::isnan(at.expected))));
}

TEST_CASE("what comes after all outputs have found an index changes nothing", "[executor][device]") {
    struct Case {
        std::string form;
        Shape extents;
    };
    int const columns = GENERATE(1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 100);
    std::int64_t const n = 40000 / columns + 5;
    Case const at = GENERATE_COPY(Case{"ji,i->i", {n, columns}}, Case{"ij,i->i", {columns, n}},
                                  Case{"kji,ki->ki", {2, n / 2, columns}}, Case{"jki,i->i", {n / 3, 3, columns}});
    DType const type =
        GENERATE(DType::u8, DType::i8, DType::i16, DType::f16, DType::bf16, DType::f32, DType::i64, DType::boolean);
    CAPTURE(at.form, columns, name(type));
    bool const half = type == DType::f16 || type == DType::bf16;
    std::string const first = "where(x == y || x != x, [j], 9223372036854775807)";
    KernelCase test(einsum(at.form, at.extents, first, Agg::min), {type, type}, DType::i64, half ? DType::f32 : type);
    std::mt19937 random(9);
    test.fill(random, true);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    CHECK(test.run(cpu, solo) == test.run(reference, solo));
    std::vector<std::byte>& wanted = test.operand(1);  // all but the last output find theirs; that one soon or never
    std::size_t const size = size_of(type), last = wanted.size() - size;
    for (std::size_t i = 0; i < last; i += size) std::memcpy(wanted.data() + i, test.operand(0).data(), size);
    CHECK(test.run(cpu, solo) == test.run(reference, solo));
}

TEST_CASE("the first index at which a condition holds is that of the reference", "[executor][device]") {
    struct Case {
        std::string form;
        Shape extents;
        Agg agg = Agg::min;
    };
    Case const at = GENERATE(Case{"ij,i->i", {40, 5000}}, Case{"ij,j->j", {300, 700}}, Case{"ijk,ik->ik", {5, 90, 7}},
                             Case{"ijk,ki->ki", {4, 300, 65}}, Case{"ij,i->i", {700, 3}}, Case{"ij,j->j", {20, 1}},
                             Case{"ij,i->i", {40, 1}}, Case{"ij,i->i", {900, 16}}, Case{"ij,i->i", {130, 37}},
                             Case{"ji,i->i", {900, 16}}, Case{"ji,i->i", {600, 5}});
    DType const type = GENERATE(DType::f32, DType::f64, DType::i32, DType::u8);
    std::string const rare = GENERATE("where(x == y || x != x, [j], 9223372036854775807)",
                                      "where(x > y, [j], 9223372036854775807)", "where(x > y, [j], 7)");
    CAPTURE(at.form, name(type), rare);
    KernelCase test(einsum(at.form, at.extents, rare, at.agg), {type, type}, DType::i64, type);
    std::mt19937 random(5);
    test.fill(random, true);
    test.begin()[1] = 11;  // the block begins there
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    CHECK(test.run(cpu, solo) == test.run(reference, solo));
}
