#include <unordered_map>

#include "lib/algebra/expression.hpp"

namespace ein::tra {
namespace {

struct OperatorType {
    std::vector<RelationType> const& args;

    Checked<RelationType> operator()(Input const& op) const {
        throw InternalError("the relation '" + op.name + "' is typed as an operator");
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

/// Counting must not overflow further up.
std::optional<Problem> too_large(RelationType const& type) {
    Shape shape = type.listed ? Shape{type.keys()} : type.frontier;
    shape.insert(shape.end(), type.bound.begin(), type.bound.end());
    auto const floats = checked_element_count(shape);
    if (floats && *floats <= max_relation_floats) return std::nullopt;
    return Problem{"a relation of at most 2^62 numbers", text(type), "use smaller extents, or join on more key parts"};
}

}  // namespace

Checked<RelationType> type_of(Operator const& op, std::vector<RelationType> const& args) {
    Checked<RelationType> type = std::visit(OperatorType{args}, op);
    if (problem(type)) return type;
    if (auto const fault = too_large(value(type))) return *fault;
    return type;
}

namespace {

void add(Faults& faults, std::string const& pointer, Expr const& expr, Problem const& problem) {
    faults.add(pointer, text(expr.op()) + ": " + problem.expected, problem.found, problem.fix);
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
        if (args.size() != expr.inputs().size()) return std::nullopt;  // reported already
        auto const* const input = std::get_if<Input>(&expr.op());
        Checked<RelationType> const type = input ? type_of_input(*input) : type_of(expr.op(), args);
        if (Problem const* const p = problem(type)) {
            add(faults_, pointer, expr, *p);
            return std::nullopt;
        }
        return value(type);
    }

    Checked<RelationType> type_of_input(Input const& input) const {
        auto const found = relations_.find(input.name);
        if (found != relations_.end()) return found->second;
        std::vector<std::string> names;
        for (auto const& [name, type] : relations_) names.push_back(name);
        return Problem{"the name of a tensor relation: " + one_of(names), "'" + input.name + "'", "correct the name"};
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
