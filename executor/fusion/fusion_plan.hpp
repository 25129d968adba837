// What a fused group runs for each piece: one kernel for each task, and one more for each costly part that several of
// them would compute alike from the same elements. That is computed once and kept in working memory, each element to
// the bit as before; only a sum over it may run in another order. Leaves memory, pieces and running to
// fused_group_runner.hpp. Example: softmax, m = max x, s = sum of exp(x - m), z = exp(x - m) / s, has four steps: m =
// max x, e = exp(x - m), s = sum of e, z = e / s.
#pragma once

#include <optional>
#include <vector>

#include "lib/scalar/regions/band.hpp"
#include "lib/schedule/fusion/carry.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

/// A fused task taken apart: its members on blocks of their own, and how they are cut.
struct FusedGroup {
    /// A direction in which all members are cut alike.
    struct Axis {
        std::vector<std::size_t> labels;  // of each member's EinSum
        Extent length = 1;                // of the members' regions
        std::int64_t parts = 1;
    };
    /// A label that is reduced inside and run over in pieces (lib/schedule/fusion/carry.hpp).
    struct Carry {
        std::vector<std::int32_t> labels;  // of each member's EinSum; -1: it has none
        Extent length = 1;
        std::int64_t parts = 1;
        std::vector<schedule::CarriedMember> members;
    };
    TaskId task;                    // of the section
    schedule::Section members;      // an apply each (schedule::unfolded)
    std::vector<BlockId> operands;  // of the section: the first blocks of `members`
    BlockId result;                 // of the section: the next one
    std::vector<Axis> axes;         // outermost first
    std::optional<Carry> carry = {};
    std::optional<std::size_t> over = {};  // the operand whose memory the result takes over

    std::int64_t pieces() const;  // of whole rows
    /// The section's block that is a block of `members`, not one of those inside.
    BlockId outside(BlockId of_members) const {
        auto const k = at(of_members);
        return k < operands.size() ? operands[k] : result;
    }
};
FusedGroup fused_group(schedule::Header const& header, schedule::Section const& section, TaskId task);

struct FusedStep {
    struct Operand {
        std::int32_t step = -1;   // that makes it; -1: it is an input of the task
        std::int32_t input = -1;  // of the task
    };
    std::size_t member = 0;   // whose region it covers and whose labels its kernel has: a task of the group's members
    schedule::Kernel kernel;  // its join reads `operands`
    std::vector<Operand> operands;
    DType output = DType::f32;
    bool in_place = false;                          // it writes over its only operand (mask_steps.hpp)
    std::vector<std::size_t> also = {};             // members whose results are the same elements
    std::optional<scalar::Band> dropped_mask = {};  // of its labels: where it chose its join, else 0 (known_blocks.hpp)
};

/// In an order in which they can run; the last one is the last task's.
std::vector<FusedStep> fusion_plan(schedule::Header const& header, FusedGroup const& group);

}  // namespace ein::executor
