// A Move as nodes of a graph file: a slice, a concat or a pad where it is one, else several of them. The output is cut
// along an axis, where no region is cut if that is possible, until each piece is a slice of one input, or fill alone.
// Example: rows 0 and 1 of A, then row 5 of B, is the concat of two slices.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/graph/ein_graph.hpp"
#include "lib/graph/write_graph.hpp"

namespace ein::graph {

/// A name like the one that is wanted which nothing else has.
using FreshName = std::function<std::string(std::string const& wanted)>;

struct MoveToWrite {
    std::string name;  // of the node that makes it
    Move const& move;
    std::vector<std::string> inputs;
    std::vector<Shape> input_shapes;
    Shape shape;
    DType dtype;
    Json storage = Json::object();  // {"sparse": true} or false: of each node that makes it
    Json listing = Json::object();  // of a sparse value: keys of tensors that are part of it
};

/// Adds the nodes: the last one, of that name, makes the value.
void write_move(MoveToWrite const& what, GraphWriter& to, FreshName const& fresh);

}  // namespace ein::graph
