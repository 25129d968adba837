#include "lib/schedule/print/print.hpp"

#include "lib/base/json.hpp"
#include "lib/schedule/memory/spill.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedule_builder.hpp"
#include "tests/support/small_schedule.hpp"

using namespace ein;

TEST_CASE("tasks and blocks print as messages name them", "[schedule][print]") {
    auto const schedule = test::small_schedule();
    auto text = [&](int rank, int task) {
        return schedule::task_text(schedule.header, schedule.sections[Rank{rank}], TaskId{task});
    };
    CHECK(text(0, 0) == "load to X[0:4, 0:3]");
    CHECK(text(0, 2) == "send to rank 1 of X[2:4, 0:3]");
    CHECK(text(1, 1) == "apply of node 'Z' from X[2:4, 0:3] to Z[2:4]");
}

TEST_CASE("spills and fetches print with their block", "[schedule][print]") {
    test::ScheduleBuilder b(1);
    b.tensor("X", {8}), b.tensor("Y", {8}), b.tensor("Z", {8});
    auto const copy = b.kernel("copy", test::sum_of_products("i->i", {{'i', 8}}));
    b.load(0, "x", "X", {{0}, {8}}), b.load(0, "y", "Y", {{0}, {8}});
    b.block(0, "z", "Z", {{0}, {8}});
    b.apply(0, copy, {{0}, {8}}, {"x"}, "z");
    b.store(0, "y"), b.store(0, "z");
    auto const spilled = schedule::with_spills(b.finish(), 128);
    std::string const text = schedule::tasks_text(spilled, Rank{0}, 0, 100);
    CHECK(text.find("peak 128 bytes, spills 1 block, 64 bytes") != std::string::npos);
    CHECK(text.find("spill of Y[0:8]") != std::string::npos);
    CHECK(text.find("fetch to Y[0:8]") != std::string::npos);
    Json const json = schedule::to_json(spilled);
    CHECK(json["sections"][0]["spill"] ==
          Json{{"blocks", 1}, {"bytes", 64}, {"fetched_bytes", 64}, {"peak_bytes", 64}});
    CHECK(json["sections"][0]["kinds"]["fetch"] == 1);
    CHECK(schedule::to_dot(spilled).find("r0t2 -> r0t5") != std::string::npos);
}

TEST_CASE("JSON and Graphviz hold every task", "[schedule][print]") {
    auto const schedule = test::small_schedule();
    Json const json = schedule::to_json(schedule);
    CHECK(json["sections"][0]["tasks"].size() == 5);
    CHECK(json["sections"][1]["kinds"]["receive"] == 1);
    std::string const dot = schedule::to_dot(schedule);
    CHECK(dot.find("r0t0 -> r0t1") != std::string::npos);
    CHECK(dot.find("cluster_1") != std::string::npos);
}

TEST_CASE("a range of a rank's tasks is listed", "[schedule][print]") {
    auto const schedule = test::small_schedule();
    std::string const two = schedule::tasks_text(schedule, Rank{0}, 1, 2);
    CHECK(std::ranges::count(two, '\n') == 3);
    CHECK(two.find("\n  1 ") != std::string::npos);
    CHECK(two.find("\n  2 send to rank 1") != std::string::npos);
    CHECK(std::ranges::count(schedule::tasks_text(schedule, Rank{0}, 5, 9), '\n') == 1);
}
