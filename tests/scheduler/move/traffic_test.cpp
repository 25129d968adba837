#include "scheduler/move/traffic.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using namespace ein::scheduler;

namespace {

graph::EinGraph product() {
    test::GraphBuilder g;
    g.leaf("A", {8, 8});
    g.leaf("B", {8, 8});
    g.einsum("Z", "ij,jk->ik", {"A", "B"});
    g.einsum("Y", "ij->ij", {"Z"}, {.join = "2*x"});
    return g.finish({"Y"});
}
constexpr ValueId A{0}, Z{2};

}  // namespace

TEST_CASE("bytes are counted for the node at hand, by purpose and operand", "[scheduler][traffic]") {
    graph::EinGraph const graph = product();
    TrafficCounter traffic(graph, 3);
    traffic.begin(NodeId{0});
    traffic.begin_operand(1);
    traffic.count(Rank{0}, Purpose::join, A, 10);
    traffic.count(Rank{2}, Purpose::repart, A, 20);
    traffic.count(Rank{2}, Purpose::agg, Z, 40);
    traffic.begin(NodeId{1});
    traffic.count(Rank{1}, Purpose::join, Z, 5);
    Traffic const &first = traffic.all()[0], &second = traffic.all()[1];
    CHECK(first.join == 10);
    CHECK(first.repart == 20);
    CHECK(first.agg == 40);
    CHECK(first.total() == 70);
    CHECK(first.inputs == std::vector<std::int64_t>{0, 30});
    CHECK(first.busiest == 60);
    CHECK(second.busiest == 5);
    CHECK(second.inputs == std::vector<std::int64_t>{5});
}

TEST_CASE("whole parts are operands of a join, any other region is cut anew", "[scheduler][traffic]") {
    graph::EinGraph const graph = product();
    TrafficCounter traffic(graph, 2);
    Cut const cut({8, 8}, {2, 1});
    traffic.begin(NodeId{0});
    CHECK(traffic.purpose_of(cut, {{0, 0}, {4, 8}}) == Purpose::join);
    CHECK(traffic.purpose_of(cut, {{0, 0}, {4, 4}}) == Purpose::repart);
    CHECK(traffic.purpose_of(cut, {{0, 0}, {8, 8}}) == Purpose::repart);
    traffic.wants_merged_parts();
    CHECK(traffic.purpose_of(cut, {{0, 0}, {8, 8}}) == Purpose::join);
    traffic.begin(NodeId{1});
    CHECK(traffic.purpose_of(cut, {{0, 0}, {8, 8}}) == Purpose::repart);
}
