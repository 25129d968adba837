// The iterations of nested labels, one after the other, and where each lies in two matrices. A label may be cut into
// tiles, with others between its tiles and what is inside them: then a block of iterations is a box of several labels,
// in which each matrix finds what lies side by side in it. Example: labels a of 20 in tiles of 8, b of 50: a's tiles
// (8, 8, 4), then b, then a inside its tile: iteration 401 is a = 8, b = 0, element 1 of the second tile after 400 of
// the first.
#pragma once

#include "executor/device/cpu/gemm/pair_product.hpp"

namespace ein::executor {
namespace {  // each instruction set has its own

/// Iterations of nested labels one after the other, like an odometer.
class Iterations {
public:
    Iterations(PairLabels const& labels, std::ptrdiff_t first) : labels_(labels) {
        std::ptrdiff_t inside = 1;  // iterations of all labels from l on
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
                std::ptrdiff_t const tile = labels.label[label.tile].length * inside, number = first / tile;
                set(l, number < label.length ? number : label.length - 1);
                first -= numbers_[l] * tile;
                inside *= lengths_[label.tile];
            }
        }
    }

    /// How many more the innermost label has, in even steps.
    std::ptrdiff_t run() const { return inner() < 0 ? 1 : lengths_[inner()] - numbers_[inner()]; }
    std::ptrdiff_t at(int side) const { return at_[side]; }
    std::ptrdiff_t step(int side) const { return inner() < 0 ? 0 : labels_.label[inner()].step[side]; }

    /// @param count  at most run()  @return the outermost label that moved on; -1: all are done
    int advance(std::ptrdiff_t count) {
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
    std::ptrdiff_t whole_length(int l) const {
        PairLabel const& label = labels_.label[l];
        if (label.tile >= 0) return (label.length - 1) * labels_.label[label.tile].length + label.last;
        for (int outer = 0; outer < l; ++outer)
            if (labels_.label[outer].tile == l) return 1;
        return label.length;
    }
    void set(int l, std::ptrdiff_t number) {
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
    std::ptrdiff_t at_[2] = {0, 0};
    std::ptrdiff_t numbers_[most_pair_labels], lengths_[most_pair_labels];
};

}  // namespace

}  // namespace ein::executor
