// What to write where a join takes an aggregation, which is of a whole axis, or an operand with an index, which a join
// never has: with the names and axes of the node that it stands in. Leaves other faults to the parser's own words.
// Example: of "ij->ij" with join "exp(x)/sum(exp(x))": write the node as {"name": "P", "op": "softmax", "inputs":
// ["S"], "axis": 1}: over 'j'; "axis": 0 is over 'i'.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/graph/read/einsum/subscripts.hpp"
#include "lib/scalar/expression/parse/parse.hpp"

namespace ein::graph {

/// The node that a join stands in.
struct JoinPlace {
    std::string node;                 // its name
    std::vector<std::string> inputs;  // as the file calls them
    Subscripts const& subscripts;
    bool sums = true;  // it has no other "agg"
};

/// Writes fixes of this node into the faults of its join. Of an op that is written out, as a softmax, one fault is
/// left.
void mend_join(std::string_view text, scalar::Names const& names, JoinPlace const& place,
               std::vector<scalar::ParseFault>& faults);

}  // namespace ein::graph
