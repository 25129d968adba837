// D: what is known of matrix products alone.
#include "scheduler/ia/rewriting.hpp"

namespace ein::ia {
namespace {

/// A relation under keys with a new part at `dim`, once for each of its values below `copies`.
std::optional<Expr> replicated(Rewriting const& out, Expr const& relation, int dim, Extent copies) {
    return out.made(Map{KeyMap::insert(relation.type().relation.arity(), dim, copies), {}}, {relation});
}

/// [T] 4.2.2: every block of X goes to each column of blocks of Y, every block of Y to each row of X; a site has whole
/// results.
Rewrites replicate(Expr const& expr) {
    Rewriting out;
    auto const* const sums = expr.as<Aggregation>();
    if (!sums || sums->group_by != KeyDims{0, 2}) return {};
    Expr const& products = unsent(expr.input());
    auto const* const join = products.as<Join>();
    if (!join || join->rekey || join->left != KeyDims{1} || join->right != KeyDims{0}) return {};
    Expr const& x = unsent(products.inputs()[0]);
    Expr const& y = unsent(products.inputs()[1]);
    RelationType const& of_x = x.type().relation;
    RelationType const& of_y = y.type().relation;
    if (of_x.arity() != 2 || of_y.arity() != 2 || !of_x.continuous() || !of_y.continuous()) return {};
    auto const wide_x = out.made(Shuffle{{0, 2}}, {replicated(out, x, 2, of_y.frontier[1])});
    auto const wide_y = out.made(Shuffle{{0, 2}}, {replicated(out, y, 0, of_x.frontier[0])});
    Join const voxels{{0, 1, 2}, {0, 1, 2}, join->kernel};
    out.add(*sums, {out.made(voxels, {wide_x, wide_y})});
    return out.take();
}

}  // namespace

std::vector<Rule> const& matmul_rules() {
    static std::vector<Rule> const list{{"D-1", "a matrix product by replication", replicate}};
    return list;
}

}  // namespace ein::ia
