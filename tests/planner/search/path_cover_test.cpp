#include "planner/search/path_cover.hpp"

#include <random>
#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using namespace ein::planner;

namespace {

std::vector<std::vector<int>> numbers(std::vector<std::vector<NodeId>> const& paths) {
    std::vector<std::vector<int>> out;
    for (auto const& path : paths) {
        out.emplace_back();
        for (NodeId id : path) out.back().push_back(id.value());
    }
    return out;
}

/// The longest path among the nodes that are left, by looking at all of them again.
std::size_t longest_left(graph::EinGraph const& graph, std::set<int> const& left) {
    auto const producers = graph.producers();
    std::vector<std::size_t> length(graph.nodes.size(), 0);
    std::size_t longest = 0;
    for (int node : left) {
        for (ValueId input : graph.nodes[static_cast<std::size_t>(node)].inputs) {
            auto const producer = producers[static_cast<std::size_t>(input.value())];
            if (producer && left.count(producer->value()))
                length[static_cast<std::size_t>(node)] = std::max(length[static_cast<std::size_t>(node)],
                                                                  length[static_cast<std::size_t>(producer->value())]);
        }
        longest = std::max(longest, ++length[static_cast<std::size_t>(node)]);
    }
    return longest;
}

}  // namespace

TEST_CASE("a diamond is one path and the other side", "[planner][paths]") {
    test::GraphBuilder builder;
    builder.leaf("X", {4});
    builder.einsum("a", "i->i", {"X"});
    builder.einsum("b", "i->i", {"a"});
    builder.einsum("c", "i->i", {"a"});
    builder.einsum("d", "i,i->i", {"b", "c"});
    CHECK(numbers(longest_paths(builder.finish({"d"}))) == std::vector<std::vector<int>>{{0, 1, 3}, {2}});
}

TEST_CASE("every path is the longest among the nodes that are left", "[planner][paths]") {
    std::mt19937 random(11);
    for (int round = 0; round < 100; ++round) {
        test::GraphBuilder builder;
        builder.leaf("0", {2});
        int const count = 1 + static_cast<int>(random() % 25);
        for (int k = 1; k <= count; ++k) {
            auto pick = [&] {
                return std::to_string(static_cast<int>(random()) % 2 == 0
                                          ? k - 1
                                          : static_cast<int>(random() % static_cast<unsigned>(k)));
            };
            builder.einsum(std::to_string(k), "i,i->i", {pick(), pick()});
        }
        graph::EinGraph const graph = builder.finish({std::to_string(count)});
        std::set<int> left;
        for (int k = 0; k < count; ++k) left.insert(k);
        for (auto const& path : numbers(longest_paths(graph))) {
            CHECK(path.size() == longest_left(graph, left));
            for (int node : path) CHECK(left.erase(node) == 1);
        }
        CHECK(left.empty());
    }
}
