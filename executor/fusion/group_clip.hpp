// Where a piece of a fused group need not be computed: a label along which the steps of the group agree and, on part of
// which, what a `where` chooses by indices makes every sum over it a sum of nothing. Some of that follows from indices
// alone, some holds only of data without nan or infinity in certain operands (facts, looked at while running).
// Leaves running to fused_group_runner.hpp. Example: causal attention, rows 0 to 127 of 4096: scores beyond column 127
// are -inf, so their maximum, exponentials and sums end there, and so does the product with V if V is finite.
#pragma once

#include <optional>
#include <vector>

#include "executor/fusion/fusion_plan.hpp"
#include "lib/scalar/regions/ranges.hpp"

namespace ein::executor {

/// What must be so of an operand's elements for a clipped step to be right.
struct ClipFact {
    enum class Kind : std::uint8_t { finite, positive };
    std::size_t step = 0, operand = 0;
    Kind kind = Kind::finite;  // neither infinite nor nan; and above 0
};

class GroupClip {
public:
    using Boxes = std::vector<std::vector<scalar::IndexRange>>;  // of every step, its labels'

    /// @param boxes  of the whole tasks  @param cut  by step: labels along which pieces are cut
    /// @return nothing where no label can be clipped
    static std::optional<GroupClip> make(std::vector<FusedStep> const& steps, Boxes const& boxes,
                                         std::vector<std::vector<std::size_t>> const& cut,
                                         scalar::Params const& params);

    /// What of the label is left in a piece; empty: nothing.
    scalar::IndexRange live(Boxes const& boxes) const;
    scalar::IndexRange whole(Boxes const& boxes) const;
    /// The step's label that is clipped, or -1.
    int label(std::size_t step) const { return labels_[step]; }
    std::vector<ClipFact> const& facts() const { return facts_; }
    /// What the last step's result is outside, where it has the label.
    std::optional<double> outside() const { return outside_; }
    /// Looks at a piece of which something is clipped: keeps those facts alone without which less would be, and learns
    /// what the last step's result is outside.
    void settle(Boxes const& boxes);
    bool settled() const { return settled_; }

private:
    bool follow(std::vector<FusedStep> const& steps, std::size_t step, int label,
                std::vector<std::vector<std::size_t>> const& cut);
    bool is_dead(Boxes const& boxes, scalar::IndexRange range, scalar::Range* last = nullptr) const;

    struct Step {
        scalar::ExprRanges join;
        scalar::Agg agg;
        bool aggregates;                      // the label
        std::vector<int> writers;             // of each operand: the step inside that makes it with the label, or -1
        std::vector<scalar::Range> operands;  // of each other one: what is taken to be so
    };
    std::vector<int> labels_;
    std::vector<std::optional<Step>> steps_;
    std::vector<ClipFact> facts_;
    std::optional<double> outside_;
    bool settled_ = false;
};

}  // namespace ein::executor
