#include "lib/scalar/regions/ranges.hpp"

#include <cmath>

#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/scalar/regions/band.hpp"
#include "lib/scalar/regions/prefix.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

Expr i() { return Expr::index(0); }
Expr k() { return Expr::index(1); }
Expr whole(std::int64_t value) { return Expr::integer(value); }
Expr call(Op op, Expr a) { return Expr::call(op, {std::move(a)}); }
Expr call(Op op, Expr a, Expr b) { return Expr::call(op, {std::move(a), std::move(b)}); }
Expr choice(Expr c, Expr a, Expr b) { return Expr::call(Op::where, {std::move(c), std::move(a), std::move(b)}); }
Expr minus_infinity() { return Expr::number(-INFINITY); }

/// Conditions over (i, k), and what they are of numbers.
struct Condition {
    Expr expr;
    bool (*of)(Extent i, Extent k);
};
std::vector<Condition> conditions() {
    return {
        {call(Op::ge, i(), k()), [](Extent a, Extent b) { return a >= b; }},
        {call(Op::lt, i() + whole(3), k()), [](Extent a, Extent b) { return a + 3 < b; }},
        {call(Op::logical_and, call(Op::le, k(), i()), call(Op::gt, k(), i() - whole(4))),
         [](Extent a, Extent b) { return b <= a && b > a - 4; }},
        {call(Op::logical_or, call(Op::eq, k(), whole(2)), call(Op::ne, i(), k())),
         [](Extent a, Extent b) { return b == 2 || a != b; }},
        {call(Op::logical_not, call(Op::lt, call(Op::abs, i() - k()), whole(3))),
         [](Extent a, Extent b) { return !(std::abs(a - b) < 3); }},
        {call(Op::eq, call(Op::floor, i() / whole(4)), call(Op::floor, k() / whole(4))),
         [](Extent a, Extent b) { return a / 4 == b / 4; }},
        {call(Op::eq, call(Op::mod, k(), whole(5)), whole(0)), [](Extent, Extent b) { return b % 5 == 0; }},
        {call(Op::lt, whole(2) * i() + k(), whole(11)), [](Extent a, Extent b) { return 2 * a + b < 11; }},
        {call(Op::gt, call(Op::ge, i(), k()) * call(Op::lt, k(), whole(6)), whole(0)),
         [](Extent a, Extent b) { return a >= b && b < 6; }},
        {call(Op::le, call(Op::max, i(), k()), whole(7)), [](Extent a, Extent b) { return std::max(a, b) <= 7; }},
    };
}

}  // namespace

TEST_CASE("a range on a box holds what the expression is at each of its indices", "[scalar][regions]") {
    constexpr Extent most = 12;
    for (Condition const& condition : conditions()) {
        ExprRanges const ranges(choice(condition.expr, Expr::operand(0), minus_infinity()), {});
        CHECK(ranges.chooses_by_index());
        for (Extent i0 = 0; i0 < most; i0 += 3)
            for (Extent k0 = 0; k0 < most; ++k0)
                for (Extent length : {1, 2, 5}) {
                    std::vector<IndexRange> const box{{i0, i0 + 3}, {k0, k0 + length}};
                    bool some = false, all = true;
                    for (Extent a = i0; a < i0 + 3; ++a)
                        for (Extent b = k0; b < k0 + length; ++b) {
                            some = some || condition.of(a, b);
                            all = all && condition.of(a, b);
                        }
                    CAPTURE(i0, k0, length);
                    if (ranges.on(box).is(-INFINITY)) CHECK_FALSE(some);
                    Range const seven = Range::of(7);
                    if (ranges.on(box, std::span(&seven, 1)).is(7)) CHECK(all);
                }
        // Of single points nothing is left open.
        for (Extent a = 0; a < most; ++a)
            for (Extent b = 0; b < most; ++b) {
                std::vector<IndexRange> const point{{a, a + 1}, {b, b + 1}};
                CAPTURE(a, b);
                CHECK(ranges.on(point).is(-INFINITY) == !condition.of(a, b));
            }
    }
}

TEST_CASE("what is left of a label is found exactly where it is a run", "[scalar][regions]") {
    ExprRanges const ranges(choice(conditions()[2].expr, Expr::operand(0), minus_infinity()), {});
    auto const dead = [&](std::vector<IndexRange> const& box) { return ranges.on(box).is(-INFINITY); };
    CHECK(least_range({{10, 13}, {0, 40}}, 1, dead) == IndexRange{7, 13});
    CHECK(least_range({{0, 2}, {0, 40}}, 1, dead) == IndexRange{0, 2});
    CHECK(least_range({{10, 13}, {20, 40}}, 1, dead).empty());
    CHECK(least_range({{10, 13}, {8, 11}}, 1, dead) == IndexRange{8, 11});
}

TEST_CASE("what an operand may hold decides whether zero times it is zero", "[scalar][regions]") {
    std::vector<IndexRange> const box{{0, 4}, {8, 9}};
    Expr const masked = choice(call(Op::ge, i(), k()), Expr::operand(0), whole(0));
    auto const on = [&](Expr const& expr, Range second) {
        std::vector<Range> const operands{Range::any(), second};
        return ExprRanges(expr, {}).on(box, operands);
    };
    CHECK_FALSE(is_identity(Agg::sum, on(masked * Expr::operand(1), Range::any())));
    CHECK(is_identity(Agg::sum, on(masked * Expr::operand(1), Range::finite())));
    CHECK(is_identity(Agg::sum,
                      on(choice(call(Op::ge, i(), k()), Expr::operand(0) * Expr::operand(1), whole(0)), Range::any())));
    CHECK_FALSE(is_identity(Agg::sum, on(masked / Expr::operand(1), Range::finite())));
    CHECK(on(masked / Expr::operand(1), Range::positive()).is(0));
    Expr const scores = choice(call(Op::ge, i(), k()), Expr::operand(0), minus_infinity());
    CHECK(on(call(Op::exp, scores - Expr::operand(1)), Range::finite()).is(0));
    CHECK_FALSE(on(call(Op::exp, scores - Expr::operand(1)), Range::any()).is_point());
    CHECK_FALSE(on(masked + Expr::operand(1), Range::finite()).is_point());
}

namespace {

/// Values that a range holds, its ends among them.
std::vector<double> values_in(Range const& range) {
    std::vector<double> out{range.least, range.most};
    for (double value : {-0.0, 0.0, 1.0, -1.0, 0.3, -2.5e5, 3e-9, 1e30, -1e-30})
        if (value > range.least && value < range.most) out.push_back(value);
    if (range.nan) out.push_back(NAN);
    return out;
}

bool holds(Range const& range, double value) {
    if (std::isnan(value)) return range.nan;
    if (value == 0 && range.least == 0 && range.most == 0)
        return std::signbit(value) == std::signbit(range.least) || std::signbit(value) == std::signbit(range.most);
    return value >= range.least && value <= range.most;
}

}  // namespace

TEST_CASE("a range holds what operands in theirs give, with the sign of a zero", "[scalar][regions]") {
    Expr const x = Expr::operand(0), y = Expr::operand(1);
    std::vector<Expr> pairs;
    for (Op op : {Op::add, Op::sub, Op::mul, Op::div, Op::min, Op::max}) pairs.push_back(call(op, x, y));
    std::vector<Expr> exprs = pairs;
    for (Expr const& pair : pairs)
        for (Op op : {Op::neg, Op::abs, Op::relu, Op::exp, Op::floor}) exprs.push_back(call(op, pair));
    for (Expr const& pair : pairs) {
        exprs.push_back(call(Op::exp, x) * pair);
        exprs.push_back(pair - y);
        exprs.push_back(x * pair / (y * y + whole(1)));
        exprs.push_back(choice(call(Op::lt, x, y), pair, whole(0)));
    }
    std::vector<Range> const given{Range::any(),      Range::finite(),           Range::positive(),
                                   Range::of(0),      Range::of(-0.0),           Range::either_zero(),
                                   Range::of(1),      Range::of(INFINITY),       Range::of(-INFINITY),
                                   Range::moderate(), Range::moderate_positive()};
    for (Expr const& expr : exprs)
        for (Range const& a : given)
            for (Range const& b : given) {
                std::vector<Range> const operands{a, b};
                Range const found = ExprRanges(expr, {}).on({}, operands);
                CAPTURE(print(expr, {2, {}, {}}), a.least, a.most, b.least, b.most, found.least, found.most, found.nan);
                for (double const u : values_in(a))
                    for (double const v : values_in(b)) {
                        std::vector<Scalar> const values{Scalar::of(std::complex<double>(u)),
                                                         Scalar::of(std::complex<double>(v))};
                        double const value = evaluate(expr, DType::f64, DType::f64, values, {}, {}).number.real();
                        CAPTURE(u, v, value);
                        if (!holds(found, value)) FAIL_CHECK("not held");
                    }
            }
}

TEST_CASE("sums and elements of types are what their terms and numbers make them", "[scalar][regions]") {
    CHECK(aggregated(Agg::sum, Range::either_zero(), 5).is(0));  // which zero is open
    CHECK(aggregated(Agg::sum, Range::of(-0.0), 1).is(-0.0));
    CHECK(aggregated(Agg::sum, Range::of(-INFINITY), 5).is(-INFINITY));
    CHECK(aggregated(Agg::sum, Range::of(2), 5).most == 10);
    CHECK(std::isinf(aggregated(Agg::sum, Range{0, 0x1p119, false}, 4).most));
    CHECK(aggregated(Agg::max, Range::of(3), 5).is(3));
    CHECK_FALSE(aggregated(Agg::max, Range::of(3), 0).is_point());
    CHECK(aggregated(Agg::all, Range::of(7), 2).is(1));
    CHECK_FALSE(aggregated(Agg::logsumexp, Range::of(0), 2).is_point());
    for (DType type : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
        CHECK(stored(Range::of(-0.0), type).is(-0.0));
        CHECK(stored(Range::of(-INFINITY), type).is(-INFINITY));
        CHECK(stored(Range::of(200), type).is(200));
        CHECK(stored(Range::of(0x1p24 + 1), type).is_point() == (type == DType::f64));
        CHECK(std::isinf(stored(Range::moderate(), type).most) == (type == DType::f16));
    }
    CHECK_FALSE(stored(Range::of(1e5), DType::f16).is_point());
    CHECK_FALSE(stored(Range::of(257), DType::bf16).is_point());
    CHECK_FALSE(stored(Range::of(300), DType::u8).is_point());
    CHECK(stored(Range::of(5), DType::u8).is(5));
}

TEST_CASE("numbers that were rounded do not decide", "[scalar][regions]") {
    Expr const tenth = Expr::number(0.1);
    ExprRanges const ranges(choice(call(Op::lt, i() * tenth, whole(1)), Expr::operand(0), whole(0)), {});
    std::vector<IndexRange> box{{10, 11}, {0, 1}};
    CHECK_FALSE(ranges.on(box).is_point());
    box[0] = {12, 20};
    CHECK(ranges.on(box).is(0));
    ExprRanges const param(choice(call(Op::lt, i(), Expr::param("n")), Expr::operand(0), whole(0)), {{"n", 5.0}});
    box[0] = {5, 9};
    CHECK(param.on(box).is(0));
    CHECK_FALSE(ExprRanges(choice(call(Op::lt, i(), Expr::param("n")), Expr::operand(0), whole(0)), {}).on(box).is(0));
}

TEST_CASE("prefixes and suffixes are known in whatever way they are written", "[scalar][regions]") {
    auto const holds = [](Prefix const& prefix, Extent a, Extent b) {
        return prefix.is_suffix ? b >= a + prefix.offset : b <= a + prefix.offset;
    };
    for (Op op : {Op::lt, Op::le, Op::gt, Op::ge})
        for (bool where_true : {true, false})
            for (auto const& [left, right, shift] :
                 std::vector<std::tuple<Expr, Expr, Extent>>{{i(), k(), 0},
                                                             {i() - k(), whole(2), -2},
                                                             {whole(0), k() - i() + whole(3), 3 - 6},
                                                             {call(Op::neg, k()), call(Op::neg, i()), 0}}) {
                Expr const condition = call(op, left, right);
                std::optional<Prefix> const found = as_prefix(condition, 1, where_true);
                REQUIRE(found);
                CHECK(found->output == 0);
                (void)shift;
                for (std::int64_t a = 0; a < 8; ++a)
                    for (std::int64_t b = 0; b < 8; ++b) {
                        std::int64_t const at[] = {a, b};
                        Scalar const value = evaluate(condition, DType::f64, DType::f64, {}, at, {});
                        bool const is_true = value.is_integer ? value.integer != 0 : value.number.real() != 0;
                        CAPTURE(a, b, static_cast<int>(op), where_true);
                        CHECK(holds(*found, a, b) == (is_true == where_true));
                    }
            }
    CHECK_FALSE(as_prefix(call(Op::eq, i(), k()), 1, true));
    CHECK_FALSE(as_prefix(call(Op::lt, whole(2) * i(), k()), 1, true));
    CHECK_FALSE(as_prefix(call(Op::lt, k(), whole(3)), 1, true));
    CHECK_FALSE(as_prefix(call(Op::lt, Expr::operand(0), k()), 1, true));
}

TEST_CASE("bands are conditions on the difference of two indices", "[scalar][regions]") {
    for (Condition const& condition : conditions())
        for (bool const where_true : {true, false}) {
            std::optional<Band> const band = as_band(condition.expr, where_true);
            if (!band) continue;
            CHECK(*band == band->renamed(1, 0).renamed(1, 0));
            for (Extent a = 0; a < 12; ++a) {
                IndexRange const columns = band->columns_of(a, {0, 12});
                for (Extent b = 0; b < 12; ++b) {
                    bool const is_in = condition.of(a, b) == where_true;
                    CAPTURE(a, b, where_true);
                    CHECK(is_in == (b >= columns.begin && b < columns.end));
                    CHECK(is_in == !band->misses({a, a + 1}, {b, b + 1}));
                    Band const turned = band->renamed(1, 0);
                    CHECK(is_in == !turned.misses({b, b + 1}, {a, a + 1}));
                }
            }
        }
    CHECK(as_band(conditions()[0].expr, true) == Band{0, 1, -Band::far, 0});
    CHECK(as_band(conditions()[2].expr, true) == Band{0, 1, -3, 0});
    CHECK_FALSE(as_band(conditions()[2].expr, false));  // on both sides of a band
    for (std::size_t none : {3, 5, 6, 7, 9}) CHECK_FALSE(as_band(conditions()[none].expr, true));
    Band const band{0, 1, -3, 0};
    CHECK(band.misses({0, 4}, {4, 9}));
    CHECK_FALSE(band.misses({0, 5}, {4, 9}));
    CHECK(band.misses({10, 12}, {0, 7}));
    CHECK_FALSE(band.misses({10, 12}, {0, 8}));
}
