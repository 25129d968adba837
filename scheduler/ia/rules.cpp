#include "scheduler/ia/rules.hpp"

#include "lib/base/error.hpp"

namespace ein::ia {

std::vector<Rule> const& rules() {
    static std::vector<Rule> const list = [] {
        std::vector<Rule> all = kernel_rules();
        all.insert(all.end(), site_rules().begin(), site_rules().end());
        all.insert(all.end(), matmul_rules().begin(), matmul_rules().end());
        return all;
    }();
    return list;
}

Rule const& rule(std::string_view name) {
    for (Rule const& rule : rules())
        if (rule.name == name) return rule;
    throw InternalError("no rule is called " + std::string(name));
}

std::optional<std::vector<Expr>> replaced(std::vector<Expr> const& roots, Expr const& from, Expr const& to) {
    struct Hash {
        std::size_t operator()(Expr const& expr) const { return expr.hash(); }
    };
    if (roots.size() == 1 && roots.front() == from) {
        if (to.type().pending && !from.type().pending) return std::nullopt;
        return std::vector<Expr>{to};
    }
    std::unordered_map<Expr, Expr, Hash> now;
    for (Expr const& expr : distinct(roots)) {
        if (expr == from) {
            now.emplace(expr, to);
            continue;
        }
        std::vector<Expr> inputs;
        for (Expr const& input : expr.inputs()) inputs.push_back(now.at(input));
        if (inputs == expr.inputs()) {
            now.emplace(expr, expr);
            continue;
        }
        Checked<Expr> again = make(expr.op(), std::move(inputs));
        if (tra::problem(again)) return std::nullopt;
        now.emplace(expr, tra::value(again));
    }
    std::vector<Expr> out;
    for (Expr const& root : roots) {
        Expr const& again = now.at(root);
        if (again.type().pending && !root.type().pending) return std::nullopt;
        out.push_back(again);
    }
    return out;
}

Rewrites const& RewritesAtTop::of(Expr const& expr) {
    auto const [at, fresh] = known_.try_emplace(expr);
    if (fresh)
        for (Rule const& rule : rules_)
            for (Expr const& rewrite : rule.at_top(expr)) at->second.push_back(rewrite);
    return at->second;
}

Rewrites anywhere(RewritesAtTop& rewrites, Expr const& expr) {
    Rewrites out;
    for (Expr const& place : distinct({expr}))
        for (Expr const& rewrite : rewrites.of(place))
            if (auto whole = replaced({expr}, place, rewrite)) out.push_back(whole->front());
    return out;
}

Rewrites anywhere(std::span<Rule const> rules, Expr const& expr) {
    RewritesAtTop rewrites(rules);
    return anywhere(rewrites, expr);
}

}  // namespace ein::ia
