// An index out of range that a kernel of a device with memory of its own met. It is reported after the kernel's task
// has ended, by whoever asks the device next, so it carries which task that was and where the index lies. Leaves naming
// the tensor and the place in it to executor/health/index_fault.hpp. Example: task 2 reads operand 0 from element 6 of
// its block on and met 11, no index of 8 elements, at once: {11, 8, TaskId{2}, 0, 0}.
#pragma once

#include <optional>

#include "executor/device/device.hpp"
#include "lib/scalar/evaluate/evaluator.hpp"

namespace ein::executor {

class IndexError : public InputError {
public:
    struct Met {
        std::int64_t index = 0, extent = 0;
        OptionalId<TaskId> task = {};  // whose call of a kernel it was
        int operand = -1;              // of the call, that holds the index; -1: it was computed by the join
        std::int64_t element = -1;     // its offset in the operand, from the first element that the call reads
        friend bool operator==(Met const&, Met const&) = default;
    };
    explicit IndexError(Met const& met)
        : InputError(scalar::PositionError::fault_at("", {}, met.index, met.extent)), met_(met) {}
    Met const& met() const { return met_; }

private:
    Met met_;
};

/// An index out of range among those that a call reads.
struct WrongIndex {
    int operand = 0;
    Shape at;           // in what the call reads of the operand
    Extent offset = 0;  // in elements, from the first one that the call reads
    std::int64_t index = 0;
};
/// The first one of the extent that the call failed at. @param call  its dense operands are in this process's memory
/// @return nothing where the join computed it
std::optional<WrongIndex> find_wrong_index(KernelShape const& shape, KernelCall const& call,
                                           scalar::PositionError const& error);

}  // namespace ein::executor
