#include "executor/trace/lanes.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace ein::executor {

namespace {

template <class T>
using Lowest = std::priority_queue<T, std::vector<T>, std::greater<>>;

void sort(std::vector<Event>& events) {
    std::stable_sort(events.begin(), events.end(), [](Event const& a, Event const& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end != b.end ? a.end > b.end : a.piece < b.piece;
    });
}

}  // namespace

std::vector<Lane> deal(std::string const& name, std::vector<Event> events) {
    sort(events);
    std::vector<Lane> lanes;
    Lowest<std::size_t> free;
    Lowest<std::pair<double, std::size_t>> taken;  // until when
    for (Event const& event : events) {
        for (; !taken.empty() && taken.top().first <= event.begin; taken.pop()) free.push(taken.top().second);
        if (free.empty()) {
            free.push(lanes.size());
            lanes.push_back({name + (lanes.empty() ? "" : " " + std::to_string(lanes.size() + 1)), {}});
        }
        lanes[free.top()].events.push_back(event);
        taken.emplace(event.end, free.top());
        free.pop();
    }
    return lanes;
}

std::vector<Lane> lanes_of(schedule::Section const& section, std::vector<std::vector<Event>> workers,
                           std::vector<Event> const& transfers) {
    std::vector<Lane> lanes;
    for (std::vector<Event>& events : workers) {
        sort(events);
        lanes.push_back({"worker " + std::to_string(lanes.size()), std::move(events)});
    }
    for (Lane& lane : lanes_of(section, transfers)) lanes.push_back(std::move(lane));
    return lanes;
}

std::vector<Lane> lanes_of(schedule::Section const& section, std::vector<Event> const& tasks) {
    std::vector<Event> computing, sends, receives;
    for (Event const& event : tasks) {
        schedule::Task const& task = section.tasks[event.task];
        (task.is<schedule::Send>() ? sends : task.is<schedule::Receive>() ? receives : computing).push_back(event);
    }
    std::vector<Lane> lanes;
    for (auto& [name, events] :
         {std::pair("worker", &computing), std::pair("sends", &sends), std::pair("receives", &receives)})
        for (Lane& lane : deal(name, std::move(*events))) lanes.push_back(std::move(lane));
    return lanes;
}

}  // namespace ein::executor
