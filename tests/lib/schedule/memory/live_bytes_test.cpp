#include "lib/schedule/memory/live_bytes.hpp"

#include "lib/schedule/print/overview.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedule_builder.hpp"

using namespace ein;

namespace {

/// Y = 2 X and Z = Y + Y on two ranks, of which each has a half, but both make the same Y of rank 0. Moments before Y,
/// before Z and behind it.
schedule::Schedule two_nodes() {
    test::ScheduleBuilder b(2);
    for (char const* name : {"X", "Y", "Z"}) b.tensor(name, {8});
    auto const twice = b.kernel("Y", test::sum_of_products("i->i", {{'i', 8}})),
               sum = b.kernel("Z", test::sum_of_products("i,i->i", {{'i', 8}}));
    for (int rank = 0; rank < 2; ++rank) {
        std::string const x = "x" + std::to_string(rank), y = "y" + std::to_string(rank),
                          z = "z" + std::to_string(rank);
        Box const half{{4 * rank}, {4}}, all{{0}, {8}};
        b.load(rank, x, "X", all), b.block(rank, y, "Y", all), b.block(rank, z, "Z", half);
        b.apply(rank, twice, all, {x}, y);
        b.apply(rank, sum, half, {y, y}, z);
        b.store(rank, z);
    }
    schedule::Schedule out = b.finish();
    for (int moment = 0; moment < 3; ++moment) {
        out.header.moments.add({moment, {}});
        for (schedule::Section& section : out.sections) section.moments.add(TaskId{1 + moment});
    }
    return out;
}

}  // namespace

TEST_CASE("at a moment is live what is read behind it, once, and no input", "[schedule][checkpoint]") {
    schedule::Schedule const schedule = two_nodes();
    CHECK(schedule::live_bytes(schedule).list() == std::vector<std::int64_t>{0, 64, 64});
    CHECK(schedule::live_bytes({}).list().empty());
}

TEST_CASE("the overview shows moments with the node behind them", "[schedule][print]") {
    schedule::Schedule const schedule = two_nodes();
    schedule::Overview const overview = schedule::overview_of(schedule);
    REQUIRE(overview.moments.size() == 3);
    CHECK(overview.moments[0].before == "Y");
    CHECK(overview.moments[1].before == "Z");
    CHECK(overview.moments[2].before.empty());
    CHECK(overview.moments[1].loop.empty());
    std::string const text = to_text(overview, schedule.header);
    INFO(text);
    std::string const row = "       1  Z" + std::string(31, ' ') + "-" + std::string(38, ' ') + "64 B\n";
    CHECK(text.find(row) != std::string::npos);
    schedule::Schedule none = schedule;
    none.header.moments = {};
    for (schedule::Section& section : none.sections) section.moments = {};
    CHECK(to_text(schedule::overview_of(none), none.header).find("no moment at which the run can be saved") !=
          std::string::npos);
}
