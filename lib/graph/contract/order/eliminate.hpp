// Orders that sum labels one after the other: all operands that have a label are contracted, then the next label. It is
// the good way where labels have many holders (factor graphs, counting problems), as elimination of variables is there.
// Example: ab, ac, ad: summing a contracts all three; of a label in two operands it is a step of those two.
#pragma once

#include <cstdint>

#include "lib/graph/contract/network.hpp"

namespace ein::graph {

struct Eliminating {
    double replaced = 0;  // weight of the logarithms of the sizes of what the result replaces
    double noise = 0;     // spreads the choice over near ties
    std::uint64_t seed = 1;
};

SsaPath eliminating_path(Network const& network, Eliminating const& how);

}  // namespace ein::graph
