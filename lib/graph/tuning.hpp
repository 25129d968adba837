// How far searches over graphs go, in one place: limits of work, chosen and not measured one by one. They change which
// nodes a graph becomes: schedules of before may not come again after one is changed.
// Example: products of up to tuning::most_optimal_operands operands get the order that costs least of all.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ein::graph::tuning {

// Orders of products of many operands (contract/).

/// Operations that take as long as reading or writing an element: a step that moves more than it computes takes as long
/// as memory does. Machines have 20 to 80; less is taken, so that what fits in caches is not paid for.
inline constexpr double word_cost = 4;
/// Operands up to which every order is compared.
inline constexpr std::size_t most_optimal_operands = 10;
/// Other operands that an operand is paired with for one label: a label in very many would make a pair of each two.
inline constexpr std::size_t most_neighbours = 24;
/// Operands of a part of an order that is made optimal, passes over all parts, and operands of a product that has them:
/// a pass over more takes too long for what it gains.
inline constexpr std::size_t most_improved_parts = 8;
inline constexpr int most_improving_passes = 4;
inline constexpr std::size_t most_improved_operands = 5000;
/// Of the work of a search: the part that goes into drawing orders to begin with, and the rounds that annealing is done
/// in. A unit of work is about a nanosecond; a draw takes so many of them an operand.
inline constexpr double drawing_share = 0.25;
inline constexpr int annealing_rounds = 3;
inline constexpr double work_a_draw = 40000;
/// Operands up to which every order is compared where a search may take that long, and units of work of one of the
/// splits of their subsets; operands up to which greedy orders of all are looked at beside those of the rest.
inline constexpr std::size_t most_exact_operands = 16;
inline constexpr double work_a_split = 15;
inline constexpr std::size_t most_plain_operands = 400;
/// Of the operations that an order takes: the part that is worth searching for a better one, in units of work. A
/// fifth: an operation takes a twentieth of a nanosecond to a few of them.
inline constexpr double work_an_operation = 0.2;
/// Units of work of a search without a limit on its time: a few seconds of two cores.
inline constexpr double most_search_work = 12e9;
/// Slices beyond which nobody waits for all of them, and times that an order is searched again between choices.
inline constexpr double most_slices = 1e15;
inline constexpr double most_reorderings = 24;
/// Units of work that go into an order at least where it is sliced: a tenth of a second.
inline constexpr double least_slicing_work = 2e8;
/// Bytes of results on the way that a rank is taken to have room for where nobody says how many.
inline constexpr double assumed_rank_bytes = 16.0 * 1024 * 1024 * 1024;
/// Parts of a rank's memory: what all results on the way may fill, spread over all ranks, before they are sliced, and
/// what a slice may fill on its one rank. The rest is for operands, copies, and results that several ranks have.
inline constexpr double share_unsliced = 0.5, share_of_slice = 0.75;
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
