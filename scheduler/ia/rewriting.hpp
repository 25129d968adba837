// What the files of rules share: looking at operators, and making expressions that may turn out not to be well typed.
#pragma once

#include "scheduler/ia/rules.hpp"

namespace ein::ia {

/// Adds an expression where its operators take their inputs; nothing otherwise.
class Rewriting {
public:
    std::optional<Expr> made(Operator op, std::vector<std::optional<Expr>> const& inputs) const {
        std::vector<Expr> there;
        for (auto const& input : inputs) {
            if (!input) return std::nullopt;
            there.push_back(*input);
        }
        Checked<Expr> expr = make(std::move(op), std::move(there));
        if (tra::problem(expr)) return std::nullopt;
        return tra::value(expr);
    }
    void add(Operator op, std::vector<std::optional<Expr>> const& inputs) {
        if (auto expr = made(std::move(op), inputs)) list_.push_back(*expr);
    }
    void add(std::optional<Expr> expr) {
        if (expr) list_.push_back(*expr);
    }
    Rewrites take() { return std::move(list_); }

private:
    Rewrites list_;
};

/// The input's operator, when the top has one input.
template <class Op>
Op const* below(Expr const& expr) {
    return expr.inputs().size() == 1 ? expr.input().as<Op>() : nullptr;
}

/// What is sent, where an expression is a repartition; the expression itself otherwise.
inline Expr const& unsent(Expr const& expr) { return expr.sends() ? expr.input() : expr; }

/// dims[k] for each k of `places`.
inline KeyDims picked(KeyDims const& dims, KeyDims const& places) {
    KeyDims out;
    for (int place : places) out.push_back(dims[static_cast<std::size_t>(place)]);
    return out;
}

}  // namespace ein::ia
