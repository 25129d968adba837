// Takes out of a network what any good order begins with: an operand whose labels another one has too is multiplied
// into it, which makes nothing larger. What is left is what must be searched. Example: of ab, b, bc the vector b is
// multiplied into ab or bc first; two operands are left.
#pragma once

#include "lib/graph/contract/network.hpp"

namespace ein::graph {

struct Simplified {
    Network rest;              // same labels; those that are gone are in no operand
    std::vector<int> numbers;  // of each operand of the rest: its number in the whole
    SsaPath steps;             // of the whole, done before
};

Simplified simplify(Network const& network);

/// The path of the whole: the steps before, then a path of the rest.
SsaPath whole_path(Simplified const& simplified, std::size_t operands, SsaPath const& rest);

}  // namespace ein::graph
