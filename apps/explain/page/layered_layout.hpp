// A picture of an acyclic graph in layers, from top to bottom (Sugiyama's method): vertices on layers below all that
// they read, at most about sqrt(n) side by side; a link that passes layers goes by a via on each, and all links of one
// source share its vias; in each layer vertices are ordered by where their neighbours are, and put as near to them as
// their widths allow. A tall picture is folded into columns, as text is in a newspaper. Heights of layers are given,
// not where they begin: a page may change them. Example: 1 -> 2, 1 -> 3, 2 -> 3: three layers, and a via beside 2.
// Source: Sugiyama, Tagawa, Toda, 1981; positions by isotonic regression (pool adjacent violators).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ein::apps::explain {

enum class Pin { none, top, bottom };  // top: on the first layer, which has none but such; bottom: on the last

struct Vertex {
    double width = 0, height = 0;
    std::vector<double> in{0}, out{0};  // where links arrive and leave, from the vertex's middle
    Pin pin = Pin::none;
};

/// From an earlier vertex to a later one.
struct Link {
    std::size_t from = 0, from_port = 0, to = 0, to_port = 0;
};

struct Layer {
    double height = 0;
    std::size_t column = 0;
};

struct Place {
    double x = 0;  // of its middle
    std::size_t layer = 0;
};

struct Via {
    Place place;
    std::optional<std::size_t> before;  // the via above it; nothing for the first, which is below the vertex
};

struct Layout {
    std::vector<Place> vertices;
    std::vector<Via> vias;
    std::vector<std::optional<std::size_t>> last_via;  // by link: the via above its end; nothing: it goes there at once
    std::vector<Layer> layers;
    double width = 0;  // x is from 0 to this
    double height() const;
};

constexpr double vertex_gap = 34, via_gap = 14;  // between neighbours of a layer
constexpr double layer_gap = 58, column_gap = 90;

/// @param vertices  pinned to the top first, pinned to the bottom last
Layout lay_out(std::vector<Vertex> const& vertices, std::vector<Link> const& links);

}  // namespace ein::apps::explain
