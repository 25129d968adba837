// The grid of ranks that a graph file names ("mesh"), and how a tensor lies on it ("sharding"). Ranks are numbered in C
// order over the mesh. Example: on the mesh dp:2 tp:4, rank = 4 dp + tp, the sharding "batch/dp seq d" has two blocks,
// on ranks 0 and 4. Source: [S], Shard and Replicate; a tensor axis may be cut over several mesh axes, a mesh axis cuts
// one axis of a tensor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/ids.hpp"
#include "lib/base/partition.hpp"

namespace ein::graph {

struct MeshAxis {
    std::string name;
    std::int64_t size = 1;
};
using Mesh = std::vector<MeshAxis>;

/// For each axis of a tensor (or label of a node) the mesh axes that it is cut over, the outer first; none: it is
/// whole.
using Sharding = std::vector<std::vector<int>>;

/// Ranks of the whole mesh; 1 for none.
std::int64_t rank_count(Mesh const& mesh);
/// Into how many parts each axis is cut.
Parts parts_of(Mesh const& mesh, Sharding const& sharding);
/// The rank of each block, in C order over the parts. What is replicated lies at coordinate 0 of the mesh axes that do
/// not cut it: readers elsewhere are sent what they need.
std::vector<Rank> ranks_of(Mesh const& mesh, Sharding const& sharding);
/// How far from a block's rank those are that have it too where it is replicated over all other axes of the mesh; 0,
/// itself, first.
std::vector<std::int64_t> replicas_of(Mesh const& mesh, Sharding const& sharding);

}  // namespace ein::graph
