#include "lib/graph/read/declarations.hpp"

#include "lib/graph/read/fields.hpp"

namespace ein::graph {
namespace {

void declare_name(NodeDeclaration& declaration, Names& names) {
    auto const at = required(declaration.node, "name", "give every node a name of its own: \"name\": \"C\"");
    auto const name = at ? read_name(*at) : std::nullopt;
    if (!name) return names.lacks_some();
    if (auto const number = names.add(*name)) {
        declaration.name = *name;
        declaration.number = *number;
    } else {
        at->fail("a name that no other tensor or node has", quote(*name) + " again", "rename one of them");
    }
}

/// Which of the keys that say what a node is it has: exactly one.
bool check_kind(Cursor const& node) {
    for (std::string const later : {"grad", "loop"}) {
        if (!node.has(later)) continue;
        node.at(later).fail("an \"einsum\", \"op\" or \"tra\" node",
                            "\"" + later + "\", which is not supported yet by this version", "remove the node");
        return false;
    }
    int const kinds = node.has("einsum") + node.has("op") + node.has("tra");
    if (kinds == 1) return true;
    node.fail("one of \"einsum\", \"op\" and \"tra\"", kinds > 1 ? std::to_string(kinds) + " of them" : "none",
              kinds > 1 ? "remove all but one" : "write for example \"einsum\": \"ij,jk->ik\" or \"op\": \"softmax\"");
    return false;
}

void resolve_inputs(NodeDeclaration& declaration, Names& names) {
    auto const inputs =
        required(declaration.node, "inputs", "name the tensors that it reads: \"inputs\": [\"A\", \"B\"]");
    if (!inputs || !inputs->expect_list() || inputs->size() == 0) {
        if (inputs && inputs->value().is_array())
            inputs->fail("one input or more", "none", "name the tensors that it reads");
        declaration.usable = false;
        return;
    }
    for (std::size_t k = 0; k < inputs->size(); ++k) {
        auto const at = inputs->at(k);
        auto const name = at.string();
        declaration.inputs.push_back(name ? names.find(*name) : std::nullopt);
        if (name && !declaration.inputs.back() && names.complete())
            at.fail("the name of a tensor or node", quote(*name), names.suggestion(*name));
    }
}

}  // namespace

std::optional<std::size_t> Names::add(std::string const& name) {
    std::size_t const number = names_.size();
    if (!number_.try_emplace(name, number).second) return std::nullopt;
    names_.push_back(name);
    return number;
}

std::optional<std::size_t> Names::find(std::string const& name) const {
    auto const found = number_.find(name);
    return found == number_.end() ? std::nullopt : std::optional(found->second);
}

std::string Names::suggestion(std::string const& name) {
    std::string const define = "define it, or correct the name";
    return searches_left_-- > 0 ? did_you_mean(name, names_, define) : define;
}

std::vector<NodeDeclaration> declare_nodes(Cursor const& nodes, Names& names) {
    std::vector<NodeDeclaration> declarations;
    if (!nodes.expect_list()) {
        names.lacks_some();
        return declarations;
    }
    declarations.reserve(nodes.size());
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        NodeDeclaration declaration{nodes.at(k), "", 0, {}, true};
        declaration.usable = declaration.node.expect_object();
        if (!declaration.usable) names.lacks_some();
        if (declaration.usable) {
            declare_name(declaration, names);
            declaration.usable = check_kind(declaration.node);
        }
        declarations.push_back(std::move(declaration));
    }
    for (NodeDeclaration& declaration : declarations)
        if (declaration.usable) resolve_inputs(declaration, names);
    return declarations;
}

}  // namespace ein::graph
