#include "apps/eintool/graph_text.hpp"

#include <cmath>
#include <utility>

namespace ein::apps::tool {
namespace {

/// On one line, with a space after each ':' and ','.
std::string line(OrderedJson const& json) {
    if (!json.is_structured()) return json.dump();
    std::string out, separator;
    for (auto const& [key, value] : json.items()) {
        out += separator + (json.is_object() ? OrderedJson(key).dump() + ": " : "") + line(value);
        separator = ", ";
    }
    return json.is_object() ? "{" + out + "}" : "[" + out + "]";
}

/// A node a line; a loop's body stands below it, further in.
std::string lines(OrderedJson const& nodes, std::string const& margin) {
    std::string out, separator = "\n";
    for (OrderedJson const& node : nodes) {
        out += separator + margin;
        separator = ",\n";
        if (!node.contains("loop")) {
            out += line(node);
            continue;
        }
        OrderedJson head = node;
        head["loop"].erase("body");
        std::string text = line(head);
        text.resize(text.size() - 2);  // without "}}"
        out += text + ", \"body\": [" + lines(node["loop"]["body"], margin + "  ") + "]}}";
    }
    return out;
}

/// Whole numbers without ".0".
OrderedJson number(double value) {
    if (std::trunc(value) == value && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
    return value;
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

void GraphText::add_random(std::string const& name, Shape const& shape, std::string const& dtype, OrderedJson data) {
    data["seed"] = tensors_.size() + 1;
    OrderedJson tensor = {{"shape", shape}};
    if (!dtype.empty()) tensor["dtype"] = dtype;
    tensor["data"] = std::move(data);
    tensors_[name] = std::move(tensor);
}

void GraphText::random(std::string const& name, Shape const& shape, double bound) {
    uniform(name, shape, -bound, bound);
}

void GraphText::uniform(std::string const& name, Shape const& shape, double low, double high) {
    add_random(name, shape, "", {{"random", "uniform"}, {"low", number(low)}, {"high", number(high)}});
}

void GraphText::sparse_uniform(std::string const& name, Shape const& shape, double low, double high, double density) {
    add_random(name, shape, "",
               {{"random", "uniform"}, {"low", number(low)}, {"high", number(high)}, {"density", number(density)}});
    tensors_[name]["sparse"] = true;
}

void GraphText::normal(std::string const& name, Shape const& shape, double deviation) {
    add_random(name, shape, "", {{"random", "normal"}, {"mean", 0}, {"std", number(deviation)}});
}

void GraphText::random_integers(std::string const& name, Shape const& shape, std::string const& dtype, Extent end) {
    add_random(name, shape, dtype, {{"random", "uniform"}, {"low", 0}, {"high", end}});
}

void GraphText::fill(std::string const& name, Shape const& shape, double value, std::string const& dtype) {
    tensor(name, shape, dtype, {{"fill", number(value)}});
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

void GraphText::grad(std::string const& name, std::string const& of, std::vector<std::string> const& wrt) {
    nodes_.push_back({{"name", name}, {"grad", {{"of", of}, {"wrt", wrt}}}});
}

void GraphText::loop(std::string const& name, OrderedJson const& iterations, OrderedJson const& carry,
                     std::function<void()> const& body) {
    OrderedJson around = std::exchange(nodes_, OrderedJson::array());
    body();
    OrderedJson loop = iterations;
    loop["carry"] = carry;
    loop["body"] = std::exchange(nodes_, std::move(around));
    nodes_.push_back({{"name", name}, {"loop", std::move(loop)}});
}

std::string GraphText::text(std::vector<std::string> const& outputs) const {
    std::string out = "{\"eingraph\": 1, \"name\": " + OrderedJson(name_).dump() +
                      ", \"dtype\": " + OrderedJson(dtype_).dump() + ",\n";
    for (auto const& [key, text] : notes_.items())
        out += " " + OrderedJson("x-" + key).dump() + ": " + text.dump() + ",\n";
    if (!params_.empty()) out += " \"params\": " + line(params_) + ",\n";
    out += " \"tensors\": {";
    std::string separator = "\n";
    for (auto const& [name, tensor] : tensors_.items()) {
        out += separator + "  " + OrderedJson(name).dump() + ": " + line(tensor);
        separator = ",\n";
    }
    return out + "},\n \"nodes\": [" + lines(nodes_, "  ") + "],\n \"outputs\": " + line(outputs) + "}\n";
}

}  // namespace ein::apps::tool
