#include "lib/graph/ops/axis_labels.hpp"

namespace ein::graph {

EinSum AxisLabels::keep_dims(EinSum einsum) const {
    einsum.output.clear();
    for (int label : base_.output) {
        if (!is_reduced(label)) {
            einsum.output.push_back(label);
            continue;
        }
        einsum.output.push_back(static_cast<int>(einsum.labels.size()));
        einsum.labels.push_back("kept" + std::to_string(label));
        einsum.extents.push_back(1);
    }
    return einsum;
}

EinSum AxisLabels::finish(scalar::Expr join) const {
    EinSum einsum;
    for (int label : kept()) {
        einsum.labels.push_back(base_.labels[static_cast<std::size_t>(label)]);
        einsum.extents.push_back(base_.extents[static_cast<std::size_t>(label)]);
    }
    einsum.join = std::move(join);
    for (std::size_t k = 0; k < einsum.labels.size(); ++k) einsum.output.push_back(static_cast<int>(k));
    einsum.inputs = {einsum.output};
    return einsum;
}

}  // namespace ein::graph
