#include "lib/base/partition.hpp"

namespace ein {

std::vector<std::int64_t> prime_factors(std::int64_t n) {
    std::vector<std::int64_t> factors;
    for (std::int64_t d = 2; d * d <= n; ++d)
        for (; n % d == 0; n /= d) factors.push_back(d);
    if (n > 1) factors.push_back(n);
    return factors;
}

Box block_box(std::span<Extent const> shape, std::span<std::int64_t const> parts, std::span<Extent const> index) {
    Box box{std::vector<Extent>(shape.size()), Shape(shape.size())};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        box.begin[axis] = part_begin(shape[axis], parts[axis], index[axis]);
        box.length[axis] = part_length(shape[axis], parts[axis], index[axis]);
    }
    return box;
}

Box blocks_meeting(std::span<Extent const> shape, std::span<std::int64_t const> parts, Box const& region) {
    Box grid{std::vector<Extent>(shape.size()), Shape(shape.size())};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        std::int64_t const first = part_of(shape[axis], parts[axis], region.begin[axis]);
        std::int64_t const last = part_of(shape[axis], parts[axis], region.end(axis) - 1);
        grid.begin[axis] = first;
        grid.length[axis] = last - first + 1;
    }
    return grid;
}

}  // namespace ein
