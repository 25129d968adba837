#include "lib/schedule/print.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/small_schedule.hpp"

using namespace ein;

TEST_CASE("tasks and blocks print as messages name them", "[schedule][print]") {
    auto const schedule = test::small_schedule();
    auto text = [&](int rank, int task) {
        return schedule::task_text(schedule.header, schedule.sections[static_cast<std::size_t>(rank)], TaskId{task});
    };
    CHECK(text(0, 0) == "load to X[0:4, 0:3]");
    CHECK(text(0, 2) == "send to rank 1 of X[2:4, 0:3]");
    CHECK(text(1, 1) == "apply of node 'Z' from X[2:4, 0:3] to Z[2:4]");
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
