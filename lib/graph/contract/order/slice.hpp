// Which labels to run through one index at a time, so that results on the way fit in memory: greedily the one that
// costs least of those that the largest moment has, the order made better again after each. Source: slicing as in Gray,
// Kourtis: Hyper-optimized tensor network contraction, Quantum 5, 2021 (section 4), with reconfiguration; steps that no
// sliced label reaches are counted once. Example: a ring of matrices of extent 1000 whose results may have 1000
// elements is sliced over one label: 1000 slices.
#pragma once

#include "lib/graph/contract/network.hpp"

namespace ein::graph {

/// Elements of all results that are held at once, at the moment when they are most, operands not counted.
double peak_elements(Network const& network, SsaPath const& path);

/// The same tree, of the two operands of each step first the one that leaves less to be held.
SsaPath order_for_memory(Network const& network, SsaPath const& path);

struct Sliced {
    SsaPath path;
    std::vector<int> labels;  // in the order in which they were chosen
    double slices = 1;
    double operations = 0;  // of all slices
    double peak = 0;        // elements of results that a slice holds at once
};

enum class Reorder { no, yes };

/// Slices until a slice holds at most `most_elements`, or nothing is left to slice.
/// @param work  for annealing on the way, as of search_path
Sliced slice(Network const& network, SsaPath const& path, double most_elements, Reorder reorder, double work);

/// Operations of all slices: a step that no sliced label reaches runs once.
double sliced_operations(Network const& network, SsaPath const& path, std::vector<int> const& sliced);

}  // namespace ein::graph
