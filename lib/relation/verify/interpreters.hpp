// The interpreters of one graph that verifying asks: term by term and pairwise, of the graph as it was read and of the
// one that the run computed. Each is made when it is first asked.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/relation/interpret.hpp"

namespace ein::relation {

class Interpreters {
public:
    using Leaves = std::function<ReadLeaf(graph::EinGraph const& of)>;

    Interpreters(graph::EinGraph graph, Leaves const& leaves, scalar::Params const& params,
                 std::vector<std::string> from = {});
    Interpreters(Interpreters const&) = delete;
    Interpreters& operator=(Interpreters const&) = delete;

    graph::EinGraph const& graph() const { return graph_; }
    std::vector<std::string> const& from() const { return from_; }  // outputs that it reads as they were written
    Interpreter& interpreter(Sums sums) { return sums == Sums::as_written ? as_written_ : pairwise_; }
    /// Of the graph whose roundings are the run's: contractions lowered. Values have the same ids.
    Interpreter& as_run(Sums sums);

private:
    graph::EinGraph graph_;
    Leaves leaves_;
    scalar::Params params_;
    std::vector<std::string> from_;
    Interpreter as_written_, pairwise_;
    std::optional<graph::EinGraph> lowered_;
    std::optional<Interpreter> as_run_, as_run_pairwise_;
};

}  // namespace ein::relation
