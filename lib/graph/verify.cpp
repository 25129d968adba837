#include <algorithm>
#include <unordered_set>

#include "lib/base/error.hpp"
#include "lib/graph/ein_graph.hpp"
#include "lib/graph/graph_builder.hpp"
#include "lib/graph/verify_node.hpp"

namespace ein::graph {
namespace {

class Verification {
public:
    Verification(EinGraph const& graph, std::string const& pass)
        : graph_(graph), pass_(pass), made_(graph.values.size(), false) {}

    void run() {
        check_values();
        for (Leaf const& leaf : graph_.leaves) make(leaf.value, "leaf");
        for (Node const& node : graph_.nodes) check_node(node);
        for (std::size_t k = 0; k < made_.size(); ++k)
            require(made_[k], "value " + std::to_string(k) + " has no leaf and no node");
        check_outputs();
        check_needed();
    }

private:
    void require(bool holds, std::string const& what) const {
        if (!holds) throw InternalError("after pass " + pass_ + ": " + what);
    }

    void check_values() const {
        std::unordered_set<std::string_view> names;
        for (Value const& value : graph_.values) {
            require(!value.name.empty() && names.insert(value.name).second,
                    "the name '" + value.name + "' is empty or taken");
            bool const legal =
                std::all_of(value.shape.begin(), value.shape.end(), [](Extent extent) { return extent >= 0; });
            require(legal && fits(value.shape, value.dtype),
                    "'" + value.name + "' has shape " + to_string(value.shape));
        }
    }

    void make(ValueId id, char const* maker) {
        require(at(id) < made_.size() && id.value() >= 0,
                "a " + std::string(maker) + " makes a value that does not exist");
        require(!made_[at(id)], "'" + graph_.value(id).name + "' is made twice");
        made_[at(id)] = true;
    }

    void check_node(Node const& node) {
        require(!node.inputs.empty(), "node '" + node.name + "' reads nothing");
        for (ValueId input : node.inputs)
            require(input.value() >= 0 && at(input) < made_.size() && made_[at(input)],
                    "node '" + node.name + "' reads a value before it is made");
        make(node.output, "node");
        check_fixed(node);
        check_sharding(node);
        std::string const problem = problem_of(graph_, node);
        require(problem.empty(),
                "node '" + node.name + "' (value '" + graph_.value(node.output).name + "'): " + problem);
    }

    void check_sharding(Node const& node) const {
        if (!node.sharding) return;
        require(node.sharding->size() == node.fixed.size() && parts_of(graph_.mesh, *node.sharding) == node.fixed,
                "node '" + node.name + "' has a sharding that is not its fixed parts");
    }

    void check_fixed(Node const& node) const {
        if (node.fixed.empty()) return;
        Shape const& extents = cut_extents(graph_, node);
        bool fits = node.fixed.size() == extents.size();
        for (std::size_t k = 0; fits && k < extents.size(); ++k)
            fits = node.fixed[k] >= 0 && node.fixed[k] <= std::max<Extent>(1, extents[k]);
        require(fits, "node '" + node.name + "' has fixed parts that do not fit its labels");
    }

    void check_outputs() const {
        std::unordered_set<ValueId> seen;
        require(!graph_.outputs.empty(), "there are no outputs");
        for (ValueId output : graph_.outputs) {
            require(output.value() >= 0 && at(output) < made_.size(), "an output does not exist");
            require(seen.insert(output).second, "'" + graph_.value(output).name + "' is an output twice");
        }
    }

    /// Nothing is in the graph that no output needs. Nodes are in order, so one walk from the last to the first
    /// suffices.
    void check_needed() const {
        std::vector<bool> needed(made_.size(), false);
        for (ValueId output : graph_.outputs) needed[at(output)] = true;
        for (Loop const& loop : graph_.loops) {
            if (loop.condition) needed[at(*loop.condition)] = true;
            for (Loop::Carry const& carry : loop.carries) needed[at(carry.inside)] = needed[at(carry.result)] = true;
        }
        for (auto node = graph_.nodes.rbegin(); node != graph_.nodes.rend(); ++node)
            if (needed[at(node->output)])
                for (ValueId input : node->inputs) needed[at(input)] = true;
        for (std::size_t k = 0; k < needed.size(); ++k)
            require(needed[k], "no output needs '" + graph_.values[k].name + "'");
    }

    EinGraph const& graph_;
    std::string const& pass_;
    std::vector<bool> made_;
};

}  // namespace

void verify(EinGraph const& graph, std::string const& pass) { Verification(graph, pass).run(); }

}  // namespace ein::graph
