// The events of one rank in lanes, as a viewer draws threads: in a lane, events lie beside or within one another. Each
// worker is a lane; sends and receives overlap, so they are dealt to as few lanes as they need. Example: sends over [0,
// 2], [1, 3] and [2, 4] take two lanes: the third follows the first.
#pragma once

#include <string>
#include <vector>

#include "executor/trace/event_log.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

struct Lane {
    std::string name;
    std::vector<Event> events;  // by begin, outer ones before inner ones
};

/// @param workers  the events of each  @param transfers  those of sends and receives, in any order
std::vector<Lane> lanes_of(schedule::Section const& section, std::vector<std::vector<Event>> workers,
                           std::vector<Event> const& transfers);

/// The same for tasks of which nobody says on which worker they run.
std::vector<Lane> lanes_of(schedule::Section const& section, std::vector<Event> const& tasks);

/// Deals events to as few lanes as hold them without overlapping, each to the first that is free.
std::vector<Lane> deal(std::string const& name, std::vector<Event> events);

}  // namespace ein::executor
