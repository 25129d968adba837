#include "lib/graph/read/name_suspicions.hpp"

#include <algorithm>

#include "lib/base/text/letters.hpp"
#include "lib/scalar/expression/expr.hpp"
#include "lib/scalar/expression/parse/resolve.hpp"

namespace ein::graph {

void note_computed_names(NodeContext const& context, std::vector<std::string>& notes) {
    std::string const join = context.node.at("join").value().get<std::string>();
    std::vector<std::string> const inputs = context.input_names();
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        std::string const& name = inputs[k];
        std::size_t const at = join.find(name), end = at + name.size();
        if (at == std::string::npos || std::ranges::all_of(name, is_word_character)) continue;
        if ((at > 0 && is_word_character(join[at - 1])) || (end < join.size() && is_word_character(join[end])))
            continue;
        notes.push_back("node '" + context.name + "': '" + name +
                        "' in its join is computed of its words; the input '" + name + "' is " +
                        scalar::operand_name(static_cast<int>(k), static_cast<int>(inputs.size())) +
                        ": write that where it is meant, and spaces where not");
    }
}

namespace {

using scalar::Expr;
using scalar::Op;

/// Whether it is x less y times something that has no operands.
bool is_step(Expr const& join) {
    if (join.op() != Op::sub || !(join.args()[0] == Expr::operand(0))) return false;
    Expr const& step = join.args()[1];
    if (step == Expr::operand(1)) return true;
    return step.op() == Op::mul && scalar::operands_of(step) == std::vector<int>{1} &&
           (step.args()[0] == Expr::operand(1) || step.args()[1] == Expr::operand(1));
}

/// Whether some value is called so, here or in a loop's body.
bool is_there(GraphBuilder const& graph, std::string const& name) {
    return std::ranges::any_of(graph.graph().values, [&](Value const& value) {
        return value.name == name || value.name.ends_with("/" + name);
    });
}

}  // namespace

void note_strange_steps(NodeContext const& context, std::vector<std::string>& notes) {
    std::vector<std::string> const inputs = context.input_names();
    if (inputs.size() != 2 || !is_step(context.written->einsum.join)) return;
    std::string const &from = inputs[0], &along = inputs[1];
    if (from.size() > along.size() && from.ends_with("/" + along)) {
        notes.push_back("node '" + context.name + "' takes a part of '" + along + "' from its gradient '" + from +
                        "'; a step of descent has \"inputs\": [" + Json(along).dump() + ", " + Json(from).dump() + "]");
        return;
    }
    std::size_t const slash = along.find('/');
    if (slash == std::string::npos || along.substr(slash + 1) == from || !is_there(context.graph, along)) return;
    std::string const own = along.substr(0, slash + 1) + from;
    if (is_there(context.graph, own))
        notes.push_back("node '" + context.name + "' steps from '" + from + "' along the gradient '" + along +
                        "', though there is \"" + own + "\"; write that if it is meant");
}

}  // namespace ein::graph
