#include "executor/trace/lanes.hpp"

#include <random>

#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

TEST_CASE("a lane is used again as soon as it is free", "[executor][trace]") {
    auto const lanes = deal("sends", {{TaskId{2}, -1, 2, 4}, {TaskId{0}, -1, 0, 2}, {TaskId{1}, -1, 1, 3}});
    REQUIRE(lanes.size() == 2);
    CHECK(lanes[0].name == "sends");
    CHECK(lanes[0].events == std::vector<Event>{{TaskId{0}, -1, 0, 2}, {TaskId{2}, -1, 2, 4}});
    CHECK(lanes[1].name == "sends 2");
    CHECK(lanes[1].events == std::vector<Event>{{TaskId{1}, -1, 1, 3}});
    CHECK(deal("none", {}).empty());
}

TEST_CASE("as many lanes as events overlap, and none overlap in a lane", "[executor][trace]") {
    std::mt19937 random(static_cast<unsigned>(GENERATE(range(1, 20))));
    std::vector<Event> events;
    for (int i = 0; i < 60; ++i) {
        double const begin = static_cast<double>(random() % 100);
        events.push_back({TaskId{i}, -1, begin, begin + 1 + static_cast<double>(random() % 20)});
    }
    std::size_t most = 0;
    for (Event const& at : events)
        most = std::max(most, static_cast<std::size_t>(std::count_if(events.begin(), events.end(), [&](Event const& e) {
                            return e.begin <= at.begin && at.begin < e.end;
                        })));
    auto const lanes = deal("lane", events);
    CHECK(lanes.size() == most);
    std::size_t dealt = 0;
    for (Lane const& lane : lanes) {
        dealt += lane.events.size();
        for (std::size_t i = 1; i < lane.events.size(); ++i) CHECK(lane.events[i - 1].end <= lane.events[i].begin);
    }
    CHECK(dealt == events.size());
}
