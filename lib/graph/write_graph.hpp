// Writes EinGraph JSON: what importers and `eintool make` build their graphs with. Adds tensors and nodes one by one
// and gives text with one tensor or node a line, the same every time. Checks nothing: read_graph does. Example:
// GraphWriter w("chain"); w.tensor("A", {4, 3}, uniform_data(1)); w.tensor("B", {3, 5}); w.einsum("C", "ij,jk->ik",
// {"A", "B"});
//          w.output("C"); w.text() is a graph that read_graph accepts.
#pragma once

#include <string>
#include <vector>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/base/json.hpp"

namespace ein::graph {

/// A number, or the "inf", "-inf" or "nan" that stands for it.
Json number_json(double value);

class GraphWriter {
public:
    explicit GraphWriter(std::string name, DType dtype = DType::f32) : name_(std::move(name)), dtype_(dtype) {}

    /// @param data  the tensor's "data" object; null: it must be given when the graph is run
    /// @param more  further keys: {"sparse": true, "fill": 0}
    void tensor(std::string const& name, Shape const& shape, Json const& data = nullptr,
                std::optional<DType> dtype = {}, Json const& more = Json::object());
    void param(std::string const& name, double value) { params_[name] = number_json(value); }
    /// @param subscripts  a string, or an object {"in": [...], "out": [...]}
    /// @param more        further keys: {"join": "x+y", "agg": "max"}
    void einsum(std::string const& name, Json const& subscripts, std::vector<std::string> const& inputs,
                Json const& more = Json::object());
    /// @param attributes  {"axes": [1]}
    void op(std::string const& name, std::string const& op, std::vector<std::string> const& inputs,
            Json const& attributes = Json::object());
    /// Nodes from here on are in the body of a loop, to its end.
    void begin_loop() { nodes_.emplace_back(); }
    /// @param loop  {"times": 10, "carry": {"W": "W_next"}}; its body is what was added
    void end_loop(std::string const& name, Json const& loop);
    void mesh(Json const& axes) { mesh_ = axes; }
    void parts(std::string const& node, Json const& of_labels) { parts_[node] = of_labels; }
    void sharding(std::string const& node, std::string const& text) { sharding_[node] = text; }
    void output(std::string const& name) { outputs_.push_back(name); }

    std::string text() const;

private:
    std::string name_;
    DType dtype_;
    Json params_ = Json::object();
    std::vector<std::pair<std::string, Json>> tensors_;  // in the order they were added
    std::vector<std::vector<std::string>> nodes_{1};     // as text: the graph's, then those of loops that are begun
    Json outputs_ = Json::array();
    Json mesh_ = Json::object(), parts_ = Json::object(), sharding_ = Json::object();
};

/// {"random": "uniform", "low": low, "high": high, "seed": seed}
Json uniform_data(std::uint64_t seed, double low = -1, double high = 1);

}  // namespace ein::graph
