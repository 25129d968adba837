// How many elements the sparse tensors of a graph list, counted in their data: what planner and scheduler know of them.
// Counted once for each box that is asked for.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::relation {

/// The most elements that a box of a sparse leaf lists.
using ListedBound = std::function<Extent(ValueId, Box const&)>;

/// How many they are thought to be: less than the most where the graph says only how many the tensor may list in all.
using ListedEstimate = std::function<double(ValueId, Box const&)>;

/// A box inside one of a sparse leaf that has all that it lists (tensor::SparseReader::hull).
using ListedHull = std::function<Box(ValueId, Box const&)>;

/// How many elements a box of a sparse leaf lists at each index of some axes, in C order.
using FibreCounts = std::function<std::vector<Extent>(ValueId, Box const&, std::vector<int> const& axes)>;

struct ListedElements {
    ListedBound in_box;                 // nothing where no tensor is sparse; for many threads
    ListedEstimate expected;            // likewise
    ListedHull hull;                    // likewise
    FibreCounts fibres;                 // likewise; nothing where a tensor could not be counted
    std::vector<std::string> warnings;  // of data that is not there, or begins with a line of sizes
};

/// Enters what is listed into the graph's values, and counts boxes from then on. Of leaves that say themselves how many
/// elements they list at most ("listed"), nothing is counted: they may be anywhere.
/// @param folder  data files are relative to it  @throws InputError for data that is damaged
ListedElements count_listed(graph::EinGraph& graph, std::filesystem::path const& folder);

}  // namespace ein::relation
