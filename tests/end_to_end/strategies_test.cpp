// Every strategy gives the interpreter's results: a product, two layers, attention with grouped heads and a small
// LLaMA.
#include "planner/strategies/strategies.hpp"

#include <cmath>
#include <numeric>

#include "apps/eintool/llama/make_llama.hpp"
#include "lib/graph/contract.hpp"
#include "lib/tensor/compare.hpp"
#include "planner/costs/residency_cost.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;

namespace {

Json small_llama(Extent batch) {
    auto sizes = *apps::tool::llama_sizes("tiny");
    sizes.batch = batch, sizes.sequence = 6, sizes.vocab = 24, sizes.dim = 16, sizes.ffn = 12;
    return Json::parse(apps::tool::llama(sizes, "f64"));
}

Json two_layers() {
    auto random = [](Shape const& shape, int seed) {
        return Json{{"shape", shape}, {"data", {{"random", "normal"}, {"seed", seed}}}};
    };
    return Json{{"eingraph", 1},
                {"dtype", "f64"},
                {"tensors", {{"X", random({6, 10}, 1)}, {"U", random({10, 12}, 2)}, {"W", random({12, 10}, 3)}}},
                {"nodes",
                 {{{"name", "H"}, {"einsum", "nd,dh->nh"}, {"inputs", {"X", "U"}}},
                  {{"name", "R"}, {"einsum", "nh->nh"}, {"inputs", {"H"}}, {"join", "max(x,0)"}},
                  {{"name", "Y"}, {"einsum", "nh,hd->nd"}, {"inputs", {"R", "W"}}},
                  {{"name", "Z"}, {"einsum", "nd,nd->nd"}, {"inputs", {"Y", "X"}}, {"join", "x+y"}}}},
                {"outputs", {"Z"}}};
}

/// Results are what the graph says, and each rank sends what was predicted.
void check(Json const& json, test::WholeRunSetup const& setup, double tolerance) {
    test::WholeRun const run = test::whole_run(json, setup);
    for (std::string const& failure : run.failures) FAIL_CHECK(failure);
    for (auto const& [name, expected] : run.expected)
        CHECK(tensor::compare(run.results.at(name), expected, tolerance).count == 0);
    for (std::size_t rank = 0; rank < run.ranks.size(); ++rank)
        CHECK(run.ranks[rank].transfers.bytes_sent == run.schedule.header.prediction.bytes_sent[rank]);
}

void check(Json const& json, int ranks, std::string const& strategy) {
    CAPTURE(strategy, ranks);
    test::WholeRunSetup setup;
    setup.ranks = ranks;
    setup.decompose = strategy;
    setup.subblock_bytes = 0;  // partial results of small blocks are subdivided too
    check(json, setup, 1e-9);
}

}  // namespace

TEST_CASE("every strategy computes what the graph says", "[end_to_end]") {
    int const ranks = GENERATE(2, 3, 4);
    for (std::string const& strategy : planner::strategy_names()) {
        check(two_layers(), ranks, strategy);
        check(small_llama(1), ranks, strategy);
        check(small_llama(2), ranks, strategy);
    }
}

TEST_CASE("products in unequal boxes that ranks share are what the graph says", "[end_to_end]") {
    auto random = [](Shape const& shape, int seed) {
        return Json{{"shape", shape}, {"data", {{"random", "normal"}, {"seed", seed}}}};
    };
    Json const graph{{"eingraph", 1},
                     {"dtype", "f32"},
                     {"tensors", {{"A", random({42, 30}, 1)}, {"B", random({30, 35}, 2)}, {"D", random({35, 30}, 3)}}},
                     {"nodes",
                      {{{"name", "C"}, {"einsum", "ij,jk->ik"}, {"inputs", {"A", "B"}}},
                       {{"name", "E"}, {"einsum", "ik,kl->il"}, {"inputs", {"C", "D"}}}}},
                     {"outputs", {"C", "E"}}};
    for (std::size_t alternative = 0; alternative < 12; ++alternative) {
        CAPTURE(alternative);
        test::WholeRunSetup setup;
        setup.ranks = 7;
        setup.alternative = alternative;
        setup.subblock_bytes = 0;
        setup.split.product_points = 64;  // calls are made in several, and pieces of leaves are put together
        setup.split.product_length = 2;
        setup.split.block_bytes = 16;
        setup.split.weighs_time = false;
        check(graph, setup, 1e-4);
    }
}

TEST_CASE("schedules of regular plans move what the model says", "[end_to_end]") {
    auto sizes = *apps::tool::llama_sizes("tiny");
    sizes.batch = 4, sizes.sequence = 8;
    std::string const strategy = GENERATE("data", "sequence", "attention", "megatron");
    CAPTURE(strategy);
    graph::EinGraph const graph =
        graph::lower_contractions(graph::read_graph(apps::tool::llama(sizes, "f32"), "llama.json"));
    relation::Plan const plan = planner::plan(graph, {.ranks = 2, .decompose = strategy});
    schedule::Schedule const schedule = scheduler::make_schedule(graph, plan, {.subblock_bytes = 0});
    std::vector<Parts> parts;
    for (relation::NodePlan const& node : plan.nodes) parts.push_back(node.parts);
    std::vector<std::int64_t> const& sent = schedule.header.prediction.bytes_sent;
    auto const total = static_cast<double>(std::accumulate(sent.begin(), sent.end(), std::int64_t{0}));
    double const model = planner::ResidencyCost(graph).total(parts);
    CAPTURE(total, model);
    CHECK(std::abs(total - model) <= 0.01 * model);
}
