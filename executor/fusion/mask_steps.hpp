// Steps that choose by indices alone, where(c, f(...), number), split in two: f everywhere, then the number over what c
// leaves out, in place, and only where c is not known to choose f. Bits stay as they are. Leaves running to
// fused_group_runner.hpp. Example: S = where([i] >= [k], x/8, -inf) is x/8, and then -inf above the diagonal: nothing
// at all in the columns that every row of a piece keeps.
#pragma once

#include "executor/fusion/fusion_plan.hpp"
#include "lib/scalar/regions/prefix.hpp"
#include "lib/scalar/regions/ranges.hpp"

namespace ein::executor {

/// Marks the second step of each as `in_place`. The last step of all stays whole.
void split_masks(std::vector<FusedStep>& steps);

/// What a step keeps, where that is its operand as it is and all else is a number that indices choose.
std::optional<scalar::Expr> masked_operand(FusedStep const& step);

/// When a step that is in place has nothing to do.
class MaskRange {
public:
    MaskRange(FusedStep const& step, scalar::Params const& params);
    /// The label along which only part is looked at.
    int label() const { return label_; }
    /// Indices of the label beyond which nothing is masked. @param box  of the step's labels
    scalar::IndexRange masked(std::vector<scalar::IndexRange> const& box) const;

    /// Where what is kept of a row is a run of indices that another label's index shifts: its ends. Else empty.
    std::vector<scalar::Prefix> const& ends() const { return ends_; }
    /// What is written.
    double number() const { return number_; }

private:
    bool add_ends(scalar::Expr const& condition, bool keeps_where_true);

    scalar::ExprRanges condition_;
    bool keeps_where_true_;
    int label_ = 0;
    double number_ = 0;
    std::vector<scalar::Prefix> ends_;
};

}  // namespace ein::executor
