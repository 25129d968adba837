#include "apps/explain/explanation.hpp"

#include "apps/explain/alike.hpp"
#include "apps/explain/columns.hpp"
#include "apps/explain/print.hpp"
#include "lib/graph/lower_graph.hpp"
#include "tests/apps/explain/explained.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/random_graph.hpp"

using namespace ein;
using namespace ein::apps::explain;

namespace {

graph::EinGraph product(Extent i, Extent j, Extent k) { return test::matmul(i, j, k, DType::f32); }

/// z[s,d] = relu(x[s,c] W0[c,e]) W1[e,d], and what reads it: y[s,f] = z[s,d] W2[d,f].
graph::EinGraph perceptron() {
    test::GraphBuilder g;
    g.leaf("x", {64, 64}, DType::f32);
    g.leaf("W0", {64, 256}, DType::f32);
    g.leaf("W1", {256, 64}, DType::f32);
    g.leaf("W2", {64, 256}, DType::f32);
    g.einsum("h", "sc,ce->se", {"x", "W0"}, {.dtype = DType::f32});
    g.einsum("v", "se->se", {"h"}, {.join = "relu(x)", .dtype = DType::f32});
    g.einsum("z", "se,ed->sd", {"v", "W1"}, {.dtype = DType::f32});
    g.einsum("y", "sd,df->sf", {"z", "W2"}, {.dtype = DType::f32});
    return g.finish({"y"});
}

Step over(std::string const& kind, std::vector<std::string> axes) { return {kind, std::move(axes)}; }

}  // namespace

TEST_CASE("the 1024 cube on 8 ranks: the published cost, the bytes, the bound and the collectives", "[apps][explain]") {
    auto const graph = product(1024, 1024, 1024);
    Explanation const e = test::explained(graph, planner::plan(graph, {.ranks = 8}), {.place = "pattern"});
    CHECK(e.cost.total() == 5242880);
    CHECK(e.bytes == 12582912);
    CHECK(e.word == "f32");
    CHECK(e.words_rank_max == 393216);
    CHECK(e.mesh == "a:2 b:2 c:2");
    REQUIRE(e.nodes.size() == 1);
    NodeReport const& c = e.nodes[0];
    CHECK(c.candidates == 10);
    CHECK(c.join == 2 * c.agg);
    CHECK(c.lower_bound_words == 393216);
    CHECK(c.ratio == 1);
    REQUIRE(c.rejected.size() == 3);
    CHECK(c.rejected[0].elements == 6291456);
    CHECK(c.rejected[0].more_elements == 1048576);
    CHECK(c.inputs[0].wanted == "i/a j/c");
    CHECK(c.inputs[0].steps == std::vector{over("all-gather", {"b"})});
    CHECK(c.inputs[1].steps == std::vector{over("all-gather", {"a"})});
    CHECK(c.output.wanted == "i/a k/b Partial over c");
    CHECK(c.output.steps == std::vector{over("reduce-scatter", {"c"})});
}

TEST_CASE("tensor and sequence parallel as [S] derives them: all-gather, nothing, reduce-scatter", "[apps][explain]") {
    graph::EinGraph const graph = perceptron();
    // labels: h and y (s, c or d, e or f), v (s, e), z (s, e, d)
    relation::Plan const plan = test::planned(graph, 4, {{1, 1, 4}, {1, 4}, {1, 4, 1}, {1, 1, 4}});
    Explanation const e = test::explained(graph, plan, {.place = "pattern", .subblock_bytes = 0});
    CHECK(e.mesh == "a:4");
    NodeReport const &h = e.nodes[0], &v = e.nodes[1], &z = e.nodes[2], &y = e.nodes[3];
    CHECK(h.inputs[0].held == "s/a c");  // sequence parallel before the first product
    CHECK(h.inputs[0].wanted == "s c");
    CHECK(h.inputs[0].steps == std::vector{over("all-gather", {"a"})});
    CHECK(h.inputs[1].wanted == "c e/a");
    CHECK(h.inputs[1].steps.empty());
    CHECK(h.output.held == "s e/a");
    CHECK(v.moved() == 0);
    CHECK(z.inputs[0].steps.empty());
    CHECK(z.output.wanted == "s d Partial over a");
    CHECK(z.output.held == "s/a d");
    CHECK(z.output.steps == std::vector{over("reduce-scatter", {"a"})});
    CHECK(y.inputs[0].steps == std::vector{over("all-gather", {"a"})});
    CHECK(z.output.note.find("all-reduce") != std::string::npos);
}

TEST_CASE("rows on a prime number of ranks: fully sharded weights are gathered, uneven parts are reported",
          "[apps][explain]") {
    graph::EinGraph const graph = product(29, 64, 64);
    Explanation const e =
        test::explained(graph, test::planned(graph, 7, {{7, 1, 1}}), {.place = "pattern", .subblock_bytes = 0});
    CHECK(e.mesh == "a:7");
    CHECK(e.nodes[0].cut[0].uneven == "5+4x6");
    CHECK(e.nodes[0].output.held == "i/a k (uneven i: 5+4x6)");
    CHECK(e.nodes[0].inputs[1].steps == std::vector{over("all-gather", {"a"})});
    CHECK(e.nodes[0].output.steps.empty());
}

TEST_CASE("a column-based partition: the cells of a rank are one kernel call", "[apps][explain]") {
    graph::EinGraph const graph = product(42, 64, 42);
    auto const plans = planner::other_plans(graph, {.ranks = 7, .column_work = 0}, planner::plan(graph, {.ranks = 7}));
    auto const by_columns = std::find_if(plans.begin(), plans.end(),
                                         [](relation::Plan const& plan) { return !plan.nodes[0].ranks.empty(); });
    REQUIRE(by_columns != plans.end());
    NodeReport const node = test::explained(graph, *by_columns).nodes[0];
    CHECK(node.cells == 42);
    CHECK(node.calls == 7);
}

TEST_CASE("one rank moves nothing; ranks without a call are idle", "[apps][explain]") {
    Explanation const one = test::explained(product(8, 8, 8), 1);
    CHECK(one.mesh.empty());
    CHECK(one.bytes == 0);
    CHECK(one.nodes[0].inputs[0].wanted == "i j");
    CHECK_FALSE(one.nodes[0].ratio);
    Explanation const few = test::explained(product(1, 2, 1), 4);
    CHECK(few.idle_ranks == std::vector{2, 3});
}

TEST_CASE("inputs that every rank reads for itself do not move", "[apps][explain]") {
    graph::EinGraph const graph = product(64, 64, 64);
    Explanation const e =
        test::explained(graph, planner::plan(graph, {.ranks = 8}), {.inputs = scheduler::InputsPolicy::shared});
    CHECK(e.nodes[0].inputs[0].held == "each rank reads its own");
    CHECK(e.nodes[0].inputs[0].steps.empty());
}

TEST_CASE("what is shown of edges and outputs adds up to all that moves, in every example and random graph",
          "[apps][explain]") {
    std::vector<graph::EinGraph> graphs;
    for (auto const& file : test::example_files()) graphs.push_back(test::graph_of(file));
    for (std::uint64_t seed = 1; seed <= 60; ++seed)
        graphs.push_back(graph::lower_contractions(graph::read_graph(test::random_graph(seed).dump(), "random")));
    int const ranks = GENERATE(1, 3, 4, 6);
    for (std::size_t number = 0; number < graphs.size(); ++number) {
        CAPTURE(number, ranks);
        Explanation const e = test::explained(graphs[number], ranks);
        std::int64_t nodes = 0, flows = 0;
        auto add = [&](Flow const& flow) {
            flows += flow.bytes;
            CHECK((flow.bytes == 0) == flow.steps.empty());
        };
        for (NodeReport const& report : e.nodes) {
            nodes += report.moved();
            add(report.output);
            for (Flow const& flow : report.inputs) add(flow);
        }
        CHECK(nodes == e.bytes);
        CHECK(flows == e.bytes);
        for (std::string const& line : test::lines_of(to_text(e))) CHECK(width(line) <= 100);
    }
}

TEST_CASE("nodes that differ in names alone are one group", "[apps][explain]") {
    test::GraphBuilder g;
    g.leaf("A", {8, 8});
    g.leaf("B", {8, 8});
    g.einsum("C", "ij->ij", {"A"}, {.join = "exp(x)"});
    g.einsum("D", "ij->ij", {"B"}, {.join = "exp(x)"});
    g.einsum("E", "ij->ij", {"C"}, {.join = "exp(x)"});  // reads a node, not an input
    g.einsum("F", "ij,ij->ij", {"D", "E"});
    Explanation const e = test::explained(g.finish({"F"}), 2);
    CHECK(alike(e.nodes) == std::vector<std::vector<std::size_t>>{{0, 1}, {2}, {3}});
}

namespace {

/// C = A B on two ranks by rows, A sparse; of its first half of rows `first` elements are listed, of the others 1000.
Explanation sparse_product(Extent first) {
    test::GraphBuilder g;
    g.leaf("A", {1000, 1000});
    g.leaf("B", {1000, 8});
    g.einsum("C", "ij,jk->ik", {"A", "B"});
    graph::EinGraph graph = g.finish({"C"});
    graph.values[0].listing = graph::Listing{{}, static_cast<double>(first + 1000), first + 1000};
    scheduler::SchedulerOptions options;
    options.listed = [first](ValueId, Box const& box) {
        return box.length[0] == 1000 ? first + 1000 : box.begin[0] == 0 ? first : 1000;
    };
    return test::explained(graph, test::planned(graph, 2, {{2, 1, 1}}), options);
}

}  // namespace

TEST_CASE("sparse tensors are explained: listed elements, and who goes through most", "[explain]") {
    Explanation const even = sparse_product(1000);
    NodeReport const& node = even.nodes.front();
    REQUIRE(node.listed.size() == 1);
    CHECK(node.listed[0].exact());
    CHECK(node.flops == Approx(2 * 2000 * 8));
    CHECK_FALSE(node.lower_bound_words);
    REQUIRE(node.listed_work);
    CHECK(node.listed_work->ratio() == Approx(1));
    CHECK_THAT(to_text(even), Catch::Contains("nnz         A 2000 of 1 M (0.2 %), counted") &&
                                  Catch::Contains("1000 listed elements, 1.00 times the mean\n"));
    CHECK(to_json(even)["nodes"][0]["nnz"][0]["bound"] == 2000);

    Explanation const uneven = sparse_product(3000);
    CHECK(uneven.nodes.front().listed_work->busiest == 0);
    CHECK(uneven.nodes.front().listed_work->ratio() == Approx(1.5));
    CHECK_THAT(to_text(uneven), Catch::Contains("1.50 times the mean: the others wait"));
}

TEST_CASE("what is not counted is said to be the worst case", "[explain]") {
    std::vector<ListedTensor> const tensors{
        {"A",
         false,
         1e6,
         {},
         {},
         scalar::Scalar::of(std::complex<double>(std::numeric_limits<double>::infinity())),
         12e6,
         8e6},
        {"C", true, 1e6, 1200.0, 4000.0, scalar::Scalar::of(std::int64_t{0}), 2048, 8e6},
        {"D", true, 1e6, 1200.0, 1200.0, scalar::Scalar::of(std::int64_t{0}), 2048, 8e6}};
    CHECK(listed_text(tensors) ==
          "A unknown of 1 M, at most all (worst case), fill inf, 11.4 MiB (dense 7.63 MiB); C (made) about 1200 of 1 M "
          "(0.12 %), at most 4000 (worst case), 2 KiB (dense 7.63 MiB); D (made) at most 1200 of 1 M (0.12 %), "
          "2 KiB (dense 7.63 MiB)");
}

namespace {

/// A and B of 8 by 8 list 5 and 6 elements.
Explanation of_two_sparse(std::string const& einsum, std::string const& join, scalar::Agg agg, double fill) {
    test::GraphBuilder g;
    g.leaf("A", {8, 8});
    g.leaf("B", {8, 8});
    g.einsum("C", einsum, {"A", "B"}, {.join = join, .agg = agg});
    graph::EinGraph graph = g.finish({"C"});
    for (std::size_t k : {0, 1})
        graph.values[k].listing =
            graph::Listing{scalar::Scalar::of(std::complex<double>(fill)), 5.0 + static_cast<double>(k), 5 + Extent(k)};
    scheduler::SchedulerOptions options;
    options.listed = [](ValueId value, Box const&) { return 5 + Extent(value.value()); };
    return test::explained(graph, test::planned(graph, 1, {}), options);
}

}  // namespace

TEST_CASE("who drives a node is explained, and what is not listed", "[explain]") {
    constexpr double inf = std::numeric_limits<double>::infinity();
    Explanation const both = of_two_sparse("ij,jk->ik", "x*y", scalar::Agg::sum, 0);
    CHECK(both.nodes[0].drivers == Drivers{{"A"}, {"B"}});
    CHECK_THAT(to_text(both), Catch::Contains("driven by   A and B: only what all of them list\n"));
    CHECK(to_json(both)["nodes"][0]["nnz"][0]["fill"] == 0);
    CHECK(to_json(both)["nodes"][0]["nnz"][1]["density"] == Approx(6.0 / 64));

    Explanation const paths = of_two_sparse("ij,jk->ik", "x+y", scalar::Agg::min, inf);
    CHECK(paths.nodes[0].drivers == Drivers{{"A"}, {"B"}});
    CHECK(to_json(paths)["nodes"][0]["nnz"][0]["fill"] == "inf");
    CHECK_THAT(to_text(paths), Catch::Contains("fill inf"));

    Explanation const either = of_two_sparse("ij,ij->ij", "x+y", scalar::Agg::sum, 0);
    CHECK(either.nodes[0].drivers == Drivers{{"A", "B"}});
    CHECK_THAT(to_text(either), Catch::Contains("driven by   A or B: what any of them lists\n"));
    CHECK(drivers_text({{"A", "B"}, {"C"}}) == "(A or B) and C: only what these list");
    CHECK(drivers_text({{"A"}}) == "A: only what it lists");
    CHECK(drivers_text({{"A"}}, {"B", "C"}) == "A: only what it lists; B, C are looked up there");
    Explanation const there = of_two_sparse("ij,ij->ij", "x*exp(y)", scalar::Agg::sum, 0);
    CHECK(there.nodes[0].drivers == Drivers{{"A"}});
    CHECK(there.nodes[0].looked_up == std::vector<std::string>{"B"});
    CHECK_THAT(to_text(there), Catch::Contains("driven by   A: only what it lists; B is looked up there\n"));
}

TEST_CASE("a fill that is no number has no sign", "[explain]") {
    CHECK(fill_text(scalar::Scalar::of(std::complex<double>(-std::nan("")))) == "nan");
    CHECK(fill_text(scalar::Scalar::of(std::complex<double>(-0.0))) == "0");
    CHECK(fill_text(scalar::Scalar::of(std::complex<double>(-HUGE_VAL))) == "-inf");
}

TEST_CASE("a node that is not cut is not called uneven, and a dense copy says whom it is for", "[explain]") {
    CHECK(work_text({2, 900, 300}, 1) == "rank 2 goes through all 900 listed elements: the node is not cut");
    CHECK_THAT(work_text({2, 900, 300}, 3), Catch::Contains("3.00 times the mean: the others wait"));
    graph::EinGraph const graph = graph::lower_graph(graph::read_graph(R"json({"eingraph": 1,
        "tensors": {"A": {"shape": [4, 4], "sparse": true, "data": {"random": "uniform", "density": 0.5}}},
        "nodes": [{"name": "E", "einsum": "ij->i", "inputs": ["A"], "join": "exp(x)"}], "outputs": ["E"]})json",
                                                                       "g.json"));
    Explanation const e = test::explained(graph, 1);
    REQUIRE(e.nodes.size() == 2);
    CHECK(e.nodes[0].dense_copy ==
          "a dense copy for node 'E': its join exp(x) is not what sum begins with where x is not listed");
    CHECK(e.nodes[1].dense_copy.empty());
    CHECK_THAT(to_text(e), Catch::Contains("made dense  a dense copy for node 'E'"));
    CHECK(to_json(e)["nodes"][0]["dense_copy"] == e.nodes[0].dense_copy);
}
