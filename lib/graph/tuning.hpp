// How far searches over graphs go, in one place: limits of work, chosen and not measured one by one. They change which
// nodes a graph becomes: schedules of before may not come again after one is changed.
// Example: products of up to tuning::most_optimal_operands operands get the order that costs least of all.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ein::graph::tuning {

// Orders of products of many operands (contract/).

/// Operands up to which every order is compared.
inline constexpr std::size_t most_optimal_operands = 10;
/// Other operands that an operand is paired with for one label: a label in very many would make a pair of each two.
inline constexpr std::size_t most_neighbours = 24;
/// Operands of a part of an order that is made optimal, passes over all parts, and operands of a product that has them:
/// a pass over more takes too long for what it gains.
inline constexpr std::size_t most_improved_parts = 8;
inline constexpr int most_improving_passes = 4;
inline constexpr std::size_t most_improved_operands = 5000;
/// Operands that may run as one pass, where that takes no more operations.
inline constexpr std::size_t most_in_one_pass = 8;
/// Elements that a sparse operand is taken to list, of all, while the order of a product is chosen: files are not
/// opened for that.
inline constexpr double assumed_density = 0.01;

// Parts of joins that are nodes of their own (factor/).

/// Points of an EinSum below which its join stays whole: a node more costs some microseconds.
inline constexpr double least_points_of_parts = 1 << 17;
/// How often an element of a part is used at least: a node of its own is written once and read again.
inline constexpr double least_uses_of_a_part = 8;
/// Factors of a product that are sorted by their labels, and operations of a join that is looked at.
inline constexpr std::size_t most_links = 64;
inline constexpr std::int64_t most_searched_operations = 400;

// Gradients (grad/).

/// Operands that one join of a sum reads: more terms are added in several nodes.
inline constexpr std::size_t most_summed_operands = 16;
/// Moves that another one is tried to be joined with.
inline constexpr std::size_t most_joined_moves = 16;

// Algebra programs (tra/).

/// Operations of a join that operators are merged into.
inline constexpr int most_merged_operations = 64;
/// Pieces of a Move; beyond, a lookup does it.
inline constexpr std::size_t most_move_pieces = 64;

}  // namespace ein::graph::tuning
