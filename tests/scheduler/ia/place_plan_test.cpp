// Plans placed by the implementation algebra: which calls go together, and that what is then moved is what the algebra
// counts.
#include "scheduler/ia/place_plan.hpp"

#include <numeric>
#include <set>

#include "lib/graph/contract.hpp"
#include "lib/graph/read_graph.hpp"
#include "planner/planner.hpp"
#include "scheduler/scheduler.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/random_graph.hpp"

using namespace ein;

namespace {

relation::Plan plan_of(int ranks, std::vector<Parts> parts) {
    relation::Plan plan;
    plan.ranks = ranks;
    plan.calls = ranks;
    plan.strategy = "by hand";
    for (Parts& each : parts) {
        plan.nodes.emplace_back();
        plan.nodes.back().parts = std::move(each);
    }
    return plan;
}

std::vector<int> numbers(std::vector<Rank> const& ranks) {
    std::vector<int> out;
    for (Rank rank : ranks) out.push_back(rank.value());
    return out;
}

/// X (i, j) Y (j, k), and what follows of it.
graph::EinGraph product(Extent i, Extent j, Extent k) {
    test::GraphBuilder g;
    g.leaf("X", {i, j}), g.leaf("Y", {j, k});
    g.einsum("Z", "ij,jk->ik", {"X", "Y"});
    return g.finish({"Z"});
}

double moved_elements(graph::EinGraph const& graph, relation::Plan const& plan) {
    schedule::Schedule const schedule =
        scheduler::make_schedule(graph, plan, {.place = "ia", .subblock_bytes = 0});  // which verifies it
    auto const& sent = schedule.header.prediction.bytes_sent;
    return double(std::accumulate(sent.begin(), sent.end(), std::int64_t{0})) / 8;
}

}  // namespace

TEST_CASE("calls that agree where they belong together are on one part of the ranks", "[scheduler][ia][placement]") {
    graph::EinSum const einsum = test::einsum("ij,jk->ik", {{8, 8}, {8, 8}});  // labels i, j, k; calls in order i, k, j
    CHECK(numbers(ia::ranks_of_calls(einsum, {4, 1, 2}, {0}, 4)) == std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3});
    CHECK(numbers(ia::ranks_of_calls(einsum, {4, 1, 2}, {2}, 4)) == std::vector<int>{0, 2, 0, 2, 1, 3, 1, 3});
    CHECK(numbers(ia::ranks_of_calls(einsum, {2, 2, 2}, {1}, 8)) == std::vector<int>{0, 4, 1, 5, 2, 6, 3, 7});
    CHECK(numbers(ia::ranks_of_calls(einsum, {2, 2, 1}, {1, 0}, 4)) == std::vector<int>{0, 2, 1, 3});
    CHECK(numbers(ia::ranks_of_calls(einsum, {4, 1, 1}, {}, 8)) == std::vector<int>{0, 2, 4, 6});
}

TEST_CASE("a product by rows broadcasts, and moves what the algebra counts", "[scheduler][ia][placement]") {
    int const ranks = GENERATE(2, 3, 4, 5, 7, 8);
    graph::EinGraph const graph = product(ranks * 4, 16, 24);
    relation::Plan const plan = plan_of(ranks, {{ranks, 1, 1}});
    ia::PlacedPlan const placed = ia::place_plan(graph, plan);
    CHECK(placed.cost.stored == 16. * 24 * ranks);  // BCAST(Y): to every site
    std::vector<int> each(static_cast<std::size_t>(ranks));
    std::iota(each.begin(), each.end(), 0);
    CHECK(numbers(placed.ranks[0]) == each);
    // The algebra counts what a site sends itself too; each of them has one part in `ranks` of Y already.
    CHECK(moved_elements(graph, plan) == placed.cost.stored * (ranks - 1) / ranks);
}

TEST_CASE("a product by the common label shuffles pieces, and moves what the algebra counts",
          "[scheduler][ia][placement]") {
    int const ranks = GENERATE(2, 3, 4, 5, 7, 8);
    graph::EinGraph const graph = product(2 * ranks, 16 * ranks, 3 * ranks);
    relation::Plan const plan = plan_of(ranks, {{1, ranks, 1}});
    ia::PlacedPlan const placed = ia::place_plan(graph, plan);
    CHECK(placed.cost.stored == 2. * ranks * 3 * ranks * ranks);  // SHUF of a piece of each site
    CHECK(moved_elements(graph, plan) == placed.cost.stored * (ranks - 1) / ranks);
}

TEST_CASE("what is made by rows is read by rows where it lies", "[scheduler][ia][placement]") {
    test::GraphBuilder g;
    g.leaf("X", {32, 8}), g.leaf("Y", {8, 16}), g.leaf("W", {16, 4});
    g.einsum("A", "ij,jk->ik", {"X", "Y"});
    g.einsum("B", "ik->ki", {"A"}, {.join = "relu(x)"});
    g.einsum("C", "ki,kl->il", {"B", "W"});
    graph::EinGraph const graph = g.finish({"C"});
    relation::Plan const plan = plan_of(4, {{4, 1, 1}, {4, 1}, {1, 4, 1}});
    ia::PlacedPlan const placed = ia::place_plan(graph, plan);
    CHECK(placed.cost.stored == 4 * (8. * 16 + 16 * 4));  // the two right operands
    for (auto const& ranks : placed.ranks) CHECK(numbers(ranks) == std::vector<int>{0, 1, 2, 3});
    CHECK(moved_elements(graph, plan) == placed.cost.stored * 3 / 4);
}

TEST_CASE("a node that is linear in sums is placed by their keys", "[scheduler][ia][placement]") {
    test::GraphBuilder g;
    g.leaf("X", {16, 16});
    g.einsum("S", "ij->j", {"X"});
    g.einsum("T", "j->j", {"S"}, {.join = "2*x"});  // the algebra may scale before it sums: keys (i, j), not (j)
    graph::EinGraph const graph = g.finish({"T"});
    relation::Plan const plan = plan_of(4, {{2, 2}, {2}});
    ia::PlacedPlan const placed = ia::place_plan(graph, plan);
    CHECK(placed.ranks[0].size() == 4);
    CHECK(numbers(placed.ranks[1]) == std::vector<int>{0, 2});
    CHECK(moved_elements(graph, plan) > 0);
}

TEST_CASE("subgraphs end where the algebra does, and do not change what is found", "[scheduler][ia][placement]") {
    test::GraphBuilder g;
    g.leaf("X", {16, 16});
    std::vector<Parts> parts;
    std::string last = "X";
    for (int k = 0; k < 10; ++k) {
        std::string const name = "N" + std::to_string(k);
        g.einsum(name, "ij,ij->ij", {last, last}, {.join = "x + y"});
        parts.push_back({4, 1});
        last = name;
    }
    g.einsum("D", "ii->i", {last});
    parts.push_back({4});
    g.einsum("R", "i->ir", {"D"}, {.sizes = {{'r', 3}}});
    parts.push_back({4, 1});
    graph::EinGraph const graph = g.finish({"R"});
    relation::Plan plan = plan_of(4, parts);
    std::size_t const longest = GENERATE(1u, 3u, 8u, 40u);
    ia::PlacedPlan const placed = ia::place_plan(graph, plan, {.max_operators = longest});
    CHECK(placed.cost.stored == 0);
    for (std::size_t k = 0; k < 10; ++k) CHECK(numbers(placed.ranks[k]) == std::vector<int>{0, 1, 2, 3});
    CHECK(placed.ranks[10].empty());  // a diagonal
    CHECK(placed.ranks[11].empty());  // a label of the output alone
    plan.nodes[0].ranks = {Rank{3}, Rank{2}, Rank{1}, Rank{0}};
    CHECK(ia::place_plan(graph, plan).ranks[0].empty());  // the plan says
    CHECK(ia::place_plan(graph, plan_of(1, std::vector<Parts>(12, {1, 1}))).ranks[0].empty());
}

TEST_CASE("every rank has calls where there are enough, and none more than its share", "[scheduler][ia][placement]") {
    int const ranks = GENERATE(2, 3, 5, 7, 8);
    int placed_nodes = 0;
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        graph::EinGraph const graph =
            graph::lower_contractions(graph::read_graph(test::random_graph(seed).dump(), "random"));
        relation::Plan const plan = planner::plan(graph, {.ranks = ranks, .column_work = 0});
        ia::PlacedPlan const placed = ia::place_plan(graph, plan);
        for (std::size_t n = 0; n < plan.nodes.size(); ++n) {
            auto const& of_calls = placed.ranks[n];
            if (of_calls.empty()) continue;
            ++placed_nodes;
            REQUIRE(static_cast<Extent>(of_calls.size()) == element_count(plan.nodes[n].parts));
            std::map<int, std::size_t> count;
            for (Rank rank : of_calls) ++count[rank.value()];
            std::size_t const all = static_cast<std::size_t>(ranks);
            CHECK(count.size() == std::min(of_calls.size(), all));
            for (auto const& [rank, calls] : count) CHECK(calls <= (of_calls.size() + all - 1) / all);
        }
    }
    CHECK(placed_nodes > 50);
}
