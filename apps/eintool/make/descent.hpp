// Gradient descent in graph texts: weights whose next values are W - eta dloss/dW, for an iteration whose nodes compute
// "loss". Example: Descent{{{"W", "d h"}}}.add_loop(g, 10, [&] { ...; descent.add_step(g); }) carries W ten times; its
// outputs are train/W and train/last_loss.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/eintool/make/graph_kind.hpp"

namespace ein::apps::tool {

/// --iterations N, of kinds that run as many iterations as are given.
Option iterations_option(std::string const& by_default = "10");
/// Of kinds that end by themselves.
Option most_iterations_option(std::string const& by_default);

class Descent {
public:
    struct Weight {
        std::string name, labels;
    };
    explicit Descent(std::vector<Weight> weights) : weights_(std::move(weights)) {}

    /// The gradient g of "loss", and W_next for each W; reads the param "eta".
    void add_step(GraphText& g) const;
    /// A loop "train" around the nodes that `iteration` adds. @return the names of what comes out: each train/W, and
    /// train/last_loss
    std::vector<std::string> add_loop(GraphText& g, Extent iterations, std::function<void()> const& iteration) const;

private:
    std::vector<Weight> weights_;
};

}  // namespace ein::apps::tool
