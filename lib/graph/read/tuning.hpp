// What a graph file may ask for at the most, and how much its messages name, in one place: set to keep recursion and
// searches bounded and messages short, none measured. What formats and NumPy fix (axes, bytes) stands where it is read.
// Example: a cycle of more than tuning::most_cycle_names nodes is printed without its middle.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ein::graph::tuning {

/// Loops within loops: readers walk them by recursion.
inline constexpr int deepest_loop = 100;
/// Operands of a product that is written as a chain; more are a balanced tree, which recursion walks as well.
inline constexpr std::size_t longest_chain = 64;
/// Ranks of a mesh.
inline constexpr std::int64_t most_mesh_ranks = std::int64_t{1} << 24;

// Messages.

/// Names of a file for which the nearest known ones are looked for: each search reads every name.
inline constexpr int most_searches = 20;
/// Bytes of a text that a message quotes.
inline constexpr std::size_t longest_quote = 60;
/// Nodes of a cycle that a message names.
inline constexpr std::size_t most_cycle_names = 12;
/// Elements of one list of values that are reported: a list of another kind is wrong in each.
inline constexpr std::size_t most_element_faults = 100;

}  // namespace ein::graph::tuning
