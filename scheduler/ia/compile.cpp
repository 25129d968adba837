#include "scheduler/ia/compile.hpp"

#include <unordered_map>

namespace ein::ia {
namespace {

/// What an aggregation of groups of `arity` - something needs: its groups at one site.
Expr gathered(KeyDims const& group_by, Expr relation) {
    // A group of no key parts has no site of its own: it is gathered at all of them.
    return group_by.empty() ? broadcast(std::move(relation)) : shuffle(group_by, std::move(relation));
}

struct Compiled {
    PlacedInputs const& inputs;
    int site_count;
    std::vector<Expr> args;

    int arity() const { return args[0].type().relation.arity(); }

    Expr operator()(tra::Input const& op) const {
        Placed const& placed = inputs.at(op.name);
        return input(op.name, placed.type, placed.sites, site_count);
    }
    Expr operator()(Join const& op) const { return local(op, {broadcast(args[0]), args[1]}); }
    Expr operator()(Aggregation const& op) const { return local(op, {gathered(op.group_by, args[0])}); }
    Expr operator()(tra::Rekey const& op) const { return local(Map{op.keys, {}}, args); }
    Expr operator()(Filter const& op) const { return local(op, args); }
    Expr operator()(tra::Transform const& op) const { return local(Map{KeyMap::identity(arity()), op.array}, args); }
    Expr operator()(tra::Tile const& op) const {
        return local(tra::value(tra::tile_map(op.dim, op.size, arity(), args[0].type().relation.bound)), args);
    }
    Expr operator()(Concat const& op) const {
        return local(op, {gathered(tra::complement({op.key_dim}, arity()), args[0])});
    }
};

}  // namespace

std::vector<Expr> compile(std::vector<tra::Expr> const& roots, PlacedInputs const& inputs, int site_count) {
    tra::RelationTypes types;
    for (auto const& [name, placed] : inputs) types.emplace(name, placed.type);
    for (tra::Expr const& root : roots) tra::check(root, types);
    std::unordered_map<void const*, Expr> done;
    std::vector<Expr> compiled;
    for (tra::Expr const& root : roots) {
        for (tra::Expr const& node : tra::arguments_first(root)) {
            if (done.contains(node.id())) continue;
            std::vector<Expr> args;
            for (tra::Expr const& arg : node.inputs()) args.push_back(done.at(arg.id()));
            done.emplace(node.id(), std::visit(Compiled{inputs, site_count, std::move(args)}, node.op()));
        }
        compiled.push_back(done.at(root.id()));
    }
    return compiled;
}

}  // namespace ein::ia
