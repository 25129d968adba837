// Orders from the top: the operands are parted into two halves between which few and short labels run, then each half
// again. Multilevel: operands that share much are merged until few are left, those are parted, and the parting is
// improved while they are taken apart again (Fiduccia, Mattheyses, 1982; Karypis, Kumar: hMETIS, 1999).
// Example: two dense groups of operands that one label connects are parted there; that label is contracted last.
#pragma once

#include <cstdint>

#include "lib/graph/contract/network.hpp"

namespace ein::graph {

struct Bisecting {
    double imbalance = 0.1;     // a half has at most (1 + imbalance) / 2 of the operands
    std::size_t smallest = 10;  // groups of so many operands are ordered by optimal_path
    std::uint64_t seed = 1;
};

SsaPath bisected_path(Network const& network, Bisecting const& how);

}  // namespace ein::graph
