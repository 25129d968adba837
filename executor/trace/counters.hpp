// What a rank held and what it could have begun at every moment of a run, worked out afterwards from when its tasks
// began and ended: the schedule says which blocks each task makes, readies and frees. So it costs a run nothing.
// Example: load X (8 bytes) over [0, 1], then apply Z (8 bytes) over [2, 3], its store over [4, 5]: 8 bytes from 0, 16
// from 2, 8 from 3, 0 from 5; one task is ready from 1 to 2 and from 3 to 4.
#pragma once

#include <vector>

#include "executor/trace/record.hpp"
#include "lib/schedule/dispatch/iterations.hpp"
#include "lib/schedule/dispatch/task_links.hpp"

namespace ein::executor {

struct CounterSample {
    double time = 0;
    std::int64_t bytes = 0;  // of blocks held
    std::int64_t ready = 0;  // tasks whose inputs are there and that have not begun
    friend bool operator==(CounterSample const&, CounterSample const&) = default;
};

/// One round of a run: its events, and whether its inputs stayed from the round before and stay for the next.
struct RoundEvents {
    std::vector<Event> events;  // of whole tasks; sorted by begin
    bool inputs_were_kept = false, inputs_stay = false;
    double end = 0;
};

/// Cuts a run's events into its rounds; a round begins with its first phase.
std::vector<RoundEvents> rounds_of(std::vector<PhaseSpan> const& phases, std::vector<Event> events);

/// A sample for each moment at which something changed. @param taken  of the section's loops (Iterations::taken)
std::vector<CounterSample> count(schedule::Section const& section, schedule::TaskLinks const& links,
                                 std::vector<RoundEvents> const& rounds, Record::Taken const& taken = {});

}  // namespace ein::executor
