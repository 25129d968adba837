// An optimizer's world without graphs and schedules: a plan is its choices, and what its schedule costs says a function
// of the test.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "planner/optimizer/optimize.hpp"

namespace ein::test {

namespace opt = planner::optimizer;

struct ToySchedules {
    std::function<opt::Cost(opt::Choices const&, relation::Plan const&)> cost = {};
    // Bytes of the one call that needs most; twice as many kernel calls make it half as large.
    std::int64_t working_set = 1;
    std::int64_t least_working_set = 0;
    // Rivals by name; the first plan's name is its strategy.
    std::vector<std::string> rivals = {};
    // Of the budget that a schedule can be spilled for, its peak is so many times as large.
    std::int64_t spills_to_part = 4;
    std::size_t nodes = 1;
    double tasks = 0;  // of each schedule

    // What was made, in order: "strategy place calls".
    std::vector<std::string> made = {};
    std::shared_ptr<std::mutex> mutex = std::make_shared<std::mutex>();  // of `made`: schedules are made by threads

    opt::Functions functions() {
        opt::Functions out;
        out.plan = [this](opt::Choices const& choices) { return plan(choices, choices.planner.decompose); };
        out.rivals = [this](opt::Choices const& choices, relation::Plan const&) {
            std::vector<relation::Plan> plans;
            for (std::string const& name : rivals) plans.push_back(plan(choices, name));
            return plans;
        };
        out.moved = [](std::vector<relation::Plan> const& plans) {  // each less than the one before
            std::vector<double> moved;
            for (std::size_t k = plans.size(); k > 0; --k) moved.push_back(static_cast<double>(k));
            return moved;
        };
        out.schedule = [this](relation::Plan const& plan, opt::Choices const& choices) {
            std::string const order = choices.order == opt::NodeOrder::least_memory ? " saving" : "";
            std::string const name = plan.strategy + " " + choices.place + order + " " + std::to_string(plan.calls);
            {
                std::scoped_lock const lock(*mutex);
                made.push_back(name);
            }
            opt::Candidate schedule = candidate(cost(choices, plan), name, plan.calls);
            schedule.work = tasks;
            return schedule;
        };
        out.smallest_budget = [this](opt::Candidate const& of) { return of.cost.peak / spills_to_part; };
        out.spill = [](opt::Candidate const& of, std::int64_t budget) {
            opt::Candidate spilled = of;
            spilled.cost.seconds = static_cast<double>(of.cost.bytes + of.cost.peak - budget);
            spilled.cost.peak = budget;
            return spilled;
        };
        out.working_set = [this](opt::Candidate const& of) {
            return std::max(least_working_set, working_set / made_of(of).calls);
        };
        return out;
    }

    static std::string name_of(opt::Candidate const& candidate) { return made_of(candidate).name; }

private:
    struct Made {
        std::string name;
        std::int64_t calls;
    };
    static Made const& made_of(opt::Candidate const& candidate) { return *static_cast<Made*>(candidate.payload.get()); }
    static opt::Candidate candidate(opt::Cost cost, std::string const& name, std::int64_t calls) {
        return {cost, std::make_shared<Made>(Made{name, calls})};
    }
    relation::Plan plan(opt::Choices const& choices, std::string const& name) const {
        relation::Plan out;
        out.ranks = choices.planner.ranks;
        out.calls = opt::calls_asked(choices.planner);
        out.strategy = name;
        out.nodes.resize(nodes);
        return out;
    }
};

/// Two ranks, placed by "a"; "b" and "c" could place as well.
inline opt::Question toy_question(std::optional<std::int64_t> memory = std::nullopt) {
    return {.asked = {.planner = {.ranks = 2}, .place = "a"}, .placers = {"a", "b", "c"}, .memory = memory};
}

}  // namespace ein::test
