// Where a piece of a fused group need not be computed: a label along which the steps of the group agree and, on part of
// which, what a `where` chooses by indices makes every sum over it a sum of nothing. Some of that follows from indices
// alone or from what is known of operands (lib/schedule/fusion/known.hpp), some holds only of data without nan or
// infinity in certain operands (facts, looked at while running).
// Leaves running to fused_group_runner.hpp. Example: causal attention, rows 0 to 127 of 4096: scores beyond column 127
// are -inf, so their maximum, exponentials and sums end there, and so does the product with V if V is finite.
#pragma once

#include <optional>
#include <vector>

#include "executor/fusion/fusion_plan.hpp"
#include "lib/scalar/regions/ranges.hpp"
#include "lib/schedule/fusion/known.hpp"

namespace ein::executor {

/// What must be so of an operand's elements for a clipped step to be right.
struct ClipFact {
    /// Neither infinite nor nan; and above 0; as scalar::Range::moderate(); and above 0.
    enum class Kind : std::uint8_t { finite, positive, moderate, moderate_positive };
    std::size_t step = 0, operand = 0;
    Kind kind = Kind::finite;
};

class GroupClip {
public:
    using Boxes = std::vector<std::vector<scalar::IndexRange>>;  // of every step, its labels'
    enum class ZeroSigns : std::uint8_t { seen, unseen };        // schedule::zero_signs_seen

    /// @param boxes  of the whole tasks  @param cut  by step: labels along which pieces are cut
    /// @param known  by step: of operands from outside, in the step's labels
    /// @param signs  of zeros of the last step's result
    /// @return nothing where no label can be clipped
    static std::optional<GroupClip> make(std::vector<FusedStep> const& steps, Boxes const& boxes,
                                         std::vector<std::vector<std::size_t>> const& cut,
                                         std::vector<schedule::KnownOperands> const& known, ZeroSigns signs,
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
    /// Whether a step's terms add nothing outside a band, if the facts hold and operands known of that band are so.
    bool adds_nothing_outside(scalar::Band const& band, std::size_t step, Boxes const& boxes) const;

private:
    bool follow(std::vector<FusedStep> const& steps, std::size_t step, int label,
                std::vector<std::vector<std::size_t>> const& cut);
    bool is_dead(Boxes const& boxes, scalar::IndexRange range, scalar::Range* last = nullptr) const;
    bool add_step(FusedStep const& step, std::size_t number, schedule::KnownOperands const& known,
                  scalar::Params const& params);

    struct Step {
        scalar::ExprRanges join;
        scalar::Agg agg;
        bool aggregates;                      // the label
        std::vector<int> writers;             // of each operand: the step inside that makes it with the label, or -1
        std::vector<scalar::Range> operands;  // of each other one: what is taken to be so
        schedule::KnownOperands known;        // what is so outside a band, whatever else
        std::vector<std::size_t> others;      // labels that it aggregates beside
        DType output;
    };
    /// What a range that the last step's result has is filled with.
    std::optional<double> filling(scalar::Range const& range) const;

    std::vector<int> labels_;
    std::vector<std::optional<Step>> steps_;
    std::vector<ClipFact> facts_;
    std::optional<double> outside_;
    bool settled_ = false;
    ZeroSigns signs_ = ZeroSigns::seen;
};

}  // namespace ein::executor
