#include "lib/algebra/expression.hpp"

#include <unordered_set>

namespace ein::tra {

Expr input(std::string name) { return {Input{std::move(name)}, {}}; }

Expr join(KeyDims left_keys, KeyDims right_keys, Kernel proj_op, Expr left, Expr right) {
    return {Join{std::move(left_keys), std::move(right_keys), std::move(proj_op)}, {std::move(left), std::move(right)}};
}

Expr aggregate(KeyDims group_by, Kernel agg_op, Expr relation) {
    return {Aggregation{std::move(group_by), std::move(agg_op)}, {std::move(relation)}};
}

Expr rekey(KeyMap key_func, Expr relation) { return {Rekey{std::move(key_func)}, {std::move(relation)}}; }
Expr filter(KeyPredicate bool_func, Expr relation) { return {Filter{std::move(bool_func)}, {std::move(relation)}}; }
Expr transform(Kernel transform_func, Expr relation) {
    return {Transform{std::move(transform_func)}, {std::move(relation)}};
}
Expr tile(int dim, Extent size, Expr relation) { return {Tile{dim, size}, {std::move(relation)}}; }
Expr concat(int key_dim, int array_dim, Expr relation) { return {Concat{key_dim, array_dim}, {std::move(relation)}}; }

namespace {

void visit_arguments_first(Expr const& expr, std::unordered_set<void const*>& seen, std::vector<Expr>& order) {
    if (!seen.insert(expr.id()).second) return;
    for (Expr const& input : expr.inputs()) visit_arguments_first(input, seen, order);
    order.push_back(expr);
}

struct Printer {
    std::string operator()(Input const& op) const { return op.name; }
    std::string operator()(Join const& op) const { return "⋈" + text(op); }
    std::string operator()(Aggregation const& op) const { return "Σ" + text(op); }
    std::string operator()(Rekey const& op) const { return "REKEY(" + text(op.keys) + ")"; }
    std::string operator()(Filter const& op) const { return "σ" + text(op); }
    std::string operator()(Transform const& op) const { return "λ(" + text(op.array) + ")"; }
    std::string operator()(Tile const& op) const {
        return "TILE(" + std::to_string(op.dim) + "," + std::to_string(op.size) + ")";
    }
    std::string operator()(Concat const& op) const { return "CONCAT" + text(op); }
};

}  // namespace

std::vector<Expr> arguments_first(Expr const& root) {
    std::unordered_set<void const*> seen;
    std::vector<Expr> order;
    visit_arguments_first(root, seen, order);
    return order;
}

std::string text(Operator const& op) { return std::visit(Printer{}, op); }

std::string text(Expr const& expr) {
    std::string list;
    for (Expr const& input : expr.inputs()) list += (list.empty() ? "" : ", ") + text(input);
    return text(expr.op()) + (list.empty() ? "" : "(" + list + ")");
}

}  // namespace ein::tra
