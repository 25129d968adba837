// Which places of a random tensor with a density are listed: it depends on the seed, the shape and the density alone,
// and any box is found without the rest. Element values are those of random.hpp, by place. Any program can reproduce
// the set:
//
//   cells      boxes of one length along each axis, the last ones cut off at the shape. Lengths begin at 1. The
//              shortest length that is below its extent (of equal ones that of the last axis) is doubled as long as the
//              product of min(length, extent) over all axes, after it, is at most 512 / density (at most 2^60)
//   c, v       the number of a cell in C order of the grid, modulo 2^64; how many places it has
//   w0..w3     philox(c mod 2^32, c div 2^32, 2, 0) of random.hpp
//   count      n = floor(x) where x = density v in f64, and one more where unit < x - n, for
//              unit = ((w0 + 2^32 w1) div 2^11) / 2^53
//   places     k = 0 .. n - 1 are sent through a permutation of the numbers below v, which count the cell's places in C
//              order: a Feistel network on b = bits of v - 1, applied again as long as its result is v or more.
//              It has a right half of r = b - b div 2 bits (the lower ones) and a left half of b div 2; in rounds
//              i = 0 to 5, key = w2 + 2^32 w3, the left half (even i) or the right half (odd i) becomes itself xor the
//              lowest bits of mix64(other half + key + i 9e3779b97f4a7c15h), where mix64 is SplitMix64's finaliser
//
// With density 1 every place is listed, with 0 none. No place is listed twice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lib/base/box.hpp"

namespace ein::tensor {

class RandomPlaces {
public:
    RandomPlaces(Shape shape, std::uint64_t seed, double density);

    /// Exactly: cells that the box holds whole are not looked into.
    Extent count(Box const& box) const;
    /// Calls visit(index) for each listed place of the box.
    template <class Visit>
    void visit(Box const& box, Visit&& visit) const {
        for_each_cell(box, [&](Cell const& cell, bool) { visit_inside(cell, box, visit); });
    }

private:
    struct Cell {
        Box box;
        std::uint64_t places = 0, listed = 0, key = 0;
    };
    template <class Visit>
    void for_each_cell(Box const& box, Visit&& visit) const;
    template <class Visit>
    void visit_inside(Cell const& cell, Box const& box, Visit&& visit) const;
    Cell cell_at(std::span<Extent const> grid_index) const;
    static std::uint64_t permuted(std::uint64_t number, Cell const& cell);

    Shape shape_, cell_, grid_;
    std::uint64_t seed_;
    double density_;
};

template <class Visit>
void RandomPlaces::for_each_cell(Box const& box, Visit&& visit) const {
    if (density_ == 0) return;
    Box cells{std::vector<Extent>(shape_.size()), Shape(shape_.size())};
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
        if (box.length[axis] == 0) return;
        cells.begin[axis] = box.begin[axis] / cell_[axis];
        cells.length[axis] = (box.end(axis) - 1) / cell_[axis] + 1 - cells.begin[axis];
    }
    std::vector<Extent> at(shape_.size());
    for_each_index(cells.length, [&](std::vector<Extent> const& index) {
        for (std::size_t axis = 0; axis < at.size(); ++axis) at[axis] = cells.begin[axis] + index[axis];
        Cell const cell = cell_at(at);
        visit(cell, box.contains(cell.box));
    });
}

template <class Visit>
void RandomPlaces::visit_inside(Cell const& cell, Box const& box, Visit&& visit) const {
    std::vector<Extent> index(shape_.size());
    for (std::uint64_t k = 0; k < cell.listed; ++k) {
        auto rest = static_cast<Extent>(permuted(k, cell));
        bool inside = true;
        for (std::size_t axis = shape_.size(); axis-- > 0;) {
            index[axis] = cell.box.begin[axis] + rest % cell.box.length[axis];
            rest /= cell.box.length[axis];
            inside = inside && index[axis] >= box.begin[axis] && index[axis] < box.end(axis);
        }
        if (inside) visit(static_cast<std::vector<Extent> const&>(index));
    }
}

}  // namespace ein::tensor
