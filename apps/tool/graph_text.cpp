#include "apps/tool/graph_text.hpp"

namespace ein::apps::tool {

void GraphText::tensor(std::string const& name, Shape const& shape) { tensors_[name] = {{"shape", shape}}; }

void GraphText::random(std::string const& name, Shape const& shape, double bound) {
    std::size_t const seed = tensors_.size() + 1;
    tensors_[name] = {{"shape", shape},
                      {"data", {{"random", "uniform"}, {"low", -bound}, {"high", bound}, {"seed", seed}}}};
}

void GraphText::einsum(std::string const& name, OrderedJson subscripts, std::vector<std::string> const& inputs,
                       OrderedJson const& more) {
    OrderedJson node{{"name", name}, {"einsum", std::move(subscripts)}, {"inputs", inputs}};
    node.update(more);
    nodes_.push_back(std::move(node));
}

void GraphText::op(std::string const& name, std::string const& op, std::vector<std::string> const& inputs,
                   OrderedJson const& more) {
    OrderedJson node{{"name", name}, {"op", op}, {"inputs", inputs}};
    node.update(more);
    nodes_.push_back(std::move(node));
}

std::string GraphText::text(std::vector<std::string> const& outputs) const {
    std::string out = "{\"eingraph\": 1, \"name\": " + OrderedJson(name_).dump() +
                      ", \"dtype\": " + OrderedJson(dtype_).dump() + ",\n \"tensors\": {";
    std::string separator = "\n";
    for (auto const& [name, tensor] : tensors_.items()) {
        out += separator + "  " + OrderedJson(name).dump() + ": " + tensor.dump();
        separator = ",\n";
    }
    out += "},\n \"nodes\": [";
    separator = "\n";
    for (auto const& node : nodes_) {
        out += separator + "  " + node.dump();
        separator = ",\n";
    }
    return out + "],\n \"outputs\": " + OrderedJson(outputs).dump() + "}\n";
}

}  // namespace ein::apps::tool
