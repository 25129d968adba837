#include "lib/graph/invariant_parts.hpp"

#include <algorithm>
#include <set>

#include "lib/graph/join_step.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/type.hpp"
#include "lib/scalar/expression/walk.hpp"
#include "lib/scalar/program/work.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;

constexpr std::size_t most_searched_nodes = 100;  // of a join that is searched
constexpr std::size_t most_invariant_parts = 4;
// Of a part that is worth it: its work (lib/scalar/program/work.hpp), points that share an element of it, and points
// that are spared, all at least; and bytes of working memory for it, at most, or a sixteenth of the output's. Chosen.
constexpr double least_work = 4, least_repeats = 4, least_spared = 1 << 12, most_bytes = 16 << 20,
                 share_of_output = 1.0 / 16;

/// A part that ends in a sum or a product may be fused with what follows, and round otherwise.
bool rounds_by_itself(Expr const& part) {
    return !part.args().empty() && (scalar::info(part.op()).costly || scalar::info(part.op()).work > 1);
}

bool is_worth_it(EinSum const& einsum, Expr const& part, std::span<Extent const> lengths, DType compute, DType output) {
    if (!rounds_by_itself(part) || scalar::operands_of(part).empty() || !scalar::labels_of(part).empty()) return false;
    if (scalar::work_of(part, DType::f32) < least_work) return false;
    scalar::TypeResult const type = scalar::type_of(part, compute, compute_dtype({}, output));
    if (!type.problem.empty() || type.type != compute) return false;
    double const once = points_of(labels_that_decide(einsum, part), lengths), all = points_of(einsum.output, lengths);
    double const bytes = once * static_cast<double>(size_of(compute)),
                 of_output = all * static_cast<double>(size_of(output));
    return once * least_repeats <= all && all - once >= least_spared &&
           bytes <= std::max(most_bytes, share_of_output * of_output);
}

}  // namespace

std::vector<Expr> invariant_parts(EinSum const& einsum, std::span<Extent const> lengths, DType compute, DType output) {
    std::vector<Expr> parts;
    if ((compute != DType::f32 && compute != DType::f64) || einsum.aggregates_any()) return parts;
    std::vector<Expr const*> const nodes = scalar::arguments_first(einsum.join);
    if (nodes.size() > most_searched_nodes) return parts;
    std::set<scalar::Node const*> reached{&einsum.join.node()};
    for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {
        Expr const& node = **at;
        if (!reached.contains(&node.node())) continue;
        if (!is_worth_it(einsum, node, lengths, compute, output)) {
            for (Expr const& argument : node.args()) reached.insert(&argument.node());
        } else if (std::ranges::find(parts, node) == parts.end()) {
            parts.push_back(node);
        }
    }
    if (parts.size() > most_invariant_parts) parts.resize(most_invariant_parts);
    return parts;
}

Expr reading_parts(Expr const& join, std::vector<Expr> const& parts, int first) {
    Expr out = join;
    for (Expr const& part : parts) {
        Expr const operand = Expr::operand(first++);
        for (bool found = true; found;) {
            std::vector<Expr const*> const nodes = scalar::arguments_first(out);
            auto const same = std::ranges::find_if(nodes, [&](Expr const* node) { return *node == part; });
            found = same != nodes.end();
            if (found) out = scalar::replaced(out, **same, operand);
        }
    }
    return out;
}

}  // namespace ein::graph
