// Points in space: which is nearest, and which belong together.
#include "apps/eintool/make/descent.hpp"
#include "apps/eintool/make/graph_kind.hpp"

namespace ein::apps::tool {
namespace {

/// Source: [T] 5.2.
std::string nearest_neighbour(Request const& request) {
    Extent const points = request.size("POINTS"), dimensions = request.size("DIMENSIONS");
    GraphText g = request.graph();
    g.normal("X", {points, dimensions}, 1);
    g.normal("q", {dimensions}, 1);
    g.uniform("A", {dimensions, dimensions}, 0, 1);
    g.einsum("away", "point d, d -> point d", {"X", "q"}, {{"join", "x - y"}});
    g.einsum("turned", "point d, d e -> point e", {"away", "A"});
    g.einsum("distance", "point e, point e -> point", {"turned", "away"});
    g.einsum("nearest", "point ->", {"distance"}, {{"agg", "argmin"}});
    g.einsum("how_far", "point ->", {"distance"}, {{"agg", "min"}});
    return g.text({"nearest", "how_far"});
}

/// A cluster without points keeps its centre.
std::string k_means(Request const& request) {
    request.require_at_most("CLUSTERS", "POINTS");
    Extent const points = request.size("POINTS"), dimensions = request.size("DIMENSIONS");
    Extent const clusters = request.size("CLUSTERS");
    GraphText g = request.graph();
    g.normal("points", {points, dimensions}, 1);
    g.fill("cluster", {points}, -1, "i64");
    g.op("centres", "slice", {"points"}, {{"start", {0}}, {"stop", {clusters}}, {"axes", {0}}});
    OrderedJson const carry{{"centres", "centres_next"}, {"cluster", "nearest"}};
    g.loop("lloyd", {{"while", "moves"}, {"max", request.extent("--iterations")}}, carry, [&] {
        g.einsum("distance", "point d, cluster d -> point cluster", {"points", "centres"}, {{"join", "(x - y)^2"}});
        g.einsum("nearest", "point cluster -> point", {"distance"}, {{"agg", "argmin"}});
        g.einsum("moves", "point, point ->", {"nearest", "cluster"}, {{"join", "x != y"}, {"agg", "any"}});
        g.op("member", "one_hot", {"nearest"}, {{"depth", clusters}});
        g.einsum("count", "point cluster -> cluster", {"member"});
        g.einsum("sum", "point cluster, point d -> cluster d", {"member", "points"});
        g.einsum("centres_next", "cluster d, cluster, cluster d -> cluster d", {"sum", "count", "centres"},
                 {{"join", "where(y > 0, x/y, z)"}});
    });
    return g.text({"lloyd/centres", "lloyd/cluster"});
}

}  // namespace

std::vector<GraphKind> point_kinds() {
    return {{"nearest-neighbour",
             "the point x that is nearest to q by (x - q) A (x - q)^T; A is random here, --input A=FILE gives a metric",
             {{"POINTS", 10000}, {"DIMENSIONS", 64}},
             {},
             real_dtypes,
             nearest_neighbour},
            {"k-means",
             "Lloyd's clustering from the first points as centres, until no point changes its cluster",
             {{"POINTS", 10000}, {"DIMENSIONS", 16}, {"CLUSTERS", 10}},
             {most_iterations_option("100")},
             real_dtypes,
             k_means}};
}

}  // namespace ein::apps::tool
