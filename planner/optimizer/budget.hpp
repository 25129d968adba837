// What a search may spend: kernel calls that are scheduled, counted. No clock is read, so that the same question has
// the same answer on every machine, however slow.
// Example: WorkBudget({.calls_in_all = 100}) is exhausted after two schedules of 50 calls.
#pragma once

#include <cstdint>

namespace ein::planner::optimizer {

struct Limits {
    double calls_a_schedule = 2.5e5;  // a schedule of more kernel calls (seconds) is made once, with no other beside it
    double calls_in_all = 1e10;       // kernel calls of all schedules of a search: hours, beyond what anyone waits for
    std::int64_t worth_bytes = std::int64_t{16} << 20;  // a plan that moves less than this has no rivals
    std::int64_t most_slices = 16;           // kernel calls of a node for each that was asked for, to save memory
    std::int64_t most_device_slices = 4096;  // the same, until one call fits on a device
    int no_progress = 3;                     // times that calls are doubled without any of them needing less
    std::int64_t most_ranks = 256;           // that are proposed where nothing fits
    double most_placed_calls = 3e4;          // kernel calls of a plan, beyond which there is one placement (scheduler)
    double most_placed_tasks = 1.5e5;        // tasks of a schedule, beyond which there is one placement too
    double near_best = 1.5;                  // times the best time: plans up to it are scheduled with every placement
    std::size_t finalists = 3;               // of them, at most
    double near_placed = 1.5;                // times the best of these: others no placement makes the best one
    double worth_placing = 1e-3;             // seconds of a run, from which all of them are
    double worth_idle_ranks = 0.8;           // of what is moved: a plan that moves less may leave a few ranks idle
    double most_work = 2e6;                  // tasks that a search among all plans makes: ten seconds or so
    double work_a_second = 2e5;              // the same, of a second of planning
    double share_of_run = 0.05;              // of the predicted time that planning may take beyond that
    double work_a_second_of_run = 4e6;       // tasks that a local search makes for each second of the run
    double most_searched_calls = 1e5;        // kernel calls of a plan, beyond which one rival is scheduled beside it
    std::size_t most_variations = 1000;      // of one plan
    double short_run = 5e-3;                 // seconds of a run, below which a local search soon gives up:
    std::size_t most_in_vain = 8;            // after so many variations in a row that are no better
};

class WorkBudget {
public:
    explicit WorkBudget(Limits const& limits) : limits_(limits) {}

    void spend(double calls) { spent_ += calls; }
    bool exhausted() const { return spent_ >= limits_.calls_in_all; }
    /// Whether a plan of so many kernel calls may be scheduled only to compare it with another.
    bool affords(double calls) const { return calls <= limits_.calls_a_schedule && !exhausted(); }
    double spent() const { return spent_; }

private:
    Limits limits_;
    double spent_ = 0;
};

}  // namespace ein::planner::optimizer
