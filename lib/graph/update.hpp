// Elementwise EinSums that are one of their operands but where a condition holds that few elements decide: a row of a
// cache is replaced, a flag says whether anything is. Whoever has the result in that operand's memory need only write
// where the condition holds. Leaves finding that place to who has the elements.
// Example: where(x, y, z) of "k,bh,bkh->bkh" is z but where x[k] is true: of x there is an element for each b * h of z.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

struct Update {
    std::vector<int> asked;   // operands that conditions depend on; no others do
    std::vector<int> labels;  // of the output that conditions depend on, by index or by operands
    /// About how much of the output is written: an index of each of those labels that no value has which is written.
    double share = 1;
};

/// @param operand  whose axes are those of the output  @param lengths  of labels  @param compute  type of the join
/// @return nothing where conditions are as many as elements, or may be other numbers than they seem: integers wrap
std::optional<Update> as_update(EinSum const& einsum, std::size_t operand, std::span<Extent const> lengths,
                                DType compute);

}  // namespace ein::graph
