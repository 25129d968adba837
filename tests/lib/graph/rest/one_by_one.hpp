// A graph computed node after node, each by the reference interpreter, with all values at hand between any two: what a
// run has in memory when it is stopped.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/graph/ein_graph.hpp"
#include "lib/graph/rest/rest_of.hpp"
#include "lib/tensor/host_tensor.hpp"

namespace ein::test {

using Tensor = std::shared_ptr<tensor::HostTensor const>;
using Files = std::map<std::string, Tensor>;  // by the name of an npy source

/// The elements of a leaf: of `files` where its source is one of them; made up, alike for each name, where it has none.
Tensor leaf_tensor(graph::EinGraph const& graph, graph::Leaf const& leaf, Files const& files);

class OneByOne {
public:
    /// Called at every place between two nodes, also before the first and after the last, in every iteration.
    /// @param nodes_run  so far, in every iteration
    using Visit =
        std::function<void(graph::Progress const& at, std::vector<Tensor> const& values, std::int64_t nodes_run)>;

    explicit OneByOne(graph::EinGraph const& graph, Files const& files = {}, Visit visit = {});

    /// In the order of the graph's outputs.
    std::vector<Tensor> outputs() const;
    std::int64_t nodes_run() const { return nodes_run_; }

private:
    void run(std::size_t first, std::size_t end, std::int32_t loop);
    void run_loop(std::int32_t loop, std::size_t first, std::size_t end);
    void run(graph::Node const& node);
    void visit(std::size_t done, std::int32_t loop);

    graph::EinGraph const& graph_;
    Visit visit_;
    std::vector<Tensor> values_;
    std::vector<std::int64_t> iterations_;
    std::int64_t nodes_run_ = 0;
};

/// The first output that differs in a bit, or "".
std::string difference(graph::EinGraph const& graph, std::vector<Tensor> const& expected,
                       std::vector<Tensor> const& found);

}  // namespace ein::test
