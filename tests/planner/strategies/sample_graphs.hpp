// The graphs that strategies are tried on, and parts by label.
// Example: parts_of(graph, plan, "Z") is {{"i", 4}, {"k", 2}}: labels that are cut.
#pragma once

#include <map>
#include <string>

#include "lib/relation/plan.hpp"
#include "tests/support/graphs.hpp"

namespace ein::test {

/// Z = relu(X U) W + X: a residual connection, and weights that are only scaled before they are used.
inline graph::EinGraph two_layers() {
    GraphBuilder g;
    g.leaf("X", {16, 32});
    g.leaf("U0", {32, 64});
    g.leaf("W", {64, 32});
    g.einsum("U", "dh->dh", {"U0"}, {.join = "2*x"});
    g.einsum("H", "nd,dh->nh", {"X", "U"});
    g.einsum("R", "nh->nh", {"H"}, {.join = "max(x,0)"});
    g.einsum("Y", "nh,hd->nd", {"R", "W"});
    g.einsum("Z", "nd,nd->nd", {"Y", "X"}, {.join = "x+y"});
    return g.finish({"Z"});
}

/// Attention with 4 heads over 8 positions, 2 texts, 16 features.
inline graph::EinGraph attention() {
    GraphBuilder g;
    g.leaf("X", {2, 8, 16});
    for (std::string const w : {"Q", "K", "V"}) {
        g.leaf("W" + w, {16, 4, 4});
        g.einsum(w, "bsa,ahd->bshd", {"X", "W" + w});
    }
    g.leaf("WO", {4, 4, 16});
    g.einsum("S", "bshd,bthd->bhst", {"Q", "K"});
    g.einsum("M", "bhst->bhs", {"S"}, {.agg = scalar::Agg::max});
    g.einsum("E", "bhst,bhs->bhst", {"S", "M"}, {.join = "exp(x-y)"});
    g.einsum("T", "bhst->bhs", {"E"});
    g.einsum("P", "bhst,bhs->bhst", {"E", "T"}, {.join = "x/y"});
    g.einsum("O", "bhst,bthd->bshd", {"P", "V"});
    g.einsum("Y", "bshd,hda->bsa", {"O", "WO"});
    g.einsum("Z", "bsa,bsa->bsa", {"Y", "X"}, {.join = "x+y"});
    return g.finish({"Z"});
}

using CutLabels = std::map<std::string, std::int64_t>;

inline CutLabels parts_of(graph::EinGraph const& graph, relation::Plan const& plan, std::string const& name) {
    CutLabels out;
    for (std::size_t k = 0; k < graph.nodes.size(); ++k) {
        if (graph.nodes[k].name != name) continue;
        Parts const& parts = plan.nodes[k].parts;
        for (std::size_t l = 0; l < parts.size(); ++l)
            if (parts[l] > 1) out[relation::cut_name(graph.nodes[k], l)] = parts[l];
    }
    return out;
}

}  // namespace ein::test
