// What no output needs, and names that are read and hardly meant: told when all nodes are known.
#include <algorithm>
#include <array>

#include "lib/graph/read/suspicions.hpp"

namespace ein::graph {
namespace {

/// "'E', 'F' and 3 more"
std::string names_text(std::vector<std::string> const& names) {
    constexpr std::size_t most = 5;
    std::string out;
    for (std::size_t k = 0; k < std::min(most, names.size()); ++k) out += (k > 0 ? ", '" : "'") + names[k] + "'";
    return out + (names.size() > most ? " and " + std::to_string(names.size() - most) + " more" : "");
}

/// Names that are needed, found backwards.
std::vector<char> needed_names(std::vector<NodeDeclaration> const& nodes, std::size_t names,
                               std::vector<std::size_t> const& wanted) {
    std::vector<std::size_t> producer(names, nodes.size()), left;
    for (std::size_t k = 0; k < nodes.size(); ++k)
        for (auto const& number : nodes[k].defines)
            if (number) producer[*number] = k;
    std::vector<char> needed(names, 0);
    auto const want = [&](std::size_t number) {
        if (needed[number] != 0) return;
        needed[number] = 1;
        left.push_back(number);
    };
    for (std::size_t number : wanted) want(number);
    while (!left.empty()) {
        std::size_t const made_by = producer[left.back()];
        left.pop_back();
        if (made_by == nodes.size()) continue;
        for (auto const& input : nodes[made_by].inputs)
            if (input) want(*input);
    }
    return needed;
}

/// What no output needs.
struct LeftOut {
    std::vector<std::string> nodes, gradients;  // of nodes that are computed for the sake of others
};

void add_left_out(std::vector<NodeDeclaration> const& nodes, Names const& names, std::vector<std::size_t> const& wanted,
                  std::string const& prefix, LeftOut& out) {
    std::vector<char> const needed = needed_names(nodes, names.size(), wanted);
    for (NodeDeclaration const& node : nodes) {
        bool const is_needed =
            std::ranges::any_of(node.defines, [&](auto const& number) { return number && needed[*number] != 0; });
        if (!is_needed) {
            if (!node.name.empty()) out.nodes.push_back(prefix + node.name);
            continue;
        }
        if (node.node.has("grad"))
            for (auto const& number : node.defines)
                if (number && needed[*number] == 0) out.gradients.push_back(prefix + names[*number]);
        if (!node.loop) continue;
        LoopDeclaration const& loop = *node.loop;
        std::vector<std::size_t> roots;
        for (LoopDeclaration::Carried const& carried : loop.carried)
            if (carried.next) roots.push_back(*carried.next);
        if (loop.condition) roots.push_back(*loop.condition);
        add_left_out(loop.body, loop.names, roots, prefix + node.name + "/", out);
    }
}

/// Outputs that are what a loop begins with, where nothing reads what it ends with.
void note_begun_with(std::vector<NodeDeclaration> const& nodes, Names const& names, std::vector<char> const& needed,
                     std::vector<std::size_t> const& outputs, std::vector<std::string>& notes) {
    for (NodeDeclaration const& node : nodes) {
        if (!node.loop) continue;
        for (std::size_t k = 0; k < node.loop->carried.size() && k < node.inputs.size(); ++k) {
            bool const is_output = node.inputs[k] && std::ranges::find(outputs, *node.inputs[k]) != outputs.end();
            bool const ends_unread = k < node.defines.size() && node.defines[k] && needed[*node.defines[k]] == 0;
            if (is_output && ends_unread)
                notes.push_back("the output '" + names[*node.inputs[k]] + "' is what the loop '" + node.name +
                                "' begins with; what it ends with is \"" + names[*node.defines[k]] + "\"");
        }
    }
}

/// Nodes behind a loop that read what it began with, where nothing but an output reads what it ended with.
void note_start_read(std::vector<NodeDeclaration> const& nodes, Names const& names, std::vector<char> const& needed,
                     std::vector<std::string>& notes) {
    auto const reads = [&](NodeDeclaration const& node, std::size_t name) {
        bool const is_needed =
            std::ranges::any_of(node.defines, [&](auto const& number) { return number && needed[*number] != 0; });
        return is_needed && std::ranges::find(node.inputs, std::optional(name)) != node.inputs.end();
    };
    for (NodeDeclaration const& node : nodes) {
        if (!node.loop) continue;
        std::vector<std::size_t> begins;
        for (auto const& input : node.inputs)
            if (input) begins.push_back(*input);
        std::vector<char> const before = needed_names(nodes, names.size(), begins);
        for (std::size_t k = 0; k < node.loop->carried.size() && k < node.inputs.size() && k < node.defines.size();
             ++k) {
            if (!node.inputs[k] || !node.defines[k] || needed[*node.defines[k]] == 0) continue;
            std::size_t const begin = *node.inputs[k], end = *node.defines[k];
            if (std::ranges::any_of(nodes, [&](auto const& other) { return reads(other, end); })) continue;
            auto const reader = std::ranges::find_if(nodes, [&](NodeDeclaration const& other) {
                bool const comes_before = std::ranges::any_of(
                    other.defines, [&](auto const& number) { return number && before[*number] != 0; });
                return &other != &node && !other.loop && !other.is_gradient() && !comes_before && reads(other, begin);
            });
            if (reader != nodes.end())
                notes.push_back("node '" + reader->name + "' reads '" + names[begin] + "', which the loop '" +
                                node.name + "' begins with, and none reads what it ends with; write \"" + names[end] +
                                "\" if that is meant");
        }
    }
}

/// Whether it says by its name when to end: "converged", "is_done", not "not_done".
bool says_when_to_end(std::string const& name) {
    constexpr std::array ends{"converged", "convergence", "done", "finished", "stop", "stopped", "ended", "until"};
    std::size_t const last = name.rfind('_');
    std::string const word = last == std::string::npos ? name : name.substr(last + 1);
    return std::ranges::find(ends, word) != ends.end() && name.find("not_") == std::string::npos;
}

/// Loops whose condition is true when they should end, it seems.
void note_until(std::vector<NodeDeclaration> const& nodes, std::vector<std::string>& notes) {
    for (NodeDeclaration const& node : nodes) {
        if (!node.loop) continue;
        note_until(node.loop->body, notes);
        if (!node.loop->condition) continue;
        std::string const& name = node.loop->names[*node.loop->condition];
        if (says_when_to_end(name))
            notes.push_back("the loop '" + node.name + "' goes on as long as '" + name +
                            "' is not 0, and ends once it is 0; for a loop until '" + name +
                            "' add to its body {\"name\": \"more\", \"einsum\": \"->\", \"inputs\": [\"" + name +
                            "\"], \"join\": \"!x\"}, and write \"while\": \"more\"");
    }
}

}  // namespace

std::vector<std::string> unneeded(std::vector<NodeDeclaration> const& nodes, Names const& names, std::size_t tensors,
                                  std::vector<std::size_t> const& outputs) {
    std::vector<std::string> unread, notes;
    LeftOut found;
    add_left_out(nodes, names, outputs, "", found);
    std::vector<std::string> const& left_out = found.nodes;
    std::vector<char> const needed = needed_names(nodes, names.size(), outputs);
    for (std::size_t number = 0; number < tensors; ++number)
        if (needed[number] == 0) unread.push_back(names[number]);
    note_begun_with(nodes, names, needed, outputs, notes);
    note_start_read(nodes, names, needed, notes);
    note_until(nodes, notes);
    if (!found.gradients.empty())
        notes.push_back("nothing reads the gradient" + std::string(found.gradients.size() == 1 ? " " : "s ") +
                        names_text(found.gradients) + "; remove " + (found.gradients.size() == 1 ? "it" : "them") +
                        " from \"wrt\", or correct what should read " + (found.gradients.size() == 1 ? "it" : "them"));
    if (!left_out.empty())
        notes.push_back("no output needs " + std::string(left_out.size() == 1 ? "the node " : "the nodes ") +
                        names_text(left_out) + ", which " + (left_out.size() == 1 ? "is" : "are") +
                        " checked but not computed; name what you want in \"outputs\", or carry it out of its loop");
    if (!unread.empty())
        notes.push_back("no output needs the tensor" + std::string(unread.size() == 1 ? " " : "s ") +
                        names_text(unread) + "; remove " + (unread.size() == 1 ? "it" : "them") +
                        ", or correct what should read " + (unread.size() == 1 ? "it" : "them"));
    return notes;
}

}  // namespace ein::graph
