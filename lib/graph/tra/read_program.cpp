#include "lib/graph/tra/read_program.hpp"

#include <algorithm>

#include "lib/base/text/near_names.hpp"
#include "lib/graph/read/einsum/read_expression.hpp"
#include "lib/graph/read/fields.hpp"
#include "lib/graph/tra/read_kernel.hpp"
#include "lib/scalar/expression/type.hpp"

namespace ein::graph {
namespace {

using tra::Kernel;
using tra::KeyDims;
using tra::RelationType;

std::vector<std::string> const operator_names{"join", "aggregate", "rekey", "filter", "transform", "tile", "concat"};

std::optional<int> read_dim(Cursor const& at) {
    auto const number = at.integer();
    if (!number) return std::nullopt;
    if (*number >= 0 && *number < static_cast<std::int64_t>(max_order)) return static_cast<int>(*number);
    at.fail("a position from 0 on", std::to_string(*number), "count key parts and axes from 0");
    return std::nullopt;
}

std::optional<KeyDims> read_dims(Cursor const& at) {
    if (!at.expect_list()) return std::nullopt;
    KeyDims dims;
    for (std::size_t k = 0; k < at.size(); ++k)
        if (auto const dim = read_dim(at.at(k))) dims.push_back(*dim);
    return dims.size() == at.size() ? std::optional(dims) : std::nullopt;
}

/// A key function's expression of [k0], [k1], ...: exact whole numbers.
std::optional<scalar::Expr> read_key_expression(Cursor const& at, int arity) {
    scalar::Names names;
    for (int d = 0; d < arity; ++d) names.labels.push_back("k" + std::to_string(d));
    auto read = read_expression(at, names);
    if (!read) return std::nullopt;
    scalar::TypeResult const type = scalar::type_of(read->expr, DType::i64, DType::i64);
    if (type.problem.empty() && !is_complex(type.type)) return std::move(read->expr);
    at.fail("an expression of whole numbers", type.problem.empty() ? "a complex one" : type.problem,
            "compute with [k0], [k1], ... and numbers" + caret_below(at, read->places, type.where));
    return std::nullopt;
}

class ProgramReader {
public:
    explicit ProgramReader(ProgramPlace const& place) : place_(place) {
        for (auto const& [name, type] : place.inputs) {
            tra::Expr const expr = tra::input(name);
            types_[expr.id()] = type;
            names_.emplace(name, expr);
        }
    }

    std::optional<Program> read(Cursor const& at) {
        auto const result = at.value().is_array() ? read_statements(at) : read_tree(at);
        if (!result || !known(*result)) return std::nullopt;
        RelationType const& type = *types_.at(result->id());
        if (auto const holes = tra::holes_in(type))
            at.fail(tra::text(result->op()) + ": " + holes->expected, holes->found, holes->fix);
        else if (type.keys() == 0)
            at.fail(tra::text(result->op()) + ": a relation with a key or more", "none",
                    "fix the filters and the keys that joins pair");
        else
            return finished(*result);
        return std::nullopt;
    }

private:
    bool known(tra::Expr const& expr) const { return types_.at(expr.id()).has_value(); }

    Program finished(tra::Expr const& result) const {
        Program program{result, {}};
        for (tra::Expr const& expr : tra::arguments_first(result))
            program.types.emplace(expr.id(), *types_.at(expr.id()));
        return program;
    }

    std::optional<tra::Expr> read_statements(Cursor const& at) {
        if (at.size() == 0) at.fail("one operator or more", "none", "write the operators, the result last");
        std::optional<tra::Expr> result;
        bool good = true;
        for (std::size_t k = 0; k < at.size(); ++k) {
            Cursor const statement = at.at(k);
            bool const last = k + 1 == at.size();
            if (!last && statement.value().is_object()) required(statement, "name", "name what later ones read");
            result = read_tree(statement);
            good = good && result;
            if (!statement.has("name")) continue;
            if (auto const name = read_name(statement.at("name"))) add_name(statement.at("name"), *name, result);
        }
        return good ? result : std::nullopt;
    }

    void add_name(Cursor const& at, std::string const& name, std::optional<tra::Expr> const& expr) {
        if (!names_.emplace(name, expr).second)
            at.fail("a name that no input and no other statement has", quote(name) + " again", "rename one of them");
    }

    std::optional<tra::Expr> read_tree(Cursor const& at) {
        if (at.value().is_string()) return named(at);
        if (!at.value().is_object()) {
            at.fail("an operator or the name of a relation", describe(at.value()),
                    "write for example {\"transform\": \"relu(x)\", \"of\": \"A\"}");
            return std::nullopt;
        }
        if (++operators_ > max_operators) {
            if (operators_ == max_operators + 1)
                at.fail("at most " + std::to_string(max_operators) + " operators in one node", "more",
                        "split the program into several nodes");
            return std::nullopt;
        }
        if (nesting_ == max_nesting) {
            at.fail("operators nested at most " + std::to_string(max_nesting) + " deep", "more",
                    "make a list of them: each has a \"name\", and the next one reads it");
            return std::nullopt;
        }
        ++nesting_;
        auto expr = read_one(at);
        --nesting_;
        return expr;
    }

    std::optional<tra::Expr> read_one(Cursor const& at) {
        std::vector<std::string> found;
        for (std::string const& name : operator_names)
            if (at.has(name)) found.push_back(name);
        if (found.size() != 1) {
            at.fail("one operator: " + one_of(operator_names), found.empty() ? "none" : one_of(found),
                    found.empty() ? misspelt(at) : "nest one in the \"of\" of the other");
            return std::nullopt;
        }
        at.only_keys({"name", found.front(), "of"});
        return read_operator(at, found.front());
    }

    static std::string misspelt(Cursor const& at) {
        for (auto const& [key, unused] : at.value().items()) {
            if (key == "of" || key == "name") continue;
            if (std::string mend = mend_name(key, operator_names); !mend.empty()) return mend;
        }
        return "write for example {\"filter\": \"[k0] == [k1]\", \"of\": \"A\"}";
    }

    std::optional<tra::Expr> named(Cursor const& at) {
        std::string const name = at.value().get<std::string>();
        auto const found = names_.find(name);
        if (found != names_.end()) return found->second;
        std::vector<std::string> known;
        for (auto const& [other, unused] : names_) known.push_back(other);
        at.fail("the name of an input or of an earlier statement: " + one_of(known), quote(name),
                mend_name(name, known, "list it in \"inputs\", or correct the name"));
        return std::nullopt;
    }

    /// The arguments, and all of them at once: faults of the second are reported although the first has some.
    std::optional<std::vector<tra::Expr>> read_of(Cursor const& at, std::size_t count) {
        auto const of = required(at, "of", "name what it is applied to: \"of\": \"A\"");
        if (!of) return std::nullopt;
        std::vector<Cursor> places;
        if (of->value().is_array())
            for (std::size_t k = 0; k < of->size(); ++k) places.push_back(of->at(k));
        else
            places.push_back(*of);
        if (places.size() != count) {
            of->fail(count == 1 ? "one relation" : "two relations: [\"LEFT\", \"RIGHT\"]",
                     std::to_string(places.size()), "a join reads two relations, every other operator one");
            return std::nullopt;
        }
        std::vector<tra::Expr> args;
        for (Cursor const& place : places)
            if (auto arg = read_tree(place)) args.push_back(std::move(*arg));
        return args.size() == count ? std::optional(std::move(args)) : std::nullopt;
    }

    std::optional<tra::Expr> read_operator(Cursor const& at, std::string const& name) {
        auto const args = read_of(at, name == "join" ? 2 : 1);
        Cursor const what = at.at(name);
        auto op = name == "join"        ? read_join_operator(what)
                  : name == "aggregate" ? read_aggregation(what)
                  : name == "transform" ? read_transform(what)
                  : name == "tile"      ? read_tile(what)
                  : name == "concat"    ? read_concat(what)
                                        : read_key_operator(what, name, args);
        if (!op || !args) return std::nullopt;
        return typed(what, tra::Expr(std::move(*op), *args));
    }

    /// Gives the expression its type; one that has a fault stays without.
    std::optional<tra::Expr> typed(Cursor const& at, tra::Expr expr) {
        std::vector<RelationType> args;
        for (tra::Expr const& arg : expr.inputs())
            if (auto const& type = types_.at(arg.id())) args.push_back(*type);
        std::optional<RelationType> type;
        if (args.size() == expr.inputs().size()) {
            if (!affordable(at, expr, args)) return std::nullopt;
            tra::Checked<RelationType> const made = tra::type_of(expr.op(), args);
            tra::Problem const* fault = tra::problem(made);
            if (fault)
                at.fail(tra::text(expr.op()) + ": " + fault->expected, fault->found, fault->fix);
            else if (tra::value(made).frontier.size() + tra::value(made).bound.size() > max_order)
                at.fail("at most " + std::to_string(max_order) + " key parts and axes", tra::text(tra::value(made)),
                        "aggregate or concat some of them first");
            else
                type = tra::value(made);
            if (!type) return std::nullopt;
        }
        types_[expr.id()] = std::move(type);
        return expr;
    }

    /// Counts the keys that the operator looks at one by one: those of rekey and filter, and of all its arguments where
    /// one has holes.
    bool affordable(Cursor const& at, tra::Expr const& expr, std::vector<RelationType> const& args) {
        auto const& op = expr.op();
        bool const each = std::holds_alternative<tra::Rekey>(op) || std::holds_alternative<tra::Filter>(op) ||
                          std::any_of(args.begin(), args.end(), [](auto const& arg) { return arg.listed.has_value(); });
        bool const before = looked_at_ <= place_.max_keys;
        for (RelationType const& arg : args)
            if (each && arg.keys() <= tra::max_listed_keys) looked_at_ += arg.keys();
        if (looked_at_ <= place_.max_keys) return true;
        if (before)
            at.fail("at most " + std::to_string(place_.max_keys) + " keys looked at in one node",
                    std::to_string(looked_at_) + " so far", "choose larger blocks");
        return false;
    }

    KernelPlace kernel(int operands) const { return {operands, place_.params, place_.dtype}; }

    std::optional<tra::Operator> read_join_operator(Cursor const& at) {
        if (!at.expect_object()) return std::nullopt;
        at.only_keys({"on", "kernel"});
        auto const on = required(at, "on", "pair key parts: \"on\": [[1], [0]]");
        auto const kernel_at = required(at, "kernel", "say what is done to paired arrays: \"kernel\": \"matMul\"");
        auto made = kernel_at ? read_kernel(*kernel_at, kernel(2)) : std::nullopt;
        if (!on || !on->expect_list()) return std::nullopt;
        if (on->size() != 2) {
            on->fail("two lists of key parts: of the left, of the right", std::to_string(on->size()),
                     "write for example [[1], [0]]");
            return std::nullopt;
        }
        auto left = read_dims(on->at(0)), right = read_dims(on->at(1));
        if (!left || !right || !made) return std::nullopt;
        return tra::Join{std::move(*left), std::move(*right), std::move(*made)};
    }

    std::optional<tra::Operator> read_aggregation(Cursor const& at) {
        if (!at.expect_object()) return std::nullopt;
        at.only_keys({"by", "kernel"});
        auto const by = required(at, "by", "name the key parts that stay: \"by\": [0, 2]");
        auto const kernel_at = required(at, "kernel", "say how arrays are combined: \"kernel\": \"matAdd\"");
        auto made = kernel_at ? read_kernel(*kernel_at, kernel(2)) : std::nullopt;
        auto dims = by ? read_dims(*by) : std::nullopt;
        if (!made || !dims || !aggregates(*kernel_at, *made)) return std::nullopt;
        return tra::Aggregation{std::move(*dims), std::move(*made)};
    }

    bool aggregates(Cursor const& at, Kernel const& made) const {
        bool const complex = place_.dtype && is_complex(*place_.dtype);  // min and max have no type there: reported
        auto const agg = tra::aggregation_of(made);
        if (agg && (!complex || *agg == scalar::Agg::sum || *agg == scalar::Agg::prod)) return true;
        at.fail("an aggOp that may be done in any order: \"x + y\" (matAdd), \"x * y\", \"min(x, y)\" or \"max(x, y)\"",
                brief(at.value()), "transform before or after the aggregation instead");
        return false;
    }

    std::optional<tra::Operator> read_transform(Cursor const& at) {
        auto made = read_kernel(at, kernel(1));
        if (!made) return std::nullopt;
        return tra::Transform{std::move(*made)};
    }

    std::optional<tra::Operator> read_tile(Cursor const& at) {
        if (!at.expect_object()) return std::nullopt;
        at.only_keys({"axis", "size"});
        auto const axis = required(at, "axis", "name the array's axis: \"axis\": 1");
        auto const size = required(at, "size", "write how long a tile is: \"size\": 2");
        auto const dim = axis ? read_dim(*axis) : std::nullopt;
        auto const length = size ? size->integer() : std::nullopt;
        if (!dim || !length) return std::nullopt;
        return tra::Tile{*dim, *length};
    }

    std::optional<tra::Operator> read_concat(Cursor const& at) {
        if (!at.expect_object()) return std::nullopt;
        at.only_keys({"key", "axis"});
        auto const key = required(at, "key", "name the key part that goes away: \"key\": 1");
        auto const axis = required(at, "axis", "name the array's axis that grows: \"axis\": 0");
        auto const key_dim = key ? read_dim(*key) : std::nullopt;
        auto const array_dim = axis ? read_dim(*axis) : std::nullopt;
        if (!key_dim || !array_dim) return std::nullopt;
        return tra::Concat{*key_dim, *array_dim};
    }

    /// rekey and filter: read only where the keys are known.
    std::optional<tra::Operator> read_key_operator(Cursor const& at, std::string const& name,
                                                   std::optional<std::vector<tra::Expr>> const& args) {
        if (!args || !known(args->front())) return std::nullopt;
        int const arity = types_.at(args->front().id())->arity();
        if (name == "filter") {
            auto accepts = read_key_expression(at, arity);
            if (!accepts) return std::nullopt;
            return tra::Filter{tra::KeyPredicate{arity, std::move(*accepts)}};
        }
        if (!at.expect_list()) return std::nullopt;
        if (at.size() > max_order) {
            at.fail("at most " + std::to_string(max_order) + " key parts", std::to_string(at.size()),
                    "merge key parts");
            return std::nullopt;
        }
        tra::KeyMap keys{arity, 1, {}};
        for (std::size_t k = 0; k < at.size(); ++k)
            if (auto part = read_key_expression(at.at(k), arity)) keys.parts.push_back(std::move(*part));
        if (keys.parts.size() != at.size()) return std::nullopt;
        return tra::Rekey{std::move(keys)};
    }

    ProgramPlace const& place_;
    std::map<std::string, std::optional<tra::Expr>> names_;     // nothing: a statement with faults
    std::map<void const*, std::optional<RelationType>> types_;  // nothing: unknown, because of another fault
    int operators_ = 0, nesting_ = 0;
    Extent looked_at_ = 0;
};

}  // namespace

std::optional<Program> read_program(Cursor const& at, ProgramPlace const& place) {
    return ProgramReader(place).read(at);
}

}  // namespace ein::graph
