// EinSums over the axes of one tensor, as the macros need them: one label an axis ("axis0", "axis1", ...), some of them
// reduced. Example: shape (4, 3) with axis 1 reduced: all() is (0, 1), kept() is (0); statistics have the kept axes.
#pragma once

#include <algorithm>

#include "lib/graph/einsum.hpp"

namespace ein::graph {

class AxisLabels {
public:
    AxisLabels(Shape const& shape, std::vector<std::size_t> reduced)
        : base_(identity_einsum(shape)), reduced_(std::move(reduced)) {}

    std::vector<int> all() const { return base_.output; }
    std::vector<int> reduced() const { return {reduced_.begin(), reduced_.end()}; }
    std::vector<int> kept() const {
        std::vector<int> labels;
        for (int label : base_.output)
            if (!is_reduced(label)) labels.push_back(label);
        return labels;
    }

    /// How many elements one statistic is of.
    double reduced_elements() const {
        double count = 1;
        for (std::size_t axis : reduced_) count *= static_cast<double>(base_.extents[axis]);
        return count;
    }

    EinSum einsum(std::vector<std::vector<int>> inputs, std::vector<int> output, scalar::Expr join,
                  scalar::Agg agg = scalar::Agg::sum) const {
        return {base_.labels, base_.extents, std::move(inputs), std::move(output), std::move(join), agg};
    }

    /// An EinSum of one statistic (kept axes) without further labels.
    EinSum finish(scalar::Expr join) const;
    /// The EinSum's reduced axes come back as labels of extent 1.
    EinSum keep_dims(EinSum einsum) const;

private:
    bool is_reduced(int label) const {
        return std::find(reduced_.begin(), reduced_.end(), static_cast<std::size_t>(label)) != reduced_.end();
    }

    EinSum base_;
    std::vector<std::size_t> reduced_;
};

}  // namespace ein::graph
