#include "planner/search/decompose.hpp"

#include <chrono>
#include <random>

#include "planner/planner.hpp"
#include "tests/planner/small_graphs.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::planner;

namespace {

double total(graph::EinGraph const& graph, std::vector<relation::NodePlan> nodes, Unit unit) {
    return test::total_cost(graph, std::move(nodes), unit);
}

}  // namespace

TEST_CASE("the 1024 cube on 8 calls is cut in (2, 2, 2)", "[planner][decompose]") {
    graph::EinGraph const graph = test::matmul(1024, 1024, 1024);
    auto const nodes = decompose(graph, {.calls = 8, .unit = Unit::elements}).nodes;
    CHECK(nodes[0].parts == Parts{2, 2, 2});
    CHECK(nodes[0].candidates == 10);
    CHECK(total(graph, nodes, Unit::elements) == 5242880);
}

TEST_CASE("ties: no partial results, then larger parts on the first output label", "[planner][decompose]") {
    test::GraphBuilder builder;
    builder.leaf("A", {8, 8});
    builder.einsum("B", "ij->ij", {"A"});
    builder.einsum("R", "ij->", {"A"});
    graph::EinGraph const graph = builder.finish({"B", "R"});
    auto const nodes = decompose(graph, {.calls = 4}).nodes;
    CHECK(nodes[0].parts == Parts{4, 1});
    CHECK(nodes[1].parts == Parts{4, 1});
}

TEST_CASE("on trees the dynamic program finds the least cost of all assignments", "[planner][decompose]") {
    std::mt19937 random(5);
    for (int round = 0; round < 300; ++round) {
        graph::EinGraph const graph = test::random_matrices(random, 1 + static_cast<int>(random() % 4), true);
        std::int64_t const calls = std::vector<std::int64_t>{2, 3, 4, 5, 6, 8}[random() % 6];
        Unit const unit = random() % 2 == 0 ? Unit::bytes : Unit::elements;
        CAPTURE(round, calls);
        CHECK(total(graph, decompose(graph, {.calls = calls, .unit = unit}).nodes, unit) ==
              Approx(test::least_cost(graph, calls, unit)).epsilon(1e-12));
    }
}

TEST_CASE("a value that one node reads twice is cut once", "[planner][decompose]") {
    test::GraphBuilder builder;
    builder.leaf("A", {8, 4});
    builder.leaf("B", {4, 8});
    builder.einsum("X", "ij,jk->ik", {"A", "B"});
    builder.einsum("Y", "ij,jk->ik", {"X", "X"});
    graph::EinGraph const graph = builder.finish({"Y"});
    for (std::int64_t calls : {2, 4, 8})
        CHECK(total(graph, decompose(graph, {.calls = calls}).nodes, Unit::bytes) ==
              test::least_cost(graph, calls, Unit::bytes));
}

TEST_CASE("on any graph the plan is valid, repeatable, and no better than the best", "[planner][decompose]") {
    std::mt19937 random(23);
    for (int round = 0; round < 100; ++round) {
        graph::EinGraph const graph = test::random_matrices(random, 2 + static_cast<int>(random() % 3), false);
        std::int64_t const calls = std::vector<std::int64_t>{2, 3, 4, 6}[random() % 4];
        for (bool published : {false, true}) {
            DecomposeOptions const options{.calls = calls, .ignore_off_path = published};
            relation::Plan plan;
            plan.nodes = decompose(graph, options).nodes;
            relation::verify(graph, plan);
            auto const again = decompose(graph, options).nodes;
            for (std::size_t k = 0; k < again.size(); ++k) CHECK(again[k].parts == plan.nodes[k].parts);
            CHECK(total(graph, plan.nodes, Unit::bytes) >= test::least_cost(graph, calls, Unit::bytes) * (1 - 1e-12));
        }
    }
}

TEST_CASE("an edge beside the path is counted in the end", "[planner][decompose]") {
    test::GraphBuilder builder;
    builder.leaf("X", {8, 8});
    builder.leaf("W", {8, 64});
    builder.einsum("a", "ij,jk->ik", {"X", "W"});
    builder.einsum("s", "ik->k", {"a"}, {.agg = scalar::Agg::max});
    builder.einsum("e", "ik,k->ik", {"a", "s"}, {.join = "exp(x-y)"});
    builder.einsum("t", "ik->i", {"e"});
    builder.einsum("d", "ik,i->ik", {"e", "t"}, {.join = "x/y"});
    graph::EinGraph const graph = builder.finish({"d"});
    for (std::int64_t calls : {2, 3, 4}) {
        double const best = test::least_cost(graph, calls, Unit::bytes);
        double const found = total(graph, decompose(graph, {.calls = calls}).nodes, Unit::bytes);
        double const published =
            total(graph, decompose(graph, {.calls = calls, .ignore_off_path = true}).nodes, Unit::bytes);
        CAPTURE(calls, best, found, published);
        CHECK(found <= published);
        CHECK(found <= 1.05 * best);
    }
}

TEST_CASE("edges to nodes that are already cut are counted unless asked otherwise", "[planner][decompose]") {
    // The long path cuts X by rows. Y, alone on the second path, costs the same by itself under any cut that leaves the
    // sum whole; what it is added to decides.
    test::GraphBuilder builder;
    builder.leaf("A", {4, 64});
    builder.leaf("V", {64, 4});
    builder.einsum("X", "ij->ij", {"A"}, {.join = "x+1"});
    builder.einsum("X2", "ij,jk->ik", {"V", "X"});
    builder.einsum("Y", "ij->ij", {"A"}, {.join = "x+2"});
    builder.einsum("Z", "ij,ji->ij", {"X2", "X2"});
    builder.einsum("W", "kj,ij->ik", {"Z", "Y"});
    graph::EinGraph const graph = builder.finish({"W"});
    auto const counted = total(graph, decompose(graph, {.calls = 4}).nodes, Unit::bytes);
    auto const ignored = total(graph, decompose(graph, {.calls = 4, .ignore_off_path = true}).nodes, Unit::bytes);
    CHECK(counted <= ignored);
}

TEST_CASE("a hundred thousand nodes are planned in seconds", "[planner][decompose]") {
    auto const shape_of_graph = GENERATE(as<std::string>(), "chain", "ladder", "wide");
    test::GraphBuilder builder;
    builder.leaf("0", {64, 64, 8});
    std::vector<std::string> outputs;
    int const count = shape_of_graph == "chain" ? 100000 : 20000;
    for (int k = 1; k <= count; ++k) {
        std::string const name = std::to_string(k), before = std::to_string(k - 1);
        if (shape_of_graph == "chain")
            builder.einsum(name, "ijk->ijk", {before}, {.join = "x+1"});
        else if (shape_of_graph == "ladder")
            builder.einsum(name, "ijk,ijk->ijk", {before, std::to_string(std::max(0, k - 7))});
        else
            builder.einsum(name, "ijk->jik", {k < 100 ? before : std::to_string(k % 100)});
    }
    graph::EinGraph const graph = builder.finish({std::to_string(count)});
    auto const begin = std::chrono::steady_clock::now();
    auto const nodes = decompose(graph, {.calls = 64}).nodes;
    std::chrono::duration<double> const seconds = std::chrono::steady_clock::now() - begin;
    CHECK(nodes.size() == static_cast<std::size_t>(count));
    CHECK(seconds.count() < 60);  // about 1 s without sanitizers
}
