#include "executor/trace/event_log.hpp"

#include <thread>

#include "executor/trace/record.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

TEST_CASE("a log has its last thousand events, oldest first, and the one that is open", "[executor][trace]") {
    EventLog log(Keep::latest);
    CHECK(log.latest().empty());
    for (int i = 0; i < 3000; ++i) {
        log.begin(TaskId{i}, i);
        CHECK(log.open() == TaskId{i});
        log.end(i + 0.5);
    }
    CHECK(log.open() == TaskId{-1});
    std::vector<Event> latest = log.latest();
    REQUIRE(latest.size() >= 1000);
    CHECK(latest.back() == Event{TaskId{2999}, -1, 2999, 2999.5});
    CHECK(latest.front().task == TaskId{3000 - static_cast<int>(latest.size())});
    log.begin(TaskId{7}, 5000);
    CHECK(log.latest().back() == Event{TaskId{7}, -1, 5000, Event::still_open});
    CHECK(log.all().empty());
}

TEST_CASE("a log for a trace forgets nothing, pieces included", "[executor][trace]") {
    EventLog log(Keep::all);
    for (int i = 0; i < 3000; ++i) log.add({TaskId{i}, -1, 0, 1});
    log.add_piece({TaskId{1}, 4, 0, 1});
    CHECK(log.all().size() == 3001);
    CHECK(log.latest().back().task == TaskId{2999});
}

TEST_CASE("what a thread reads while another writes is whole and in order", "[executor][trace]") {
    EventLog log(Keep::latest);
    std::atomic<bool> stop{false};
    std::thread writer([&] {
        for (int i = 0; !stop; i = (i + 1) % 1000000000) {
            log.begin(TaskId{i}, i);
            log.end(i + 0.5);
        }
    });
    int torn = 0, seen = 0;
    while (seen < 100000) {
        std::vector<Event> const events = log.latest();
        if (!events.empty()) seen = events.back().task.value();
        for (std::size_t i = 0; i < events.size(); ++i) {
            bool const open = events[i].end == Event::still_open;  // its begin may be of the next task already
            if (open) continue;
            torn += events[i].begin != events[i].task.value() || events[i].end != events[i].begin + 0.5;
            torn += i > 0 && events[i].task.value() != events[i - 1].task.value() + 1;
        }
    }
    stop = true;
    writer.join();
    CHECK(torn == 0);
}

TEST_CASE("transfers overlap, and those under way come last", "[executor][trace]") {
    TransferLog log(4, Keep::all);
    log.start(TaskId{0}, 1);
    log.start(TaskId{3}, 2);
    log.start(TaskId{2}, 3);
    CHECK(log.finish(TaskId{3}, 5) == 3);
    std::vector<Event> const expected{
        {TaskId{3}, -1, 2, 5}, {TaskId{0}, -1, 1, Event::still_open}, {TaskId{2}, -1, 3, Event::still_open}};
    CHECK(log.latest() == expected);
    CHECK(log.all().size() == 1);
}
