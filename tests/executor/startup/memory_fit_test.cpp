#include "executor/startup/memory_fit.hpp"

#include <algorithm>

#include "executor/startup/agreement.hpp"
#include "lib/schedule/memory/spill.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sample_schedules.hpp"
#include "tests/support/waiting_schedule.hpp"

using namespace ein;
using namespace ein::executor;
using namespace ein::test;

namespace {

struct Fitted {
    MemoryFit fit;
    schedule::Section section;
    ExitCode code = ExitCode::done;
    std::string message;
};

/// As all ranks of a run see it.
std::vector<Fitted> fitted(schedule::Schedule const& schedule, MemoryLimits const& limits) {
    return on_ranks(schedule.header.ranks, {}, [&](Transport& transport) {
        Fitted out;
        out.section = schedule.sections[transport.rank()];
        try {
            out.fit = fit_memory(transport, out.section, limits);
        } catch (Disagreement const& error) {
            out.code = error.code();
            out.message = error.what();
        }
        return out;
    });
}

schedule::Schedule random_sums() { return random_schedule(3, 60, 4); }

std::vector<std::int64_t> peaks() { return random_sums().header.prediction.peak_bytes; }

}  // namespace

TEST_CASE("without a budget, or with enough, nothing is changed", "[executor][memory_fit]") {
    std::optional<std::int64_t> const budget =
        GENERATE(std::optional<std::int64_t>{}, std::optional<std::int64_t>{1 << 20});
    for (Fitted const& rank : fitted(random_sums(), {budget, "anywhere", 1, "s.sched"})) {
        CHECK(rank.fit.peaks == peaks());
        CHECK_FALSE(rank.fit.spills);
        CHECK_FALSE(rank.fit.load_each_round);
    }
}

TEST_CASE("ranks that need more spill, and all ranks know", "[executor][memory_fit]") {
    auto const all = peaks();
    std::int64_t const budget = schedule::smallest_budget(random_sums());
    REQUIRE(budget < *std::max_element(all.begin(), all.end()));
    auto const ranks = fitted(random_sums(), {budget, "anywhere", GENERATE(1, 3), "s.sched"});
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        CHECK(ranks[rank].fit.spills);
        CHECK(ranks[rank].fit.load_each_round == ranks[0].fit.load_each_round);
        CHECK((schedule::disk_use(ranks[rank].section).blocks > 0) == (all[rank] > budget));
        for (std::int64_t peak : ranks[rank].fit.peaks) CHECK(peak <= budget);
    }
}

TEST_CASE("inputs that cannot stay are loaded each round, though one round fits", "[executor][memory_fit]") {
    auto const all = peaks();
    std::int64_t const once = *std::max_element(all.begin(), all.end());
    for (Fitted const& rank : fitted(random_sums(), {once, "anywhere", 3, "s.sched"})) {
        CHECK(rank.fit.load_each_round);
        CHECK_FALSE(rank.fit.spills);
    }
}

TEST_CASE("room is given up before anything spills or is loaded again", "[executor][memory_fit]") {
    auto schedule = loss_before_slope(100);
    std::int64_t const in_order = schedule.header.prediction.peak_bytes[0];
    give_room(schedule, Rank{0}, 8);
    std::int64_t const left = GENERATE(0, 3, 8, 100);
    auto const ranks = fitted(schedule, {in_order + left, "", 1, "s.sched"});
    CHECK(ranks[0].fit.peaks[0] == in_order + std::min<std::int64_t>(left, 8));
    CHECK(ranks[0].section.room == std::min<std::int64_t>(left, 8));
    CHECK(ranks[0].code == ExitCode::done);
    CHECK_FALSE(ranks[0].fit.spills);
}

TEST_CASE("what does not fit is reported once, with the budget that would do", "[executor][memory_fit]") {
    std::int64_t const least = schedule::smallest_budget(random_sums());
    auto const planned = schedule::with_spills(random_sums(), least);
    struct Case {
        schedule::Schedule schedule;
        MemoryLimits limits;
        std::string text;
    };
    std::vector<Case> const cases{
        {random_sums(), {least, "", 1, "s.sched"}, "or --spill-dir a folder on a disk (then "},
        {random_sums(), {least - 1, "anywhere", 1, "s.sched"}, "give --memory " + std::to_string(least) + "B or more"},
        {planned, {std::nullopt, "", 1, "s.sched"}, "s.sched: expected --spill-dir"}};
    for (Case const& each : cases) {
        auto const ranks = fitted(each.schedule, each.limits);
        for (Fitted const& rank : ranks) CHECK(rank.code == ExitCode::no_memory);
        CHECK_THAT(ranks[0].message, Catch::Contains(each.text));
        CHECK(ranks[1].message.empty());
    }
    // What is advised beside that is a plan, which says itself what it finds; a number of parts or ranks is a guess.
    MemoryLimits limits{least - 1, "anywhere", 1, "s.sched"};
    limits.graph = "g.json";
    std::string const message = fitted(random_sums(), limits)[0].message;
    CHECK_THAT(message, Catch::Contains("expected room for the blocks of each single task, found"));
    CHECK_THAT(message, Catch::Contains("or plan it for so much, which tries other plans and says how many ranks it "
                                        "takes: einplan g.json -n " +
                                        std::to_string(random_sums().header.ranks) + " --memory " +
                                        std::to_string(least - 1) + "B"));
    CHECK_THAT(message, !Catch::Contains("--parts"));
}
