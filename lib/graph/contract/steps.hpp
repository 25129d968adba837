// An n-ary EinSum as unary and binary ones, in the order of a path.
// Example: "ij,jk,kl->il" with path ((0, 1), (2, 3)) is "ij,jk->ik", then "ik,kl->il" of that result and the third
// operand.
#pragma once

#include <vector>

#include "lib/graph/contract/chain.hpp"
#include "lib/graph/contract/ssa_path.hpp"

namespace ein::graph {

struct ContractionStep {
    EinSum einsum;
    std::vector<int> operands;  // numbers: operands of the n-ary EinSum, then the results of earlier steps
};

/// The last step gives the EinSum's own value. Labels that one operand has alone are aggregated first, in a step of
/// their own.
std::vector<ContractionStep> contraction_steps(EinSum const& einsum, JoinChain const& chain, SsaPath const& path);

}  // namespace ein::graph
