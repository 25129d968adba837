// Nodes and links between them: how important a node is, and how far one is from another.
#include "apps/eintool/make/descent.hpp"
#include "apps/eintool/make/graph_kind.hpp"

namespace ein::apps::tool {
namespace {

/// Links are bytes: an iteration reads them all; sparse ones are a list of those that there are. What nodes without
/// links have goes to all nodes alike.
std::string pagerank(Request const& request) {
    Extent const n = request.size("N");
    std::string const nodes = std::to_string(n);
    GraphText g = request.graph();
    g.param("damping", 0.85);
    bool const sparse = request.has("--sparse");
    if (!sparse) g.param("links", request.number("--links"));
    g.param("tolerance", request.number("--tolerance"));
    if (sparse)
        g.sparse_uniform("draw", {n, n}, 1, 2, request.number("--links"));
    else
        g.uniform("draw", {n, n}, 0, 1);
    g.fill("score", {n}, 1 / static_cast<double>(n));
    g.fill("change", {}, 0);
    g.einsum("link", "to from -> to from", {"draw"}, {{"join", sparse ? "x > 0" : "x < links"}, {"dtype", "u8"}});
    g.einsum("degree", "to from -> from", {"link"}, {{"dtype", request.dtype()}});
    OrderedJson const carry{{"score", "score_next"}, {"change", "moved"}};
    g.loop("surf", {{"while", "moves"}, {"max", request.extent("--iterations")}}, carry, [&] {
        g.einsum("share", "from, from -> from", {"score", "degree"}, {{"join", "where(y > 0, x/y, 0)"}});
        g.einsum("stuck", "from, from ->", {"score", "degree"}, {{"join", "where(y > 0, 0, x)"}});
        g.einsum("followed", "to from, from -> to", {"link", "share"});
        g.einsum("score_next", "to, -> to", {"followed", "stuck"},
                 {{"join", "damping*(x + y/" + nodes + ") + (1 - damping)/" + nodes}});
        g.einsum("moved", "to, to ->", {"score_next", "score"}, {{"join", "abs(x - y)"}});
        g.einsum("moves", "->", {"moved"}, {{"join", "x > tolerance"}});
    });
    return g.text({"surf/score", "surf/change"});
}

/// Paths of at most 2^t links after t squarings; a shortest one has fewer than N.
std::string shortest_paths(Request const& request) {
    Extent const n = request.size("N");
    Extent iterations = 1;
    while ((Extent{1} << iterations) < n) ++iterations;
    GraphText g = request.graph();
    g.param("links", request.number("--links"));
    g.uniform("draw", {n, n}, 0, 1);
    g.einsum("D", "from to -> from to", {"draw"},
             {{"join", "where([from] == [to], 0, where(x < links, 1 + 9*x/links, inf))"}});
    g.loop("square", {{"times", iterations}}, {{"D", "D_next"}}, [&] {
        g.einsum("D_next", "from via, via to -> from to", {"D", "D"}, {{"join", "x + y"}, {"agg", "min"}});
    });
    return g.text({"square/D"});
}

Option links_option(std::string const& by_default) {
    return {"--links", "the share of links that there are", OptionValue::number, by_default, 0, 1};
}

}  // namespace

std::vector<GraphKind> path_kinds() {
    return {{"pagerank",
             "PageRank with damping 0.85 of N nodes; a matrix says which link, at random here, dense (draw < links) or "
             "sparse",
             {{"N", 1000}},
             {most_iterations_option("100"),
              {"--tolerance", "ends when scores change by no more in all", OptionValue::number, "1e-6", 0, 2},
              links_option("0.01"),
              sparse_option()},
             real_dtypes,
             pagerank},
            {"shortest-paths",
             "between all pairs of N nodes, by squaring in (min, +); a link is 1 to 10 long, or infinitely",
             {{"N", 256}},
             {links_option("0.05")},
             real_dtypes,
             shortest_paths}};
}

}  // namespace ein::apps::tool
