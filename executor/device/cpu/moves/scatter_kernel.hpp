// Sums of where(y == [v], x, 0) over the labels of y as what they are: each row of x is added to the row of the output
// that its position names (see graph::as_grouping): the gradient of a lookup, sums by group; the same of products, the
// least and the greatest. Rows are added to a table of all groups (scatter_table.hpp), or sorted by position first, so
// that every row of the output is written once; those that do not lie together are added column by column. All add in
// an order that follows from the shape: results do not depend on threads.
// Example: "id,i->vd" with y = (2, 0, 2): row 2 of the output is the sum of rows 0 and 2 of x.
#pragma once

#include <memory>

#include "executor/device/device.hpp"

namespace ein::executor {

/// @return nothing when the kernel is no aggregation by an integer operand's values, or rows are so few and
/// short that loops are as fast
std::unique_ptr<PreparedKernel const> make_scatter_kernel(KernelShape const& shape);

}  // namespace ein::executor
