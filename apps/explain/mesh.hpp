// Sharding as [S] writes it: ranks are a grid with named axes, and a label says over which of them it is spread. The
// mesh is read off a finished schedule where the graph names none: the prime factors of the rank count in the order
// that explains most nodes, factors that are always used together being one axis. Example: 8 ranks, C[i, k] summed over
// j, parts 2 each: mesh a:2 b:2 c:2, rank = 4a + 2b + c; A is "i/a j/c", and C, before the sum is finished, "i/a k/b"
// and Partial over c. Source: [S], Shard, Replicate and Partial.
#pragma once

#include <string>
#include <vector>

#include "apps/explain/spread.hpp"
#include "lib/graph/mesh.hpp"

namespace ein::apps::explain {

struct Mesh {
    std::vector<int> sizes;            // rank numbers are in C order over them
    std::vector<std::string> given{};  // the graph's names of the axes, if it names a mesh

    std::string name(int axis) const;  // as given, else "a", "b", ...
    std::vector<std::string> names(std::vector<int> const& axes) const;
};

/// How a tensor lies on a mesh. What is neither in `axes` nor in `single` is replicated over the mesh axis.
struct Sharding {
    bool on_mesh = false;                // otherwise only `parts` says anything: the blocks lie across the mesh
    Parts parts;                         // along each axis of the tensor
    std::vector<std::vector<int>> axes;  // for each axis of the tensor its mesh axes, the outer first
    std::vector<int> single;             // mesh axes along which one coordinate alone has it
    bool replicated = false;             // some cell is on several ranks

    bool shards(int mesh_axis) const { return axis_of(mesh_axis) >= 0; }
    int axis_of(int mesh_axis) const;  // the tensor axis that a mesh axis shards, or -1
};

Sharding sharding_of(Spread const& spread, Mesh const& mesh);

/// The mesh that the graph names.
Mesh mesh_of(graph::Mesh const& mesh);

/// The mesh on which most of `spreads` are regular.
Mesh mesh_for(std::vector<Spread const*> const& spreads, int ranks);

}  // namespace ein::apps::explain
