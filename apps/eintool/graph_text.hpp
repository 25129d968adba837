// EinGraph JSON made by programs: tensors and nodes in the order in which they are added, one a line, so that people
// can read it too. Example: GraphText g("chain", "f64"); g.random("A", {4, 4}); g.einsum("AA", "ij,jk->ik", {"A",
// "A"}); g.text({"AA"}).
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lib/base/box.hpp"

namespace ein::apps::tool {

using OrderedJson = nlohmann::ordered_json;

class GraphText {
public:
    GraphText(std::string name, std::string dtype) : name_(std::move(name)), dtype_(std::move(dtype)) {}

    /// Says something to people, under a key that begins with "x-".
    void note(std::string const& key, std::string const& text) { notes_[key] = text; }
    /// A number that joins use by name.
    void param(std::string const& name, double value) { params_[name] = value; }

    /// A tensor without data, to be given with --input; `dtype` empty: the graph's.
    void tensor(std::string const& name, Shape const& shape, std::string const& dtype = "");
    /// A tensor with any data, such as {"npy": FILE}.
    void tensor(std::string const& name, Shape const& shape, std::string const& dtype, OrderedJson data);
    /// Uniform in [-bound, bound), each tensor with a seed of its own.
    void random(std::string const& name, Shape const& shape, double bound = 1);
    /// Uniform in [low, high), each tensor with a seed of its own.
    void uniform(std::string const& name, Shape const& shape, double low, double high);
    /// The same of a sparse tensor that lists a share of its elements.
    void sparse_uniform(std::string const& name, Shape const& shape, double low, double high, double density);
    /// Normal with mean 0, each tensor with a seed of its own.
    void normal(std::string const& name, Shape const& shape, double deviation);
    /// Whole numbers from 0 to below `end`.
    void random_integers(std::string const& name, Shape const& shape, std::string const& dtype, Extent end);
    /// Every element the same; `dtype` empty: the graph's.
    void fill(std::string const& name, Shape const& shape, double value, std::string const& dtype = "");

    /// @param more  other keys of the node, such as {"join": ...}
    void einsum(std::string const& name, OrderedJson subscripts, std::vector<std::string> const& inputs,
                OrderedJson const& more = OrderedJson::object());
    void op(std::string const& name, std::string const& op, std::vector<std::string> const& inputs,
            OrderedJson const& more = OrderedJson::object());
    /// Gradients NAME/W for each W of `wrt`.
    void grad(std::string const& name, std::string const& of, std::vector<std::string> const& wrt);
    /// @param iterations  {"times": 10}, or {"while": "moves", "max": 100}
    /// @param carry  {"W": "W_next"}: W begins as what it is outside
    /// @param body   adds the nodes of an iteration
    void loop(std::string const& name, OrderedJson const& iterations, OrderedJson const& carry,
              std::function<void()> const& body);

    std::string text(std::vector<std::string> const& outputs) const;

private:
    void add_random(std::string const& name, Shape const& shape, std::string const& dtype, OrderedJson data);

    std::string name_, dtype_;
    OrderedJson notes_ = OrderedJson::object(), params_ = OrderedJson::object();
    OrderedJson tensors_ = OrderedJson::object(), nodes_ = OrderedJson::array();
};

}  // namespace ein::apps::tool
