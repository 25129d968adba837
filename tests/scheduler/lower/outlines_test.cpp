#include "scheduler/lower/outlines.hpp"

#include <set>

#include "tests/scheduler/lower/lowering_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace ein;

TEST_CASE("operations of one outline have different hashes where they differ", "[scheduler][outlines]") {
    test::GraphBuilder g;
    g.leaf("X", {8, 100});
    std::vector<std::string> outputs;
    for (int k = 0; k < 50; ++k) {
        outputs.push_back("scaled" + std::to_string(k));
        g.einsum(outputs.back(), "ij->i", {"X"}, {.join = "x*" + std::to_string(k % 40)});
        outputs.push_back("part" + std::to_string(k));
        g.node(outputs.back(), graph::Move{{{Box::whole({8, 20}), {{0, 1}, {k % 40, 1}}}}, {}}, {"X"}, {8, 20});
    }
    graph::EinGraph const graph = g.finish(outputs);
    std::set<std::uint64_t> hashes;
    for (graph::Node const& a : graph.nodes) {
        hashes.insert(scheduler::operation_hash(a));
        for (graph::Node const& b : graph.nodes)
            if (scheduler::same_operation(a, b)) CHECK(scheduler::operation_hash(a) == scheduler::operation_hash(b));
    }
    CHECK(hashes.size() == 80);
}
