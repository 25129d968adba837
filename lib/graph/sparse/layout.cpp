#include "lib/graph/sparse/layout.hpp"

#include <algorithm>
#include <numeric>

namespace ein::graph {

tensor::SparseLayout preferred_layout(EinSum const& einsum, std::size_t operand) {
    std::vector<int> const& labels = einsum.inputs[operand];
    auto const place = [&](int axis) {
        return std::find(einsum.output.begin(), einsum.output.end(), labels[static_cast<std::size_t>(axis)]) -
               einsum.output.begin();
    };
    tensor::SparseLayout out{std::vector<int>(labels.size()), !labels.empty()};
    std::iota(out.axes.begin(), out.axes.end(), 0);
    std::stable_sort(out.axes.begin(), out.axes.end(), [&](int a, int b) { return place(a) < place(b); });
    return out;
}

}  // namespace ein::graph
