// Gradients of graph files against central differences of the interpreter.
// Example: check_gradients(graph_json) adds a "grad" node by every tensor that "loss" depends on, and compares each
// element.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "lib/base/json.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/scalar/derivative/pullback.hpp"
#include "lib/tensor/read.hpp"
#include "tests/lib/relation/interpreting.hpp"

namespace ein::test {

/// A graph and its leaves' elements, some of which are changed between evaluations.
class Evaluation {
public:
    explicit Evaluation(Json const& json) : graph_(graph::read_graph(json.dump(), "gradient.json")) {
        for (graph::Leaf const& leaf : graph_.leaves) {
            graph::Value const& value = graph_.value(leaf.value);
            tensor::HostTensor tensor(value.dtype, value.shape);
            tensor::open(leaf.source, value.name, value.dtype, value.shape, "")
                ->read(Box::whole(value.shape), tensor.bytes());
            leaves_.put(value.name, std::move(tensor));
        }
    }

    graph::EinGraph const& graph() const { return graph_; }
    tensor::HostTensor& leaf(std::string const& name) { return leaves_.at(name); }

    tensor::HostTensor operator()(std::string const& output) const {
        relation::Interpreter interpreter(graph_, leaves_.reader(graph_));
        for (ValueId id : graph_.outputs)
            if (graph_.value(id).name == output) return interpreter.whole(id);
        throw std::runtime_error("no output " + output);
    }

    std::complex<double> element(std::string const& output, Extent k = 0) const { return (*this)(output).at(k).number; }

private:
    graph::EinGraph graph_;
    Leaves leaves_;
};

/// The tensors of real and complex numbers that "loss", the only output, is computed from.
inline std::vector<std::string> float_leaves(graph::EinGraph const& graph) {
    std::vector<std::string> names;
    for (graph::Leaf const& leaf : graph.leaves) {
        graph::Value const& value = graph.value(leaf.value);
        if (scalar::is_differentiable(value.dtype) && element_count(value.shape) > 0) names.push_back(value.name);
    }
    return names;
}

/// dL/dRe + i dL/dIm of one element, or nothing where two steps disagree: there is a corner between them, or too steep
/// a curve.
inline std::optional<std::complex<double>> difference(Evaluation& loss, std::string const& leaf, Extent k) {
    tensor::HostTensor& tensor = loss.leaf(leaf);
    scalar::Scalar const here = tensor.at(k);
    auto slope = [&](std::complex<double> step) {
        tensor.set(k, scalar::Scalar::of(here.number + step));
        double const more = loss.element("loss").real();
        tensor.set(k, scalar::Scalar::of(here.number - step));
        double const less = loss.element("loss").real();
        tensor.set(k, here);
        return (more - less) / (2 * std::abs(step));
    };
    auto along = [&](std::complex<double> way) -> std::optional<double> {
        double const coarse = slope(2e-5 * way), fine = slope(1e-5 * way);
        if (!(std::abs(coarse - fine) <= 1e-6 * (1 + std::abs(fine)))) return std::nullopt;
        return (4 * fine - coarse) / 3;
    };
    auto const re = along(1.0), im = is_complex(tensor.dtype()) ? along({0, 1}) : 0.0;
    return re && im ? std::optional(std::complex<double>(*re, *im)) : std::nullopt;
}

struct Checked {
    int elements = 0, skipped = 0;
};

/// @param most  elements of each tensor that are compared
inline Checked check_gradients(Json graph, double tolerance = 1e-6, Extent most = 12) {
    graph["outputs"] = {"loss"};
    Evaluation loss(graph);
    Checked checked;
    std::vector<std::string> const leaves = float_leaves(loss.graph());
    if (leaves.empty() || !std::isfinite(loss.element("loss").real())) return checked;
    graph["nodes"].push_back({{"name", "g"}, {"grad", {{"of", "loss"}, {"wrt", leaves}}}});
    graph["outputs"] = Json::array();
    for (std::string const& leaf : leaves) graph["outputs"].push_back("g/" + leaf);
    Evaluation const gradients(graph);
    for (std::string const& leaf : leaves) {
        tensor::HostTensor const found = gradients("g/" + leaf);
        CAPTURE(leaf);
        REQUIRE(found.shape() == loss.leaf(leaf).shape());
        REQUIRE(found.dtype() == loss.leaf(leaf).dtype());
        for (Extent k = 0; k < std::min(found.elements(), most); ++k) {
            auto const expected = difference(loss, leaf, k);
            ++(expected ? checked.elements : checked.skipped);
            if (!expected) continue;
            CAPTURE(k, found.at(k).number, *expected);
            double const noise = 3e-10 * std::abs(loss.element("loss"));
            CHECK(std::abs(found.at(k).number - *expected) <= tolerance * (1 + std::abs(*expected)) + noise);
        }
    }
    return checked;
}

}  // namespace ein::test
