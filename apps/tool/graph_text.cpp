#include "apps/tool/graph_text.hpp"

#include <utility>

namespace ein::apps::tool {

namespace {

/// A node a line, and those of a loop's body indented below it.
std::string lines(OrderedJson const& nodes, std::string const& indent) {
    std::string out, separator = "\n";
    for (auto const& node : nodes) {
        out += separator + indent;
        if (!node.contains("loop")) {
            out += node.dump();
        } else {
            OrderedJson loop = node["loop"];
            loop.erase("body");
            std::string const head = loop.dump();
            out += "{\"name\":" + node["name"].dump() + ",\"loop\":" + head.substr(0, head.size() - 1) + ",\"body\":[" +
                   lines(node["loop"]["body"], indent + "  ") + "]}}";
        }
        separator = ",\n";
    }
    return out;
}

}  // namespace

void GraphText::tensor(std::string const& name, Shape const& shape, std::string const& dtype) {
    tensors_[name] = {{"shape", shape}};
    if (!dtype.empty()) tensors_[name]["dtype"] = dtype;
}

void GraphText::tensor(std::string const& name, Shape const& shape, std::string const& dtype, OrderedJson data) {
    tensor(name, shape, dtype);
    tensors_[name]["data"] = std::move(data);
}

void GraphText::random(std::string const& name, Shape const& shape, double bound) {
    std::size_t const seed = tensors_.size() + 1;
    tensors_[name] = {{"shape", shape},
                      {"data", {{"random", "uniform"}, {"low", -bound}, {"high", bound}, {"seed", seed}}}};
}

void GraphText::normal(std::string const& name, Shape const& shape, double deviation) {
    std::size_t const seed = tensors_.size() + 1;
    tensors_[name] = {{"shape", shape},
                      {"data", {{"random", "normal"}, {"mean", 0}, {"std", deviation}, {"seed", seed}}}};
}

void GraphText::random_integers(std::string const& name, Shape const& shape, std::string const& dtype, Extent end) {
    std::size_t const seed = tensors_.size() + 1;
    tensors_[name] = {{"shape", shape},
                      {"dtype", dtype},
                      {"data", {{"random", "uniform"}, {"low", 0}, {"high", end}, {"seed", seed}}}};
}

void GraphText::fill(std::string const& name, Shape const& shape, double value, std::string const& dtype) {
    tensor(name, shape, dtype, {{"fill", value}});
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

void GraphText::loop(std::string const& name, OrderedJson turns, std::function<OrderedJson()> const& body) {
    OrderedJson outside = std::exchange(nodes_, OrderedJson::array());
    turns["carry"] = body();
    turns["body"] = std::exchange(nodes_, std::move(outside));
    nodes_.push_back({{"name", name}, {"loop", std::move(turns)}});
}

std::string GraphText::text(std::vector<std::string> const& outputs) const {
    std::string out = "{\"eingraph\": 1, \"name\": " + OrderedJson(name_).dump() +
                      ", \"dtype\": " + OrderedJson(dtype_).dump() + ",\n \"tensors\": {";
    std::string separator = "\n";
    for (auto const& [name, tensor] : tensors_.items()) {
        out += separator + "  " + OrderedJson(name).dump() + ": " + tensor.dump();
        separator = ",\n";
    }
    out += "},\n \"nodes\": [" + lines(nodes_, "  ");
    return out + "],\n \"outputs\": " + OrderedJson(outputs).dump() + "}\n";
}

}  // namespace ein::apps::tool
