#include "executor/trace/counters.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/sample_schedules.hpp"

using namespace ein;
using namespace ein::executor;
using namespace ein::test;
using schedule::Phase;

namespace {

/// X is loaded, Z = X, Z is stored: 8 bytes each.
schedule::Schedule one_copy() {
    ScheduleBuilder b(1);
    b.tensor("X", {1}), b.tensor("Z", {1});
    auto const kernel = b.kernel("Z", sum_of_products("i->i", {{'i', 1}}));
    b.load(0, "x", "X", {{0}, {1}});
    b.block(0, "z", "Z", {{0}, {1}});
    b.apply(0, kernel, {{0}, {1}}, {"x"}, "z");
    b.store(0, "z");
    return b.finish();
}

std::vector<CounterSample> counters_of(schedule::Section const& section, std::vector<PhaseSpan> const& phases,
                                       std::vector<Event> const& events) {
    return count(section, schedule::TaskLinks(section), rounds_of(phases, events));
}

}  // namespace

TEST_CASE("blocks are held from their first writer to their last reader", "[executor][trace]") {
    auto const schedule = one_copy();
    std::vector<CounterSample> const expected{{0, 8, 0}, {1, 8, 1}, {2, 16, 0}, {3, 8, 1}, {4, 8, 0}, {5, 0, 0}};
    CHECK(counters_of(schedule.sections[Rank{0}],
                      {{Phase::load, 0, 0, 1, 1}, {Phase::execute, 0, 1.5, 3, 3}, {Phase::store, 0, 3.5, 5, 5}},
                      {{TaskId{0}, -1, 0, 1}, {TaskId{1}, -1, 2, 3}, {TaskId{2}, -1, 4, 5}}) == expected);
}

TEST_CASE("memory that a result takes over is counted once", "[executor][trace]") {
    auto schedule = one_copy();
    schedule.sections[Rank{0}].tasks[TaskId{1}].set_over(0);
    std::vector<CounterSample> const expected{{0, 8, 0}, {1, 8, 1}, {2, 8, 0}, {3, 8, 1}, {4, 8, 0}, {5, 0, 0}};
    CHECK(counters_of(schedule.sections[Rank{0}],
                      {{Phase::load, 0, 0, 1, 1}, {Phase::execute, 0, 1.5, 3, 3}, {Phase::store, 0, 3.5, 5, 5}},
                      {{TaskId{0}, -1, 0, 1}, {TaskId{1}, -1, 2, 3}, {TaskId{2}, -1, 4, 5}}) == expected);
}

TEST_CASE("inputs stay from round to round, outputs do not", "[executor][trace]") {
    auto const schedule = one_copy();
    std::vector<PhaseSpan> const phases{{Phase::load, 0, 0, 1, 1},
                                        {Phase::execute, 0, 1, 3, 3},
                                        {Phase::execute, 1, 4, 6, 6},
                                        {Phase::store, 1, 7, 8, 8}};
    std::vector<Event> const events{
        {TaskId{0}, -1, 0, 1}, {TaskId{1}, -1, 2, 3}, {TaskId{1}, -1, 5, 6}, {TaskId{2}, -1, 7, 8}};
    std::vector<CounterSample> const expected{{0, 8, 0},  {1, 8, 1}, {2, 16, 0}, {3, 8, 0},
                                              {5, 16, 0}, {6, 8, 1}, {7, 8, 0},  {8, 0, 0}};
    CHECK(counters_of(schedule.sections[Rank{0}], phases, events) == expected);
}

TEST_CASE("counters of a run never fall below zero, keep to the peak and end empty", "[executor][trace]") {
    std::uint64_t const seed = GENERATE(range(1, 9));
    int const ranks = 1 + static_cast<int>(seed % 5);
    CAPTURE(seed, ranks);
    auto const schedule = random_schedule(ranks, 60, seed);
    RunSetup setup;
    setup.keep = Keep::all;
    setup.threads = 1 + static_cast<int>(seed % 3);
    setup.repeat = 1 + static_cast<int>(seed % 2) * 2;
    setup.load_each_round = seed > 6;
    setup.transport = {200, 5, seed};
    std::vector<std::vector<CounterSample>> samples(static_cast<std::size_t>(ranks));
    setup.afterwards = [&](Transport& transport, Record const& record) {
        auto const self = static_cast<std::size_t>(transport.rank().value());
        std::vector<Event> events = record.transfers().all();
        for (EventLog const& log : record.workers())
            for (Event const& event : log.all()) events.push_back(event);
        samples[self] = counters_of(schedule.sections[transport.rank()], record.phases(), events);
    };
    RunOutcome const run = run_by_threads(schedule, setup);
    REQUIRE(run.codes == all_done(ranks));
    for (std::size_t rank = 0; rank < samples.size(); ++rank) {
        CAPTURE(rank);
        for (std::size_t i = 0; i < samples[rank].size(); ++i) {
            CHECK(samples[rank][i].bytes >= 0);
            CHECK(samples[rank][i].bytes <= run.results[rank].blocks.peak_bytes());
            CHECK(samples[rank][i].ready >= 0);
            if (i > 0) CHECK(samples[rank][i - 1].time < samples[rank][i].time);
        }
        if (samples[rank].empty()) continue;
        CHECK(samples[rank].back().bytes == 0);
        CHECK(samples[rank].back().ready == 0);
    }
}
