#include "lib/graph/write_graph.hpp"

#include <cmath>

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
std::string listed(std::vector<std::string> const& lines, std::size_t indent = 4) {
    std::string const start = "\n" + std::string(indent, ' ');
    std::string out;
    for (std::string const& line : lines) {
        if (!out.empty()) out += ',';
        out += start + line;
    }
    return out;
}

/// An object of the graph that has an entry a line; nothing where it has none.
std::string object_text(std::string const& key, Json const& object) {
    if (object.empty()) return "";
    std::vector<std::string> lines;
    for (auto const& [name, value] : object.items()) lines.push_back(compact(Json(name)) + ": " + compact(value));
    return ",\n  \"" + key + "\": {" + listed(lines) + "\n  }";
}

}  // namespace

Json number_json(double value) {
    if (std::isfinite(value)) return value;
    return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

void GraphWriter::tensor(std::string const& name, Shape const& shape, Json const& data, std::optional<DType> dtype,
                         Json const& more) {
    Json tensor{{"shape", shape}};
    tensor.update(more);
    if (!data.is_null()) tensor["data"] = data;
    if (dtype && *dtype != dtype_) tensor["dtype"] = ein::name(*dtype);
    tensors_.emplace_back(name, std::move(tensor));
}

void GraphWriter::einsum(std::string const& name, Json const& subscripts, std::vector<std::string> const& inputs,
                         Json const& more) {
    nodes_.back().push_back(compact(node_of(name, "einsum", subscripts, inputs, more)));
}

void GraphWriter::op(std::string const& name, std::string const& op, std::vector<std::string> const& inputs,
                     Json const& attributes) {
    nodes_.back().push_back(compact(node_of(name, "op", op, inputs, attributes)));
}

void GraphWriter::end_loop(std::string const& name, Json const& loop) {
    std::string const body = listed(nodes_.back(), 2 * nodes_.size() + 2);
    nodes_.pop_back();
    std::string text = "{\"name\":" + compact(Json(name)) + ",\"loop\":{";
    for (auto const& [key, value] : loop.items()) text += compact(Json(key)) + ":" + compact(value) + ",";
    nodes_.back().push_back(text + "\"body\":[" + body + "]}}");
}

std::string GraphWriter::text() const {
    std::vector<std::string> tensors;
    for (auto const& [name, tensor] : tensors_) tensors.push_back(compact(Json(name)) + ": " + compact(tensor));
    std::string text = "{\n  \"eingraph\": 1,\n  \"name\": " + compact(Json(name_)) + ",\n  \"dtype\": \"" +
                       std::string(ein::name(dtype_)) + "\",\n";
    if (!params_.empty()) text += "  \"params\": " + compact(params_) + ",\n";
    text += "  \"tensors\": {" + listed(tensors) + "\n  },\n  \"nodes\": [" + listed(nodes_.front()) +
            "\n  ],\n  \"outputs\": " + compact(outputs_);
    text += object_text("mesh", mesh_) + object_text("parts", parts_) + object_text("sharding", sharding_);
    return text + "\n}\n";
}

Json uniform_data(std::uint64_t seed, double low, double high) {
    return {{"random", "uniform"}, {"low", low}, {"high", high}, {"seed", seed}};
}

}  // namespace ein::graph
