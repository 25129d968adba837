#include "lib/graph/contract.hpp"
#include "lib/graph/contract/chain.hpp"
#include "lib/graph/contract/network.hpp"

namespace ein::graph {

Path find_path(EinSum const& einsum) { return to_linear(good_path(network_of(einsum)), einsum.operands()); }

bool contracts_pairwise(EinSum const& einsum) { return as_chain(einsum).has_value(); }

}  // namespace ein::graph
