// Ranks as a grid: a mesh whose axes are the prime factors of the number of ranks. Cutting a label over a set of mesh
// axes says not only how finely but also along which ranks, so two nodes that cut a label over the same axes agree
// where its pieces lie. Example: 8 ranks are a 2 x 2 x 2 mesh; i over {0, 2} and k over {1} is the partition vector (4,
// 2). Source: [S] (mesh axes, at most once in a tensor).
#pragma once

#include <cstdint>
#include <vector>

namespace ein::planner {

using AxisSet = std::int64_t;  // bit k: mesh axis k

class Mesh {
public:
    /// The prime factors of `ranks`, largest first; the smallest are multiplied until there are at most `most_axes`.
    explicit Mesh(std::int64_t ranks, std::size_t most_axes = 4);
    /// With these axes, in this order.
    explicit Mesh(std::vector<std::int64_t> sizes);

    std::vector<std::int64_t> const& sizes() const { return sizes_; }
    AxisSet all() const { return (AxisSet{1} << sizes_.size()) - 1; }
    /// Ranks along a set of axes; 1 for none.
    std::int64_t size(AxisSet axes) const { return products_[static_cast<std::size_t>(axes)]; }

private:
    std::vector<std::int64_t> sizes_;
    std::vector<std::int64_t> products_;  // by AxisSet
};

}  // namespace ein::planner
