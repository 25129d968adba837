// Loops of a graph: nodes between the beginning and the end of one are lowered as any others, into lists of their own
// that each iteration runs again. What is carried has a block on the same rank for each part before, in and after an
// iteration, so that iterations hand blocks over. What does not change from one to the next is brought before the loop
// (block_mover.hpp).
// Example: x -> x_next, whose block 0 is made on the rank of x's: the loop's end carries that block; had it been made
// elsewhere, a copy.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "scheduler/lower/lowering_context.hpp"

namespace ein::scheduler {

class LoopLowering {
public:
    explicit LoopLowering(LoweringContext& context);

    /// Ends and begins loops, so that those that are open are those around `loop`; -1: none.
    void go_to(std::int32_t loop);
    /// The node whose value an iteration ends with: on the ranks and in the parts that it began with.
    void lower_result(NodeId id);
    /// A loop that has ended, in the header; none for -1.
    OptionalId<schedule::LoopSpecId> spec_of(std::int32_t loop) const {
        return loop < 0 ? OptionalId<schedule::LoopSpecId>() : specs_.at(loop);
    }

private:
    void begin(std::int32_t loop);
    void end();
    void carry(graph::Loop const& loop, std::vector<schedule::Loop>& ends);
    void lower_listed_result(graph::Node const& node, Cut const& cut);
    void bring_condition(ValueId condition, std::vector<schedule::Loop>& ends);

    LoweringContext& context_;
    std::vector<std::optional<NodeId>> producers_;        // by ValueId
    std::vector<std::int32_t> open_;                      // outermost first
    std::map<std::int32_t, schedule::LoopSpecId> specs_;  // of loops that have ended
};

}  // namespace ein::scheduler
