#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/rewrite_rules.hpp"
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
        for (RewriteRule const& rule : rewrite_rules()) {
            Expr const shorter = rule.apply({whole.expr, computes_, whole.profile});
            if (shorter.empty()) continue;
            Simplified made{shorter, profile(shorter, args)};
            if (made.profile == whole.profile) return made;
        }
        return whole;
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

    /// Of what a rule made of a whole with these arguments.
    Profile profile(Expr const& expr, std::vector<Simplified> const& args) const {
        for (Simplified const& arg : args)
            if (&arg.expr.node() == &expr.node()) return arg.profile;
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

    std::span<DType const> computes_;
    std::unordered_map<Node const*, Simplified> done_;
};

}  // namespace

Expr simplify(Expr const& expr) { return Simplifier(every_compute_type)(expr); }

Expr simplify(Expr const& expr, DType compute) { return Simplifier(std::span(&compute, 1))(expr); }

}  // namespace ein::scalar
