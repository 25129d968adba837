// Who wants to see what the steps of fused groups read and write, none of which is there as a whole or for long.
// Example: of a softmax in 512 pieces, piece 17: its maximum, powers, sum and quotients, each when it is computed.
#pragma once

#include <cstdint>
#include <optional>

#include "executor/device/device.hpp"
#include "lib/base/ids.hpp"

namespace ein::executor {

/// A step of one piece that was just run.
struct FusedStepCall {
    TaskId task;
    std::size_t member;  // whose the step is
    std::size_t step;
    KernelShape const& shape;
    KernelCall const& call;
};

class FusedSteps {
public:
    virtual ~FusedSteps() = default;
    /// Which piece of a fused task that is about to run; nothing: none.
    virtual std::optional<std::int64_t> piece_to_see(TaskId task, std::int64_t pieces) = 0;
    virtual void see(FusedStepCall const& step, WorkerTeam& team) = 0;
};

}  // namespace ein::executor
