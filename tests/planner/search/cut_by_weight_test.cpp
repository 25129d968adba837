#include "planner/search/cut_by_weight.hpp"

#include "planner/planner.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using namespace ein::planner;

namespace {

constexpr Extent n = 4096;

/// A matrix of which row i lists `of_row(i)` elements; what lies in some of its columns is that share of them.
template <class OfRow>
relation::ListedBound rows(OfRow of_row) {
    return [of_row](ValueId, Box const& box) {
        double sum = 0;
        for (Extent i = box.begin[0]; i < box.end(0); ++i) sum += of_row(i);
        return static_cast<Extent>(sum * static_cast<double>(box.length[1]) / n);
    };
}

double steep(Extent i) { return 1e6 / static_cast<double>(i + 16); }

graph::EinGraph listed(graph::EinGraph graph) {
    graph.values[0].listing = graph::Listing{{}, 1e6, 1000000};
    return graph;
}

/// y = A x, z = 2 y.
graph::EinGraph scaled_product() {
    test::GraphBuilder g;
    g.leaf("A", {n, n});
    g.leaf("x", {n});
    g.einsum("y", "ij,j->i", {"A", "x"});
    g.einsum("z", "i->i", {"y"}, {.join = "2*x"});
    return listed(g.finish({"z"}));
}

relation::Plan by_rows(graph::EinGraph const& graph, int ranks) {
    relation::Plan plan = planner::plan(graph, {.ranks = ranks});
    plan.nodes[0].parts = {ranks, 1};
    plan.nodes[1].parts = {ranks};
    price(graph, plan);
    return plan;
}

}  // namespace

TEST_CASE("rows of a power law are cut so that ranks list about as many", "[planner][weight]") {
    graph::EinGraph const graph = scaled_product();
    for (int ranks : {2, 3, 4, 7, 16}) {
        CAPTURE(ranks);
        relation::ListedBound const bound = rows(steep);
        auto const plan = cut_by_weight(graph, by_rows(graph, ranks), bound);
        REQUIRE(plan);
        relation::NodePlan const& product = plan->nodes[0];
        REQUIRE(product.parts[1] == 1);
        std::vector<double> loads(static_cast<std::size_t>(ranks), 0);
        double all = 0;
        for (std::int64_t cell = 0; cell < product.parts[0]; ++cell) {
            Extent const begin = part_begin(n, product.parts[0], cell), end = part_begin(n, product.parts[0], cell + 1);
            auto const count = static_cast<double>(bound(ValueId{0}, {{begin, 0}, {end - begin, n}}));
            loads[static_cast<std::size_t>(product.ranks[static_cast<std::size_t>(cell)].value())] += count;
            all += count;
        }
        CHECK(*std::max_element(loads.begin(), loads.end()) <= 1.15 * all / ranks);
        CHECK(std::is_sorted(product.ranks.begin(), product.ranks.end()));
        CHECK(plan->nodes[1].parts == Parts{product.parts[0]});  // what reads y is cut where y is
        CHECK(plan->nodes[1].ranks == product.ranks);
        CHECK(plan->bytes() == by_rows(graph, ranks).bytes());
    }
}

TEST_CASE("even rows, dense graphs and plans that are placed stay as they are", "[planner][weight]") {
    graph::EinGraph const graph = scaled_product();
    CHECK_FALSE(cut_by_weight(graph, by_rows(graph, 4), rows([](Extent) { return 100; })));
    CHECK_FALSE(cut_by_weight(graph, by_rows(graph, 1), rows(steep)));
    CHECK_FALSE(cut_by_weight(graph, by_rows(graph, 4), {}));
    relation::Plan placed = by_rows(graph, 4);
    placed.nodes[1].ranks = {Rank{0}, Rank{1}, Rank{2}, Rank{3}};
    CHECK_FALSE(cut_by_weight(graph, placed, rows(steep)));
    CHECK_FALSE(
        cut_by_weight(test::matmul(64, 64, 64), planner::plan(test::matmul(64, 64, 64), {.ranks = 4}), rows(steep)));
}

TEST_CASE("a label that is summed, or along which one index lists all, is not cut by weight", "[planner][weight]") {
    graph::EinGraph const graph = scaled_product();
    CHECK_FALSE(cut_by_weight(graph, by_rows(graph, 4), rows([](Extent i) { return i == 0 ? 1e6 : 0; })));
    test::GraphBuilder g;
    g.leaf("A", {n, n});
    g.leaf("x", {n});
    g.einsum("y", "ij,i->j", {"A", "x"});
    graph::EinGraph const columns = listed(g.finish({"y"}));
    relation::Plan plan = planner::plan(columns, {.ranks = 4});
    plan.nodes[0].parts = {4, 1};
    auto const weighted = cut_by_weight(columns, plan, rows(steep));
    REQUIRE(weighted);  // columns list alike: cut evenly along them, the rows left whole
    CHECK(weighted->nodes[0].parts[0] == 1);
}
