// What --explain says of sparse tensors: how many elements they list, how sure that is, and which rank goes through
// how many of them.
// Example: A of 1000 by 1000, 5000 counted in its file, on 2 ranks of which the first has 3000: busiest 0, 1.2 times
// the mean.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/scheduler.hpp"

namespace ein::apps::explain {

/// Listed elements of a sparse tensor that a node reads or makes.
struct ListedTensor {
    std::string tensor;
    bool made = false;
    double places = 0;               // elements that it would have if it were dense
    std::optional<double> estimate;  // nothing: not counted
    std::optional<double> bound;     // nothing: all of them
    bool exact() const { return estimate && bound && *estimate == *bound; }
};
std::vector<ListedTensor> listed_tensors(graph::EinGraph const& graph, graph::Node const& node);

/// Listed elements of sparse operands that the ranks go through in one run of a node.
struct ListedWork {
    int busiest = 0;  // rank
    double most = 0, mean = 0;
    double ratio() const { return mean > 0 ? most / mean : 1; }
};
/// For each node; nothing where it reads no sparse tensor, or lists nothing.
std::vector<std::optional<ListedWork>> listed_work(graph::EinGraph const& graph, schedule::Schedule const& schedule);

/// "A 160,000 of 1 M (16 %), counted; Y about 1.2 k, at most 4 k (worst case)".
std::string listed_text(std::vector<ListedTensor> const& tensors);
std::string work_text(ListedWork const& work);

}  // namespace ein::apps::explain
