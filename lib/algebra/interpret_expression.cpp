#include <unordered_map>

#include "lib/algebra/expression.hpp"

namespace ein::tra {
namespace {

struct Result {
    Relations const& relations;
    std::vector<Tuples const*> const& args;

    Tuples operator()(Input const& op) const { return relations.at(op.name).tuples(); }
    Tuples operator()(Join const& op) const { return applied(op, *args[0], *args[1]); }
    Tuples operator()(Rekey const& op) const { return applied(Map{op.keys, {}}, *args[0]); }
    Tuples operator()(Transform const& op) const {
        if (args[0]->empty()) return {};
        return applied(Map{KeyMap::identity(arity()), op.array}, *args[0]);
    }
    Tuples operator()(Tile const& op) const {
        if (args[0]->empty()) return {};
        return applied(value(tile_map(op.dim, op.size, arity(), args[0]->front().array.bound)), *args[0]);
    }
    template <class Op>
    Tuples operator()(Op const& op) const {
        return applied(op, *args[0]);
    }

private:
    int arity() const { return static_cast<int>(args[0]->front().key.size()); }
};

}  // namespace

TensorRelation interpret(Expr const& expr, Relations const& inputs) {
    RelationTypes types;
    for (auto const& [name, relation] : inputs) types.emplace(name, relation.type());
    RelationType const type = check(expr, types);
    std::unordered_map<void const*, Tuples> done;
    for (Expr const& node : arguments_first(expr)) {
        std::vector<Tuples const*> args;
        for (Expr const& input : node.inputs()) args.push_back(&done.at(input.id()));
        done.emplace(node.id(), std::visit(Result{inputs, args}, node.op()));
    }
    return TensorRelation::make(std::move(done.at(expr.id())), type.arity(), type.bound);
}

}  // namespace ein::tra
