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
    Cost before, after;
};

struct Chosen {
    Candidate candidate;
    std::vector<Compromise> compromises = {};
};

/// No variant fits in `memory`.
struct NothingFits {
    std::int64_t smallest_budget;  // with which one would, its blocks spilled
    int enough_ranks;              // with which nothing need spill; 0: none was found
};

/// No slicing makes one kernel call fit in `device_memory`.
struct CallTooLarge {
    Candidate smallest;
};

using Answer = std::variant<Chosen, NothingFits, CallTooLarge>;

Answer optimize(Question const& question, Functions const& functions);

}  // namespace ein::planner::optimizer
