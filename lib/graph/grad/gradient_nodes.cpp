#include "lib/graph/grad/gradient_nodes.hpp"

namespace ein::graph::grad {

std::vector<DType> GradientNodes::dtypes(std::vector<ValueId> const& ids) const {
    std::vector<DType> dtypes;
    for (ValueId id : ids) dtypes.push_back(dtype(id));
    return dtypes;
}

ValueId GradientNodes::add(NodeTerm term, std::string value_name, Shape shape, DType dtype) {
    Node node{name_, std::move(term.inputs), ValueId{}, std::move(term.op), {}, {}};
    return graph_.add_node(std::move(node), std::move(value_name), std::move(shape), dtype);
}

ValueId GradientNodes::add_filled(double number, std::string value_name, Shape shape, DType dtype) {
    return graph_.add_leaf(std::move(value_name), std::move(shape), dtype, tensor::FillSource{number, 0});
}

ValueId GradientNodes::stored(Cotangent const& cotangent, ValueId of) {
    if (auto const* id = std::get_if<ValueId>(&cotangent)) return *id;
    Value const like = value(of);
    return add_filled(std::get<double>(cotangent), part(like.name), like.shape, like.dtype);
}

}  // namespace ein::graph::grad
