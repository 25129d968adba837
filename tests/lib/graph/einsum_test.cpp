#include "lib/graph/einsum.hpp"

#include "lib/base/error.hpp"
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;

namespace {
EinSum einsum_of(std::string const& keys) { return std::get<EinSum>(one_node(keys).nodes.back().op); }
double flops_of(std::string const& keys) {
    EinSum const einsum = einsum_of(keys);
    return flops(einsum, einsum.extents);
}
}  // namespace

TEST_CASE("an EinSum knows its output and what it aggregates", "[lib][graph]") {
    EinSum const einsum = einsum_of(R"j("einsum": "ij,jk->ki", "inputs": ["A", "B"])j");
    CHECK(einsum.labels == std::vector<std::string>{"i", "j", "k"});
    CHECK(einsum.output_shape() == Shape{4, 2});
    CHECK(einsum.aggregated() == std::vector<int>{1});
    CHECK((einsum.aggregates(1) && !einsum.aggregates(0)));
    CHECK(identity_einsum({2, 3}).output_shape() == Shape{2, 3});
}

TEST_CASE("flops: a multiply-add is two, a lookup one an element, a copy none", "[lib][graph]") {
    CHECK(flops_of(R"j("einsum": "ij,jk->ik", "inputs": ["A", "B"])j") == 2 * 24);
    CHECK(flops_of(R"j("einsum": "ij->ji", "inputs": ["A"])j") == 0);
    CHECK(flops_of(R"j("einsum": "ij->i", "inputs": ["A"])j") == 6);
    CHECK(flops_of(R"j("einsum": "ij->ij", "inputs": ["A"], "join": "exp(x)+1")j") == 12);
    CHECK(flops_of(R"j("op": "gather", "inputs": ["B", "n"])j") == 12);
}

TEST_CASE("a lookup is known in either order of the comparison, and only a lookup", "[lib][graph]") {
    auto const lookup = [](std::string const& join, std::string const& more = "") {
        return as_lookup(einsum_of(R"j("einsum": "vd,i->id", "inputs": ["B", "n"], "join": ")j" + join + "\"" + more))
            .has_value();
    };
    CHECK(lookup("where(y == [v], x, 0)"));
    CHECK(lookup("where([v] == y, x, 0.0)"));
    CHECK(!lookup("where(y != [v], x, 0)"));
    CHECK(!lookup("where(y == [v], x, 1)"));
    CHECK(!lookup("where(y == [d], x, 0)"));
    CHECK(!lookup("where(x == [v], y, 0)"));
    CHECK(!lookup("where(y == [v], x, 0)", R"(, "agg": "max")"));
    CHECK(as_lookup(einsum_of(R"j("einsum": "i,vd->id", "inputs": ["n", "B"], "join": "where(x == [v], y, 0)")j"))
              ->data == 1);
    // v in the output, and a second aggregated label: not a lookup
    CHECK(!as_lookup(einsum_of(R"j("einsum": "vd,i->vid", "inputs": ["B", "n"], "join": "where(y == [v], x, 0)")j")));
    CHECK(!as_lookup(einsum_of(R"j("einsum": "vd,i->i", "inputs": ["B", "n"], "join": "where(y == [v], x, 0)")j")));
}

TEST_CASE("aggregations by group are known where a number stands for nothing", "[lib][graph]") {
    auto const grouping = [](std::string const& fill, std::string const& agg) {
        return as_grouping(einsum_of(R"j("einsum": "id,i->vd", "inputs": ["B", "n"], "sizes": {"v": 4}, "agg": ")j" +
                                     agg + R"j(", "join": "where(y == [v], x, )j" + fill + ")\""))
            .has_value();
    };
    CHECK(grouping("0", "sum"));
    CHECK(!grouping("1", "sum"));
    CHECK(grouping("1", "prod"));
    CHECK(!grouping("0", "prod"));
    CHECK(grouping("-inf", "max"));
    CHECK(grouping("3", "min"));
    CHECK(!grouping("nan", "max"));
    CHECK(!grouping("-inf", "logsumexp"));
}

TEST_CASE("verify notices every broken promise", "[lib][graph]") {
    auto const broken = [](auto const& breaks) {
        EinGraph graph = one_node(R"j("einsum": "ij,jk->ik", "inputs": ["A", "B"])j");
        breaks(graph);
        try {
            verify(graph, "test");
        } catch (InternalError const& error) {
            return std::string(error.what()).find("after pass test") != std::string::npos;
        }
        return false;
    };
    auto einsum = [](EinGraph& graph) -> EinSum& { return std::get<EinSum>(graph.nodes[0].op); };
    CHECK(!broken([](EinGraph&) {}));
    CHECK(broken([](EinGraph& graph) { graph.values[0].name = "B"; }));
    CHECK(broken([](EinGraph& graph) { graph.values[0].shape = {2, 4}; }));
    CHECK(broken([](EinGraph& graph) { graph.values[0].shape = {2, -3}; }));
    CHECK(broken([](EinGraph& graph) { graph.leaves.pop_back(); }));
    CHECK(broken([](EinGraph& graph) { graph.leaves.push_back(graph.leaves[0]); }));
    CHECK(broken([](EinGraph& graph) { graph.nodes[0].inputs[0] = ValueId{2}; }));
    CHECK(broken([](EinGraph& graph) { graph.nodes[0].inputs[0] = ValueId{9}; }));
    CHECK(broken([](EinGraph& graph) { graph.nodes[0].inputs.pop_back(); }));
    CHECK(broken([](EinGraph& graph) { graph.outputs.push_back(graph.outputs[0]); }));
    CHECK(broken([](EinGraph& graph) { graph.outputs.clear(); }));
    CHECK(broken([](EinGraph& graph) { graph.outputs = {ValueId{0}}; }));
    CHECK(broken([&](EinGraph& graph) { einsum(graph).output = {0, 0}; }));
    CHECK(broken([&](EinGraph& graph) { einsum(graph).inputs[0][1] = 7; }));
    CHECK(broken([&](EinGraph& graph) { einsum(graph).extents[0] = 5; }));
    CHECK(broken([&](EinGraph& graph) { einsum(graph).labels.push_back("q"), einsum(graph).extents.push_back(2); }));
    CHECK(broken([&](EinGraph& graph) { einsum(graph).join = scalar::Expr::operand(2); }));
    CHECK(broken([&](EinGraph& graph) { einsum(graph).join = scalar::Expr::index(3); }));
    CHECK(broken([&](EinGraph& graph) { einsum(graph).join = scalar::Expr::param("q"); }));
    CHECK(broken([&](EinGraph& graph) { einsum(graph).join = scalar::Expr(); }));
}

TEST_CASE("verify notices broken moves and reshapes", "[lib][graph]") {
    auto const broken = [](std::string const& keys, auto const& breaks) {
        EinGraph graph = one_node(keys);
        breaks(graph);
        CHECK_THROWS_AS(verify(graph, "test"), InternalError);
    };
    std::string const concat = R"j("op": "concat", "inputs": ["A", "A"])j";
    auto move = [](EinGraph& graph) -> Move& { return std::get<Move>(graph.nodes[0].op); };
    broken(concat, [&](EinGraph& graph) { move(graph).regions[0].box.begin[0] = 1; });
    broken(concat, [&](EinGraph& graph) { move(graph).regions[0].box.length[0] = 1; });
    broken(concat, [&](EinGraph& graph) { move(graph).regions[0].axes[1].step = 0; });
    broken(concat, [&](EinGraph& graph) { move(graph).regions[0].axes[1].start = 1; });
    broken(concat, [&](EinGraph& graph) { move(graph).regions[1].box.begin[0] = 3; });
    broken(concat, [&](EinGraph& graph) { graph.values[0].dtype = DType::f64; });
    broken(concat, [&](EinGraph& graph) { move(graph).regions.pop_back(); });
    broken(R"j("op": "reshape", "inputs": ["A"], "shape": [6])j",
           [](EinGraph& graph) { graph.values.back().shape = {5}; });
}
