// Loops from a graph to results, at several rank counts, against the interpreter.
#include <sys/resource.h>

#include <numeric>

#include "lib/tensor/compare.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;

namespace {

tensor::Source uniform(std::uint64_t seed) {
    return tensor::RandomSource{tensor::Distribution::uniform, -0.5, 0.5, seed};
}

/// Z = A^iterations X.
graph::EinGraph power(Extent n, std::int64_t iterations) {
    test::GraphBuilder g;
    g.leaf("A", {n, n}, DType::f64, uniform(1));
    g.leaf("X", {n}, DType::f64, uniform(2));
    g.einsum("inside", "i->i", {"X"});
    g.begin_loop("power", iterations);
    g.einsum("product", "ij,j->i", {"A", "inside"});
    g.einsum("result", "i->i", {"product"});
    g.end_loop({{"inside", "result"}});
    g.einsum("Z", "i->i", {"result"}, {.join = "x*2"});
    return g.finish({"Z"});
}

void check(graph::EinGraph const& graph, test::WholeRunSetup const& setup) {
    auto const run = test::whole_run(graph, setup);
    for (std::string const& failure : run.failures) FAIL_CHECK(failure);
    for (auto const& [name, expected] : run.expected) {
        CAPTURE(name);
        CHECK(tensor::compare(run.results.at(name), expected, 1e-12).count == 0);
    }
    if (!run.failures.empty()) return;
    schedule::Prediction const& p = run.schedule.header.prediction;
    for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
        CHECK(run.ranks[rank].transfers.bytes_sent == run.ranks[rank].predicted.sent);  // as often as it ran
        if (run.graph.loops.empty() || !run.graph.loops[0].condition)
            CHECK(run.ranks[rank].transfers.bytes_sent == p.bytes_sent[rank]);
        CHECK(run.ranks[rank].blocks.peak_bytes() <= p.peak_bytes[rank]);
    }
}

}  // namespace

TEST_CASE("a power iteration", "[end_to_end][loops]") {
    int const ranks = GENERATE(1, 2, 3, 4, 5, 7);
    std::int64_t const iterations = GENERATE(1, 2, 9);
    CAPTURE(ranks, iterations);
    check(power(24, iterations), {.ranks = ranks, .threads = 2});
}

namespace {

/// A cache of which an iteration writes a row, and weights that it changes: both are carried.
graph::EinGraph cache_and_weights(Extent n, std::int64_t iterations) {
    test::GraphBuilder g;
    g.leaf("W0", {n, n}, DType::f64, uniform(1));
    g.leaf("C0", {n, n}, DType::f64, uniform(2));
    g.leaf("step0", {}, DType::f64, tensor::FillSource{3.0});
    g.einsum("W", "ij->ij", {"W0"});
    g.einsum("C", "ij->ij", {"C0"});
    g.einsum("step", "->", {"step0"});
    g.begin_loop("steps", iterations);
    g.einsum("row", "ij,ij->j", {"W", "C"});
    g.einsum("C1", ",j,ij->ij", {"step", "row", "C"}, {.join = "where([i] == x, y, z)"});
    g.einsum("W1", "ij,j->ij", {"W", "row"}, {.join = "x - y/64"});
    g.einsum("step1", "->", {"step"}, {.join = "x + 1"});
    g.einsum("C_next", "ij->ij", {"C1"});
    g.einsum("W_next", "ij->ij", {"W1"});
    g.einsum("step_next", "->", {"step1"});
    g.end_loop({{"C", "C_next"}, {"W", "W_next"}, {"step", "step_next"}});
    g.einsum("Z", "ij->ij", {"W_next"}, {.join = "x*2"});
    g.einsum("Y", "ij->ij", {"C_next"}, {.join = "x*2"});
    return g.finish({"Z", "Y"});
}

}  // namespace

TEST_CASE("what is carried is written where it lies", "[end_to_end][loops]") {
    int const ranks = GENERATE(1, 2, 3, 5);
    auto const fused = GENERATE(scheduler::FusionLimits{}, scheduler::FusionLimits{64, 0, 1});
    CAPTURE(ranks, fused.least_bytes);
    test::WholeRunSetup setup{.ranks = ranks, .threads = 2, .fused_groups = fused, .check_calls = {true, 4}};
    check(cache_and_weights(12, 7), setup);
    auto const run = test::whole_run(cache_and_weights(12, 7), setup);
    CHECK(test::checked_calls(run).mismatches.empty());
    if (test::tests_run_emulated()) return;  // a device with memory of its own keeps all blocks
    setup.take_over = std::nullopt;
    auto const kept = test::whole_run(cache_and_weights(12, 7), setup);
    for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
        std::int64_t const peak = run.schedule.header.prediction.peak_bytes[rank];
        CHECK(peak < kept.schedule.header.prediction.peak_bytes[rank]);
        if (ranks == 1) CHECK(run.ranks[rank].blocks.peak_bytes() == peak);
    }
}

TEST_CASE("a condition ends a loop, on all ranks in the same iteration", "[end_to_end][loops]") {
    int const ranks = GENERATE(1, 2, 3, 5);
    auto const [start, most] = GENERATE(std::pair{1.0, 10}, std::pair{4.0, 10}, std::pair{4.0, 3});
    CAPTURE(ranks, start, most);
    test::GraphBuilder g;
    g.leaf("A", {12, 12}, DType::f64, uniform(1));
    g.leaf("X", {12}, DType::f64, uniform(2));
    g.leaf("start", {}, DType::f64, tensor::FillSource{start, 0});
    g.einsum("x", "i->i", {"X"});
    g.einsum("count", "->", {"start"});
    g.begin_loop("power", most);
    g.einsum("less", "->", {"count"}, {.join = "x-1"});
    g.einsum("product", "ij,j->i", {"A", "x"});
    g.einsum("x'", "i->i", {"product"});
    g.einsum("count'", "->", {"less"});
    g.end_loop({{"x", "x'"}, {"count", "count'"}}, "less");
    g.einsum("Z", "i,->i", {"x'", "count'"}, {.join = "x+y"});
    check(g.finish({"Z"}), {.ranks = ranks});
}

TEST_CASE("carried values may change places", "[end_to_end][loops]") {
    int const ranks = GENERATE(1, 2, 4);
    CAPTURE(ranks);
    test::GraphBuilder g;
    g.leaf("A", {10}, DType::f64, uniform(1)), g.leaf("B", {10}, DType::f64, uniform(2));
    g.einsum("a", "i->i", {"A"}), g.einsum("b", "i->i", {"B"}), g.einsum("same", "i->i", {"A"});
    g.begin_loop("fibonacci", 6);
    g.einsum("sum", "i,i->i", {"a", "b"}, {.join = "x+y"});
    g.einsum("a'", "i->i", {"b"});
    g.einsum("b'", "i->i", {"sum"});
    g.einsum("same'", "i->i", {"same"});
    g.end_loop({{"a", "a'"}, {"b", "b'"}, {"same", "same'"}});
    g.einsum("Z", "i,i,i->i", {"a'", "b'", "same'"}, {.join = "x+2*y+4*z"});
    check(g.finish({"Z", "b'"}), {.ranks = ranks, .threads = 2});
}

TEST_CASE("two carried values may become the same one", "[end_to_end][loops]") {
    test::GraphBuilder g;
    g.leaf("A", {10}, DType::f64, uniform(1)), g.leaf("B", {10}, DType::f64, uniform(2));
    g.einsum("a", "i->i", {"A"}), g.einsum("b", "i->i", {"B"});
    g.begin_loop("mean", 3);
    g.einsum("mean", "i,i->i", {"a", "b"}, {.join = "(x+y)/2"});
    g.einsum("a'", "i->i", {"mean"}), g.einsum("b'", "i->i", {"mean"});
    g.end_loop({{"a", "a'"}, {"b", "b'"}});
    check(g.finish({"a'", "b'"}), {.ranks = GENERATE(1, 3)});
}

TEST_CASE("loops in loops", "[end_to_end][loops]") {
    int const ranks = GENERATE(1, 2, 3, 4);
    CAPTURE(ranks);
    test::GraphBuilder g;
    g.leaf("A", {8, 8}, DType::f64, uniform(1)), g.leaf("B", {8, 8}, DType::f64, uniform(3));
    g.leaf("X", {8}, DType::f64, uniform(2));
    g.einsum("x", "i->i", {"X"});
    g.begin_loop("outer", 3);
    g.einsum("y", "i->i", {"x"});
    g.begin_loop("inner", 4);
    g.einsum("Ay", "ij,j->i", {"A", "y"});
    g.einsum("y'", "i->i", {"Ay"});
    g.end_loop({{"y", "y'"}});
    g.einsum("By", "ij,j->i", {"B", "y'"});
    g.einsum("sum", "i,i->i", {"By", "x"}, {.join = "x+y"});
    g.einsum("x'", "i->i", {"sum"});
    g.end_loop({{"x", "x'"}});
    check(g.finish({"x'"}), {.ranks = ranks, .threads = GENERATE(1, 2)});
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("memory does not grow with the number of iterations", "[end_to_end][loops]") {
    auto const most_used = [] {  // KiB, of this process so far
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;
    };
    int const ranks = GENERATE(1, 2);
    test::WholeRunSetup const setup{.ranks = ranks};
    auto const few = test::whole_run(power(64, 100), setup);
    auto const before = most_used();
    // A device's copies take their time; what keeps memory of each iteration does so on any device.
    std::int64_t const times = test::tests_run_emulated() ? 10000 : 30000;
    auto const many = test::whole_run(power(64, times), setup);
    CHECK(many.failures.empty());
    CHECK(most_used() - before < 1024);
    for (std::size_t rank = 0; rank < many.ranks.size(); ++rank) {
        CHECK(many.ranks[rank].iterations.list() == std::vector<std::int64_t>{times});
        CHECK(many.ranks[rank].blocks.peak_bytes() == few.ranks[rank].blocks.peak_bytes());
        CHECK(many.ranks[rank].transfers.messages_sent == times / 100 * few.ranks[rank].transfers.messages_sent);
    }
}
#endif

TEST_CASE("of a loop all is computed to check an element, of what comes after it no more than is asked for",
          "[end_to_end][loops]") {
    graph::EinGraph const graph = power(24, 5);
    relation::Interpreter interpreter(graph, [&](graph::Leaf const& leaf, Box const& box, std::span<std::byte> out) {
        tensor::open(leaf.source, "", DType::f64, graph.value(leaf.value).shape, "")->read(box, out);
    });
    ValueId const z = graph.outputs[0];
    auto const whole = interpreter.whole(z);
    auto const one = interpreter.sample(z, {{7}});
    CHECK(std::memcmp(one.bytes().data(), whole.bytes().data() + 7 * 8, 8) == 0);
    std::vector<Extent> all(24);
    std::iota(all.begin(), all.end(), Extent{0});
    CHECK(interpreter.work(z, {all}) - interpreter.work(z, {{7}}) == 23);  // Z = 2 x alone
}

TEST_CASE("the plan counts a loop's iterations", "[end_to_end][loops]") {
    auto const cost = [](std::int64_t iterations) {
        return planner::plan(power(24, iterations), {.ranks = 4}).elements();
    };
    CHECK(cost(30).join - cost(20).join == 10 * (cost(2).join - cost(1).join));
    CHECK(cost(2).join > cost(1).join);
    auto const flops = [](std::int64_t iterations) {
        graph::EinGraph const graph = power(24, iterations);
        return scheduler::make_schedule(graph, planner::plan(graph, {.ranks = 1}), {}).header.prediction.flops;
    };
    CHECK(flops(10) - flops(1) == 9 * (flops(2) - flops(1)));
}

TEST_CASE("what does not change moves once", "[end_to_end][loops]") {
    int const ranks = GENERATE(2, 3, 4);
    CAPTURE(ranks);
    auto const bytes = [&](std::int64_t iterations) {
        graph::EinGraph const graph = power(60, iterations);
        auto plan = planner::plan(graph, {.ranks = ranks});
        plan.nodes[1].parts = {1, ranks};  // columns of A, while X is wanted in other parts before
        auto const schedule = scheduler::make_schedule(graph, plan, {.place = "pattern"});
        auto const& sent = schedule.header.prediction.bytes_sent;
        return std::accumulate(sent.begin(), sent.end(), std::int64_t{0});
    };
    std::int64_t const an_iteration = bytes(2) - bytes(1);
    CHECK(an_iteration > 0);
    CHECK(an_iteration < 60 * 60 * 8 / 4);  // none of A
    CHECK(bytes(10) - bytes(1) == 9 * an_iteration);
}

namespace {

void check_json(Json const& json, test::WholeRunSetup const& setup) {
    check(graph::read_graph(json.dump(), "loops.json"), setup);
}

Json random(Shape const& shape, int seed) {
    return {{"shape", shape}, {"data", {{"random", "normal"}, {"std", 0.3}, {"seed", seed}}}};
}

}  // namespace

TEST_CASE("a graph file's loop with times", "[end_to_end][loops]") {
    int const ranks = GENERATE(1, 2, 3, 4, 5, 7);
    CAPTURE(ranks);
    Json const body = Json::parse(R"json([
        {"name": "Ax", "einsum": "ij,jk,k->i", "inputs": ["A", "B", "x"]},
        {"name": "size", "einsum": "i->", "inputs": ["Ax"], "join": "abs(x)", "agg": "max"},
        {"name": "x_next", "einsum": "i,->i", "inputs": ["Ax", "size"], "join": "x/y"}])json");
    Json const json = {
        {"eingraph", 1},
        {"dtype", "f64"},
        {"tensors", {{"A", random({9, 7}, 1)}, {"B", random({7, 9}, 2)}, {"x", random({9}, 3)}}},
        {"nodes", {{{"name", "power"}, {"loop", {{"times", 6}, {"carry", {{"x", "x_next"}}}, {"body", body}}}}}},
        {"outputs", {"power/x"}}};
    check_json(json, {.ranks = ranks, .threads = 2});
}

TEST_CASE("a graph file's loop with while", "[end_to_end][loops]") {
    int const ranks = GENERATE(1, 2, 3);
    int const most = GENERATE(3, 100);
    CAPTURE(ranks, most);
    Json const body = Json::parse(R"json([
        {"name": "root", "einsum": "i,i->i", "inputs": ["x", "X"], "join": "(x + y/x)/2"},
        {"name": "step", "einsum": "i,i->", "inputs": ["root", "x"], "join": "abs(x-y)", "agg": "max"},
        {"name": "far", "einsum": "->", "inputs": ["step"], "join": "x > 1e-9"}])json");
    Json const json = {
        {"eingraph", 1},
        {"dtype", "f64"},
        {"tensors",
         {{"X", {{"shape", {12}}, {"data", {{"random", "uniform"}, {"low", 1}, {"high", 9}, {"seed", 1}}}}}}},
        {"nodes",
         {{{"name", "one"}, {"einsum", "i->i"}, {"inputs", {"X"}}, {"join", "1"}},
          {{"name", "x"}, {"einsum", "i->i"}, {"inputs", {"one"}}},
          {{"name", "heron"},
           {"loop", {{"while", "far"}, {"max", most}, {"carry", {{"x", "root"}}}, {"body", body}}}}}},
        {"outputs", {"heron/x"}}};
    check_json(json, {.ranks = ranks});
}

TEST_CASE("what is carried need not be read", "[end_to_end][loops]") {
    int const ranks = GENERATE(1, 2, 3);
    bool const nested = GENERATE(false, true);
    CAPTURE(ranks, nested);
    Json const step =
        Json::parse(R"json({"name": "half", "loop": {"times": 4, "carry": {"x": "x_next", "last": "size"}, "body": [
        {"name": "x_next", "einsum": "i->i", "inputs": ["x"], "join": "x/2"},
        {"name": "size", "einsum": "i->", "inputs": ["x"], "join": "abs(x)"}]}})json");
    Json const around = {
        {"name", "again"},
        {"loop", {{"times", 3}, {"carry", {{"x", "half/x"}, {"seen", "half/last"}}}, {"body", {step}}}}};
    Json const json = {{"eingraph", 1},
                       {"dtype", "f64"},
                       {"tensors",
                        {{"x", random({9}, 1)},
                         {"last", {{"shape", Json::array()}, {"data", {{"fill", 0}}}}},
                         {"seen", {{"shape", Json::array()}, {"data", {{"fill", 0}}}}}}},
                       {"nodes", {nested ? around : step}},
                       {"outputs", {nested ? "again/seen" : "half/last"}}};
    check_json(json, {.ranks = ranks});
}

TEST_CASE("training in a loop: gradients of an iteration", "[end_to_end][loops]") {
    int const ranks = GENERATE(1, 2, 3, 4);
    CAPTURE(ranks);
    Json const body = Json::parse(R"json([
        {"name": "h", "einsum": "nd,dh->nh", "inputs": ["X", "W"]},
        {"name": "a", "einsum": "nh->nh", "inputs": ["h"], "join": "relu(x)"},
        {"name": "y", "einsum": "nh,hc->nc", "inputs": ["a", "V"]},
        {"name": "loss", "einsum": "nc,nc->", "inputs": ["y", "T"], "join": "(x-y)*(x-y)"},
        {"name": "g", "grad": {"of": "loss", "wrt": ["W", "V"]}},
        {"name": "W_next", "einsum": "dh,dh->dh", "inputs": ["W", "g/W"], "join": "x - eta*y"},
        {"name": "V_next", "einsum": "hc,hc->hc", "inputs": ["V", "g/V"], "join": "x - eta*y"}])json");
    Json const json = {
        {"eingraph", 1},
        {"dtype", "f64"},
        {"params", {{"eta", 0.01}}},
        {"tensors",
         {{"X", random({16, 6}, 1)}, {"T", random({16, 3}, 2)}, {"W", random({6, 8}, 3)}, {"V", random({8, 3}, 4)}}},
        {"nodes",
         {{{"name", "train"},
           {"loop", {{"times", 5}, {"carry", {{"W", "W_next"}, {"V", "V_next"}}}, {"body", body}}}}}},
        {"outputs", {"train/W", "train/V"}}};
    check_json(json, {.ranks = ranks});
}

TEST_CASE("an inner loop begins anew in each iteration of the outer one", "[end_to_end][loops]") {
    int const ranks = GENERATE(1, 2, 3);
    CAPTURE(ranks);
    Json const inner = Json::parse(R"json({"name": "inner", "loop": {"times": 2, "carry": {"zero": "sum"}, "body": [
        {"name": "sum", "einsum": "i,i->i", "inputs": ["zero", "v"], "join": "x+y"}]}})json");
    Json const next =
        Json::parse(R"json({"name": "next", "einsum": "i,i->i", "inputs": ["v", "inner/zero"], "join": "x+y"})json");
    Json const json = {
        {"eingraph", 1},
        {"dtype", "f64"},
        {"tensors",
         {{"zero", {{"shape", {7}}, {"data", {{"fill", 0}}}}}, {"v", {{"shape", {7}}, {"data", {{"fill", 1}}}}}}},
        {"nodes", {{{"name", "outer"}, {"loop", {{"times", 3}, {"carry", {{"v", "next"}}}, {"body", {inner, next}}}}}}},
        {"outputs", {"outer/v"}}};
    check_json(json, {.ranks = ranks});
    auto const run = test::whole_run(graph::read_graph(json.dump(), "loops.json"), {.ranks = ranks});
    std::vector<double> found(7);
    std::memcpy(found.data(), run.results.at("outer/v").bytes().data(), 7 * 8);
    CHECK(found == std::vector<double>(7, 27));  // an iteration makes v three times as much
}

TEST_CASE("a tensor from outside may be what the next iteration begins with", "[end_to_end][loops]") {
    int const ranks = GENERATE(1, 2, 3, 5);
    bool const read = GENERATE(false, true);
    unsigned const seed = GENERATE(1u, 2u, 3u);
    CAPTURE(ranks, read, seed);
    Json const body = {{{"name", "x_next"}, {"einsum", "a,->a"}, {"inputs", {"x", read ? "p" : "u"}}}};
    Json const json = {
        {"eingraph", 1},
        {"dtype", "f64"},
        {"tensors",
         {{"x", random({9}, 1)}, {"y", random({9}, 2)}, {"s", {{"shape", Json::array()}, {"data", {{"fill", 2}}}}}}},
        {"nodes",
         {{{"name", "p"}, {"op", "var"}, {"inputs", {"y"}}, {"axes", {0}}},  // late; unread, no iteration waits for it
          {{"name", "u"}, {"einsum", "->"}, {"inputs", {"s"}}, {"join", "x+1"}},
          {{"name", "L"}, {"loop", {{"times", 4}, {"carry", {{"x", "x_next"}, {"p", "s"}}}, {"body", body}}}}}},
        {"outputs", {"L/x", "L/p"}}};
    check_json(json, {.ranks = ranks, .transport = {.max_delay = 400, .seed = seed}});
}
