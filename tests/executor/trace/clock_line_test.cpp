#include "executor/trace/clock_line.hpp"

#include "executor/report/clock.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rank_threads.hpp"

using namespace ein;
using namespace ein::executor;
using ein::test::on_ranks;

namespace {

/// Rank r's clock began r hours apart and runs fast by r in a thousand.
double skewed(int rank, double now) { return 3600.0 * rank + now * (1 + 1e-3 * rank); }

/// How far a rank's line is from rank 0's clock between the readings, beyond what it says it may be (and what its own
/// clock is fast by).
double excess(Transport& transport, std::string const& name, int of) {
    LocalClock const clock{[of] { return skewed(of, seconds_now()); }, name};
    ClockReading const first = read_clock_of_rank_0(transport, clock);
    double const middle = seconds_now();
    ClockReading const last = read_clock_of_rank_0(transport, clock);
    ClockLine const line(first, last);
    return std::abs(line(skewed(of, middle)) - skewed(0, middle)) - 1.01 * line.error();
}

}  // namespace

TEST_CASE("a clock of another machine is known within what its questions took", "[executor][trace]") {
    int const ranks = GENERATE(1, 2, 3, 5);
    for (double worst : on_ranks(ranks, {}, [](Transport& transport) {
             int const self = transport.rank().value();
             return excess(transport, "machine " + std::to_string(self), self);
         }))
        CHECK(worst < 1e-9);  // rounding
}

TEST_CASE("ranks of one machine share the answers of the first of them", "[executor][trace]") {
    auto const readings = on_ranks(5, {}, [](Transport& transport) {
        int const machine = transport.rank().value() / 2;
        LocalClock const clock{[machine] { return skewed(machine, seconds_now()); }, std::to_string(machine)};
        return read_clock_of_rank_0(transport, clock);
    });
    for (int rank : {0, 1}) {
        CHECK(readings[static_cast<std::size_t>(rank)].offset == 0);
        CHECK(readings[static_cast<std::size_t>(rank)].error == 0);
    }
    CHECK(readings[2].offset == readings[3].offset);
    CHECK(readings[2].at == readings[3].at);
    CHECK(readings[2].offset < -3000);
    CHECK(readings[4].offset < -7000);
}

TEST_CASE("a rank whose clock has no name asks for itself; notes of the run do not disturb", "[executor][trace]") {
    auto const errors = on_ranks(2, {}, [](Transport& transport) {
        transport.post_note(Rank{1 - transport.rank().value()}, "alive");
        return read_clock_of_rank_0(transport, {seconds_now, ""}).error;
    });
    CHECK(errors[0] == 0);
    CHECK(errors[1] > 0);
}

TEST_CASE("between two readings a line is straight", "[executor][trace]") {
    ClockLine const line({10, 5, 1e-6}, {20, 6, 2e-6});
    CHECK(line(10) == 15);
    CHECK(line(15) == 20.5);
    CHECK(line(20) == 26);
    CHECK(line.error() == 2e-6);
    CHECK(ClockLine()(7) == 7);
}
