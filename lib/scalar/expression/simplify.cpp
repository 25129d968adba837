#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "lib/scalar/evaluate/evaluator.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/type.hpp"
#include "lib/scalar/expression/typing.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::scalar {
namespace {

constexpr std::array every_compute_type{DType::f32, DType::f64, DType::c64, DType::c128, DType::i8,
                                        DType::i16, DType::i32, DType::i64, DType::u8,   DType::boolean};

/// An expression's type under each compute type at hand (nothing: refused). A rewrite is made only between equal
/// profiles.
using Profile = std::vector<std::optional<ValueType>>;

struct Simplified {
    Expr expr;
    Profile profile;
};


bool any_complex(Profile const& profile) {
    for (auto const& type : profile) {
        if (type && is_complex(type->type)) return true;
    }
    return false;
}

class Simplifier {
public:
    explicit Simplifier(std::span<DType const> computes) : computes_(computes) {}

    Expr operator()(Expr const& expr) {
        for (Expr const* const part : arguments_first(expr)) done_.emplace(&part->node(), simplified(*part));
        return done_.at(&expr.node()).expr;
    }

private:
    Simplified simplified(Expr const& expr) const {
        std::vector<Simplified> args;
        bool same = true;
        for (Expr const& arg : expr.args()) {
            args.push_back(done_.at(&arg.node()));
            same = same && &args.back().expr.node() == &arg.node();
        }
        Simplified whole{same ? expr : rebuilt(expr.node(), args), {}};
        whole.profile = profile(whole.expr.node(), args);
        if (args.empty()) return whole;
        Simplified better = folded(whole, args);
        if (better.expr.empty()) better = shorter(whole, args);
        return better.expr.empty() ? whole : better;
    }

    static Expr rebuilt(Node const& node, std::vector<Simplified> const& args) {
        if (node.op == Op::cast) return Expr::cast(node.cast_to, args.front().expr);
        std::vector<Expr> list;
        for (Simplified const& arg : args) list.push_back(arg.expr);
        return Expr::call(node.op, std::move(list));
    }

    Profile profile(Node const& node, std::vector<Simplified> const& args) const {
        Profile made;
        for (std::size_t k = 0; k < computes_.size(); ++k) made.push_back(type_under(k, node, args));
        return made;
    }

    std::optional<ValueType> type_under(std::size_t k, Node const& node, std::vector<Simplified> const& args) const {
        std::array<ValueType, 3> types;
        for (std::size_t j = 0; j < args.size(); ++j) {
            if (!args[j].profile[k]) return std::nullopt;
            types[j] = *args[j].profile[k];
        }
        try {
            return typing(node, std::span(types).first(args.size()), computes_[k]).value;
        } catch (Refused const&) {
            return std::nullopt;
        }
    }

    Profile profile(Expr const& expr) const {
        Profile made;
        for (DType const compute : computes_) {
            try {
                made.push_back(TypedExpr(expr, compute).of(expr).value);
            } catch (Refused const&) {
                made.push_back(std::nullopt);
            }
        }
        return made;
    }

    /// A weak real value of numbers alone, as a number.
    Simplified folded(Simplified const& whole, std::vector<Simplified> const& args) const {
        for (Simplified const& arg : args) {
            if (arg.expr.op() != Op::number) return {};
        }
        auto const& type = whole.profile.front();
        if (!type || !type->weak || is_complex(type->type) || whole.expr.op() == Op::position) return {};
        Scalar const value = evaluate(whole.expr, computes_.front(), type->type, {}, {}, {});
        Expr const number = value.is_integer ? Expr::integer(value.integer) : Expr::number(value.number.real());
        return if_alike(whole, {number, profile(number.node(), {})});
    }

    Simplified shorter(Simplified const& whole, std::vector<Simplified> const& args) const {
        Simplified const* const candidate = equivalent(whole, args);
        if (candidate != nullptr) return if_alike(whole, *candidate);
        if (whole.expr.op() == Op::neg && args[0].expr.op() == Op::neg) {
            Expr const& inside = args[0].expr.args().front();
            return if_alike(whole, {inside, profile(inside)});
        }
        bool const from_zero = whole.expr.op() == Op::sub && is_number(args[0].expr, 0);
        if (!from_zero) return {};
        Expr const negated = Expr::call(Op::neg, {args[1].expr});
        return if_alike(whole, {negated, profile(negated.node(), {args[1]})});
    }

    /// The argument that has the value of the whole, if there is one.
    Simplified const* equivalent(Simplified const& whole, std::vector<Simplified> const& args) const {
        Expr const& first = args.front().expr;
        Expr const& last = args.back().expr;
        Node const& node = whole.expr.node();
        if (node.op == Op::cast) return same_cast(node, first.node()) ? &args[0] : nullptr;
        if (node.op == Op::where) return chosen(args);
        std::optional<Neutral> const neutral = info(node.op).neutral;
        // (a + bi)(1 + 0i) is not a + bi where a or b is infinite
        bool const multiplies = node.op == Op::mul || node.op == Op::div;
        if (!neutral || (multiplies && any_complex(whole.profile))) return nullptr;
        if (is_number(last, neutral->value)) return &args[0];
        return neutral->left && is_number(first, neutral->value) ? &args[1] : nullptr;
    }

    /// A cast to the type that the argument has already. f16 and bf16 are computed as f32, so only their own cast shows
    /// them.
    static bool same_cast(Node const& node, Node const& argument) {
        bool const half = node.cast_to == DType::f16 || node.cast_to == DType::bf16;
        return !half || (argument.op == Op::cast && argument.cast_to == node.cast_to);
    }

    static bool may_throw(Expr const& expr) {
        auto const parts = arguments_first(expr);
        return std::any_of(parts.begin(), parts.end(), [](Expr const* part) { return part->op() == Op::position; });
    }

    static Simplified const* chosen(std::vector<Simplified> const& args) {
        if (args[0].expr.op() != Op::number) return nullptr;
        bool const first = !is_number(args[0].expr, 0);  // nan counts as true
        return may_throw(args[first ? 2 : 1].expr) ? nullptr : &args[first ? 1 : 2];
    }

    static Simplified if_alike(Simplified const& whole, Simplified candidate) {
        return candidate.profile == whole.profile ? std::move(candidate) : Simplified{};
    }

    std::span<DType const> computes_;
    std::unordered_map<Node const*, Simplified> done_;
};

}  // namespace

Expr simplify(Expr const& expr) { return Simplifier(every_compute_type)(expr); }

Expr simplify(Expr const& expr, DType compute) { return Simplifier(std::span(&compute, 1))(expr); }

}  // namespace ein::scalar
