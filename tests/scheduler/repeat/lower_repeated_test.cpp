// Graphs of layers that are alike, of which few are lowered: written out, their schedules are those of all layers, and
// give the results of the reference interpreter.
#include "scheduler/repeat/lower_repeated.hpp"

#include <limits>

#include "lib/schedule/file/codec.hpp"
#include "lib/schedule/memory/live_bytes.hpp"
#include "lib/schedule/print/print.hpp"
#include "lib/schedule/repeat/unrolled.hpp"
#include "lib/schedule/verify/verify.hpp"
#include "scheduler/repeat/left_out_rounds.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/results.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;
using schedule::Schedule;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

Json random_leaf(Shape const& shape, int seed) {
    return {{"shape", shape}, {"data", {{"random", "normal"}, {"mean", 0}, {"std", 0.5}, {"seed", seed}}}};
}

/// X of each layer from that before: a product, a normalisation with a scale that all layers share, turned and back,
/// a few steps more, a sum with what it began with, or with what was turned back.
struct Layers {
    int count = 10;
    int steps = 0;
    bool adds_back = false;
    bool shares_made = false;  // the scale is not given, it is made
    int other = -1;            // a layer that has another join
    bool keeps_each = false;   // what each layer makes is asked for
    bool reads_first = false;  // each layer reads what the first one began with
    bool reads_all = false;    // what comes behind them reads all of them

    Json graph() const {
        Json tensors{{"X0", random_leaf({12, 16}, 1)}, {"S", random_leaf({16}, 2)}};
        Json nodes = Json::array(), outputs = Json::array();
        auto const node = [&](std::string const& name, Json fields, std::vector<std::string> const& inputs) {
            fields["name"] = name, fields["inputs"] = inputs;
            nodes.push_back(std::move(fields));
        };
        std::vector<std::string> made;
        if (shares_made) node("T", {{"einsum", "k->k"}, {"join", "exp(x)"}}, {"S"});
        for (int k = 0; k < count; ++k) {
            std::string const x = "X" + std::to_string(k), l = "L" + std::to_string(k) + ".";
            tensors[l + "W"] = random_leaf({16, 16}, 3 + k);
            node(l + "product", {{"einsum", "ij,jk->ik"}}, {x, l + "W"});
            node(l + "largest", {{"einsum", "ik->i"}, {"agg", "max"}}, {l + "product"});
            node(l + "near", {{"einsum", "ik,i,k->ik"}, {"join", k == other ? "exp(x-y)+z" : "exp(x-y)*z"}},
                 {l + "product", l + "largest", shares_made ? "T" : "S"});
            node(l + "flat", {{"op", "reshape"}, {"shape", {6, 32}}}, {l + "near"});
            node(l + "back", {{"op", "reshape"}, {"shape", {12, 16}}}, {l + "flat"});
            std::string last = l + "back";
            for (int step = 0; step < steps; ++step, last = l + "step" + std::to_string(step))
                node(l + "step" + std::to_string(step + 1), {{"einsum", "ij->ij"}, {"join", "tanh(x)"}}, {last});
            node("X" + std::to_string(k + 1), {{"einsum", "ij,ij->ij"}, {"join", "0.5*x+y"}},
                 {reads_first ? "X0"
                  : adds_back ? l + "back"
                              : x,
                  last});
            made.push_back("X" + std::to_string(k + 1));
        }
        node("sum", {{"einsum", "ij->i"}}, {made.back()});
        outputs.push_back("sum");
        if (keeps_each)
            for (std::string const& each : made) outputs.push_back(each);
        if (reads_all) {
            node("all", {{"einsum", "ij,ij,ij->ij"}, {"join", "x+y+z"}}, {made[2], made[4], made.back()});
            outputs.push_back("all");
        }
        return {{"eingraph", 1}, {"dtype", "f64"}, {"tensors", tensors}, {"nodes", nodes}, {"outputs", outputs}};
    }
};

scheduler::SchedulerOptions options(std::string const& place, double repeats_from) {
    return {.place = place, .subblock_bytes = 0, .take_over = 1, .repeats_from = repeats_from};
}

std::vector<std::string> texts_of(Schedule const& schedule) {
    std::vector<std::string> out;
    for (Rank rank : schedule.sections.ids())
        out.push_back(schedule::tasks_text(schedule, rank, 0, std::numeric_limits<std::size_t>::max()));
    return out;
}

std::vector<std::int32_t> nodes_at_moments(Schedule const& schedule) {
    std::vector<std::int32_t> out;
    for (schedule::MomentSpec const& moment : schedule.header.moments) out.push_back(moment.nodes);
    return out;
}

void check_alike(Schedule const& repeated, Schedule const& whole) {
    CHECK(schedule::faults_of(repeated).empty());
    schedule::Prediction const &p = repeated.header.prediction, &q = whole.header.prediction;
    CHECK(p.flops == q.flops);
    CHECK(p.bytes_sent == q.bytes_sent);
    CHECK(p.bytes_received == q.bytes_received);
    CHECK(p.messages_sent == q.messages_sent);
    CHECK(p.peak_bytes == q.peak_bytes);
    CHECK(nodes_at_moments(repeated) == nodes_at_moments(whole));
    CHECK(schedule::live_bytes(repeated).list() == schedule::live_bytes(whole).list());
    Schedule const written_out = schedule::unrolled(repeated);
    CHECK(schedule::faults_of(written_out).empty());
    CHECK(texts_of(written_out) == texts_of(whole));
    for (Rank rank : whole.sections.ids()) {
        CHECK(repeated.sections[rank].tasks_in_all() == static_cast<std::int64_t>(whole.sections[rank].tasks.size()));
        CHECK(written_out.sections[rank].moments.list() == whole.sections[rank].moments.list());
    }
}

struct Planned {
    graph::EinGraph graph;
    relation::Plan plan;
};

Planned planned(Layers const& layers, int ranks) {
    graph::EinGraph graph = test::whole_run(layers.graph(), {.ranks = 1, .compared = false}).graph;
    relation::Plan plan = planner::plan(graph, {.ranks = ranks});
    return {std::move(graph), std::move(plan)};
}

}  // namespace

TEST_CASE("layers that are alike are repeated as if each had been lowered", "[scheduler][repeat]") {
    int const ranks = GENERATE(1, 2, 3, 4, 6, 8);
    auto const place = GENERATE("pattern", "greedy", "round-robin");
    CAPTURE(ranks, place);
    auto const [graph, plan] = planned({.count = GENERATE(8, 13)}, ranks);
    auto const repeated = scheduler::make_schedule(graph, plan, options(place, 0));
    CHECK(repeated.repeats());
    check_alike(repeated, scheduler::make_schedule(graph, plan, options(place, never)));
}

TEST_CASE("what all layers read may be read by none behind those that are left out", "[scheduler][repeat]") {
    int const ranks = GENERATE(1, 3, 4, 8);
    bool const is_made = GENERATE(false, true);
    auto const place = GENERATE("pattern", "greedy");
    CAPTURE(ranks, is_made, place);
    auto const [graph, plan] = planned({.count = 9, .steps = 6, .adds_back = true, .shares_made = is_made}, ranks);
    auto const repeated = scheduler::make_schedule(graph, plan, options(place, 0));
    REQUIRE(repeated.repeats());
    std::size_t freed = 0;  // by the last of the repeated tasks
    for (schedule::Section const& section : repeated.sections)
        for (BlockId block{0}; block < section.repeat->first_moving; block = following(block)) {
            OptionalId<TaskId> last;
            for (TaskId task : section.tasks.ids())
                if (std::ranges::find(section.reads(task), block) != section.reads(task).end()) last = task;
            freed += last && section.repeat->contains(*last) ? 1 : 0;
        }
    CHECK(freed > 0);
    check_alike(repeated, scheduler::make_schedule(graph, plan, options(place, never)));
}

TEST_CASE("nodes of a graph that were left out are reported as those that were not", "[scheduler][repeat]") {
    auto const [graph, plan] = planned({}, 4);
    auto const repeated = scheduler::schedule_plan(graph, plan, options("pattern", 0));
    auto const whole = scheduler::schedule_plan(graph, plan, options("pattern", never));
    REQUIRE(repeated.schedule.repeats());
    CHECK(repeated.ranks == whole.ranks);
    CHECK(repeated.calls == whole.calls);
    REQUIRE(repeated.traffic.size() == whole.traffic.size());
    for (std::size_t node = 0; node < whole.traffic.size(); ++node) {
        CHECK(repeated.traffic[node].total() == whole.traffic[node].total());
        CHECK(repeated.traffic[node].inputs == whole.traffic[node].inputs);
    }
    REQUIRE(repeated.layouts.size() == whole.layouts.size());
    for (std::size_t value = 0; value < whole.layouts.size(); ++value) {
        CHECK(repeated.layouts[value].parts == whole.layouts[value].parts);
        CHECK(repeated.layouts[value].ranks == whole.layouts[value].ranks);
    }
}

TEST_CASE("repeated layers compute what the reference interpreter does", "[scheduler][repeat]") {
    int const ranks = GENERATE(1, 3, 4);
    CAPTURE(ranks);
    test::WholeRunSetup const setup{.ranks = ranks, .place = "greedy"};
    test::WholeRun run = test::whole_run(Layers{}.graph(), setup);
    auto const before = run.results;
    relation::Plan const plan = planner::plan(run.graph, {.ranks = ranks});
    auto const repeated = scheduler::make_schedule(run.graph, plan, options("greedy", 0));
    REQUIRE(repeated.repeats());
    run.schedule = schedule::unrolled(repeated);
    test::execute(run, setup);
    test::check_results(run);
    for (auto const& [name, result] : before) CHECK(test::same_bits(run.results.at(name), result));
}

TEST_CASE("a schedule file of repeated layers holds less and is read as all of them", "[scheduler][repeat]") {
    auto const [graph, plan] = planned({.count = 20}, 4);
    auto const repeated = scheduler::make_schedule(graph, plan, options("greedy", 0));
    auto const whole = scheduler::make_schedule(graph, plan, options("greedy", never));
    REQUIRE(repeated.repeats());
    for (Rank rank : whole.sections.ids()) {
        schedule::Bytes const bytes = schedule::encode(repeated.sections[rank]);
        CHECK(bytes.size() < schedule::encode(whole.sections[rank]).size());
        schedule::Section const read = schedule::decode_section(bytes, "a.sched");
        CHECK(read.repeat == repeated.sections[rank].repeat);
        CHECK(schedule::encode(read) == bytes);
    }
    schedule::Header const header = schedule::decode_header(schedule::encode(repeated.header), "a.sched");
    CHECK(header.next.all() == repeated.header.next.all());
}

TEST_CASE("what is not the same in each layer is lowered whole", "[scheduler][repeat]") {
    auto const layers =
        GENERATE(Layers{.other = 5}, Layers{.keeps_each = true}, Layers{.reads_all = true}, Layers{.count = 5});
    auto const [graph, plan] = planned(layers, 4);
    auto const made = scheduler::make_schedule(graph, plan, options("greedy", 0));
    CHECK_FALSE(made.repeats());
    auto const whole = scheduler::make_schedule(graph, plan, options("greedy", never));
    CHECK(texts_of(made) == texts_of(whole));
}

TEST_CASE("what each layer reads of what was before them stays", "[scheduler][repeat]") {
    auto const [graph, plan] = planned({.reads_first = true}, 4);
    check_alike(scheduler::make_schedule(graph, plan, options("greedy", 0)),
                scheduler::make_schedule(graph, plan, options("greedy", never)));
}

TEST_CASE("rounds are left out behind one that was made again, and read only what was, too", "[scheduler][repeat]") {
    auto const [graph, plan] = planned({.count = 10}, 4);
    std::size_t const nodes = 6;  // of a layer; its last one reads what the first one does, and the next layer reads it
    auto const period = scheduler::find_period(graph, plan);
    REQUIRE((period && period->first == nodes && period->nodes == nodes && period->end == 10 * nodes));
    auto const [made_again_from, cut] =
        GENERATE(table<std::size_t, std::size_t>({{12, 24}, {14, 24}, {17, 24}, {18, 30}, {20, 30}}));
    CAPTURE(made_again_from);
    scheduler::RoundsLeaver leaver(graph, *period, 1);
    std::vector<NodeId> like;
    for (std::size_t node = 0; node < graph.nodes.size() && !leaver.found(); ++node) {
        like.push_back(node < made_again_from ? NodeId{static_cast<std::int32_t>(node)} : like[node - nodes]);
        leaver.after(NodeId{static_cast<std::int32_t>(node)}, like.back());
    }
    REQUIRE(leaver.found());
    scheduler::LeftOut const& left_out = leaver.found()->nodes;
    CHECK(left_out.first == cut);
    CHECK(left_out.end() == 9 * nodes);  // the last layer stays
    CHECK(leaver.found()->rounds * nodes == left_out.nodes);
    auto const output = [&](std::size_t node) { return graph.nodes[node].output; };
    std::vector<std::pair<ValueId, ValueId>> const stand_ins{{output(9 * nodes - 1), output(cut - 1)}};
    CHECK(left_out.stand_ins == stand_ins);
}
