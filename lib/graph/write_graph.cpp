#include "lib/graph/write_graph.hpp"

namespace ein::graph {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Names of another encoding must not end the program: bytes that are no UTF-8 become U+FFFD.
template <class AnyJson>
std::string compact(AnyJson const& json) {
    return json.dump(-1, ' ', false, AnyJson::error_handler_t::replace);
}

OrderedJson node_of(std::string const& name, std::string const& key, Json const& value,
                    std::vector<std::string> const& inputs, Json const& more) {
    OrderedJson node;
    node["name"] = name;
    node[key] = value;
    node["inputs"] = inputs;
    for (auto const& [attribute, written] : more.items()) node[attribute] = written;
    return node;
}

/// Lines joined by ",\n".
std::string listed(std::vector<std::string> const& lines) {
    std::string out;
    for (std::string const& line : lines) out += (out.empty() ? "\n    " : ",\n    ") + line;
    return out;
}

}  // namespace

void GraphWriter::tensor(std::string const& name, Shape const& shape, Json const& data, std::optional<DType> dtype) {
    Json tensor{{"shape", shape}};
    if (!data.is_null()) tensor["data"] = data;
    if (dtype && *dtype != dtype_) tensor["dtype"] = ein::name(*dtype);
    tensors_.emplace_back(name, std::move(tensor));
}

void GraphWriter::einsum(std::string const& name, Json const& subscripts, std::vector<std::string> const& inputs,
                         Json const& more) {
    nodes_.push_back(node_of(name, "einsum", subscripts, inputs, more));
}

void GraphWriter::op(std::string const& name, std::string const& op, std::vector<std::string> const& inputs,
                     Json const& attributes) {
    nodes_.push_back(node_of(name, "op", op, inputs, attributes));
}

std::string GraphWriter::text() const {
    std::vector<std::string> tensors, nodes;
    for (auto const& [name, tensor] : tensors_) tensors.push_back(compact(Json(name)) + ": " + compact(tensor));
    for (OrderedJson const& node : nodes_) nodes.push_back(compact(node));
    std::string text = "{\n  \"eingraph\": 1,\n  \"name\": " + compact(Json(name_)) + ",\n  \"dtype\": \"" +
                       std::string(ein::name(dtype_)) + "\",\n";
    if (!params_.empty()) text += "  \"params\": " + compact(params_) + ",\n";
    text += "  \"tensors\": {" + listed(tensors) + "\n  },\n  \"nodes\": [" + listed(nodes) + "\n  ],\n";
    return text + "  \"outputs\": " + compact(outputs_) + "\n}\n";
}

Json uniform_data(std::uint64_t seed, double low, double high) {
    return {{"random", "uniform"}, {"low", low}, {"high", high}, {"seed", seed}};
}

}  // namespace ein::graph
