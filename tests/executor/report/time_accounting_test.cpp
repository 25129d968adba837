#include "executor/report/time_accounting.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/sample_schedules.hpp"

using namespace ein;
using namespace ein::executor;
using namespace ein::test;

TEST_CASE("idle workers wait, or communicate while messages are under way; busy ones hide that", "[executor][times]") {
    TimeAccounting accounting(2);
    accounting.turn_busy(0);
    accounting.turn_busy(0);
    accounting.begin(10);
    accounting.transfers(1, 10);
    accounting.turn_idle(12);
    accounting.transfers(3, 13);
    CHECK(accounting.shares().busy == 2.5);
    CHECK(accounting.shares().communicating == 0.5);
    CHECK(accounting.shares().under_way == 3);
    CHECK(accounting.shares().hidden == 2.5);
    accounting.transfers(0, 13);
    accounting.turn_idle(15);
    accounting.end(16);
    CHECK(accounting.shares().busy == 3.5);
    CHECK(accounting.shares().communicating == 0.5);
    CHECK(accounting.shares().waiting == 2);
    CHECK(accounting.shares().hidden == 2.5);
}

TEST_CASE("what is not between begin and end is not booked, and time does not run back", "[executor][times]") {
    TimeAccounting accounting(1);
    accounting.transfers(1, 5);
    accounting.begin(10);
    accounting.turn_busy(11);
    accounting.turn_idle(10.5);  // looked at the clock earlier, came later
    accounting.turn_busy(12);
    accounting.end(13);
    accounting.turn_idle(20);
    accounting.begin(30);
    accounting.end(31);
    CHECK(accounting.shares().busy == 1);
    CHECK(accounting.shares().communicating == 3);
    CHECK(accounting.shares().waiting == 0);
}

TEST_CASE("a rank's times add up to those of its rounds, whatever the ranks and threads", "[executor][times]") {
    int const ranks = GENERATE(1, 2, 3, 5), threads = GENERATE(1, 3);
    CAPTURE(ranks, threads);
    RunSetup setup;
    setup.threads = threads;
    setup.repeat = 3;
    setup.keep = Keep::all;
    setup.transport = {64, 3, 11};
    std::vector<double> executed(static_cast<std::size_t>(ranks), 0.0);
    setup.afterwards = [&](Transport& transport, Record const& record) {
        for (PhaseSpan const& span : record.phases())
            if (span.phase == schedule::Phase::execute)
                executed[static_cast<std::size_t>(transport.rank().value())] += span.end - span.begin;
    };
    RunOutcome const run = run_by_threads(split_k_schedule(ranks), setup);
    REQUIRE(run.codes == all_done(ranks));
    for (std::size_t rank = 0; rank < executed.size(); ++rank) {
        TimeShares const& times = run.results[rank].times;
        CHECK(times.busy + times.communicating + times.waiting ==
              Approx(executed[rank]).margin(1));  // begins and ends are noted by threads that may be held up
        CHECK(times.busy > 0);
        CHECK(times.under_way >= times.hidden);
        CHECK((times.under_way > 0) == (ranks > 1));
    }
}
