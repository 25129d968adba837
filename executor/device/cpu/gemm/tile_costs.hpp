// Seconds that the ways to compute a batch of products in tiles take, roughly: they only rank them. Example: of 16 x 16
// matrices whose columns lie side by side the least is to multiply them one by one.
#pragma once

#include <vector>

#include "executor/device/kernel/gemm_plan.hpp"

namespace ein::executor {

/// The labels of one way, innermost last.
struct Directions {
    std::vector<Run> rows, columns, terms, batch;

    /// A packed side's runs from the innermost out.
    std::vector<Run*> innermost_first(std::size_t side) {
        std::vector<Run*> order;
        auto const add = [&](std::vector<Run>& runs) {
            for (auto run = runs.rbegin(); run != runs.rend(); ++run) order.push_back(&*run);
        };
        add(side == GemmPlan::a ? terms : columns);
        add(side == GemmPlan::b ? terms : rows);
        add(batch);
        return order;
    }
};

inline Extent length_of(std::vector<Run> const& runs) { return GemmPlan::iterations(GemmPlan::loops_of(runs)); }
inline bool adjacent(std::vector<Run> const& runs, std::size_t side) {
    return runs.empty() || runs.back().strides[side] == 1;
}

/// How many iterations lie side by side in a side, one after the other.
Extent run_length(std::vector<Run> const& runs, std::size_t side);

struct BatchChoice {
    GemmPlan::Batch batch = GemmPlan::Batch::calls;
    double seconds = 0;  // of one thread
};
/// The way with the least seconds.
BatchChoice choose_batch(Directions const& way, PairProduct const& product, DType type);
/// Whether products of a batch may be multiplied one by one (pair_small.hpp).
bool are_small(Directions const& way, PairProduct const& product, DType type);
/// Of loops in place of products.
double seconds_in_loops(Nest const& nest);

}  // namespace ein::executor
