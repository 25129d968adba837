// What a change of sharding amounts to: the collectives of [S], read off the mesh axes of both sides.
// Example: held "i/a j/c", wanted "i/a j": an all-gather over c.
// Source: [S]; broadcast, scatter and gather are ours: a small block may lie on one rank of an axis alone.
#pragma once

#include "apps/explain/mesh.hpp"

namespace ein::apps::explain {

enum class Collective { all_gather, reduce_scatter, reduce, all_to_all, broadcast, scatter, gather, permute };
std::string_view name(Collective kind);  // "all-gather", ...

struct Exchange {
    Collective kind;
    std::vector<int> axes;  // of the mesh; empty when a side lies across the mesh
    friend bool operator==(Exchange const&, Exchange const&) = default;
};

enum class Order { kept, changed };  // whether axis k of both sides is the same (a reshape changes it)

/// Steps from one sharding of a value to another, when bytes move.
std::vector<Exchange> exchanges(Sharding const& held, Sharding const& wanted, Order order = Order::kept);

/// Steps that finish an aggregation. Where blocks lie across the mesh, one that is cut finer than its calls was
/// scattered.
/// @param partial  mesh axes along which partial results lie; none when kernel calls lie across the mesh
/// @param output   how kernel calls cut the output
/// @param made     how it lies in the end
std::vector<Exchange> finishing(std::vector<int> const& partial, Parts const& output, Sharding const& made);

}  // namespace ein::apps::explain
