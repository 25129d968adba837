// Products over other operations than times and plus, beside the reference.
#include "executor/device/cpu/gemm/pair_product.hpp"

#include <cstring>
#include <limits>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/cpu/instruction_set.hpp"
#include "executor/device/kernel/gemm_plan.hpp"
#include "executor/device/kernel/nest.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using scalar::Agg;

namespace {

void run_with_scratch(PairProduct const& product, PairCall call) {
    std::vector<std::byte> memory(product.scratch_bytes(call) + 64);
    auto const at = reinterpret_cast<std::uintptr_t>(memory.data());
    call.scratch = memory.data() + (64 - at % 64) % 64;
    product.run(call);
}

std::string const joins[] = {"x+y", "y-x", "x*y", "abs(x-y)", "(x-y)^2", "min(x, y)", "max(y, x)"};

}  // namespace

TEST_CASE("products over other operations are right in every form", "[executor][device][pair]") {
    struct Case {
        std::string form;
        Shape extents;
    };
    Case const at = GENERATE(Case{"ij,jk->ik", {9, 300, 37}}, Case{"ji,kj->ki", {40, 17, 35}},
                             Case{"bij,bkj->bik", {3, 13, 8, 35}}, Case{"ij,j->i", {129, 65}},
                             Case{"abij,jkba->ikab", {2, 3, 9, 11, 13}}, Case{"ijk,kjl->il", {11, 8, 9, 14}},
                             Case{"aij,jk->ik", {3, 7, 19, 11}}, Case{"ij,jk->ikn", {17, 9, 13, 3}});
    std::mt19937 random(5);
    for (std::string const& join : joins)
        for (Agg const agg : {Agg::sum, Agg::min, Agg::max})
            for (DType const type : {DType::f32, DType::f64, DType::i64, DType::f16, DType::i32}) {
                DType const compute = compute_dtype(std::array{type, type}, type);
                bool const accumulate = random() % 2 == 0 && type != DType::f16;
                bool const blas = join == "x*y" && agg == Agg::sum;  // may sum infinities in another order
                bool const special = random() % 2 == 0 && kind(type) == Kind::real && !blas;
                KernelCase test(einsum(at.form, at.extents, join, agg), {type, type}, type, compute);
                test.shape().accumulate = accumulate;
                if (accumulate) test.scatter_layout(random);
                test.fill(random, special);
                CAPTURE(at.form, join, name(agg), name(type), accumulate, special);
                REQUIRE(compare(test, type == DType::f16 ? 2e-3 : 2e-5) == "");
            }
}

TEST_CASE("a nan or an infinity among many numbers is kept as the reference keeps it", "[executor][device][pair]") {
    std::mt19937 random(7);
    for (std::string const& join : joins)
        for (Agg const agg : {Agg::sum, Agg::min, Agg::max})
            for (auto const& [left, right] : {std::pair(std::nan(""), 1.0), std::pair(HUGE_VAL, HUGE_VAL),
                                              std::pair(-HUGE_VAL, HUGE_VAL), std::pair(HUGE_VAL, 0.0)}) {
                KernelCase test(einsum("ij,jk->ik", {7, 600, 70}, join, agg), {DType::f64, DType::f64}, DType::f64,
                                DType::f64);
                test.fill(random);
                std::memcpy(test.operand(0).data() + (5 * 600 + 420) * 8, &left, 8);
                std::memcpy(test.operand(1).data() + (420 * 70 + 50) * 8, &right, 8);
                CAPTURE(join, name(agg), left, right);
                REQUIRE(compare(test, 1e-12) == "");
            }
}

TEST_CASE("results of any width, in tiles of one, two and three vectors", "[executor][device][pair]") {
    CpuDevice cpu;
    std::mt19937 random(5);
    for (Extent const columns : {1, 5, 8, 16, 17, 24, 31, 33, 47, 49, 65, 95})
        for (std::string const join : {"(x-y)^2", "x+y", "abs(x-y)", "max(x, y)"})
            for (Agg const agg : {Agg::sum, Agg::min}) {
                DType const type = columns % 2 == 0 ? DType::f64 : DType::f32;
                KernelCase test(einsum("ik,jk->ij", {41, 270, columns}, join, agg), {type, type}, type, type);
                test.fill(random);
                CAPTURE(columns, join, name(agg));
                REQUIRE(compare(test, type == DType::f64 ? 1e-12 : 1e-5) == "");
            }
}

TEST_CASE("other products run in tiles, and give the same bits for any number of threads", "[executor][device][pair]") {
    std::string const join = GENERATE("x+y", "(x-y)^2");
    Agg const agg = GENERATE(Agg::sum, Agg::min);
    KernelCase test(einsum("ij,jk->ik", {700, 520, 900}, join, agg), {DType::f32, DType::f32}, DType::f32, DType::f32);
    Nest nest = make_nest(test.shape());
    simplify(nest);
    PairProduct const product = pair_product(pair_operation(test.kernel().einsum.join)->join, agg, DType::f32);
    CHECK(plan_tiles({nest, 0, 1, DType::f32, false, agg == Agg::sum}, product));
    test.fill_with_fractions(9);
    CpuDevice cpu;
    same_on_teams(test, cpu);
}

TEST_CASE("a long product pauses often, and ends when a pause throws", "[executor][device][pair]") {
    struct Watched final : WorkerTeam {
        int width() const override { return 1; }
        void run(std::int64_t pieces, std::function<void(std::int64_t)> const& piece) override {
            for (std::int64_t i = 0; i < pieces; ++i) piece(i);
        }
        void pause() override {
            if (++pauses == last) throw std::runtime_error("enough");
        }
        int pauses = 0, last = -1;
    };
    CpuDevice device;
    std::mt19937 random(23);
    KernelCase test(einsum("ij,jk->ik", {320, 700, 400}, "min(x, y)", Agg::sum), {DType::f32, DType::f32}, DType::f32,
                    DType::f32);
    test.fill(random);
    SoloWorkerTeam solo;
    Watched watched, impatient;
    CHECK(test.run(device, watched) == test.run(device, solo));
    CHECK(watched.pauses >= 320 * 700 * 400 / (1 << 21));
    impatient.last = 3;
    CHECK_THROWS_AS(test.run(device, impatient), std::runtime_error);
    CHECK(impatient.pauses == 3);
}

TEST_CASE("every instruction set gives the same bits", "[executor][device][pair]") {
#ifdef EIN_X86_LOOPS
    constexpr std::ptrdiff_t m = 101, n = 300, k = 517;
    std::mt19937 random(11);
    std::vector<double> a(m * k), b(k * n);
    for (auto* list : {&a, &b})
        for (double& value : *list) value = static_cast<double>(random()) * 0x1p-31 - 1;
    auto const run = [&](PairProduct const& product) {
        std::vector<double> c(m * n, 0.5);
        PairLabel const rows{m, {k, n}}, columns{n, {1, 1}}, terms{k, {1, n}};
        run_with_scratch(
            product,
            {{&rows, 1, 0, m}, {&columns, 1, 0, n}, {&terms, 1, 0, k}, a.data(), b.data(), c.data(), 1, true, nullptr});
        return c;
    };
    auto const is_fused = [](PairJoin join, PairAgg agg) {  // or left to BLAS
        return agg == PairAgg::sum && (join == PairJoin::multiply || join == PairJoin::square);
    };
    if (instruction_set() == InstructionSet::avx512)
        for (PairJoin const join : {PairJoin::multiply, PairJoin::square})
            CHECK(run(avx512::pair_loops(join, PairAgg::sum, PairType::f64)) ==
                  run(avx2::pair_loops(join, PairAgg::sum, PairType::f64)));
    for (PairJoin const join : {PairJoin::add, PairJoin::distance, PairJoin::square, PairJoin::most})
        for (PairAgg const agg : {PairAgg::sum, PairAgg::min, PairAgg::max}) {
            if (is_fused(join, agg)) continue;
            auto const expected = run(baseline::pair_loops(join, agg, PairType::f64));
            if (instruction_set() != InstructionSet::baseline)
                CHECK(run(avx2::pair_loops(join, agg, PairType::f64)) == expected);
            if (instruction_set() == InstructionSet::avx512)
                CHECK(run(avx512::pair_loops(join, agg, PairType::f64)) == expected);
        }
#endif
}

/// c[run, row, inside]: rows go on where runs of columns end, which are no whole lines. a has terms apart, and b lies
/// as it is packed where `runs` times `wide` are whole vectors.
template <class T>
std::vector<T> in_short_runs(PairProduct const& product, std::ptrdiff_t runs, std::ptrdiff_t wide, bool past_cache) {
    constexpr std::ptrdiff_t m = 43, k = 37;
    std::ptrdiff_t const n = runs * wide;
    std::mt19937 random(31);
    std::vector<T> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n)),
        c(static_cast<std::size_t>(m * n), std::numeric_limits<T>::quiet_NaN());
    for (auto* list : {&a, &b})
        for (T& value : *list) value = static_cast<T>(random()) * T(0x1p-31) - 1;
    PairLabel const rows{m, {1, wide}}, terms{k, {m, n}};
    std::array<PairLabel, 2> const columns{PairLabel{runs, {wide, m * wide}}, PairLabel{wide, {1, 1}}};
    PairCall call{
        {&rows, 1, 0, m}, {columns.data(), 2, 0, n}, {&terms, 1, 0, k}, a.data(), b.data(), c.data(), 1, false};
    call.past_cache = past_cache;
    run_with_scratch(product, call);
    for (std::ptrdiff_t row = 0; row < m; ++row)
        for (std::ptrdiff_t column = 0; column < n; ++column) {
            long double sum = 0;
            for (std::ptrdiff_t t = 0; t < k; ++t)
                sum += static_cast<long double>(a[static_cast<std::size_t>(t * m + row)]) *
                       static_cast<long double>(b[static_cast<std::size_t>(t * n + column)]);
            T const found = c[static_cast<std::size_t>((column / wide * m + row) * wide + column % wide)];
            if (!(std::fabs(static_cast<long double>(found) - sum) < 2e-5L)) FAIL_CHECK(row << ", " << column);
        }
    return c;
}

TEST_CASE("results in runs that are no whole lines are right on every instruction set", "[executor][device][pair]") {
#ifdef EIN_X86_LOOPS
    for (auto const& [runs, wide] :
         {std::pair<std::ptrdiff_t, std::ptrdiff_t>{9, 20}, {30, 18}, {1, 28}, {2, 24}, {7, 5}, {3, 64}, {40, 33}})
        for (bool const past_cache : {false, true}) {
            CAPTURE(runs, wide, past_cache);
            auto const check = [&, r = runs, w = wide]<class T>(T, PairType type) {
                if (instruction_set() == InstructionSet::baseline) return;
                auto const of_avx2 =
                    in_short_runs<T>(avx2::pair_loops(PairJoin::multiply, PairAgg::sum, type), r, w, past_cache);
                if (instruction_set() != InstructionSet::avx512) return;
                CHECK(of_avx2 ==
                      in_short_runs<T>(avx512::pair_loops(PairJoin::multiply, PairAgg::sum, type), r, w, past_cache));
            };
            check(0.0F, PairType::f32);
            check(0.0, PairType::f64);
        }
#endif
}

/// Few rows stream the right operand, many pack it. Columns come in pieces that lie apart; rows, terms and columns are
/// no multiples of anything.
template <class T>
void check_few_rows(PairProduct const& product, bool along_terms) {
    constexpr std::ptrdiff_t m = 61, k = 1003, pieces = 3, wide = 149, n = pieces * wide, apart = wide + 7;
    std::mt19937 random(29);
    std::vector<T> a(m * k), b(k * pieces * apart, std::numeric_limits<T>::quiet_NaN());
    for (T& value : a) value = static_cast<T>(random()) * T(0x1p-31) - 1;
    for (std::ptrdiff_t run = 0; run < k * pieces; ++run)
        for (std::ptrdiff_t i = 0; i < wide; ++i)
            b[static_cast<std::size_t>(run * apart + i)] = static_cast<T>(random()) * T(0x1p-31) - 1;
    PairLabel const rows{m, {along_terms ? k : 1, n}};
    std::array<PairLabel, 2> const columns{PairLabel{pieces, {apart, wide}}, PairLabel{wide, {1, 1}}};
    PairLabel const terms{k, {along_terms ? 1 : m, pieces * apart}};
    auto const run = [&](std::ptrdiff_t first, std::ptrdiff_t count, std::vector<T>& c) {
        run_with_scratch(product, {{&rows, 1, first, count},
                                   {columns.data(), 2, 0, n},
                                   {&terms, 1, 0, k},
                                   a.data(),
                                   b.data(),
                                   c.data(),
                                   0.75,
                                   true,
                                   nullptr});
    };
    std::vector<T> whole(m * n, T(0.5));
    run(0, m, whole);
    for (std::ptrdiff_t const count : {1, 2, 3, 5, 8, 13, 16, 23, 24, 25}) {
        std::vector<T> few(m * n, T(0.5));
        for (std::ptrdiff_t row = 0; row < m; row += count) run(row, std::min(count, m - row), few);
        CAPTURE(count, along_terms);
        CHECK(few == whole);
    }
}

TEST_CASE("rows of a product get the same bits alone and among others", "[executor][device][pair]") {
    bool const along_terms = GENERATE(true, false);
    if (pair_product(PairJoin::multiply, Agg::sum, DType::f32).run == nullptr) return;  // left to BLAS
    check_few_rows<float>(pair_product(PairJoin::multiply, Agg::sum, DType::f32), along_terms);
    check_few_rows<double>(pair_product(PairJoin::multiply, Agg::sum, DType::f64), along_terms);
#ifdef EIN_X86_LOOPS
    if (instruction_set() == InstructionSet::avx512)
        check_few_rows<float>(avx2::pair_loops(PairJoin::multiply, PairAgg::sum, PairType::f32), along_terms);
#endif
}

TEST_CASE("working memory for a part of a product is enough for its smaller parts", "[executor][device][pair]") {
    constexpr std::ptrdiff_t m = 1984, k = 4352, n = 16;  // of 1920 rows and 4288 terms, more are packed at once
    std::vector<float> const a(m * k, 1), b(k * n, 1);
    std::vector<float> c(m * n);
    PairLabel const rows{m, {1, n}}, columns{n, {1, 1}}, terms{k, {m, n}};
    for (PairProduct const product :
         {pair_product(PairJoin::multiply, Agg::sum, DType::f32), pair_product(PairJoin::add, Agg::min, DType::f32)}) {
        if (product.run == nullptr) continue;
        PairCall call{{&rows, 1, 0, m}, {&columns, 1, 0, n}, {&terms, 1, 0, k}, a.data(), b.data(), c.data(), 1, false,
                      nullptr};
        std::size_t const bytes = product.scratch_bytes(call);
        std::vector<std::byte> memory(bytes + 64 + (4 << 20), std::byte{7});
        auto const at = reinterpret_cast<std::uintptr_t>(memory.data());
        call.scratch = memory.data() + (64 - at % 64) % 64;
        call.rows.count = 1920;
        call.terms.count = 4288;
        product.run(call);
        CHECK(std::all_of(call.scratch + bytes, memory.data() + memory.size(),
                          [](std::byte each) { return each == std::byte{7}; }));
    }
}

TEST_CASE("joins that pair two operands are recognised", "[executor][device][pair]") {
    auto const of = [](std::string const& text) { return pair_operation(scalar::parse(text, {3, {"i"}, {}}).expr); };
    CHECK(of("x+y")->join == PairJoin::add);
    CHECK(of("z-x")->left == 2);
    CHECK(of("abs(x-y)")->join == PairJoin::distance);
    CHECK(of("(x-y)*(x-y)")->join == PairJoin::square);
    CHECK(of("(x-y)^2")->join == PairJoin::square);
    for (std::string const other : {"x", "x*x", "x+x", "x+y+z", "abs(x+y)", "(x-y)^3", "x+1", "[i]+x", "x/y"}) {
        CAPTURE(other);
        CHECK_FALSE(of(other));
    }
}
