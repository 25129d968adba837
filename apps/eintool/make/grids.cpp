// Grids whose cells change by what their neighbours are.
#include "apps/eintool/make/descent.hpp"
#include "apps/eintool/make/graph_kind.hpp"

namespace ein::apps::tool {
namespace {

/// A region of the grid with its border of one cell, of as many rows or columns as the grid.
void shifted(GraphText& g, std::string const& name, std::string const& from, std::string const& slices) {
    g.op(name, "slice", {from}, {{"slices", slices}});
}

/// Explicit steps of the five-point stencil; stable while alpha is at most 1/4.
std::string heat(Request const& request) {
    GraphText g = request.graph();
    g.param("alpha", 0.2);
    g.uniform("T", {request.size("ROWS"), request.size("COLUMNS")}, 0, 1);
    g.loop("flow", {{"times", request.extent("--iterations")}}, {{"T", "T_next"}}, [&] {
        g.op("bordered", "pad", {"T"}, {{"pad_width", 1}});
        shifted(g, "above", "bordered", ":-2, 1:-1");
        shifted(g, "below", "bordered", "2:, 1:-1");
        shifted(g, "left", "bordered", "1:-1, :-2");
        shifted(g, "right", "bordered", "1:-1, 2:");
        g.einsum("T_next", "ij,ij,ij,ij,ij->ij", {"T", "above", "below", "left", "right"},
                 {{"join", "x0 + alpha*(x1 + x2 + x3 + x4 - 4*x0)"}});
    });
    return g.text({"flow/T"});
}

/// Three rows, then three columns are added up: with a cell itself, 3 of 9 cells give life, and 4 keep it.
std::string life(Request const& request) {
    GraphText g = request.graph();
    OrderedJson sum{{"join", "x + y + z"}};
    if (request.dtype() == "bool") sum["dtype"] = "u8";
    g.random_integers("cells", {request.size("ROWS"), request.size("COLUMNS")}, request.dtype(), 2);
    g.loop("live", {{"times", request.extent("--iterations")}}, {{"cells", "cells_next"}}, [&] {
        g.op("around", "pad", {"cells"}, {{"pad_width", 1}, {"mode", "wrap"}});
        shifted(g, "above", "around", ":-2, :");
        shifted(g, "here", "around", "1:-1, :");
        shifted(g, "below", "around", "2:, :");
        g.einsum("of_three", "ij,ij,ij->ij", {"above", "here", "below"}, sum);
        shifted(g, "left", "of_three", ":, :-2");
        shifted(g, "middle", "of_three", ":, 1:-1");
        shifted(g, "right", "of_three", ":, 2:");
        g.einsum("of_nine", "ij,ij,ij->ij", {"left", "middle", "right"}, sum);
        g.einsum("cells_next", "ij,ij->ij", {"cells", "of_nine"},
                 {{"join", "y == 3 || (x && y == 4)"}, {"dtype", request.dtype()}});
    });
    return g.text({"live/cells"});
}

}  // namespace

std::vector<GraphKind> grid_kinds() {
    return {{"heat",
             "heat that spreads over a plate with cold borders, by a five-point stencil",
             {{"ROWS", 256}, {"COLUMNS", 256}},
             {iterations_option("100")},
             real_dtypes,
             heat},
            {"life",
             "Conway's game of life on a torus",
             {{"ROWS", 256}, {"COLUMNS", 256}},
             {iterations_option("100")},
             {DType::i32, DType::boolean, DType::u8, DType::i8, DType::i16, DType::i64},
             life}};
}

}  // namespace ein::apps::tool
