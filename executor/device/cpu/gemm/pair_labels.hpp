// Where so many iterations of nested labels (label_iterations.hpp) lie in two matrices, for pair_loops.cpp and
// pair_lanes.cpp: all, or whole boxes of them.
#pragma once

#include "executor/device/cpu/gemm/label_iterations.hpp"
#include "executor/device/cpu/gemm/pair_product.hpp"
#include "executor/device/cpu/gemm/pair_vectors.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

constexpr Index at_most(Index value, Index limit) { return value < limit ? value : limit; }
constexpr Index parts_of(Index value, Index part) { return (value + part - 1) / part; }

/// Finds where iterations from first on lie in both matrices, in elements: `most` of them or, if labels.group says from
/// where on labels belong together and one such box at least is whole, as many as are whole boxes. @return how many
inline Index find(PairLabels const& labels, Index first, Index most, Index* to, Index* other) {
    Iterations at(labels, first);
    Index count = 0, whole = 0;
    while (count < most) {
        Index const run = at_most(at.run(), most - count), step = at.step(0), other_step = at.step(1);
        Index here = at.at(0), there = at.at(1);
        for (Index i = 0; i < run; ++i, here += step, there += other_step) {
            to[count + i] = here;
            other[count + i] = there;
        }
        count += run;
        int const moved = at.advance(run);
        if (moved < labels.group) whole = count;
        if (moved < 0) break;
    }
    return whole > 0 ? whole : count;
}

/// The next `count` iterations, which there are, and on.
inline void take(Iterations& at, Index count, Index* to, Index* other) {
    for (Index done = 0; done < count;) {
        Index const run = at_most(at.run(), count - done), step = at.step(0), other_step = at.step(1);
        Index here = at.at(0), there = at.at(1);
        for (Index i = done; i < done + run; ++i, here += step, there += other_step) {
            to[i] = here;
            other[i] = there;
        }
        done += run;
        at.advance(run);
    }
}

/// The step between elements, or 0 where there is none that all have.
inline Index even_step(Index const* at, Index count) {
    if (count < 2) return 1;
    Index const step = at[1] - at[0];
    for (Index i = 2; i < count; ++i)
        if (at[i] - at[i - 1] != step) return 0;
    return step;
}

/// Whether two lists are the same but for where they begin.
inline bool differences_are_equal(Index const* x, Index const* y, Index count) {
    Index const moved = y[0] - x[0];
    Index unlike = 0;
    for (Index i = 0; i < count; ++i) unlike |= (y[i] - x[i]) ^ moved;
    return unlike == 0;
}

/// How many elements from each on lie side by side.
inline void find_adjacent(Index const* at, Index count, Index* adjacent) {
    for (Index i = count; i-- > 0;) adjacent[i] = i + 1 < count && at[i + 1] == at[i] + 1 ? adjacent[i + 1] + 1 : 1;
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
