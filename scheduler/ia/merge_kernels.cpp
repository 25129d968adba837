#include <algorithm>

#include "scheduler/ia/rules.hpp"
#include "scheduler/ia/search.hpp"

namespace ein::ia {
namespace {

bool has_one_reader(Expr const& expr, std::vector<Expr> const& all, std::vector<Expr> const& roots) {
    std::ptrdiff_t readers = std::count(roots.begin(), roots.end(), expr);
    for (Expr const& reader : all) readers += std::count(reader.inputs().begin(), reader.inputs().end(), expr);
    return readers == 1;
}

/// The roots after the first rule that applies anywhere; filters sink before kernels merge.
std::optional<std::vector<Expr>> once(std::vector<Expr> const& roots) {
    std::vector<Expr> const all = distinct(roots);
    for (char const* const name : {"R1-1", "R1-5", "R1-6", "R2-2", "R1-2", "R1-4", "R1-7"}) {
        for (Expr const& expr : all) {
            if (expr.inputs().size() != 1 || !has_one_reader(expr.input(), all, roots)) continue;
            if (rule(name).name == "R2-2" && !expr.as<Filter>()) continue;
            Rewrites const rewrites = rule(name).at_top(expr);
            if (rewrites.empty()) continue;
            if (auto next = replaced(roots, expr, rewrites.back())) return next;  // the last one does least arithmetic
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<Expr> with_merged_kernels(std::vector<Expr> roots) {
    while (auto next = once(roots)) roots = std::move(*next);
    return roots;
}

}  // namespace ein::ia
