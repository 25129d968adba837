#include "apps/eintool/make/descent.hpp"

namespace ein::apps::tool {

Option iterations_option(std::string const& by_default) {
    return {"--iterations", "iterations of the loop", OptionValue::extent, by_default, 1, iterations_limit, {},
            "--turns"};
}

Option most_iterations_option(std::string const& by_default) {
    Option option = iterations_option(by_default);
    option.about = "iterations at the most";
    return option;
}

void Descent::add_step(GraphText& g) const {
    std::vector<std::string> names;
    for (Weight const& weight : weights_) names.push_back(weight.name);
    g.grad("g", "loss", names);
    for (auto const& [name, labels] : weights_)
        g.einsum(name + "_next", labels + ", " + labels + " -> " + labels, {name, "g/" + name},
                 {{"join", "x - eta*y"}});
}

std::vector<std::string> Descent::add_loop(GraphText& g, Extent iterations,
                                           std::function<void()> const& iteration) const {
    OrderedJson carry = OrderedJson::object();
    std::vector<std::string> outputs;
    for (Weight const& weight : weights_) {
        carry[weight.name] = weight.name + "_next";
        outputs.push_back("train/" + weight.name);
    }
    g.fill("last_loss", {}, 0);
    carry["last_loss"] = "loss";
    outputs.push_back("train/last_loss");
    g.loop("train", {{"times", iterations}}, carry, iteration);
    return outputs;
}

}  // namespace ein::apps::tool
