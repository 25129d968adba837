// Stops of the dispatcher: whatever runs up to a point, in whatever order, holds there what a run holds that skips to
// it.
#include <random>

#include "executor/checkpoint/checkpoint_watch.hpp"
#include "executor/engine/dispatcher.hpp"
#include "lib/graph/contract.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/schedule/dispatch/points.hpp"
#include "lib/schedule/memory/spill.hpp"
#include "planner/planner.hpp"
#include "scheduler/scheduler.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/random_graph.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

schedule::Schedule planned(graph::EinGraph const& graph, int ranks) {
    relation::Plan const plan = planner::plan(graph, {.ranks = ranks});
    return scheduler::make_schedule(graph, plan, {.place = "pattern"});
}

/// Two loops in one another, with nodes before, between and after.
graph::EinGraph nested_loops() {
    test::GraphBuilder g;
    g.leaf("A", {8, 8});
    g.leaf("start", {8});
    g.einsum("x", "i->i", {"start"});
    g.begin_loop("outer", 3);
    g.einsum("y0", "ij,j->i", {"A", "x"});
    g.einsum("y", "i->i", {"y0"});
    g.begin_loop("inner", 4);
    g.einsum("p", "ij,j->i", {"A", "y"});
    g.einsum("q", "i,i->i", {"p", "x"}, {.join = "x+y"});
    g.einsum("y_next", "i->i", {"q"});
    g.end_loop({{"y", "y_next"}});
    g.einsum("r", "i,i->i", {"y_next", "x"}, {.join = "x*0.5+y"});
    g.einsum("x_next", "i->i", {"r"});
    g.end_loop({{"x", "x_next"}});
    g.einsum("Z", "ij,j->i", {"A", "x_next"});
    return g.finish({"Z"});
}

/// The dispatcher of one rank, whose tasks do nothing.
struct Rehearsal : Dispatcher {
    Rehearsal(schedule::Schedule const& schedule, schedule::Section const& section)
        : Dispatcher(section, schedule.header.loops, schedule::replay(section)), section_(section) {
        begin_round(Inputs::used_up);
    }

    /// Runs a phase, or up to the stop, several tasks at a time and ending in random order.
    void run(std::mt19937& random) {
        std::vector<TaskId> under_way;
        while (!phase_done()) {
            auto next = random() % 3 == 0 ? std::nullopt : take_receive();
            if (!next) next = take_compute();
            if (!next) next = take_receive();
            if (!next) next = take_send();
            if (next) under_way.push_back(*next);
            if (under_way.empty() || (next && random() % 2 == 0)) continue;
            std::swap(under_way[random() % under_way.size()], under_way.back());
            finish(under_way.back());
            under_way.pop_back();
        }
        for (TaskId task : under_way) finish(task);
    }
    std::vector<bool> held() const {
        std::vector<bool> out;
        for (BlockId block : section_.blocks.ids()) out.push_back(store().held(block));
        return out;
    }

private:
    schedule::Section const& section_;
};

/// Every point of a run whose loops all take as many iterations as they may.
std::vector<schedule::Point> all_points(schedule::Header const& header) {
    std::vector<schedule::Point> out;
    for (schedule::MomentId moment : header.moments.ids()) {
        Shape counts;
        for (schedule::LoopSpecId loop : loops_around(header, moment)) counts.push_back(header.loops[loop].iterations);
        for_each_index(counts, [&](std::vector<Extent> const& index) {
            schedule::Point point{moment, index};
            for (std::int64_t& iteration : point.iterations) ++iteration;
            out.push_back(point);
        });
    }
    return out;
}

void check_point(schedule::Schedule const& schedule, Rank rank, schedule::Point const& point, std::mt19937& random) {
    schedule::Section const& section = schedule.sections[rank];
    schedule::Stop const stop = stop_at(schedule.header, section, point);
    CAPTURE(rank.value(), point.moment.value(), point.iterations, stop.before.value());

    Rehearsal run(schedule, section);
    run.keep_stoppable();
    run.begin_phase(Phase::load);
    run.run(random);
    run.begin_phase(Phase::execute);
    run.stop_before(stop, true);
    run.run(random);
    REQUIRE(run.stands_at_stop());
    INFO("head " << run.head().value() << ", unstarted " << run.unstarted().value());
    REQUIRE(run.unstarted() == stop.before);
    auto const next = next_point(schedule.header, section, run.unstarted(), run.iterations());
    REQUIRE(next);  // or one before it between which and it this rank has no task
    CHECK_FALSE(comes_before(schedule.header, point, *next));
    CHECK(stop_at(schedule.header, section, *next).before == stop.before);

    Rehearsal skipping(schedule, section);
    skipping.skip_to(stop, run.iterations().begun());
    CHECK(skipping.held() == run.held());
    CHECK(skipping.head() == run.head());
    CHECK_FALSE(skipping.compute_wanted());  // its blocks have no content yet
    CHECK_FALSE(skipping.transfers_wanted());

    for (Rehearsal* each : {&run, &skipping}) {
        each->go_on();
        each->run(random);
        each->begin_phase(Phase::store);
        each->run(random);
        CHECK(each->store().counts().live() == 0);
        CHECK(each->store().counts().peak_bytes() <= schedule::replay(section).peak);
    }
    CHECK(skipping.iterations().begun() == run.iterations().begun());
}

void check_all_points(schedule::Schedule const& schedule, std::size_t most, std::uint64_t seed) {
    std::mt19937 random(seed);
    std::vector<schedule::Point> points = all_points(schedule.header);
    std::shuffle(points.begin(), points.end(), random);
    if (points.size() > most) points.resize(most);
    for (schedule::Point const& point : points)
        for (Rank rank : schedule.sections.ids()) check_point(schedule, rank, point, random);
}

}  // namespace

TEST_CASE("a rank that skips to a point holds what one holds that ran there", "[executor][checkpoint]") {
    int const ranks = GENERATE(1, 2, 3, 5);
    auto const schedule = planned(nested_loops(), ranks);
    REQUIRE(schedule.header.moments.size() >= 6);
    check_all_points(schedule, 200, 7);
}

TEST_CASE("points of random graphs, with blocks on disk too", "[executor][checkpoint]") {
    std::size_t moments = 0;
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        CAPTURE(seed);
        auto const graph =
            graph::lower_contractions(graph::read_graph(test::random_graph(seed, {.nodes = 8}).dump(), "g.json"));
        auto schedule = planned(graph, 1 + static_cast<int>(seed % 4));
        check_all_points(schedule, 12, seed);
        moments += schedule.header.moments.size();
        std::int64_t const least = schedule::smallest_budget(schedule);
        schedule = schedule::with_spills(std::move(schedule), least + least / 8);
        check_all_points(schedule, 6, seed);
    }
    CHECK(moments > 100);
}

TEST_CASE("a run that may be stopped computes nothing far behind the next moment", "[executor][checkpoint]") {
    test::GraphBuilder g;
    g.leaf("A", {16, 16});
    g.leaf("B", {16, 16});
    g.einsum("p0", "ij->i", {"B"});
    for (int k = 1; k <= 12; ++k) g.einsum("p" + std::to_string(k), "ij,j->i", {"A", "p" + std::to_string(k - 1)});
    g.einsum("r", "ij->j", {"A"});  // ready from the beginning
    auto const schedule = planned(g.finish({"p12", "r"}), 1);
    schedule::Section const& section = schedule.sections[Rank{0}];
    bool const stoppable = GENERATE(false, true);
    std::mt19937 random(3);
    Rehearsal run(schedule, section);
    if (stoppable) run.keep_stoppable();
    run.begin_phase(Phase::load);
    run.run(random);
    run.begin_phase(Phase::execute);
    for (int k = 0; k < 3; ++k) {
        auto const next = run.take_compute();
        REQUIRE(next);
        run.finish(*next);
    }
    REQUIRE(run.take_compute());  // while it lasts
    CHECK(run.take_compute().has_value() == !stoppable);
    auto const moment = next_point(schedule.header, section, run.unstarted(), run.iterations());
    CHECK(moment.has_value() == stoppable);
}

TEST_CASE("points come in the order in which a run meets them", "[executor][checkpoint]") {
    auto const schedule = planned(nested_loops(), 2);
    schedule::Header const& header = schedule.header;
    schedule::Section const& section = schedule.sections[Rank{0}];
    std::vector<schedule::Point> points = all_points(header);
    std::sort(points.begin(), points.end(),
              [&](schedule::Point const& a, schedule::Point const& b) { return comes_before(header, a, b); });
    std::mt19937 random(3);
    Rehearsal run(schedule, section);
    run.begin_phase(Phase::load);
    run.run(random);
    run.begin_phase(Phase::execute);
    for (schedule::Point const& point : points) {
        CAPTURE(point.moment.value(), point.iterations);
        run.stop_before(stop_at(header, section, point), true);
        run.run(random);
        REQUIRE(run.stands_at_stop());
    }
    run.go_on();
    run.run(random);
    CHECK(run.phase_done());
}

TEST_CASE("ranks that are asked stop at the latest point that one has reached", "[executor][checkpoint]") {
    auto const schedule = planned(nested_loops(), 3);
    std::vector<std::optional<schedule::Point>> holds{schedule::Point{schedule::MomentId{2}, {1}},
                                                      schedule::Point{schedule::MomentId{1}, {2}},
                                                      schedule::Point{schedule::MomentId{0}, {}}};
    bool const one_is_done = GENERATE(false, true);
    if (one_is_done) holds[2] = std::nullopt;
    std::vector<std::optional<schedule::Point>> stops(3);
    std::vector<int> went_on(3, 0);
    std::vector<CheckpointWatch> watches;
    for (int rank = 0; rank < 3; ++rank)
        watches.emplace_back(
            schedule.header, Rank{rank}, 3,
            CheckpointWatch::Tasks{[&, rank] { return holds[at(rank)]; },
                                   [&, rank](schedule::Point const& point) { stops[at(rank)] = point; },
                                   [&, rank] { ++went_on[at(rank)]; }});
    for (int round = 0; round < 6; ++round)
        for (int rank = 0; rank < 3; ++rank) {
            std::vector<CheckpointWatch::Note> notes;
            watches[at(rank)].tick(rank == 1 && round < 3, notes);
            for (CheckpointWatch::Note const& note : notes) CHECK(watches[at(note.peer)].hear({Rank{rank}, note.text}));
        }
    for (int rank = 0; rank < 3; ++rank) {
        CAPTURE(rank);
        if (one_is_done) {
            CHECK_FALSE(stops[at(rank)]);
            CHECK(went_on[at(rank)] > 0);
        } else {
            REQUIRE(stops[at(rank)]);
            CHECK(*stops[at(rank)] == *holds[1]);
            CHECK(watches[at(rank)].under_way());
            watches[at(rank)].arrived(watches[0].last_question());
            CHECK_FALSE(watches[at(rank)].under_way());
        }
    }
}

TEST_CASE("notes on what was settled when ranks met come too late", "[executor][checkpoint]") {
    auto const schedule = planned(nested_loops(), 2);
    int held = 0, stopped = 0, went_on = 0;
    schedule::Point const point{schedule::MomentId{1}, {1}};
    CheckpointWatch watch(schedule.header, Rank{1}, 2,
                          {[&]() -> std::optional<schedule::Point> { return ++held, point; },
                           [&](schedule::Point const&) { ++stopped; }, [&] { ++went_on; }});
    std::vector<CheckpointWatch::Note> notes;
    auto const hear = [&](std::string const& text) { CHECK(watch.hear({Rank{0}, text})); };

    hear("checkpoint? 1");
    watch.tick(false, notes);
    REQUIRE(held == 1);
    bool const at_stop = GENERATE(false, true);
    at_stop ? watch.stops_elsewhere() : watch.arrived(1);  // the others told it where to stop before the decision came
    hear("checkpoint at " + to_text(point));
    hear("checkpoint off");
    CHECK(stopped == 0);
    CHECK(went_on == 0);
    CHECK(watch.under_way() == at_stop);

    watch.arrived(2);
    hear("checkpoint? 2");
    watch.tick(false, notes);
    CHECK(held == 1);
    CHECK_FALSE(watch.under_way());
    hear("checkpoint? 3");
    watch.tick(false, notes);
    CHECK(held == 2);
    hear("checkpoint at " + to_text(point));
    CHECK(stopped == 1);
}

TEST_CASE("the latest point of all ranks, where all have one", "[executor][checkpoint]") {
    auto const schedule = planned(nested_loops(), 2);
    std::string const early = to_text(schedule::Point{schedule::MomentId{2}, {1}}),
                      late = to_text(schedule::Point{schedule::MomentId{1}, {2}});
    CHECK(to_text(latest_point(schedule.header, {early, late, early})) == late);
    CHECK(latest_point(schedule.header, {early, "", late}) == std::nullopt);
}
