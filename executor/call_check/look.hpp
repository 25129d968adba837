// One look at the result of one task: elements of it beside what they should be, by what the task has read.
// Leaves when and how many to call_check.hpp.
// Example: look.kernel(again, call, places, {}) of two elements: look.tally().elements is 2.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "executor/call_check/call_tallies.hpp"

namespace ein::executor {

class Look {
public:
    /// @param where  says of what it is a look: for messages
    Look(WorkerTeam& team, bool tf32, std::function<std::string()> where)
        : team_(team), tf32_(tf32), where_(std::move(where)) {}

    /// @param held  of each place, where the call accumulates; else empty
    void at_kernel(CallAgain const& again, KernelCall const& call, std::vector<ElementPlace> const& places,
                   std::vector<scalar::Scalar> const& held);
    /// Elements of one type that must have the same bytes. @param index  of the element in its tensor, or its number
    void at_moved(DType dtype, void const* found, void const* expected, std::vector<Extent> const& index);

    CallTally const& tally() const { return tally_; }
    /// Of the first element that is wrong, or "".
    std::string const& mismatch() const { return mismatch_; }

private:
    void note(CheckedElement const& element, std::vector<Extent> const& index, DType dtype,
              scalar::Scalar const& expected, scalar::Scalar const& found);

    WorkerTeam& team_;
    bool tf32_;
    std::function<std::string()> where_;
    CallTally tally_;
    std::string mismatch_;
};

}  // namespace ein::executor
