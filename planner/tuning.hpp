// How far the planner's searches go: limits of work and memory, in one place. They were chosen, not measured one by
// one; how long planning takes with them is in docs/performance.md. They change decisions: a plan of before may not
// come again after one is changed.
// Example: of a value that a thousand nodes read, residency costs look at tuning::most_readers of them and one more.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ein::planner::tuning {

// Searches around a plan.

/// Readers of one value that are looked at: of a table or a constant that thousands read, looking at all of them for
/// each would be quadratic.
inline constexpr std::size_t most_readers = 64;
/// Sweeps over all nodes, if each still finds something.
inline constexpr int most_sweeps = 8;
/// Axes of a mesh: beyond so many there are too many ways to give them to labels.
inline constexpr std::size_t most_mesh_axes = 4;
/// Kernel calls of a graph, beyond which it is not scheduled once for every plan.
inline constexpr double most_calls = 3e4;
/// Nodes of a graph, beyond which a local search takes too long; the dynamic programs are linear.
inline constexpr std::size_t most_searched = 20000;

// Alternatives of a plan, and its variations (alternatives.hpp).

/// How many times as dear a repartition is for the plan that avoids them.
inline constexpr double dear_repartition = 1e3;
/// Work of the exact search for an alternative: some hundredths of a second.
inline constexpr double exact_work_of_alternatives = 1e7;
/// Joins that a call of uneven columns evaluates, at least, for an alternative: it is only scheduled, not taken unseen.
inline constexpr double column_work_of_alternatives = 1 << 20;
/// What the busiest rank may compute beside the mean where some ranks are left idle for a better grid.
inline constexpr double little_imbalance = 1.03;
/// Numbers of kernel calls beside the number of ranks that plans are made for, where that has an awkward factor: 3 % of
/// 4093 ranks are 119. Chosen.
inline constexpr std::size_t most_near_numbers = 4;
/// Cells that shared boxes are made of, at most: each is a kernel call until those of a rank are put together.
inline constexpr double most_cells_of_boxes = 2e4;
/// Ranks that share a box, at most; boxes of one more are among them.
inline constexpr std::int64_t most_sharers_of_a_box = 4;
/// Ranks, beyond which there are no shared boxes: planning them took 10 s of processor time at 127 ranks (measured),
/// and 0.5 s at 61.
inline constexpr std::int64_t most_ranks_in_boxes = 64;
/// Candidates of a node that a local search looks at by the model, and those of them that it schedules.
inline constexpr std::size_t most_varied_candidates = 256, most_variations_of_a_node = 4;

// The cut by weight. Ratios of listed elements.

/// The busiest rank beside the mean, up to which an even cut is left as it is.
inline constexpr double uneven_listed = 1.1;
/// How much less uneven a cut by weight must be.
inline constexpr double worth_weighing = 0.05;
/// Cells that a label is cut in for each rank: boundaries lie between cells.
inline constexpr std::int64_t cells_of_a_rank = 512;
/// How far a boundary may be off, of a rank's share: two of them keep the busiest rank below 1.06 times the mean.
inline constexpr double boundary_error = 0.03;
/// Prefixes that are counted to find one boundary; each may be a pass over a file that is in no order.
inline constexpr int most_counts_of_a_boundary = 16;

// The exact search. Work is counted in costs that are added up.

/// Work where no time is given: a few seconds, and the same plan on every machine.
inline constexpr double exact_work = 1e9;
/// Work a second, to know from a time what may still be done: an estimate.
inline constexpr double work_a_second = 2e8;
/// Work of finding a row of states, compared with adding up costs.
inline constexpr std::size_t work_of_offer = 40;
/// Entries of all tables of edges together: 400 MB.
inline constexpr double most_entries = 5e7;
/// States remembered to find the way back, of 8 bytes each: 160 MB.
inline constexpr std::size_t most_records = 20'000'000;
/// States that are kept when the budget is spent, to come to an end.
inline constexpr std::size_t fewest_states = 64;
/// States of a frontier in the first pass, which is repeated with more of them, and in the last.
inline constexpr std::size_t first_states = 1 << 10, most_states = 1 << 20;
/// Sweeps of the bound that is improved by shifting costs, in all and before a look at what they brought.
inline constexpr int bound_sweeps = 1000, sweeps_a_round = 4;
/// Costs that differ by this part are equal: what adding up in another order changes.
inline constexpr double rounding = 1e-12;

}  // namespace ein::planner::tuning
