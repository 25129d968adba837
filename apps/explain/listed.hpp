// What --explain says of sparse tensors: how many elements they list, how sure that is, what that takes, which of them
// decide where a node looks, and which rank goes through how many elements.
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
    double places = 0;                  // elements that it would have if it were dense
    std::optional<double> estimate;     // nothing: not counted
    std::optional<double> bound;        // nothing: all of them
    scalar::Scalar fill = {};           // of what is not listed
    double bytes = 0, dense_bytes = 0;  // as one block of what it is taken to list, and with all elements
    /// Counted in the data; of what a node makes there is a bound at best.
    bool exact() const { return !made && estimate && bound && *estimate == *bound; }
};
std::vector<ListedTensor> listed_tensors(graph::EinGraph const& graph, graph::Node const& node);

/// Of a node that is computed over listed elements: an element is looked at where of each set one tensor lists it.
/// Example: of A * B {{A}, {B}}, of A + B {{A, B}}, of A * x with x dense {{A}}.
using Drivers = std::vector<std::vector<std::string>>;
Drivers drivers(graph::EinGraph const& graph, graph::Node const& node);
/// Sparse tensors that are looked up there. Example: of A * exp(B) {B}.
std::vector<std::string> looked_up(graph::EinGraph const& graph, graph::Node const& node);
/// "A: only what it lists; B is looked up there"
std::string drivers_text(Drivers const& drivers, std::vector<std::string> const& looked_up = {});

/// Of a node that makes a sparse tensor dense: for whom, and why. Empty of others.
std::vector<std::string> dense_copies(graph::EinGraph const& graph);

/// Listed elements of sparse operands that the ranks go through in one run of a node.
struct ListedWork {
    int busiest = 0;  // rank
    double most = 0, mean = 0;
    double ratio() const { return mean > 0 ? most / mean : 1; }
};
/// For each node; nothing where it reads no sparse tensor, or lists nothing.
std::vector<std::optional<ListedWork>> listed_work(graph::EinGraph const& graph, schedule::Schedule const& schedule);

/// "A 160000 of 1 M (16 %), counted; Y about 1200 of 1 M (0.12 %), at most 4000 (worst case)", with fills that are not
/// 0 and bytes.
std::string listed_text(std::vector<ListedTensor> const& tensors);
/// @param calls  of the node
std::string work_text(ListedWork const& work, std::int64_t calls);
std::string fill_text(scalar::Scalar const& fill);

}  // namespace ein::apps::explain
