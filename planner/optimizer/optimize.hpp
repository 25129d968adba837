// From what was asked for to the schedule that is taken: as asked where it fits, else the cheapest compromise that
// does.
// Pure: the same question and functions give the same answer.
// Leaves plans to planner.hpp, schedules to the functions it is given, words to its caller.
// Example: memory 2 GiB, and what was asked for needs 3; in the order of least memory it needs 1.8: that, with one
// compromise.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "planner/optimizer/budget.hpp"
#include "planner/optimizer/candidate.hpp"

namespace ein::planner::optimizer {

struct Question {
    Choices asked;
    std::vector<std::string> placers = {};           // names of all that place single nodes
    std::optional<std::int64_t> memory = {};         // bytes of blocks that a rank may hold
    std::optional<std::int64_t> device_memory = {};  // bytes that one kernel call may read and write
    std::size_t nodes = 1;                           // of the graph
    bool parts_are_given = false;                    // then no node is cut in another way
    bool wide = false;                               // search among all plans that are known
    bool ranks_are_given = false;                    // then no other number of ranks is proposed
    std::int64_t least_held = 0;                     // bytes that all ranks together hold whatever is chosen
    std::optional<std::int64_t> room = {};           // ranks that the machines have places for
    Limits limits = {};
};

/// Where the answer differs from what was asked for.
struct Compromise {
    enum class Kind { variant, spilled, sliced };  // sliced: until one kernel call fits on a device
    Kind kind;
    std::string what;     // the variant's; empty: as asked
    std::int64_t needed;  // bytes of what was asked for that did not fit: peak, or working set where sliced
    Cost before = {}, after = {};
    int enough_ranks = 0;  // of spilled: with which nothing need spill; 0: none was found
};

/// What a search among all plans looked at.
struct SearchReport {
    struct Plan {
        std::string name;
        std::int64_t calls = 1;  // of each node
        double seconds = 0;      // predicted with one placement; of those left out no schedule takes less
        std::int64_t bytes = 0;
        bool fits = true;  // in the memory, if there is a budget
        int used = 0;      // ranks that have anything to do
    };
    std::string taken;   // the name of the plan that was taken; empty: no such search was made
    bool fits = true;    // it does; if not, another schedule was made to fit, which this is not about
    int used = 0;        // ranks that it uses
    double seconds = 0;  // that it is predicted to take
    double bound = 0;    // that no plan goes below
    std::vector<Plan> looked_at = {}, left_out = {};
    std::size_t not_reached = 0;            // plans that the budget left out
    std::size_t variations = 0, steps = 0;  // of the local search: plans scheduled, and those gone to
    std::size_t variations_left_out = 0;    // by what they can gain at most
};

struct Chosen {
    Candidate candidate;
    std::vector<Compromise> compromises = {};
    SearchReport report = {};
};

/// No variant fits in `memory`.
struct NothingFits {
    std::int64_t smallest_budget;  // with which one would
    bool spills;                   // whether blocks are on disk then
    int enough_ranks;              // with which nothing need spill; 0: none was found
};

/// No slicing makes one kernel call fit in `device_memory`.
struct CallTooLarge {
    Candidate smallest;
};

using Answer = std::variant<Chosen, NothingFits, CallTooLarge>;

Answer optimize(Question const& question, Functions const& functions);

}  // namespace ein::planner::optimizer
