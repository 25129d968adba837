// Nodes and links between them: how important a node is, and how far one is from another.
#include "apps/tool/make/descent.hpp"
#include "apps/tool/make/graph_kind.hpp"

namespace ein::apps::tool {
namespace {

/// A node without links is as if it linked to all.
std::string pagerank(Request const& request) {
    Extent const n = request.size("N");
    std::string const share = "1/" + std::to_string(n);
    GraphText g = request.graph();
    g.param("damping", 0.85);
    g.param("links", request.number("--links"));
    g.param("tolerance", request.number("--tolerance"));
    g.uniform("draw", {n, n}, 0, 1);
    g.fill("score", {n}, 1 / static_cast<double>(n));
    g.fill("change", {}, 0);
    g.einsum("degree", "to from -> from", {"draw"}, {{"join", "x < links"}});
    g.einsum("follow", "to from, from -> to from", {"draw", "degree"},
             {{"join", "where(y > 0, where(x < links, 1/y, 0), " + share + ")"}});
    OrderedJson const carry{{"score", "score_next"}, {"change", "moved"}};
    g.loop("surf", {{"while", "moves"}, {"max", request.extent("--turns")}}, carry, [&] {
        g.einsum("followed", "to from, from -> to", {"follow", "score"});
        g.einsum("score_next", "to -> to", {"followed"}, {{"join", "damping*x + (1 - damping)*" + share}});
        g.einsum("moved", "to, to ->", {"score_next", "score"}, {{"join", "abs(x - y)"}});
        g.einsum("moves", "->", {"moved"}, {{"join", "x > tolerance"}});
    });
    return g.text({"surf/score", "surf/change"});
}

/// Paths of at most 2^t links after t squarings; a shortest one has fewer than N.
std::string shortest_paths(Request const& request) {
    Extent const n = request.size("N");
    Extent turns = 1;
    while ((Extent{1} << turns) < n) ++turns;
    GraphText g = request.graph();
    g.param("links", request.number("--links"));
    g.uniform("draw", {n, n}, 0, 1);
    g.einsum("D", "from to -> from to", {"draw"},
             {{"join", "where([from] == [to], 0, where(x < links, 1 + 9*x/links, inf))"}});
    g.loop("square", {{"times", turns}}, {{"D", "D_next"}}, [&] {
        g.einsum("D_next", "from via, via to -> from to", {"D", "D"}, {{"join", "x + y"}, {"agg", "min"}});
    });
    return g.text({"square/D"});
}

Option links_option(std::string const& by_default) {
    return {"--links", "the share of links that there are", OptionValue::number, by_default, 0, 1};
}

}  // namespace

std::vector<GraphKind> path_kinds() {
    Option most_turns = turns_option("100");
    most_turns.about = "turns at the most";
    return {{"pagerank",
             "PageRank with damping 0.85 of a random graph of N nodes, kept as a dense matrix",
             {{"N", 1000}},
             {most_turns,
              {"--tolerance", "ends when scores change by no more in all", OptionValue::number, "1e-6", 0, 2},
              links_option("0.01")},
             real_dtypes,
             pagerank},
            {"shortest-paths",
             "between all pairs of N nodes, by squaring in (min, +); a link is 1 to 10 long, or infinitely",
             {{"N", 512}},
             {links_option("0.05")},
             real_dtypes,
             shortest_paths}};
}

}  // namespace ein::apps::tool
