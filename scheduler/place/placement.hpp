// Which rank makes each kernel call of a node. A placer sees where the calls' operands lie and returns a rank for each
// call; all keep the calls balanced: no rank gets more than ceil(calls / ranks). Example: pattern places 4 calls on 2
// ranks as 0, 0, 1, 1; round-robin as 0, 1, 0, 1. Source: [P] section 5, on a grid that uses all ranks (not floor(sqrt
// p) squared of them).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/base/ids.hpp"

namespace ein::scheduler {

struct Held {
    Rank rank;
    double bytes = 0;
};

/// The calls of a node in C order over its output labels, then its aggregated labels.
struct PlaceQuery {
    int ranks = 1;
    std::vector<std::vector<Held>> held;  // for each call, ranks that hold parts of its operands (each rank once)
};

using Placer = std::function<std::vector<Rank>(PlaceQuery const&)>;

/// Whether there are so few calls that greedy finds the placement that leaves the most bytes where they are.
bool is_placed_exactly(PlaceQuery const& query);

/// Bytes that calls find on their ranks.
double bytes_in_place(PlaceQuery const& query, std::vector<Rank> const& ranks);

/// Names of placers, "best" first: it is not a placer but the choice among the others (see scheduler.hpp). "ia" looks
/// at the whole plan (ia/place_plan.hpp); as a placer of single nodes it is greedy.
std::vector<std::string> const& placer_names();

/// @throws UsageError for an unknown name, with the nearest
Placer placer(std::string const& name);

}  // namespace ein::scheduler
