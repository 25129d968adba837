// Models trained by gradient descent: a step, or a loop of iterations that carries the weights and the last loss.
#include <algorithm>
#include <cmath>

#include "apps/eintool/make/descent.hpp"
#include "apps/eintool/make/graph_kind.hpp"

namespace ein::apps::tool {
namespace {

/// Keeps sums of `terms` products near 1.
double fan_in(Extent terms) { return rounded(1 / std::sqrt(static_cast<double>(terms))); }

/// Source: [T] 5.3. Scores have a sigmoid's cross-entropy, written so that nothing overflows: its derivative is output
/// - Y.
std::string ffnn_step(Request const& request) {
    Extent const features = request.size("FEATURES"), hidden = request.size("HIDDEN");
    Extent const labels = request.size("LABELS"), batch = request.size("BATCH");
    bool const again = request.has("--steps");
    GraphText g = request.graph();
    g.param("eta", 0.1);
    g.normal("X", {batch, features}, 1);
    g.random_integers("Y", {batch, labels}, "u8", 2);
    g.normal("W1", {features, hidden}, fan_in(features));
    g.normal("W2", {hidden, labels}, fan_in(hidden));
    Descent const weights{{{"W1", "feature hidden"}, {"W2", "hidden label"}}};
    auto const step = [&] {
        g.einsum("XW1", "batch feature, feature hidden -> batch hidden", {"X", "W1"});
        g.einsum("hidden", "batch hidden -> batch hidden", {"XW1"}, {{"join", "relu(x)"}});
        g.einsum("scores", "batch hidden, hidden label -> batch label", {"hidden", "W2"});
        if (!again) g.einsum("output", "batch label -> batch label", {"scores"}, {{"join", "sigmoid(x)"}});
        g.einsum("loss", "batch label, batch label ->", {"scores", "Y"},
                 {{"join", "(softplus(x) - x*y)/" + std::to_string(batch)}});
        weights.add_step(g);
    };
    if (again) return g.text(weights.add_loop(g, request.extent("--steps"), step));
    step();
    return g.text({"loss", "output", "W1_next", "W2_next"});
}

std::string linear_regression(Request const& request) {
    Extent const samples = request.size("SAMPLES"), features = request.size("FEATURES");
    double const spread = 1 + std::sqrt(static_cast<double>(features) / static_cast<double>(samples));
    GraphText g = request.graph();
    g.param("eta", rounded(0.4 / (spread * spread)));  // the loss bends by about 2 spread^2 at the most
    g.normal("X", {samples, features}, 1);
    g.normal("y", {samples}, 1);
    g.fill("theta", {features}, 0);
    Descent const weights{{{"theta", "feature"}}};
    return g.text(weights.add_loop(g, request.extent("--iterations"), [&] {
        g.einsum("predicted", "sample feature, feature -> sample", {"X", "theta"});
        g.einsum("residual", "sample, sample -> sample", {"predicted", "y"}, {{"join", "x - y"}});
        g.einsum("loss", "sample ->", {"residual"}, {{"join", "x^2/" + std::to_string(samples)}});
        g.einsum("slope", "sample feature, sample -> feature", {"X", "residual"});
        g.einsum("theta_next", "feature, feature -> feature", {"theta", "slope"},
                 {{"join", "x - eta*2*y/" + std::to_string(samples)}});
    }));
}

std::string network(Request const& request) {
    Extent const samples = request.size("SAMPLES"), features = request.size("FEATURES");
    Extent const hidden = request.size("HIDDEN");
    GraphText g = request.graph();
    g.param("eta", 0.1);
    g.normal("X", {samples, features}, 1);
    g.normal("y", {samples}, 1);
    g.normal("W", {features, hidden}, fan_in(features));
    g.normal("v", {hidden}, fan_in(hidden));
    Descent const weights{{{"W", "feature hidden"}, {"v", "hidden"}}};
    return g.text(weights.add_loop(g, request.extent("--iterations"), [&] {
        g.einsum("XW", "sample feature, feature hidden -> sample hidden", {"X", "W"});
        g.einsum("hidden", "sample hidden -> sample hidden", {"XW"}, {{"join", "tanh(x)"}});
        g.einsum("predicted", "sample hidden, hidden -> sample", {"hidden", "v"});
        g.einsum("loss", "sample, sample ->", {"predicted", "y"}, {{"join", "(x - y)^2/" + std::to_string(samples)}});
        weights.add_step(g);
    }));
}

}  // namespace

std::vector<GraphKind> training_kinds() {
    return {{"ffnn-step",
             "a training step of a classifier: hidden = relu(X W1), output = sigmoid(hidden W2), cross-entropy",
             {{"FEATURES", 256}, {"HIDDEN", 128}, {"LABELS", 20}, {"BATCH", 64}},
             {{.name = "--steps",
               .about = "a loop of N steps on the same batch (default: one step, no loop)",
               .most = iterations_limit}},
             real_dtypes,
             ffnn_step},
            {"linear-regression",
             "least squares by gradient descent",
             {{"SAMPLES", 1000}, {"FEATURES", 100}},
             {iterations_option()},
             real_dtypes,
             linear_regression},
            {"network",
             "a network of one tanh layer, least squares by gradient descent",
             {{"SAMPLES", 1000}, {"FEATURES", 100}, {"HIDDEN", 50}},
             {iterations_option()},
             real_dtypes,
             network}};
}

}  // namespace ein::apps::tool
