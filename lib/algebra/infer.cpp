#include <unordered_map>

#include "lib/algebra/expression.hpp"

namespace ein::tra {
namespace {

/// The type that one operator makes; an Input is looked up by its name.
struct OperatorType {
    RelationTypes const& relations;
    std::vector<RelationType> const& args;

    Checked<RelationType> operator()(Input const& op) const {
        auto const found = relations.find(op.name);
        if (found != relations.end()) return found->second;
        std::vector<std::string> names;
        for (auto const& [name, type] : relations) names.push_back(name);
        return Problem{"the name of a tensor relation: " + one_of(names), "'" + op.name + "'", "correct the name"};
    }
    Checked<RelationType> operator()(Join const& op) const { return type_of(op, args[0], args[1]); }
    Checked<RelationType> operator()(Rekey const& op) const { return type_of(Map{op.keys, {}}, args[0]); }
    Checked<RelationType> operator()(Transform const& op) const {
        return type_of(Map{KeyMap::identity(args[0].arity()), op.array}, args[0]);
    }
    Checked<RelationType> operator()(Tile const& op) const {
        Checked<Map> const map = tile_map(op.dim, op.size, args[0].arity(), args[0].bound);
        if (Problem const* const p = problem(map)) return *p;
        return type_of(value(map), args[0]);
    }
    template <class Op>
    Checked<RelationType> operator()(Op const& op) const {
        return type_of(op, args[0]);
    }
};

void add(Faults& faults, std::string const& pointer, Expr const& expr, Problem const& problem) {
    faults.add(pointer, text(expr.op()) + ": " + problem.expected, problem.found, problem.mend);
}

class Inference {
public:
    Inference(RelationTypes const& relations, Faults& faults) : relations_(relations), faults_(faults) {}

    std::optional<RelationType> operator()(Expr const& expr, std::string const& pointer) {
        auto const known = known_.find(expr.id());
        if (known != known_.end()) return known->second;
        return known_[expr.id()] = fresh(expr, pointer);
    }

private:
    std::optional<RelationType> fresh(Expr const& expr, std::string const& pointer) {
        std::vector<RelationType> args;
        for (std::size_t k = 0; k < expr.inputs().size(); ++k) {
            auto type = (*this)(expr.inputs()[k], pointer + "/inputs/" + std::to_string(k));
            if (type) args.push_back(std::move(*type));
        }
        if (args.size() != expr.inputs().size()) return std::nullopt;  // told already
        Checked<RelationType> const type = std::visit(OperatorType{relations_, args}, expr.op());
        if (Problem const* const p = problem(type)) {
            add(faults_, pointer, expr, *p);
            return std::nullopt;
        }
        return value(type);
    }

    RelationTypes const& relations_;
    Faults& faults_;
    std::unordered_map<void const*, std::optional<RelationType>> known_;
};

}  // namespace

std::optional<RelationType> infer(Expr const& expr, RelationTypes const& inputs, Faults& faults,
                                  std::string const& pointer) {
    return Inference(inputs, faults)(expr, pointer);
}

RelationType check(Expr const& expr, RelationTypes const& inputs) {
    Faults faults("");
    std::optional<RelationType> type = infer(expr, inputs, faults);
    if (type)
        if (auto const holes = holes_in(*type)) add(faults, "", expr, *holes);
    faults.throw_if_any();
    return *type;
}

}  // namespace ein::tra
