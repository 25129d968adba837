#include "scheduler/lower/einsum/listed_clips.hpp"

#include "scheduler/lower/einsum/einsum_calls.hpp"
#include "tests/scheduler/lower/lowering_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace ein;

namespace {

/// Calls of one node, leaves "A" and, where the graph has it, "B" being sparse; the node is clipped by these hulls.
struct Clipped {
    test::LoweringBench bench;
    std::vector<scheduler::Call> calls;
    std::vector<Box> around;  // of A, by call

    Clipped(test::GraphBuilder graph, Parts const& parts, std::map<std::string, Box> const& listed,
            bool reproducible = false)
        : bench(sparse(std::move(graph)), static_cast<int>(element_count(parts)), {parts}) {
        bench.options.hull = [this, listed](ValueId leaf, Box const& box) {
            Box const hull = intersection(box, listed.at(bench.graph.value(leaf).name));
            return hull.empty() ? Box{box.begin, Shape(box.order(), 0)} : hull;
        };
        bench.header.reproducible = reproducible;
        graph::Node const& node = bench.graph.nodes[0];
        auto const& einsum = std::get<graph::EinSum>(node.op);
        calls = scheduler::placed_calls(bench.context, NodeId{0}, einsum);
        scheduler::ListedClips const clips(bench.context, node, einsum, graph::idle_sets(bench.graph, node), calls);
        for (std::size_t c = 0; c < calls.size(); ++c) around.push_back(clips.around(0, calls[c], c));
    }
    static graph::EinGraph sparse(test::GraphBuilder builder) {
        graph::EinGraph graph = builder.finish({"Z"});
        for (graph::Value& value : graph.values)
            if (value.name == "A" || value.name == "B") value.listing = graph::Listing{{}, 1.0, 1};
        return graph;
    }
    Box label(std::size_t call, std::size_t k) const {
        return {{calls[call].region.begin[k]}, {calls[call].region.length[k]}};
    }
};

test::GraphBuilder product(std::string const& einsum, Shape const& a, Shape const& b) {
    test::GraphBuilder graph;
    graph.leaf("A", a), graph.leaf("x", b);
    graph.einsum("Z", einsum, {"A", "x"});
    return graph;
}

}  // namespace

TEST_CASE("a call takes what a sparse leaf's elements span", "[scheduler][lower]") {
    Clipped const of(product("ij,j->i", {40, 40}, {40}), {2, 1}, {{"A", {{0, 10}, {30, 5}}}});
    CHECK(of.label(0, 0) == Box{{0}, {20}});  // rows are the result's
    CHECK(of.label(0, 1) == Box{{10}, {5}});
    CHECK(of.label(1, 1) == Box{{10}, {5}});
    CHECK(of.around[1] == Box{{20, 0}, {20, 40}});  // it lists nothing there but in [20:40, 10:15]
}

TEST_CASE("a call whose leaf lists nothing is there for its result", "[scheduler][lower]") {
    Clipped const of(product("ij,j->i", {40, 40}, {40}), {2, 1}, {{"A", {{0, 0}, {20, 5}}}});
    CHECK(of.label(0, 1) == Box{{0}, {5}});
    CHECK(of.label(1, 1) == Box{{0}, {1}});
}

TEST_CASE("what is listed nearly everywhere is not clipped", "[scheduler][lower]") {
    Clipped const of(product("ij,j->i", {40, 40}, {40}), {2, 1}, {{"A", {{0, 2}, {40, 36}}}});
    CHECK(of.label(0, 1) == Box{{0}, {40}});
    CHECK(of.around[0] == Box{{0, 0}, {20, 40}});
}

TEST_CASE("a sum that keeps its order is whole", "[scheduler][lower]") {
    Clipped const of(product("ij,j->i", {40, 40}, {40}), {2, 1}, {{"A", {{0, 10}, {30, 5}}}}, true);
    CHECK(of.label(0, 1) == Box{{0}, {40}});
}

TEST_CASE("labels of a diagonal, and of what decides nothing alone, are not clipped", "[scheduler][lower]") {
    Clipped const diagonal(product("jj,ji->i", {40, 40}, {40, 8}), {1, 1}, {{"A", {{0, 0}, {3, 3}}}});
    CHECK(diagonal.calls[0].region == Box::whole(std::get<graph::EinSum>(diagonal.bench.graph.nodes[0].op).extents));
    test::GraphBuilder graph;
    graph.leaf("A", {40, 40}), graph.leaf("B", {40, 40});
    graph.einsum("Z", "ij,ij->i", {"A", "B"}, {.join = "x + y"});
    Clipped const sum(std::move(graph), {1, 1}, {{"A", {{0, 0}, {3, 3}}}, {"B", {{0, 0}, {3, 3}}}});
    CHECK(sum.label(0, 1) == Box{{0}, {40}});
}

TEST_CASE("a label is clipped by one operand, another by another", "[scheduler][lower]") {
    test::GraphBuilder graph;
    graph.leaf("A", {40, 40}), graph.leaf("B", {40, 60});
    graph.einsum("Z", "ij,jk->i", {"A", "B"});
    // j by A; k by B, of the j that A left.
    Clipped const of(std::move(graph), {1, 1, 1}, {{"A", {{0, 4}, {40, 8}}}, {"B", {{0, 6}, {40, 7}}}});
    auto const& einsum = std::get<graph::EinSum>(of.bench.graph.nodes[0].op);
    auto const at = [&](char const* label) {
        return static_cast<std::size_t>(std::ranges::find(einsum.labels, label) - einsum.labels.begin());
    };
    CHECK(of.label(0, at("j")) == Box{{4}, {8}});
    CHECK(of.label(0, at("k")) == Box{{6}, {7}});
    CHECK(of.around[0] == Box{{0, 0}, {40, 40}});
}
