// The one comparison of the optimizer: predicted time, then bytes, then peak. Each counts only beyond a value up to
// which all are alike, and those values are data: a rule is a set of them, so every rule is a strict weak order.
// Example: up to 1.05 s all are alike. 1.00 s with 8 bytes moved is better than 0.90 s with 9, and than 1.10 s with 7.
#pragma once

#include <cstdint>

namespace ein::planner::optimizer {

/// Simulations err by more than this part of a run's time (scheduler/tuning.hpp says the same for placements).
inline constexpr double simulation_error = 0.05;

/// Predicted times that differ by less than this part are alike to a search for the best plan.
inline constexpr double alike_seconds = 0.0099;

/// Bytes through the busiest rank that are worth a little time, and how many times as few must be moved for it.
inline constexpr std::int64_t much_moved = std::int64_t{16} << 20, much_less = 10;

/// What a schedule is predicted to cost.
struct Cost {
    double seconds = 0;              // of the run; 0: was not simulated
    std::int64_t busiest_bytes = 0;  // the larger of what the busiest rank sends and what the busiest one receives
    std::int64_t bytes = 0;          // sent by all ranks, or loaded by several
    std::int64_t peak = 0;           // bytes of blocks on the rank that holds most
    friend bool operator==(Cost const&, Cost const&) = default;
};

/// Up to these values costs are alike.
struct AlikeUpTo {
    double seconds = 0;
    std::int64_t busiest_bytes = 0, bytes = 0, peak = 0;
    double lean_seconds = 0;      // of those that move no more than `lean_bytes` through their busiest rank
    std::int64_t lean_bytes = 0;  // 0: none are
};

/// Whether time does not count against it.
bool is_as_fast(Cost const& cost, AlikeUpTo const& alike);

/// Whether `a` is to be preferred: less time, else fewer bytes through the busiest rank, else fewer in all, else a
/// lower peak.
/// With neither preferred, the one that was found first stays.
bool better(Cost const& a, Cost const& b, AlikeUpTo const& alike);

/// Plans beside the one that a search has: to be preferred one must move less through its busiest rank and not be
/// slower by more than simulations err. Being faster alone is not enough: then a simulation's error would move bytes.
AlikeUpTo beside(Cost const& incumbent);

/// Of plans of which the fastest takes so long: those that take about as long move fewer bytes, or have a lower peak.
/// About as long is what simulations cannot tell apart, but hardly longer than the fastest plan of a strategy that
/// users can name, if that is known; unless that moves much and they move a tenth of it: links are shared and slower
/// than what cluster files say, and simulations cannot tell the times.
/// Example: 1.00 s is least: up to 1.05 s; up to 1.02 s where a strategy takes 1.01 s. That moves 320 MiB through its
/// busiest rank: up to 1.05 s for those that move 32 MiB.
AlikeUpTo alike_up_to(double least_seconds, Cost const& fastest_named = {});

/// Schedules that fit in memory: the fewest bytes in all. Simulated or not, and however much of the budget they fill.
AlikeUpTo that_fit();

/// Schedules that spill: the least time of all.
AlikeUpTo that_spill();

}  // namespace ein::planner::optimizer
