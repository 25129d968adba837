#include "planner/strategies/roles.hpp"

#include "tests/planner/strategies/sample_graphs.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::planner;

namespace {

/// The roles of a value's axes, a letter each.
std::string roles_of(graph::EinGraph const& graph, std::string const& name) {
    Roles const roles(graph);
    std::string out;
    for (std::size_t k = 0; k < graph.values.size(); ++k)
        if (graph.values[k].name == name)
            for (std::size_t axis = 0; axis < graph.values[k].shape.size(); ++axis)
                out += "fbshg"[static_cast<int>(
                    roles.of_class(roles.classes().of(ValueId{static_cast<std::int32_t>(k)}, axis)))];
    return out;
}

}  // namespace

TEST_CASE("rows of data are the batch, all else features", "[planner][strategies]") {
    CHECK(roles_of(test::matmul(8, 8, 8), "A") == "bf");
    CHECK(roles_of(test::matmul(8, 8, 8), "B") == "ff");
    CHECK(roles_of(test::two_layers(), "H") == "bf");
    CHECK(roles_of(test::two_layers(), "W") == "ff");
}

TEST_CASE("attention tells positions, heads and batch apart", "[planner][strategies]") {
    CHECK(roles_of(test::attention(), "X") == "bsf");
    CHECK(roles_of(test::attention(), "WQ") == "fhf");
    CHECK(roles_of(test::attention(), "S") == "bhss");
    CHECK(roles_of(test::attention(), "WO") == "hff");
}

TEST_CASE("without a batch heads are heads, and query heads that share one are its group", "[planner][strategies]") {
    test::GraphBuilder g;
    g.leaf("X", {8, 16});
    g.leaf("WQ", {4, 2, 4, 16});
    g.leaf("WK", {4, 4, 16});
    g.einsum("Q", "sa,hgda->shgd", {"X", "WQ"});
    g.einsum("K", "sa,hda->shd", {"X", "WK"});
    g.einsum("S", "shgd,thd->hgst", {"Q", "K"});
    graph::EinGraph const graph = g.finish({"S"});
    CHECK(roles_of(graph, "X") == "sf");
    CHECK(roles_of(graph, "Q") == "shgf");
    CHECK(roles_of(graph, "K") == "shf");
}

TEST_CASE("a batch that gradients contract is still the batch", "[planner][strategies]") {
    test::GraphBuilder g;
    g.leaf("X", {8, 32});
    g.leaf("W1", {32, 16});
    g.leaf("W2", {16, 4});
    g.leaf("T", {8, 4});
    g.einsum("A", "nd,dh->nh", {"X", "W1"});
    g.einsum("R", "nh->nh", {"A"}, {.join = "max(x,0)"});
    g.einsum("Z", "nh,hl->nl", {"R", "W2"});
    g.einsum("dZ", "nl,nl->nl", {"Z", "T"}, {.join = "x-y"});
    g.einsum("dW2", "nh,nl->hl", {"R", "dZ"});
    g.einsum("dR", "nl,hl->nh", {"dZ", "W2"});
    g.einsum("dA", "nh,nh->nh", {"dR", "A"}, {.join = "where(y>0,x,0)"});
    g.einsum("dW1", "nd,nh->dh", {"X", "dA"});
    graph::EinGraph const graph = g.finish({"dW1", "dW2"});
    CHECK(roles_of(graph, "X") == "bf");
    CHECK(roles_of(graph, "dW1") == "ff");
    CHECK(roles_of(graph, "dZ") == "bf");
}

TEST_CASE("a reshape hands roles on where its blocks line up", "[planner][strategies]") {
    test::GraphBuilder g;
    g.leaf("X", {2, 8, 16});
    g.leaf("W", {16, 16});
    g.einsum("Q", "bsa,ae->bse", {"X", "W"});
    g.node("Qh", graph::Reshape{}, {"Q"}, {2, 8, 4, 4});
    g.einsum("S", "bshd,bthd->bhst", {"Qh", "Qh"});
    graph::EinGraph const graph = g.finish({"S"});
    CHECK(roles_of(graph, "Qh") == "bshf");
    CHECK(roles_of(graph, "Q") == "bsh");
    CHECK(roles_of(graph, "W") == "fh");
}
