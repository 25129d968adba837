#include "apps/explain/page/layered_layout.hpp"

#include <cmath>
#include <map>
#include <random>

#include "tests/support/catch.hpp"

using namespace ein::apps::explain;

namespace {

Vertex node(double width = 200) { return {width, 60, {0}, {0}, Pin::none}; }

struct Graph {
    std::vector<Vertex> vertices;
    std::vector<Link> links;
};

Graph chain(std::size_t n) {
    Graph out{std::vector<Vertex>(n, node()), {}};
    for (std::size_t k = 1; k < n; ++k) out.links.push_back({k - 1, 0, k, 0});
    return out;
}

Graph random(std::size_t n, std::size_t reads, unsigned seed) {
    Graph out{std::vector<Vertex>(n, node()), {}};
    std::mt19937 next(seed);
    for (std::size_t k = 1; k < n; ++k)
        for (std::size_t r = 0; r < reads; ++r) {
            std::size_t const back = 1 + next() % std::min<std::size_t>(k, 20);
            out.links.push_back({k - back, 0, k, 0});
        }
    return out;
}

/// Neighbours of a layer that come too near to one another.
int overlaps(Graph const& graph, Layout const& layout) {
    struct Span {
        double left, right;
    };
    std::map<std::size_t, std::vector<Span>> layers;
    for (std::size_t b = 0; b < graph.vertices.size(); ++b) {
        Place const& at = layout.vertices[b];
        layers[at.layer].push_back({at.x - graph.vertices[b].width / 2, at.x + graph.vertices[b].width / 2});
    }
    for (Via const& via : layout.vias) layers[via.place.layer].push_back({via.place.x, via.place.x});
    int found = 0;
    for (auto& [layer, spans] : layers) {
        std::sort(spans.begin(), spans.end(), [](Span const& a, Span const& b) { return a.left < b.left; });
        for (std::size_t k = 1; k < spans.size(); ++k) found += spans[k].left < spans[k - 1].right + via_gap - 1e-6;
    }
    return found;
}

std::size_t widest(Layout const& layout) {
    std::map<std::size_t, std::size_t> count;
    std::size_t most = 0;
    for (Place const& vertex : layout.vertices) most = std::max(most, ++count[vertex.layer]);
    return most;
}

}  // namespace

TEST_CASE("nothing and a single vertex", "[apps][explain][layout]") {
    Layout const none = lay_out({}, {});
    CHECK(none.layers.empty());
    CHECK(none.height() == 0);
    Layout const one = lay_out({node()}, {});
    CHECK(one.vertices[0].x == 100);
    CHECK(one.width == 200);
    CHECK(one.height() == 60);
}

TEST_CASE("vertices lie below what they read and beside one another, and no via passes a vertex",
          "[apps][explain][layout]") {
    auto const graph = random(GENERATE(std::size_t{12}, std::size_t{400}), GENERATE(std::size_t{1}, std::size_t{3}), 7);
    Layout const layout = lay_out(graph.vertices, graph.links);
    CHECK(overlaps(graph, layout) == 0);
    int wrong = 0;
    for (std::size_t k = 0; k < graph.links.size(); ++k) {
        std::size_t layer = layout.vertices[graph.links[k].to].layer;  // each via one layer above, until the vertex
        for (auto via = layout.last_via[k]; via; via = layout.vias[*via].before)
            wrong += layout.vias[*via].place.layer != --layer;
        wrong += layout.vertices[graph.links[k].from].layer != layer - 1;
    }
    CHECK(wrong == 0);
    for (Place const& vertex : layout.vertices) {
        CHECK(vertex.x >= 0);
        CHECK(vertex.x <= layout.width);
    }
}

TEST_CASE("a vertex stands in the middle of what reads it", "[apps][explain][layout]") {
    Layout const layout =
        lay_out({node(), node(), node(), node()}, {{0, 0, 1, 0}, {0, 0, 2, 0}, {1, 0, 3, 0}, {2, 0, 3, 0}});
    CHECK(std::abs(layout.vertices[0].x - layout.width / 2) < 1);
    CHECK(std::abs(layout.vertices[3].x - layout.width / 2) < 1);
    CHECK(layout.vertices[1].layer == layout.vertices[2].layer);
}

TEST_CASE("ports are where they are pinned, and links arrive at them", "[apps][explain][layout]") {
    std::vector<Vertex> const vertices{{0, 0, {0}, {0}, Pin::top},
                                       {0, 0, {0}, {0}, Pin::top},
                                       node(),
                                       {400, 300, {-150, 150}, {0}, Pin::none},
                                       {0, 0, {0}, {0}, Pin::bottom}};
    Layout const layout = lay_out(vertices, {{0, 0, 3, 0}, {1, 0, 3, 1}, {2, 0, 3, 1}, {3, 0, 4, 0}});
    CHECK(layout.vertices[0].layer == 0);
    CHECK(layout.vertices[1].layer == 0);
    CHECK(layout.vertices[2].layer == 1);
    CHECK(layout.vertices[4].layer == 3);
    CHECK(layout.vertices[0].x < layout.vertices[1].x);  // as the ports of what they reach
    CHECK(layout.layers[2].height == 300);
}

TEST_CASE("many vertices beside one another are set in rows, and long chains in columns", "[apps][explain][layout]") {
    Layout const rows = lay_out(std::vector<Vertex>(400, node()), {});
    CHECK(widest(rows) == 20);
    Graph const line = chain(400);
    Layout const columns = lay_out(line.vertices, line.links);
    CHECK(columns.layers.back().column > 3);
    CHECK(columns.height() < 2 * columns.width);
    CHECK(columns.width < 4 * columns.height());
    Graph const layer = chain(6);
    CHECK(lay_out(layer.vertices, layer.links).layers.back().column == 0);
}

TEST_CASE("a source that nobody makes stands near to its reader", "[apps][explain][layout]") {
    Graph graph = chain(6);
    graph.vertices.insert(graph.vertices.begin(), node());
    for (Link& link : graph.links) link = {link.from + 1, 0, link.to + 1, 0};
    graph.links.push_back({0, 0, 6, 0});
    Layout const layout = lay_out(graph.vertices, graph.links);
    CHECK(layout.vertices[0].layer + 1 == layout.vertices[6].layer);
    CHECK(layout.vias.empty());
}

TEST_CASE("links that pass very many layers do without vias", "[apps][explain][layout]") {
    Graph graph = chain(2000);
    for (std::size_t k = 0; k + 200 < 2000; k += 2) graph.links.push_back({k, 0, k + 199, 0});
    Layout const layout = lay_out(graph.vertices, graph.links);
    CHECK(layout.vias.size() <= 60'000);
    CHECK(!layout.last_via.back());
}
