// Equivalences of the implementation algebra as rewrites. A rule looks at the top of an expression and gives every
// expression that it may be replaced by: the same tuples, sites put aside; what a consumer needs of sites is checked
// when the consumer is made again. R1 merges kernels and moves filters, R2 moves and drops repartitions, R3 moves
// repartitions through joins and aggregations (ours), D is about matrix products. Where the paper's text does not hold
// as printed:
//   R2-4 needs R to be partitioned within groupByKeys already (its heading says so, its formula does not).
//   R2-5 asks for groupByKeys ⊂ partDims, but such a shuffle leaves groups apart; it is partDims ⊆ groupByKeys.
//   R2-7 leaves the result partitioned by joinKeysL, which is not PART⟨partDims⟩ when partDims is smaller: we shuffle
//   both operands by
//        partDims instead, which costs the same and is.
// Source: [T] Table 2, 4.2.2.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "scheduler/ia/expression.hpp"

namespace ein::ia {

using Rewrites = std::vector<Expr>;

struct Rule {
    std::string_view name;  // "R2-6"
    std::string_view says;
    Rewrites (*at_top)(Expr const& expr);
};

/// Merging kernels and moving filters.
std::vector<Rule> const& kernel_rules();
/// Moving and dropping repartitions: R2 and R3.
std::vector<Rule> const& site_rules();
/// Replication-based matrix multiply.
std::vector<Rule> const& matmul_rules();
/// All of them.
std::vector<Rule> const& rules();
Rule const& rule(std::string_view name);

/// `roots` with `from` replaced by `to` wherever it is; nothing when a consumer of it cannot take `to`, or when a root
/// would be left in pieces.
std::optional<std::vector<Expr>> replaced(std::vector<Expr> const& roots, Expr const& from, Expr const& to);

/// What rules give at the top of expressions, worked out once for each: expressions that a search reaches by rewriting
/// have most of their parts in common.
class RewritesAtTop {
public:
    explicit RewritesAtTop(std::span<Rule const> rules) : rules_(rules) {}
    /// In the order of the rules. It stays where it is.
    Rewrites const& of(Expr const& expr);

private:
    struct Hash {
        std::size_t operator()(Expr const& expr) const { return expr.hash(); }
    };
    std::span<Rule const> rules_;
    std::unordered_map<Expr, Rewrites, Hash> known_;
};

/// Every way to use one of the rules once, anywhere in one expression.
Rewrites anywhere(RewritesAtTop& rewrites, Expr const& expr);
Rewrites anywhere(std::span<Rule const> rules, Expr const& expr);
inline Rewrites anywhere(Rule const& rule, Expr const& expr) { return anywhere(std::span(&rule, 1), expr); }

}  // namespace ein::ia
