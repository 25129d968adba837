// Which calls of one rank are looked at, and how many elements of each: by the schedule and fixed figures, so that it
// is the same each time. The first call of each kernel, copy, reshape and fill is; others as often as a share of the
// time that they take affords an element.
// Example: of a product of 4096 x 4096 x 512 sixteen elements each time; of a sum of 1e7 exponentials one element, the
// first time and then about every four hundredth.
#pragma once

#include <cstdint>
#include <optional>

#include "executor/call_check/call_again.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

/// What is wanted of a run.
struct CallChecks {
    bool wanted = false;
    std::optional<std::int64_t> elements = {};  // of every call; default: what a share of its time affords
};

struct CallSample {
    std::int32_t elements = 0;  // of the result: 0: the task is never looked at
    std::uint32_t period = 1;   // it is looked at about so many times less often than it runs
    bool is_first = false;      // of its kernel, copy, reshape or fill: looked at when it first runs
};

/// Of a fused task as many elements of each member.
/// @param elements  of every call, whatever that takes; default: what a share of its time affords
Table<TaskId, CallSample> call_samples(schedule::Header const& header, schedule::Section const& section,
                                       std::optional<std::int64_t> elements);

/// Numbers drawn from what they are for, the same each time.
class Draws {
public:
    Draws(TaskId task, std::uint64_t number);
    std::uint64_t next();
    /// All where there are no more than so many; else at random, but for the second one: the last of all, where kernels
    /// handle what is left over.
    std::vector<ElementPlace> places(Shape const& shape, std::int64_t count);

private:
    std::uint64_t state_;
};

}  // namespace ein::executor
