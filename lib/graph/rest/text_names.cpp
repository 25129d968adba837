#include "lib/graph/rest/text_names.hpp"

#include <algorithm>

#include "lib/base/error.hpp"

namespace ein::graph {
namespace {

/// The text after `beginning`, or all of it.
std::string after(std::string const& beginning, std::string const& text) {
    bool const longer = text.size() > beginning.size() && text.starts_with(beginning);
    return longer ? text.substr(beginning.size()) : text;
}

}  // namespace

TextNames::TextNames(EinGraph const& graph)
    : graph_(graph),
      nodes_of_(graph.loops.size() + 1),
      scopes_(graph.loops.size() + 1),
      carried_(graph.values.size()),
      scope_(graph.values.size(), -1),
      names_(graph.values.size()) {
    for (Value const& value : graph.values) originals_.insert(value.name);
    find_carried();
    find_read();
    for (Leaf const& leaf : graph.leaves) names_[ein::at(leaf.value)] = take(-1, graph.value(leaf.value).name);
    name_scope(-1);
}

void TextNames::find_carried() {
    for (std::size_t l = 0; l < graph_.loops.size(); ++l) {
        auto const loop = static_cast<std::int32_t>(l);
        for (std::size_t k = 0; k < graph_.loops[l].carries.size(); ++k) {
            Loop::Carry const& carry = graph_.loops[l].carries[k];
            carried_[ein::at(carry.inside)] = {loop, k, true};
            carried_[ein::at(carry.result)] = {loop, k, false};
        }
    }
    for (Node const& node : graph_.nodes) scope_[ein::at(node.output)] = node.loop;
    for (std::size_t v = 0; v < carried_.size(); ++v)
        if (Carried const& found = carried_[v]; found.loop >= 0)
            scope_[v] = found.inside ? found.loop : graph_.loops[static_cast<std::size_t>(found.loop)].outer;
}

void TextNames::find_read() {
    std::vector<bool> seen(graph_.loops.size(), false);
    for (std::size_t k = 0; k < graph_.nodes.size(); ++k) {
        Node const& node = graph_.nodes[k];
        nodes_of_[static_cast<std::size_t>(node.loop + 1)].push_back(k);
        for (std::int32_t const loop : graph_.loops_around(node.loop)) {
            for (ValueId input : node.inputs)
                if (!is_in(scope_[ein::at(input)], loop)) at_loop(loop).read.push_back(input);
            if (seen[static_cast<std::size_t>(loop)]) continue;
            seen[static_cast<std::size_t>(loop)] = true;
            at_loop(graph_.loops[static_cast<std::size_t>(loop)].outer).loops.push_back(loop);
        }
    }
}

bool TextNames::is_in(std::int32_t loop, std::int32_t other) const {
    while (loop >= 0 && loop != other) loop = graph_.loops[static_cast<std::size_t>(loop)].outer;
    return loop == other;
}

std::string TextNames::prefix(std::int32_t loop) const {
    return loop < 0 ? "" : prefix(graph_.loops[static_cast<std::size_t>(loop)].outer) + of_loop(loop) + "/";
}

std::string const& TextNames::of(ValueId value, std::int32_t loop) const {
    Carried const* const found = carried(value);
    if (found == nullptr || !is_in(loop, found->loop)) return names_[ein::at(value)];
    if (found->inside) return key(found->loop, found->number);
    for (std::size_t const k : nodes_of_[static_cast<std::size_t>(found->loop + 1)])
        if (graph_.nodes[k].output == value) return of(graph_.nodes[k].inputs[0], loop);
    throw InternalError("'" + graph_.value(value).name + "' is carried, and no node of its loop makes it");
}

std::string TextNames::fresh(std::string const& wanted) {
    std::string name = wanted;
    for (int number = 2; originals_.contains(name) || !full_.insert(name).second; ++number)
        name = wanted + ":" + std::to_string(number);
    for (OfLoop& scope : scopes_) scope.taken.insert(name);
    return name;
}

bool TextNames::is_free(std::int32_t scope, std::string const& name, std::string const& original) const {
    std::string const whole = full(scope, name);
    return !at_loop(scope).taken.contains(name) && !full_.contains(whole) &&
           (whole == original || !originals_.contains(whole));
}

std::string TextNames::take(std::int32_t scope, std::string const& original) {
    std::string const wanted = after(prefix(scope), original);
    std::string name = wanted;
    for (int number = 2; !is_free(scope, name, original); ++number) name = wanted + ":" + std::to_string(number);
    at_loop(scope).taken.insert(name);
    full_.insert(full(scope, name));
    return name;
}

void TextNames::name_scope(std::int32_t scope) {
    for (std::size_t const k : nodes_of_[static_cast<std::size_t>(scope + 1)]) {
        Node const& node = graph_.nodes[k];
        if (!is_carry(node)) names_[ein::at(node.output)] = take(scope, graph_.value(node.output).name);
    }
    for (std::int32_t const loop : at_loop(scope).loops) name_loop(loop);
    for (std::int32_t const loop : at_loop(scope).loops) name_scope(loop);
}

void TextNames::name_loop(std::int32_t loop) {
    Loop const& from = graph_.loops[static_cast<std::size_t>(loop)];
    OfLoop& names = at_loop(loop);
    names.name = take(from.outer, from.name);
    for (ValueId const value : names.read) names.taken.insert(of(value, from.outer));
    for (std::size_t k = 0; k < from.carries.size(); ++k) name_carry(loop, k);
}

void TextNames::name_carry(std::int32_t loop, std::size_t k) {
    Loop const& from = graph_.loops[static_cast<std::size_t>(loop)];
    OfLoop& names = at_loop(loop);
    ValueId const result = from.carries[k].result;
    std::string const& original = graph_.value(result).name;
    std::string const in_scope = after(prefix(from.outer), original);
    std::string wanted = after(names.name + "/", in_scope);
    if (wanted == in_scope) wanted = original.substr(original.rfind('/') + 1);
    if (wanted.empty()) wanted = "carried";
    std::string key = wanted;
    auto const taken = [&] {
        return names.taken.contains(key) || !is_free(from.outer, names.name + "/" + key, original);
    };
    for (int number = 2; taken(); ++number) key = wanted + ":" + std::to_string(number);
    names.taken.insert(key);
    names.keys.push_back(key);
    names_[ein::at(result)] = names.name + "/" + key;
    at_loop(from.outer).taken.insert(names.name + "/" + key);
    full_.insert(full(from.outer, names.name + "/" + key));
}

}  // namespace ein::graph
