#include "scheduler/simulate/sparse_cost.hpp"

#include "scheduler/simulate/task_costs.hpp"
#include "scheduler/tuning.hpp"
#include "tests/scheduler/lower/lowering_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace ein;

namespace {

constexpr Extent n = 1000, listed = 10'000, columns = 8;

/// A machine on which nothing but this takes time.
scheduler::Cluster slow(double scheduler::Cluster::*rate) {
    scheduler::Cluster cluster;
    cluster.threads = 1;
    cluster.listed = 1 / scheduler::tuning::seconds_of_an_element;
    cluster.operations = cluster.bytes = 1e30;
    cluster.*rate = 1e9;
    return cluster;
}

/// Seconds of the only node's call on one rank; leaves "A" and "B" list 10,000 of 1000 x 1000 elements, so may "Z".
double seconds(test::GraphBuilder builder, scheduler::Cluster const& cluster, bool sparse_result = false,
               Extent listed_b = listed) {
    graph::EinGraph graph = builder.finish({"Z"});
    for (graph::Value& value : graph.values)
        if (value.name == "A" || value.name == "B" || (value.name == "Z" && sparse_result))
            value.listing = graph::Listing{{}, double{listed}, value.name == "B" ? listed_b : listed};
    auto const& einsum = std::get<graph::EinSum>(graph.nodes[0].op);
    relation::Plan const plan = test::plan_by_hand(1, {Parts(einsum.labels.size(), 1)});
    schedule::Schedule const made = scheduler::make_schedule(graph, plan, {.place = "pattern", .fusion = {}});
    schedule::Section const& section = made.sections[Rank{0}];
    for (schedule::Task const& task : section.tasks)
        if (task.is<schedule::Apply>()) return scheduler::TaskCosts(made.header, cluster).seconds(section, task);
    return -1;
}

test::GraphBuilder product(std::string const& einsum, std::string const& other, Shape const& shape,
                           test::Extras const& keys = {}) {
    test::GraphBuilder graph;
    graph.leaf("A", {n, n}), graph.leaf(other, shape);
    graph.einsum("Z", einsum, {"A", other}, keys);
    return graph;
}

/// Elements that could be gone through while the rows of A, or no more of them than are listed, are begun.
constexpr double begun(double rows) { return rows * scheduler::tuning::elements_of_a_row; }

constexpr double block = 8 + 8 * (n + 1) + (4.0 + 8) * listed;  // count, offsets, indices and values

}  // namespace

TEST_CASE("a product with a dense matrix takes a row of it for each element", "[scheduler][simulate]") {
    auto const graph = product("ij,jk->ik", "X", {n, columns});
    double const terms = double{listed} * columns, whole = double{n} * columns;
    CHECK(seconds(graph, slow(&scheduler::Cluster::operations)) == Approx(2 * terms / 1e9));
    double const taken = whole + (terms - whole) * scheduler::tuning::taken_from_caches;
    CHECK(seconds(graph, slow(&scheduler::Cluster::bytes)) ==
          Approx((block + 8 * (taken + whole)) / 1e9).epsilon(0.01));
}

TEST_CASE("elements are gone through one by one", "[scheduler][simulate]") {
    scheduler::Cluster const fast = slow(&scheduler::Cluster::disk);
    double const one = scheduler::tuning::seconds_of_an_element;
    CHECK(seconds(product("ij,j->i", "x", {n}), fast) == Approx(one * (listed + begun(n))));
    CHECK(seconds(product("ij,jk->ik", "X", {n, columns}), fast) == Approx(one * (listed + begun(n))));
    CHECK(seconds(product("ij,jk->ik", "B", {n, n}), fast) ==
          Approx(one * (double{listed} * listed / n + begun(n))));  // pairs that meet
}

TEST_CASE("a machine goes through as many elements as its file says", "[scheduler][simulate]") {
    scheduler::Cluster fast = slow(&scheduler::Cluster::disk);
    fast.listed = 4e9;
    CHECK(seconds(product("ij,j->i", "x", {n}), fast) == Approx((listed + begun(n)) / 4e9));
}

TEST_CASE("places of a sparse result are looked for where two operands make it", "[scheduler][simulate]") {
    scheduler::Cluster const fast = slow(&scheduler::Cluster::disk);
    double const one = scheduler::tuning::seconds_of_an_element;
    double const pairs = double{listed} * listed / n;
    CHECK(seconds(product("ij,jk->ik", "B", {n, n}), fast, true) ==
          Approx(one * (pairs * (1 + scheduler::tuning::elements_of_a_sum) + begun(n))));
    CHECK(seconds(product("ij,ij->ij", "B", {n, n}, {.join = "x + y"}), fast, true) ==
          Approx(one * (listed * (1 + 2 * scheduler::tuning::elements_of_a_merge) + begun(n))));
    CHECK(seconds(product("ij,ij->ij", "X", {n, n}), fast, true) == Approx(one * (listed + begun(n))));
}

TEST_CASE("what is looked up leaves nothing out", "[scheduler][simulate]") {
    scheduler::Cluster const fast = slow(&scheduler::Cluster::disk);
    auto const graph = product("ij,ij->i", "B", {n, n}, {.join = "x*exp(y)"});
    CHECK(seconds(graph, fast, false, 7) == Approx((listed + begun(n)) * scheduler::tuning::seconds_of_an_element));
    CHECK(seconds(product("ij,ij->i", "B", {n, n}), fast, false, 7) ==
          Approx((7 + begun(7)) * scheduler::tuning::seconds_of_an_element));
}

TEST_CASE("of a sparse result what it may list is written", "[scheduler][simulate]") {
    auto const graph = product("ij,ij->ij", "X", {n, n});
    double const bytes = 2 * block + 8 * listed;
    CHECK(seconds(graph, slow(&scheduler::Cluster::bytes), true) == Approx(bytes / 1e9).epsilon(0.01));
}

TEST_CASE("of rows that are looked up what the result may list is written", "[scheduler][simulate]") {
    test::GraphBuilder graph;
    graph.leaf("A", {n, n}), graph.leaf("p", {n}, DType::i64);
    graph.einsum("Z", "kj,i->ij", {"A", "p"}, {.join = "where([k] == y, x, 0)"});
    scheduler::Cluster const memory = slow(&scheduler::Cluster::bytes);
    CHECK(seconds(std::move(graph), memory, true) < (2 * block + 16 * listed) / 1e9);  // of n^2 elements: 8e-3
}

TEST_CASE("a number that may be listed takes its time as others do", "[scheduler][simulate]") {
    test::GraphBuilder graph;
    graph.leaf("A", {}), graph.leaf("X", {n});
    graph.einsum("Z", ",i->i", {"A", "X"});
    CHECK(seconds(graph, slow(&scheduler::Cluster::operations)) > 0);
}
