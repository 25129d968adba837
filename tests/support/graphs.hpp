// Small EinGraphs by hand: leaves and nodes in the order in which they are added, inputs by name.
// Example: GraphBuilder g; g.leaf("A", {4, 8}); g.leaf("B", {8, 2}); g.einsum("C", "ij,jk->ik", {"A", "B"});
// g.finish({"C"}).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lib/graph/ein_graph.hpp"
#include "lib/scalar/expression/parse/parse.hpp"

namespace ein::test {

/// "ij,jk->ik" with one letter a label; `sizes` gives extents of labels that no operand has.
inline graph::EinSum einsum(std::string const& subscripts, std::vector<Shape> const& shapes,
                            std::map<char, Extent> const& sizes = {}) {
    graph::EinSum out;
    std::map<char, int> known;
    auto number = [&](char letter, Extent extent) {
        auto const [at, fresh] = known.emplace(letter, static_cast<int>(out.labels.size()));
        if (fresh) {
            out.labels.emplace_back(1, letter);
            out.extents.push_back(extent);
        }
        return at->second;
    };
    std::size_t k = 0;
    out.inputs.emplace_back();
    for (char letter : subscripts.substr(0, subscripts.find('-'))) {
        if (letter != ',')
            out.inputs.back().push_back(number(letter, shapes.at(k).at(out.inputs.back().size())));
        else
            ++k, out.inputs.emplace_back();
    }
    for (char letter : subscripts.substr(subscripts.find('>') + 1))
        out.output.push_back(number(letter, sizes.count(letter) ? sizes.at(letter) : 0));
    out.join = scalar::product(static_cast<int>(out.inputs.size()));
    return out;
}

/// What a node may have beside its subscripts.
struct Extras {
    std::string join = {};  // default: the product
    scalar::Agg agg = scalar::Agg::sum;
    DType dtype = DType::f64;
    std::map<char, Extent> sizes = {};
};

class GraphBuilder {
public:
    ValueId leaf(std::string const& name, Shape shape, DType dtype = DType::f64,
                 tensor::Source source = tensor::MissingSource{}) {
        ValueId const value = add_value(name, std::move(shape), dtype);
        graph_.leaves.push_back({value, std::move(source)});
        return value;
    }

    ValueId einsum(std::string const& name, std::string const& subscripts, std::vector<std::string> const& inputs,
                   Extras const& extras = {}) {
        std::vector<Shape> shapes;
        for (std::string const& input : inputs) shapes.push_back(graph_.value(id(input)).shape);
        graph::EinSum op = test::einsum(subscripts, shapes, extras.sizes);
        if (!extras.join.empty()) {
            std::vector<std::string> params;
            for (auto const& [param, unused] : graph_.params) params.push_back(param);
            op.join = scalar::parse(extras.join, {static_cast<int>(inputs.size()), op.labels, params}).expr;
        }
        op.agg = extras.agg;
        Shape shape = op.output_shape();
        return node(name, std::move(op), inputs, std::move(shape), extras.dtype);
    }

    ValueId node(std::string const& name, std::variant<graph::EinSum, graph::Move, graph::Reshape> op,
                 std::vector<std::string> const& inputs, Shape shape, DType dtype = DType::f64) {
        std::vector<ValueId> ids;
        for (std::string const& input : inputs) ids.push_back(id(input));
        ValueId const value = add_value(name, std::move(shape), dtype);
        graph::Node made;
        made.name = name;
        made.inputs = std::move(ids);
        made.output = value;
        made.op = std::move(op);
        made.loop = loop_;
        graph_.nodes.push_back(std::move(made));
        return value;
    }

    /// Nodes that are added until end_loop are in a loop; loops in it are begun and ended before.
    void begin_loop(std::string const& name, std::int64_t iterations) {
        open_.push_back({{name, -1, iterations, {}, {}}, graph_.nodes.size()});
        loop_ = pending - static_cast<std::int32_t>(open_.size());
    }
    /// @param carries  the value inside, and what the next iteration begins with
    void end_loop(std::map<std::string, std::string> const& carries, std::string const& condition = "") {
        auto [loop, first] = std::move(open_.back());
        for (auto const& [inside, result] : carries) loop.carries.push_back({id(inside), id(result)});
        if (!condition.empty()) loop.condition = id(condition);
        std::int32_t const number = static_cast<std::int32_t>(graph_.loops.size());
        auto const replace = [&](std::int32_t& which) {
            if (which == loop_) which = number;
        };
        for (graph::Node& node : graph_.nodes) replace(node.loop);
        for (graph::Loop& inner : graph_.loops) replace(inner.outer);
        open_.pop_back();
        loop_ = open_.empty() ? -1 : pending - static_cast<std::int32_t>(open_.size());
        loop.outer = loop_;
        graph_.loops.push_back(std::move(loop));
    }

    void param(std::string const& name, double value) { graph_.params[name] = value; }
    DType dtype(std::string const& name) const { return graph_.value(id(name)).dtype; }
    ValueId id(std::string const& name) const { return ids_.at(name); }

    graph::EinGraph finish(std::vector<std::string> const& outputs) {
        for (std::string const& output : outputs) graph_.outputs.push_back(id(output));
        return std::move(graph_);
    }

private:
    ValueId add_value(std::string const& name, Shape shape, DType dtype) {
        ValueId const value{static_cast<std::int32_t>(graph_.values.size())};
        graph_.values.push_back({name, std::move(shape), dtype});
        ids_[name] = value;
        return value;
    }

    static constexpr std::int32_t pending = -1;  // loops that are open are -2, -3, ...
    graph::EinGraph graph_;
    std::map<std::string, ValueId> ids_;
    std::vector<std::pair<graph::Loop, std::size_t>> open_;
    std::int32_t loop_ = -1;
};

/// C[i,k] = sum over j of A[i,j] B[j,k].
inline graph::EinGraph matmul(Extent i, Extent j, Extent k, DType dtype = DType::f64) {
    GraphBuilder g;
    g.leaf("A", {i, j}, dtype);
    g.leaf("B", {j, k}, dtype);
    g.einsum("C", "ij,jk->ik", {"A", "B"}, {.dtype = dtype});
    return g.finish({"C"});
}

}  // namespace ein::test
