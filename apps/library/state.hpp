// What stands behind the public classes of einloom.hpp, and errors on their way out.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "apps/library/einloom.hpp"
#include "executor/transport/launcher.hpp"
#include "lib/base/json.hpp"
#include "lib/relation/plan.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace einloom {

struct Graph::State {
    ein::Json json;
    std::filesystem::path folder;  // of its data files
};

struct Schedule::State {
    ein::schedule::Schedule schedule;
    std::optional<ein::relation::Plan> plan = {};  // of one that was planned here
    std::filesystem::path folder;                  // of its data files
};

struct Ranks::State {
    std::unique_ptr<ein::executor::Connection> connection;
};

/// From a public object to what stands behind it.
class Access {
public:
    using GraphState = Graph::State;
    using ScheduleState = Schedule::State;
    static Graph::State const& of(Graph const& graph) { return *graph.state_; }
    static Schedule::State const& of(Schedule const& schedule) { return *schedule.state_; }
    static Ranks::State& of(Ranks& ranks) { return *ranks.state_; }
    static Schedule schedule(Schedule::State state) {
        Schedule out;
        out.state_ = std::make_shared<Schedule::State const>(std::move(state));
        return out;
    }
};

/// What `step` gives; our errors leave as public ones.
template <class Step>
auto public_errors(Step&& step) {
    try {
        return step();
    } catch (ein::Error const& error) {
        throw Error(static_cast<int>(error.code()), error.what());
    }
}

}  // namespace einloom
