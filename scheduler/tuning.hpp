// How far the scheduler's searches go, in one place: limits of work, chosen and not measured one by one; how long
// planning takes with them is in docs/performance.md. They change decisions: a schedule of before may not come again
// after one is changed. What lowering and moving decide by is beside what decides (lower/, move/, order/).
// Example: a graph of more than tuning::most_searched nodes is not searched by the implementation algebra unless it is
// asked for.
#pragma once

#include <cstddef>

namespace ein::scheduler::tuning {

/// Kernel calls of a plan, beyond which they are placed once, not once by every placer.
inline constexpr double most_calls = 3e4;
/// Nodes of a graph that the implementation algebra searches without being asked: searches take longer than placing.
inline constexpr std::size_t most_searched = 100;
/// Simulated times that differ by this part are alike: simulations err by more.
inline constexpr double alike_makespans = 0.05;
/// Work (calls * calls * ranks * room) up to which calls are assigned exactly.
inline constexpr std::size_t most_assigned = std::size_t{1} << 19;

// The implementation algebra (ia/).

/// States of the quick search, which bounds the whole one.
inline constexpr std::size_t quick_states = 200;
/// Partitions of one relation that somebody wants and the search offers.
inline constexpr std::size_t most_wanted = 8;
/// Operands of a node that the algebra takes.
inline constexpr std::size_t most_operands = 4;
/// Elements of an array between the joins of one node of three operands or more: only counted, never made.
inline constexpr double most_elements = 1e12;

}  // namespace ein::scheduler::tuning
