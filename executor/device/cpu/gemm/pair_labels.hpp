// Where the iterations of nested labels lie, for pair_loops.cpp and pair_lanes.cpp. A label may be cut into tiles, with
// others between its tiles and what is inside them: then a block of iterations is a box of several labels, in which
// each of two matrices finds what lies side by side in it. Example: labels a of 20 in tiles of 8, b of 50: a's tiles
// (8, 8, 4), then b, then a inside its tile: iteration 401 is a = 8, b = 0, element 1 of the second tile after 400 of
// the first.
#pragma once

#include "executor/device/cpu/gemm/pair_product.hpp"
#include "executor/device/cpu/gemm/pair_vectors.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

constexpr Index at_most(Index value, Index limit) { return value < limit ? value : limit; }
constexpr Index parts_of(Index value, Index part) { return (value + part - 1) / part; }

/// Iterations of nested labels one after the other, like an odometer.
class Iterations {
public:
    Iterations(PairLabels const& labels, Index first) : labels_(labels) {
        Index inside = 1;  // iterations of all labels from l on
        for (int l = 0; l < labels.labels; ++l) {
            lengths_[l] = labels.label[l].length;
            numbers_[l] = 0;
        }
        for (int l = 0; l < labels.labels; ++l) inside *= whole_length(l);
        for (int l = 0; l < labels.labels; ++l) {
            PairLabel const& label = labels.label[l];
            if (label.tile < 0) {
                inside /= lengths_[l];
                set(l, first / inside);
                first %= inside;
            } else {
                inside /= whole_length(l);
                Index const tile = labels.label[label.tile].length * inside, number = first / tile;
                set(l, number < label.length ? number : label.length - 1);
                first -= numbers_[l] * tile;
                inside *= lengths_[label.tile];
            }
        }
    }

    /// How many more the innermost label has, in even steps.
    Index run() const { return inner() < 0 ? 1 : lengths_[inner()] - numbers_[inner()]; }
    Index at(int side) const { return at_[side]; }
    Index step(int side) const { return inner() < 0 ? 0 : labels_.label[inner()].step[side]; }

    /// @param count  at most run()  @return the outermost label that moved on; -1: all are done
    int advance(Index count) {
        int l = inner();
        if (l < 0) return -1;
        numbers_[l] += count;
        for (int side = 0; side < 2; ++side) at_[side] += count * labels_.label[l].step[side];
        while (numbers_[l] == lengths_[l]) {
            for (int side = 0; side < 2; ++side) at_[side] -= numbers_[l] * labels_.label[l].step[side];
            numbers_[l] = 0;
            cut_tile(l);
            if (--l < 0) return -1;
            ++numbers_[l];
            for (int side = 0; side < 2; ++side) at_[side] += labels_.label[l].step[side];
            cut_tile(l);
        }
        return l;
    }

private:
    int inner() const { return labels_.labels - 1; }
    /// Of a label and its tiles together, where its tiles are; 1 where it is inside them.
    Index whole_length(int l) const {
        PairLabel const& label = labels_.label[l];
        if (label.tile >= 0) return (label.length - 1) * labels_.label[label.tile].length + label.last;
        for (int outer = 0; outer < l; ++outer)
            if (labels_.label[outer].tile == l) return 1;
        return label.length;
    }
    void set(int l, Index number) {
        numbers_[l] = number;
        for (int side = 0; side < 2; ++side) at_[side] += number * labels_.label[l].step[side];
        cut_tile(l);
    }
    void cut_tile(int l) {
        PairLabel const& label = labels_.label[l];
        if (label.tile < 0) return;
        lengths_[label.tile] = numbers_[l] + 1 < label.length ? labels_.label[label.tile].length : label.last;
    }

    PairLabels const& labels_;
    Index at_[2] = {0, 0};
    Index numbers_[most_pair_labels], lengths_[most_pair_labels];
};

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
