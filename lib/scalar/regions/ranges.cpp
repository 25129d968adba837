#include "lib/scalar/regions/ranges.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "lib/scalar/expression/node_map.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::scalar {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Range truth(bool may_be_true, bool may_be_false) { return {may_be_false ? 0.0 : 1.0, may_be_true ? 1.0 : 0.0, false}; }
bool is_true(Range const& x) { return x.least > 0 || x.most < 0; }  // nan counts as true
bool is_false(Range const& x) { return x.is_point() && x.least == 0; }

Range negated(Range const& x) { return {-x.most, -x.least, x.nan}; }

Range sum(Range const& a, Range const& b) {
    bool const opposite = (a.most == infinity && b.least == -infinity) || (a.least == -infinity && b.most == infinity);
    Range out{a.least + b.least, a.most + b.most, a.nan || b.nan || opposite};
    if (std::isnan(out.least)) out.least = -infinity;
    if (std::isnan(out.most)) out.most = infinity;
    return out;
}

/// From the least to the most of four; a zero that has either sign is from -0 to 0.
Range of_corners(std::array<double, 4> const& corners, bool nan) {
    auto const [least, most] = std::minmax_element(corners.begin(), corners.end());
    if (*least != 0 || *most != 0) return {*least, *most, nan};
    auto const negative = std::count_if(corners.begin(), corners.end(), [](double c) { return std::signbit(c); });
    return {negative > 0 ? -0.0 : 0.0, negative < 4 ? 0.0 : -0.0, nan};
}

/// Not a point where a bound is infinite, but infinity times a number of one sign.
Range product(Range const& a, Range const& b) {
    bool const zero_a = a.least <= 0 && a.most >= 0, zero_b = b.least <= 0 && b.most >= 0;
    bool const infinite_a = std::isinf(a.least) || std::isinf(a.most);
    bool const infinite_b = std::isinf(b.least) || std::isinf(b.most);
    if ((zero_a && infinite_b) || (zero_b && infinite_a)) return Range::any();
    return of_corners({a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most}, a.nan || b.nan);
}

Range quotient(Range const& a, Range const& b) {
    if ((b.least <= 0 && b.most >= 0) || std::isinf(b.least) || std::isinf(b.most)) return Range::any();
    return of_corners({a.least / b.least, a.least / b.most, a.most / b.least, a.most / b.most}, a.nan || b.nan);
}

/// Of positive whole divisors alone, as indices have.
Range remainder(Range const& a, Range const& b) {
    if (a.nan || !b.is_point() || b.least <= 0 || std::isinf(a.least) || std::isinf(a.most)) return Range::any();
    double const turns = std::floor(a.least / b.least);
    if (turns == std::floor(a.most / b.least)) return {a.least - turns * b.least, a.most - turns * b.least, false};
    return {0, b.least, false};
}

/// A number that f32 may not hold may have become infinite, or zero, where it was computed.
Range widened(Range x) {
    constexpr double held = 0x1p120, kept = 0x1p-120;
    if (x.least < -held) x.least = -infinity;
    if (x.most > held) x.most = infinity;
    if (x.least > 0 && x.least < kept) x.least = 0;
    if (x.most < 0 && x.most > -kept) x.most = -0.0;
    return x;
}

template <class Function>
Range rising(Range const& x, Function const& f) {
    return {f(x.least), f(x.most), x.nan};
}

Range magnitude(Range const& x) {
    if (x.least > 0 || (x.least == 0 && x.most > 0)) return {std::fabs(x.least), x.most, x.nan};
    if (x.most <= 0) return {std::fabs(x.most), std::fabs(x.least), x.nan};
    return {0, std::max(-x.least, x.most), x.nan};
}

/// Numbers that are not whole may have been rounded otherwise where they were computed.
double slack(Range const& a, Range const& b) {
    double most = 0;
    for (double bound : {a.least, a.most, b.least, b.most})
        if (a.rounded || b.rounded || bound != std::floor(bound) || std::fabs(bound) > 0x1p52)
            most = std::max(most, std::fabs(bound));
    return std::isinf(most) ? 0 : 1e-6 * most;
}

Range less(Range const& a, Range const& b, bool or_equal) {
    double const by = slack(a, b);
    if (by > 0) {
        if (a.most + by < b.least) return truth(true, a.nan || b.nan);
        if (a.least > b.most + by) return truth(false, true);
        return truth(true, true);
    }
    bool const always = or_equal ? a.most <= b.least : a.most < b.least;
    bool const never = or_equal ? a.least > b.most : a.least >= b.most;
    if (never) return truth(false, true);
    return truth(true, !always || a.nan || b.nan);
}

Range equal(Range const& a, Range const& b) {
    double const by = slack(a, b);
    if (a.most + by < b.least || b.most + by < a.least) return truth(false, true);
    return truth(true, !(a.is_point() && b.is_point() && a.least == b.least && by == 0));
}

Range opposite(Range const& x) {
    if (is_true(x)) return truth(false, true);
    return is_false(x) ? truth(true, false) : truth(true, true);
}

Range both(Range const& a, Range const& b) {
    if (is_false(a) || is_false(b)) return truth(false, true);
    return truth(true, !(is_true(a) && is_true(b)));
}

Range either(Range const& a, Range const& b) {
    if (is_true(a) || is_true(b)) return truth(true, false);
    return truth(!(is_false(a) && is_false(b)), true);
}

Range hull(Range const& a, Range const& b) {
    if (a.is_point() && b.is_point() && a.least == 0 && b.least == 0 && !a.is(b.least)) return Range::either_zero();
    return {std::min(a.least, b.least), std::max(a.most, b.most), a.nan || b.nan};
}

Range chosen(Range const& c, Range const& a, Range const& b) {
    if (is_true(c)) return a;
    return is_false(c) ? b : hull(a, b);
}

/// The greater or smaller of two, either of which may be a zero, is a zero of either sign.
Range of_zeros(Range const& a, Range const& b, Range const& result) {
    bool const both_zero = (a.least == 0 || a.most == 0) && (b.least == 0 || b.most == 0);
    return both_zero && result.least == 0 && result.most == 0 ? Range::either_zero() : result;
}

Range exponential(Range const& x) { return {0, x.most == -infinity ? 0 : infinity, x.nan}; }

/// Whole numbers that every type holds stay as they are.
Range converted(Range const& x, DType to) {
    bool const small = x.is_point() && x.least == std::floor(x.least) && std::fabs(x.least) <= 127;
    bool const fits = small && (x.least >= 0 || to != DType::u8);
    if (to == DType::boolean) return is_true(x) ? truth(true, false) : is_false(x) ? x : truth(true, true);
    return fits || (kind(to) == Kind::real && std::isinf(x.least) && x.is_point()) ? x : Range::any();
}

Range computed(Op op, Range const& a, Range const& b, Range const& c) {
    if (op == Op::where) return chosen(a, b, c);
    if (op == Op::ge) return less(b, a, true);
    if (op == Op::gt) return less(b, a, false);
    if (op == Op::le) return less(a, b, true);
    if (op == Op::lt) return less(a, b, false);
    if (op == Op::eq) return equal(a, b);
    if (op == Op::ne) return opposite(equal(a, b));
    if (op == Op::logical_and) return both(a, b);
    if (op == Op::logical_or) return either(a, b);
    if (op == Op::logical_not) return opposite(a);
    if (op == Op::neg) return negated(a);
    if (op == Op::add) return widened(sum(a, b));
    if (op == Op::sub) return widened(sum(a, negated(b)));
    if (op == Op::mul) return widened(product(a, b));
    if (op == Op::div) return widened(quotient(a, b));
    if (op == Op::mod) return remainder(a, b);
    if (op == Op::abs) return magnitude(a);
    if (op == Op::floor) return rising(a, [](double x) { return std::floor(x); });
    if (op == Op::ceil) return rising(a, [](double x) { return std::ceil(x); });
    if (op == Op::round) return rising(a, [](double x) { return std::nearbyint(x); });
    if (op == Op::relu && a.most == 0) return {-0.0, 0.0, a.nan};
    if (op == Op::relu) return rising(a, [](double x) { return x > 0 ? x : 0; });
    if (op == Op::min) return of_zeros(a, b, {std::min(a.least, b.least), std::min(a.most, b.most), a.nan || b.nan});
    if (op == Op::max) return of_zeros(a, b, {std::max(a.least, b.least), std::max(a.most, b.most), a.nan || b.nan});
    if (op == Op::exp || op == Op::exp2) return exponential(a);
    return Range::any();
}

/// A zero or infinity, which no rounding makes another number.
bool is_special(Range const& x) { return x.is_point() && (x.least == 0 || std::isinf(x.least)); }

Range rounded(Range x) {
    for (double bound : {x.least, x.most}) x.rounded = x.rounded || (!std::isinf(bound) && std::fabs(bound) > 0x1p24);
    return x;
}

/// Whether a result may be another number in its last digit where it was computed.
bool is_rounded(Op op, Range const& a, Range const& b, Range const& c, Range const& result) {
    if (op == Op::where && is_true(a)) return b.rounded;
    if (op == Op::where && is_false(a)) return c.rounded;
    bool const sum = op == Op::add || op == Op::sub, zero = result.least == 0 && result.most == 0;
    bool const special = zero || (result.least == result.most && std::isinf(result.least));
    if (special && (is_special(a) || is_special(b)) && !(sum && zero)) return false;
    return a.rounded || b.rounded || c.rounded;
}

/// floor and its like of numbers that were rounded otherwise may be another whole number.
bool is_exact(Range const& x) { return slack(x, x) == 0; }

}  // namespace

bool Range::is(double value) const {
    return is_point() && least == value && std::signbit(least) == std::signbit(value) &&
           std::signbit(most) == std::signbit(value);
}

bool is_identity(Agg agg, Range const& term) {
    if (!term.is_point()) return false;
    switch (agg) {
        case Agg::sum:
        case Agg::any: return term.least == 0;
        case Agg::prod: return term.least == 1;
        case Agg::min: return term.least == INFINITY;
        case Agg::max:
        case Agg::logsumexp: return term.least == -INFINITY;
        case Agg::all: return term.least != 0;
    }
    return false;
}

Range aggregated(Agg agg, Range const& term, Extent terms) {
    if (terms < 1) return Range::any();
    bool const is_point = term.is_point();
    auto const times = static_cast<double>(terms);
    switch (agg) {
        case Agg::sum:
            if (terms == 1 || (is_point && std::isinf(term.least))) return term;
            if (is_point && term.least == 0) return Range::of(0);
            return rounded(
                widened({std::min(term.least, term.least * times), std::max(term.most, term.most * times), term.nan}));
        case Agg::min:
        case Agg::max: return term;
        case Agg::prod: return terms == 1 || is_identity(agg, term) ? term : Range::any();
        case Agg::logsumexp: return is_identity(agg, term) ? term : Range::any();
        case Agg::any: return is_identity(agg, term) ? Range::of(0) : Range::any();
        case Agg::all: return is_identity(agg, term) ? Range::of(1) : Range::any();
    }
    return Range::any();
}

Range stored(Range const& x, DType type) {
    if (type == DType::f64) return x;
    bool const is_wide = type == DType::f32 || type == DType::bf16;
    if (!x.is_point()) return is_wide ? x : Range::any();
    if (kind(type) != Kind::real) return x.least >= 0 && x.least <= 127 ? converted(x, type) : Range::any();
    double const most = type == DType::f16 ? 0x1p11 : type == DType::bf16 ? 0x1p8 : 0x1p24;
    bool const is_held = x.least == std::floor(x.least) && std::fabs(x.least) <= most;
    return is_held || std::isinf(x.least) ? x : Range::any();
}

ExprRanges::ExprRanges(Expr const& expr, Params const& params) {
    std::vector<Expr const*> const parts = arguments_first(expr);
    NodeMap<std::size_t> place(parts.size());
    for (Expr const* const part : parts) {
        Node const& node = part->node();
        Step step;
        step.op = node.op;
        step.slot = node.slot;
        if (node.op == Op::cast) step.slot = static_cast<int>(node.cast_to);
        step.of_operands = node.op == Op::operand;
        for (std::size_t k = 0; k < node.args.size(); ++k) {
            step.args[k] = place.at(&node.args[k].node());
            step.of_operands = step.of_operands || steps_[step.args[k]].of_operands;
        }
        if (node.op == Op::number && node.value.imag() == 0 && !std::isnan(node.value.real()))
            step.value = Range::of(node.integral ? static_cast<double>(node.integer) : node.value.real());
        if (node.op == Op::param)
            if (auto const found = params.find(node.name); found != params.end() && !std::isnan(found->second))
                step.value = Range::of(found->second);
        chooses_ = chooses_ || (node.op == Op::where && !labels_of(node.args[0]).empty());
        place.set(&node, steps_.size());
        steps_.push_back(step);
    }
}

namespace {

/// A value for each step.
class Values {
public:
    explicit Values(std::size_t steps) : long_list_(steps > few ? steps : 0) {}
    Range* data() { return long_list_.empty() ? short_list_.data() : long_list_.data(); }

private:
    static constexpr std::size_t few = 32;
    std::array<Range, few> short_list_;
    std::vector<Range> long_list_;
};

}  // namespace

Range ExprRanges::on(std::span<IndexRange const> box, std::span<Range const> operands) const {
    Values values(steps_.size());
    find(box, operands, values.data());
    return values.data()[steps_.size() - 1];
}

bool ExprRanges::is_operand(int slot, std::span<IndexRange const> box, std::span<Range const> operands) const {
    Values values(steps_.size());
    find(box, operands, values.data());
    return is_operand(slot, steps_.size() - 1, {values.data(), steps_.size()});
}

bool ExprRanges::is_operand(int slot, std::size_t at, std::span<Range const> values) const {
    Step const& step = steps_[at];
    if (step.op == Op::operand) return step.slot == slot;
    if (step.op != Op::where) return false;
    Range const& condition = values[step.args[0]];
    return (is_false(condition) || is_operand(slot, step.args[1], values)) &&
           (is_true(condition) || is_operand(slot, step.args[2], values));
}

void ExprRanges::find(std::span<IndexRange const> box, std::span<Range const> operands, Range* values) const {
    for (std::size_t k = 0; k < steps_.size(); ++k) {
        Step const& step = steps_[k];
        auto const slot = static_cast<std::size_t>(step.slot);
        Range const &a = values[step.args[0]], &b = values[step.args[1]], &c = values[step.args[2]];
        if (step.op == Op::operand)
            values[k] = slot < operands.size() ? operands[slot] : Range::any();
        else if (step.op == Op::index)
            values[k] = {static_cast<double>(box[slot].begin), static_cast<double>(box[slot].end - 1), false};
        else if (step.op == Op::number || step.op == Op::param)
            values[k] = widened(step.value);
        else if (step.op == Op::cast)
            values[k] = converted(a, static_cast<DType>(step.slot));
        else if ((step.op == Op::floor || step.op == Op::ceil || step.op == Op::round || step.op == Op::mod) &&
                 !is_exact(a) &&
                 !(step.op == Op::floor && std::floor(a.least - 1e-6 * std::fabs(a.least)) == std::floor(a.least) &&
                   std::floor(a.most + 1e-6 * std::fabs(a.most)) == std::floor(a.most)))
            values[k] = Range::any();
        else
            values[k] = computed(step.op, a, b, c);
        if (step.op == Op::number || step.op == Op::param)
            values[k].rounded = !std::isinf(step.value.least) && step.value.least != std::floor(step.value.least);
        else if (step.op != Op::operand && step.op != Op::index && !is_truth(step.op))
            values[k].rounded = is_rounded(step.op, a, b, c, values[k]);
        if (step.of_operands) values[k] = rounded(values[k]);
    }
}

}  // namespace ein::scalar
