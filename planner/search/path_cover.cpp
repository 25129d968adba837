#include "planner/search/path_cover.hpp"

#include <algorithm>
#include <queue>
#include <set>

namespace ein::planner {
namespace {

/// Keeps for every node that is left the length of the longest path that ends there. Taking nodes away only shortens
/// paths behind them, so only nodes whose length changes are visited again.
class Lengths {
public:
    explicit Lengths(graph::EinGraph const& graph)
        : before_(graph.nodes.size()),
          after_(graph.nodes.size()),
          length_(graph.nodes.size(), 1),
          taken_(graph.nodes.size(), false) {
        auto const producers = graph.producers();
        for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
            for (ValueId input : graph.nodes[node].inputs)
                if (auto const producer = producers[static_cast<std::size_t>(input.value())])
                    link(static_cast<std::size_t>(producer->value()), node);
            length_[node] = longest_to(node);
            ends_.insert({-length_[node], node});
        }
    }

    bool done() const { return ends_.empty(); }

    std::vector<NodeId> take_longest() {
        std::vector<NodeId> path;
        std::size_t node = ends_.begin()->second;
        while (true) {
            path.push_back(NodeId{static_cast<std::int32_t>(node)});
            auto const previous = std::find_if(before_[node].begin(), before_[node].end(), [&](std::size_t at) {
                return !taken_[at] && length_[at] == length_[node] - 1;
            });
            if (previous == before_[node].end()) break;
            node = *previous;
        }
        std::reverse(path.begin(), path.end());
        take(path);
        return path;
    }

private:
    void link(std::size_t from, std::size_t to) {
        if (std::find(before_[to].begin(), before_[to].end(), from) != before_[to].end()) return;
        before_[to].push_back(from);
        after_[from].push_back(to);
    }

    int longest_to(std::size_t node) const {
        int longest = 0;
        for (std::size_t at : before_[node])
            if (!taken_[at]) longest = std::max(longest, length_[at]);
        return longest + 1;
    }

    void take(std::vector<NodeId> const& path) {
        std::set<std::size_t> changed;  // visited in topological order, so that each is settled when it is reached
        for (NodeId id : path) {
            auto const node = static_cast<std::size_t>(id.value());
            taken_[node] = true;
            ends_.erase({-length_[node], node});
            changed.insert(after_[node].begin(), after_[node].end());
        }
        while (!changed.empty()) {
            std::size_t const node = *changed.begin();
            changed.erase(changed.begin());
            int const length = taken_[node] ? length_[node] : longest_to(node);
            if (length == length_[node]) continue;
            ends_.erase({-length_[node], node});
            length_[node] = length;
            ends_.insert({-length, node});
            changed.insert(after_[node].begin(), after_[node].end());
        }
    }

    std::vector<std::vector<std::size_t>> before_, after_;
    std::vector<int> length_;
    std::vector<bool> taken_;
    std::set<std::pair<int, std::size_t>> ends_;  // the longest first, then the earlier node
};

}  // namespace

std::vector<std::vector<NodeId>> longest_paths(graph::EinGraph const& graph) {
    std::vector<std::vector<NodeId>> paths;
    for (Lengths lengths(graph); !lengths.done();) paths.push_back(lengths.take_longest());
    return paths;
}

}  // namespace ein::planner
