// How a product of narrow types is cut into boxes that become words of 32 bits: of a box, its parts of both operands
// and of the result stay in the second-level cache while they are converted, multiplied and stored. Chosen are the cuts
// that take the least, predicted from how often elements are converted and how many of them lie side by side. Leaves
// doing it to boxed_kernel.hpp. Example: "bij,bjk->bik" of 4000 matrices of 8 x 8 is cut along b alone, 340 at a time.
#pragma once

#include <optional>
#include <vector>

#include "executor/device/cpu/narrow/product_sides.hpp"

namespace ein::executor {

struct BoxPlan {
    /// Of each label of the nest, how long its part of a box is; the last part is shorter where they do not fit.
    std::vector<Extent> parts;
    /// Labels of the left operand's rows change before those of the right one's columns: what is converted of the right
    /// operand is used again.
    bool rows_inside = false;
    double seconds = 0;  // predicted, of converting and moving, for one thread
};

/// @param rate  operations of two a second in tiles of words
/// @return nothing for labels of one side alone, and where no box is small enough
std::optional<BoxPlan> plan_boxes(ProductSides const& sides, double rate);

/// What narrow_kernel.hpp takes for the same, predicted alike, for one thread.
/// @param rate  operations a second of its tiles  @param block  terms that are summed before sums are stored
double seconds_in_panels(ProductSides const& sides, double rate, Extent block);

}  // namespace ein::executor
