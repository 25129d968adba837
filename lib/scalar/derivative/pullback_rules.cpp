#include "lib/scalar/derivative/pullback_rules.hpp"

#include <cmath>

#include "lib/base/error.hpp"
#include "lib/scalar/derivative/pullback.hpp"
#include "lib/scalar/expression/ops.hpp"

namespace ein::scalar {
namespace {

Expr call(Op op, Expr a) { return Expr::call(op, {std::move(a)}); }
Expr call(Op op, Expr a, Expr b) { return Expr::call(op, {std::move(a), std::move(b)}); }
Expr where(Expr condition, Expr a, Expr b) {
    return Expr::call(Op::where, {std::move(condition), std::move(a), std::move(b)});
}

bool is_real_number(Expr const& e) { return e.op() == Op::number && e.node().value.imag() == 0; }
double number(Expr const& e) { return e.node().value.real(); }

/// f(s) for a linear f, applied inside where(c, s, 0).
template <class Linear>
Expr inside(Expr const& s, Linear const& f) {
    if (s.op() != Op::where) return f(s);
    auto const& args = s.args();
    if (is_number(args[2], 0)) return where(args[0], inside(args[1], f), args[2]);
    if (is_number(args[1], 0)) return where(args[0], args[1], inside(args[2], f));
    return f(s);
}

/// Whole numbers as such: they print without a point.
Expr a_number(double value) {
    constexpr double largest = 1e15;  // exact, in both
    bool const whole = value == std::trunc(value) && std::fabs(value) < largest;
    return whole ? Expr::integer(static_cast<std::int64_t>(value)) : Expr::number(value);
}

Expr conjugate(Expr const& e) { return e.op() == Op::conj ? e.args()[0] : call(Op::conj, e); }

Expr negated(Expr const& s) {
    return inside(s, [](Expr const& e) {
        if (is_real_number(e)) return a_number(-number(e));
        if (e.op() == Op::mul && is_real_number(e.args()[0])) return a_number(-number(e.args()[0])) * e.args()[1];
        return e.op() == Op::neg ? e.args()[0] : call(Op::neg, e);
    });
}

Expr over(Expr const& s, Expr const& divisor) {
    return inside(s, [&](Expr const& e) {
        bool const numbers = is_real_number(e) && is_real_number(divisor);
        return numbers ? a_number(number(e) / number(divisor)) : e / divisor;
    });
}

Expr linear(Op op, Expr const& s) {
    return inside(s, [op](Expr const& e) { return call(op, e); });
}

class Rule {
public:
    Rule(Expr const& y, Expr const& s, TypedExpr const& types) : y_(y), s_(s), types_(types) {}

    Expr argument(std::size_t k) const {
        auto const& args = y_.args();
        switch (info(y_.op()).pull) {
            case PullRule::none: break;
            case PullRule::slope: return function();
            case PullRule::pass: return s_;
            case PullRule::negation: return negated(s_);
            case PullRule::conjugate: return is_complex(y_) ? inside(s_, conjugate) : s_;
            case PullRule::imaginary:
                return inside(s_, [](Expr const& e) { return call(Op::complex, Expr::integer(0), e); });
            case PullRule::difference: return k == 0 ? s_ : negated(s_);
            case PullRule::product: return times(s_, conjugated(args[1 - k]));
            case PullRule::quotient: return quotient(k);
            case PullRule::power: return k == 0 ? base() : exponent();
            case PullRule::remainder: return k == 0 ? s_ : negated(times(s_, call(Op::floor, args[0] / args[1])));
            case PullRule::angle: return angle(k);
            case PullRule::least: return chosen(Op::gt, k);
            case PullRule::greatest: return chosen(Op::lt, k);
            case PullRule::make_complex: return linear(k == 0 ? Op::real : Op::imag, s_);
            case PullRule::choice:
                return k == 1 ? where(args[0], s_, Expr::integer(0)) : where(args[0], Expr::integer(0), s_);
            case PullRule::rectified: return where(call(Op::gt, args[0], Expr::integer(0)), s_, Expr::integer(0));
            case PullRule::modulus: return is_complex(args[0]) ? direction() : times(s_, call(Op::sign, args[0]));
        }
        throw InternalError(quoted(y_.op()) + " has no derivative");
    }

private:
    bool is_complex(Expr const& part) const { return ein::is_complex(types_.of(part).value.type); }
    Expr conjugated(Expr const& part) const { return is_complex(part) ? conjugate(part) : part; }
    /// Of something made of y's arguments, which has y's type.
    Expr conjugated_like_y(Expr const& made) const { return is_complex(y_) ? conjugate(made) : made; }

    Expr function() const {
        auto const slope = info(y_.op()).slope;
        if (slope == nullptr) throw InternalError("the table of operations has no slope of " + quoted(y_.op()));
        Slope const s = slope(y_.args()[0], y_);
        Expr const scaled = s.factor.empty() ? s_ : times(s_, conjugated_like_y(s.factor));
        return s.divisor.empty() ? scaled : over(scaled, conjugated_like_y(s.divisor));
    }

    /// Of |u|, complex: s*u/|u|, and 0 at 0.
    Expr direction() const {
        Expr const along = over(times(s_, y_.args()[0]), y_);
        return where(call(Op::eq, y_, Expr::integer(0)), Expr::integer(0), along);
    }

    Expr quotient(std::size_t k) const {
        Expr const divisor = conjugated(y_.args()[1]);
        return k == 0 ? over(s_, divisor) : negated(over(times(s_, conjugated(y_)), divisor));
    }

    /// b a^(b-1); 0 for b = 0, whatever a is.
    Expr base() const {
        Expr const &a = y_.args()[0], &b = y_.args()[1];
        if (is_number(b, 0)) return {};
        if (is_number(b, 1)) return s_;
        if (is_number(b, 2)) return times(s_, Expr::integer(2) * conjugated(a));
        if (is_real_number(b)) return times(s_, b * conjugated_like_y(call(Op::pow, a, a_number(number(b) - 1))));
        Expr const slope = conjugated_like_y(b * call(Op::pow, a, b - Expr::integer(1)));
        return where(call(Op::eq, b, Expr::integer(0)), Expr::integer(0), times(s_, slope));
    }

    /// a^b log(a); 0 for a = 0.
    Expr exponent() const {
        Expr const& a = y_.args()[0];
        Expr const grown = times(s_, conjugated_like_y(y_ * call(Op::log, a)));
        if (is_real_number(a) && number(a) > 0) return grown;
        return where(call(Op::eq, a, Expr::integer(0)), Expr::integer(0), grown);
    }

    Expr angle(std::size_t k) const {
        Expr const &a = y_.args()[0], &b = y_.args()[1];
        Expr const along = over(times(s_, k == 0 ? b : a), a * a + b * b);
        return k == 0 ? along : negated(along);
    }

    /// Of min and max: all of s, half of it where both are equal, nothing where `loses` holds between this argument and
    /// the other.
    Expr chosen(Op loses, std::size_t k) const {
        Expr const &mine = y_.args()[k], &other = y_.args()[1 - k];
        Expr const share = where(call(Op::eq, mine, other), Expr::number(0.5), Expr::integer(1));
        return where(call(loses, mine, other), Expr::integer(0), times(s_, share));
    }

    Expr const& y_;
    Expr const& s_;
    TypedExpr const& types_;
};

}  // namespace

bool passes(Expr const& y, std::size_t k, TypedExpr const& types) {
    DType const argument = types.of(y.args()[k]).value.type;
    if (!is_differentiable(types.of(y).value.type) || !is_differentiable(argument)) return false;
    switch (info(y.op()).pull) {
        case PullRule::none: return false;
        case PullRule::imaginary: return is_complex(argument);
        case PullRule::choice: return k > 0;
        case PullRule::power: return k > 0 || !is_number(y.args()[1], 0);
        case PullRule::slope:
        case PullRule::pass:
        case PullRule::negation:
        case PullRule::conjugate:
        case PullRule::difference:
        case PullRule::product:
        case PullRule::quotient:
        case PullRule::remainder:
        case PullRule::angle:
        case PullRule::least:
        case PullRule::greatest:
        case PullRule::make_complex:
        case PullRule::rectified:
        case PullRule::modulus: return true;
    }
    return false;
}

Expr pulled_back(Expr const& y, std::size_t k, Expr const& s, TypedExpr const& types) {
    Expr const made = Rule(y, s, types).argument(k);
    bool const narrows = is_complex(types.of(y).value.type) && !is_complex(types.of(y.args()[k]).value.type);
    return narrows && y.op() != Op::complex ? linear(Op::real, made) : made;
}

Expr added(Expr const& a, Expr const& b) {
    constexpr int cheap_to_compare = 8;
    if (a.empty()) return b;
    if (b.empty()) return a;
    if (is_real_number(a) && is_real_number(b)) return a_number(number(a) + number(b));
    if (a.node().depth <= cheap_to_compare && a == b) return times(Expr::integer(2), a);
    return b.op() == Op::neg ? a - b.args()[0] : a + b;
}

Expr times(Expr const& s, Expr const& f) {
    return inside(s, [&](Expr const& e) {
        if (is_number(f, 1)) return e;
        if (is_number(e, 1)) return f;
        if (!is_real_number(e)) return e * f;
        if (is_number(e, -1)) return negated(f);
        if (is_real_number(f)) return a_number(number(e) * number(f));
        bool const scaled = f.op() == Op::mul && is_real_number(f.args()[0]);
        return scaled ? times(a_number(number(e) * number(f.args()[0])), f.args()[1]) : e * f;
    });
}

}  // namespace ein::scalar
