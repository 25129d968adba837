#include "lib/graph/summation_order.hpp"

#include "lib/base/error.hpp"
#include "lib/graph/read_graph.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;

namespace {

/// One node Z over tensors A and B of 64 x 48 and 48 x 32.
EinGraph graph_with(std::string const& node, std::string const& dtype = "f32") {
    return read_graph(R"({"eingraph": 1, "dtype": ")" + dtype + R"(", "tensors": {
        "A": {"shape": [64, 48], "data": {"fill": 1}}, "B": {"shape": [48, 32], "data": {"fill": 1}},
        "C": {"shape": [8, 64, 48], "data": {"fill": 1}}},
        "nodes": [{"name": "Z", )" +
                          node + R"(}], "outputs": ["Z"]})",
                      "graph.json");
}
EinGraph kept(std::string const& node, std::string const& dtype = "f32") {
    return keep_summation_order(graph_with(node, dtype), "graph.json");
}

}  // namespace

TEST_CASE("order matters where values round, and for equal zeros and nans", "[graph][summation-order]") {
    for (scalar::Agg const agg : {scalar::Agg::sum, scalar::Agg::prod, scalar::Agg::min, scalar::Agg::max})
        for (DType const type : {DType::f16, DType::bf16, DType::f32, DType::f64}) CHECK(depends_on_order(agg, type));
    CHECK(depends_on_order(scalar::Agg::sum, DType::c64));
    CHECK(depends_on_order(scalar::Agg::logsumexp, DType::f64));
    CHECK_FALSE(depends_on_order(scalar::Agg::sum, DType::i32));
    CHECK_FALSE(depends_on_order(scalar::Agg::max, DType::i64));
    CHECK_FALSE(depends_on_order(scalar::Agg::sum, DType::boolean));
    CHECK_FALSE(depends_on_order(scalar::Agg::any, DType::boolean));
}

TEST_CASE("labels of sums that round are not cut, others stay free", "[graph][summation-order]") {
    std::string const product = R"("einsum": "ij,jk->ik", "inputs": ["A", "B"])";
    CHECK(kept(product).nodes.back().fixed == Parts{0, 1, 0});
    CHECK(kept(product, "c128").nodes.back().fixed == Parts{0, 1, 0});
    CHECK(kept(product, "i32").nodes.back().fixed.empty());
    CHECK(kept(product + R"(, "join": "x < y", "dtype": "i64")").nodes.back().fixed.empty());
    CHECK(kept(R"("einsum": "ij->ji", "inputs": ["A"])").nodes.back().fixed.empty());
}

TEST_CASE("what would need all of a large operand in one call is made in two stages", "[graph][summation-order]") {
    EinGraph const graph = kept(R"("einsum": "ij->", "inputs": ["A"])");
    REQUIRE(graph.nodes.size() == 2);
    CHECK(graph.value(graph.nodes[0].output).name == "Z:stage");
    CHECK(graph.value(graph.nodes[0].output).shape == Shape{64});
    CHECK(graph.nodes[0].fixed == Parts{0, 1});
    CHECK(graph.nodes[1].fixed == Parts{1});
    CHECK(graph.value(graph.nodes[1].output).name == "Z");
    // Halves are summed in f32, and so are the stages.
    EinGraph const half = kept(R"("einsum": "ij->", "inputs": ["A"])", "f16");
    CHECK(half.value(half.nodes[0].output).dtype == DType::f32);
    // The first label is short: the next one is kept.
    EinGraph const three = kept(R"("einsum": "bij->", "inputs": ["C"])");
    CHECK(three.value(three.nodes[0].output).shape == Shape{64});
    // One summed label, results that are as large as what is read, and integers need no stages.
    CHECK(kept(R"("einsum": "ij->j", "inputs": ["A"])").nodes.size() == 1);
    CHECK(kept(R"("einsum": "bij,bkj->ik", "inputs": ["C", "C"])").nodes.size() == 1);
    CHECK(kept(R"("einsum": "ij->", "inputs": ["A"])", "i64").nodes.size() == 1);
}

TEST_CASE("a graph that fixes cuts of a summed label is refused with the label", "[graph][summation-order]") {
    EinGraph graph = graph_with(R"("einsum": "ij,jk->ik", "inputs": ["A", "B"])");
    graph.nodes[0].fixed = {2, 3, 0};
    try {
        keep_summation_order(std::move(graph), "graph.json");
        FAIL("accepted");
    } catch (InputError const& error) {
        REQUIRE(error.faults().size() == 1);
        CHECK(error.faults()[0].text() ==
              "graph.json: /parts/Z/j: expected 1, since --reproducible cuts no label that is aggregated, found 3; "
              "remove "
              "it, cut another label, or plan without --reproducible");
    }
}

TEST_CASE("whatever a file cuts, sums that keep their order or make sparse results stay whole",
          "[graph][summation-order]") {
    std::string const product = R"("einsum": "ij,jk->ik", "inputs": ["A", "B"])";
    EinGraph graph = graph_with(product);
    CHECK(parts_that_stay(graph, graph.nodes[0], true) == Parts{0, 1, 0});
    CHECK(parts_that_stay(graph, graph.nodes[0], false).empty());
    graph.values[static_cast<std::size_t>(graph.nodes[0].output.value())].listing = Listing{};
    CHECK(parts_that_stay(graph, graph.nodes[0], false) == Parts{0, 1, 0});
    EinGraph const whole = graph_with(product, "i32");
    CHECK(parts_that_stay(whole, whole.nodes[0], true).empty());
    EinGraph const turned = graph_with(R"("einsum": "ij->ji", "inputs": ["A"])");
    CHECK(parts_that_stay(turned, turned.nodes[0], true).empty());
}
