#include <algorithm>

#include "lib/graph/read/declarations.hpp"
#include "lib/graph/read/fields.hpp"
#include "lib/graph/read/tuning.hpp"

namespace ein::graph {
namespace {

enum class Mark : std::uint8_t { unseen, open, done, in_cycle };

/// "'a' -> 'b' -> 'c' -> 'a'", each read by the next; the middle of a long one is left out.
/// @param cycle  each reads the one after it
std::string cycle_text(std::vector<NodeDeclaration> const& nodes, std::vector<std::size_t> const& cycle) {
    std::string text = quote(nodes[cycle.front()].name) + " -> ";
    std::size_t const half = tuning::most_cycle_names / 2;
    for (std::size_t k = cycle.size() - 1; k > 0; --k) {
        bool const left_out = cycle.size() > tuning::most_cycle_names && k > half && k + half <= cycle.size();
        if (!left_out)
            text += quote(nodes[cycle[k]].name) + " -> ";
        else if (k == half + 1)
            text += "... -> ";
    }
    return text + quote(nodes[cycle.front()].name);
}

/// A depth-first walk with a list of its own: chains of any length.
class Walk {
public:
    Walk(std::vector<NodeDeclaration> const& nodes, std::vector<std::optional<std::size_t>> const& producer)
        : nodes_(nodes), producer_(producer), marks_(nodes.size(), Mark::unseen) {}

    std::vector<std::size_t> run() {
        for (std::size_t k = 0; k < nodes_.size(); ++k)
            if (marks_[k] == Mark::unseen) from(k);
        return std::move(order_);
    }

private:
    struct Step {
        std::size_t node;
        std::size_t next_input = 0;
    };

    void open(std::size_t node) {
        marks_[node] = Mark::open;
        path_.push_back({node});
    }

    void from(std::size_t start) {
        open(start);
        while (!path_.empty()) {
            Step& step = path_.back();
            std::size_t const node = step.node;
            if (step.next_input == nodes_[node].inputs.size()) {
                if (marks_[node] == Mark::open) marks_[node] = Mark::done;
                order_.push_back(node);
                path_.pop_back();
                continue;
            }
            auto const input = nodes_[node].inputs[step.next_input++];
            auto const before = input ? producer_[*input] : std::nullopt;
            if (!before) continue;
            if (marks_[*before] == Mark::unseen)
                open(*before);
            else if (marks_[*before] == Mark::open)
                tell_cycle(*before);
        }
    }

    /// Each node is reported in one cycle at most.
    void tell_cycle(std::size_t first) {
        std::vector<std::size_t> cycle;
        for (std::size_t k = path_.size(); k > 0; --k) {
            cycle.push_back(path_[k - 1].node);
            if (path_[k - 1].node == first) break;
        }
        std::reverse(cycle.begin(), cycle.end());
        for (std::size_t node : cycle) marks_[node] = Mark::in_cycle;
        nodes_[first].inputs_at().fail("nodes that do not wait for each other",
                                       "the cycle " + cycle_text(nodes_, cycle), "let one of them read something else");
    }

    std::vector<NodeDeclaration> const& nodes_;
    std::vector<std::optional<std::size_t>> const& producer_;
    std::vector<Mark> marks_;
    std::vector<Step> path_;
    std::vector<std::size_t> order_;
};

}  // namespace

std::vector<std::size_t> order_nodes(std::vector<NodeDeclaration> const& nodes,
                                     std::vector<std::optional<std::size_t>> const& producer) {
    return Walk(nodes, producer).run();
}

}  // namespace ein::graph
