// What a text calls the values of a graph. Outside of loops a value has its name. In the body of a loop it has the name
// that, read after the loop's own and '/', is its name again: "Ax" for "train/Ax"; what is carried has the key that,
// read so, is the name of its result: "W" for "train/W". Where such a name is taken, or would hide one that the body
// reads, another is found. Example: a value "P:max" is called "P:max", in the loop "P" and outside.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

class TextNames {
public:
    explicit TextNames(EinGraph const& graph);

    /// What nodes in `loop` (-1: outside of all) call a value.
    std::string const& of(ValueId value, std::int32_t loop) const;
    std::string const& of_loop(std::int32_t loop) const { return at_loop(loop).name; }
    /// Under which "carry" has what number k of a loop's carries is.
    std::string const& key(std::int32_t loop, std::size_t k) const { return at_loop(loop).keys[k]; }
    /// What "parts" and "sharding" call what is called `name` in a loop.
    std::string full(std::int32_t loop, std::string const& name) const { return prefix(loop) + name; }
    /// A name that nothing has, in any loop.
    std::string fresh(std::string const& wanted);

    /// Whether loops say it themselves: a copy of what is carried.
    bool is_carry(Node const& node) const { return carried(node.output) != nullptr; }

private:
    struct OfLoop {
        std::string name;                       // around it
        std::vector<std::string> keys;          // of its carries
        std::unordered_set<std::string> taken;  // names in its body, and those of what it reads from outside
        std::vector<ValueId> read;              // by its nodes and those of loops in it, from outside
        std::vector<std::int32_t> loops;        // in it, in the order in which they run
    };
    struct Carried {
        std::int32_t loop = -1;  // none
        std::size_t number = 0;
        bool inside = false;  // or its result
    };

    OfLoop const& at_loop(std::int32_t loop) const { return scopes_[static_cast<std::size_t>(loop + 1)]; }
    OfLoop& at_loop(std::int32_t loop) { return scopes_[static_cast<std::size_t>(loop + 1)]; }
    Carried const* carried(ValueId value) const {
        Carried const& found = carried_[ein::at(value)];
        return found.loop < 0 ? nullptr : &found;
    }
    bool is_in(std::int32_t loop, std::int32_t other) const;
    std::string prefix(std::int32_t loop) const;

    void find_carried();
    void find_read();
    void name_scope(std::int32_t scope);
    void name_loop(std::int32_t loop);
    void name_carry(std::int32_t loop, std::size_t k);
    bool is_free(std::int32_t scope, std::string const& name, std::string const& original) const;
    /// A name in `scope` for what is called `original`.
    std::string take(std::int32_t scope, std::string const& original);

    EinGraph const& graph_;
    std::vector<std::vector<std::size_t>> nodes_of_;  // by loop + 1: the nodes that are in it and in none within it
    std::vector<OfLoop> scopes_;                      // by loop + 1: the first is the graph
    std::vector<Carried> carried_;                    // by value
    std::vector<std::int32_t> scope_;                 // by value: the loop that its name is declared in
    std::vector<std::string> names_;                  // by value: in that
    std::unordered_set<std::string> originals_, full_;
};

}  // namespace ein::graph
