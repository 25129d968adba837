#include "lib/tensor/sparse/random_places.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "lib/base/hash.hpp"
#include "lib/tensor/random.hpp"
#include "lib/tensor/random_numbers.hpp"

namespace ein::tensor {
namespace {

constexpr double listed_in_cell = 512;
constexpr std::uint32_t stream = 2;  // random.hpp has 0 and 1
constexpr int rounds = 6;

double places_in(Shape const& shape, Shape const& cell) {
    double places = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        places *= static_cast<double>(std::min(cell[axis], shape[axis]));
    return places;
}

Shape cell_lengths(Shape const& shape, double density) {
    double const most = std::min(0x1p60, listed_in_cell / density);
    Shape cell(shape.size(), 1);
    while (true) {
        std::size_t shortest = shape.size();
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            if (cell[axis] < shape[axis] && (shortest == shape.size() || cell[axis] <= cell[shortest])) shortest = axis;
        if (shortest == shape.size()) return cell;
        cell[shortest] *= 2;
        if (places_in(shape, cell) <= most) continue;
        cell[shortest] /= 2;
        return cell;
    }
}

}  // namespace

RandomPlaces::RandomPlaces(Shape shape, std::uint64_t seed, double density)
    : shape_(std::move(shape)), cell_(cell_lengths(shape_, density)), seed_(seed), density_(density) {
    for (std::size_t axis = 0; axis < shape_.size(); ++axis)
        grid_.push_back(shape_[axis] / cell_[axis] + (shape_[axis] % cell_[axis] != 0));
}

RandomPlaces::Cell RandomPlaces::cell_at(std::span<Extent const> grid_index) const {
    Cell out;
    out.places = 1;
    std::uint64_t number = 0;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
        number = number * static_cast<std::uint64_t>(grid_[axis]) + static_cast<std::uint64_t>(grid_index[axis]);
        out.box.begin.push_back(grid_index[axis] * cell_[axis]);
        out.box.length.push_back(std::min(cell_[axis], shape_[axis] - out.box.begin[axis]));
        out.places *= static_cast<std::uint64_t>(out.box.length[axis]);
    }
    std::uint64_t low = 0;
    draw(seed_, number, stream, 1, &low, &out.key);
    double const expected = density_ * static_cast<double>(out.places);
    double const whole = std::floor(expected);
    out.listed = static_cast<std::uint64_t>(whole) + (unit(low) < expected - whole ? 1 : 0);
    return out;
}

std::uint64_t RandomPlaces::permuted(std::uint64_t number, Cell const& cell) {
    int const bits = std::bit_width(cell.places - 1), right_bits = bits - bits / 2;
    std::uint64_t const right_mask = (std::uint64_t{1} << right_bits) - 1;
    std::uint64_t const left_mask = (std::uint64_t{1} << (bits / 2)) - 1;
    do {
        std::uint64_t left = number >> right_bits, right = number & right_mask;
        for (int i = 0; i < rounds; i += 2) {
            std::uint64_t const key = cell.key + static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u;
            left ^= mix64(right + key) & left_mask;
            right ^= mix64(left + key + 0x9e3779b97f4a7c15u) & right_mask;
        }
        number = left << right_bits | right;
    } while (number >= cell.places);
    return number;
}

Extent RandomPlaces::count(Box const& box) const {
    Extent total = 0;
    for_each_cell(box, [&](Cell const& cell, bool whole) {
        if (whole)
            total += static_cast<Extent>(cell.listed);
        else
            visit_inside(cell, box, [&](std::vector<Extent> const&) { ++total; });
    });
    return total;
}

}  // namespace ein::tensor
