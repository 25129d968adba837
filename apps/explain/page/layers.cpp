#include "apps/explain/page/layers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ein::apps::explain {
namespace {

constexpr std::size_t least_wide = 8;  // vertices side by side, before layers are filled one after another

class Layering {
public:
    Layering(std::vector<Vertex> const& vertices, std::vector<Link> const& links)
        : vertices_(vertices), layer_(vertices.size(), 0), makers_(vertices.size()), readers_(vertices.size()) {
        for (Link const& link : links) {
            makers_[link.to].push_back(link.from);
            readers_[link.from].push_back(link.to);
        }
        widest_ = std::max(least_wide, static_cast<std::size_t>(std::sqrt(static_cast<double>(vertices.size()))));
        top_ = !vertices.empty() && vertices[0].pin == Pin::top ? 1 : 0;
    }

    std::vector<std::size_t> run() {
        for (std::size_t b = 0; b < vertices_.size(); ++b)
            if (vertices_[b].pin != Pin::top) put(b, first_free(lowest_maker(b)));
        for (std::size_t b = vertices_.size(); b-- > 0;)
            if (vertices_[b].pin == Pin::none && readers_[b].size() > makers_[b].size()) move_down(b);
        put_last();
        drop_empty();
        return std::move(layer_);
    }

private:
    std::size_t& count(std::size_t layer) {
        if (counts_.size() <= layer) counts_.resize(layer + 1, 0);
        return counts_[layer];
    }
    void put(std::size_t vertex, std::size_t layer) { ++count(layer_[vertex] = layer); }

    std::size_t lowest_maker(std::size_t vertex) const {
        std::size_t layer = top_;
        for (std::size_t maker : makers_[vertex]) layer = std::max(layer, layer_[maker] + 1);
        return layer;
    }
    std::size_t first_free(std::size_t layer) {
        while (count(layer) >= widest_) ++layer;
        return layer;
    }

    /// Nearer to its readers.
    void move_down(std::size_t vertex) {
        std::size_t layer = std::numeric_limits<std::size_t>::max();
        for (std::size_t reader : readers_[vertex])
            if (vertices_[reader].pin == Pin::none) layer = std::min(layer, layer_[reader] - 1);
        if (layer == std::numeric_limits<std::size_t>::max()) return;
        while (layer > layer_[vertex] && count(layer) >= widest_) --layer;
        --count(layer_[vertex]);
        put(vertex, layer);
    }

    void put_last() {
        std::size_t last = top_;
        for (std::size_t b = 0; b < vertices_.size(); ++b)
            if (vertices_[b].pin == Pin::none) last = std::max(last, layer_[b] + 1);
        for (std::size_t b = 0; b < vertices_.size(); ++b)
            if (vertices_[b].pin == Pin::bottom) layer_[b] = last;
    }

    void drop_empty() {
        std::vector<std::size_t> used(layer_);
        std::sort(used.begin(), used.end());
        used.erase(std::unique(used.begin(), used.end()), used.end());
        for (std::size_t& layer : layer_)
            layer = static_cast<std::size_t>(std::lower_bound(used.begin(), used.end(), layer) - used.begin());
    }

    std::vector<Vertex> const& vertices_;
    std::vector<std::size_t> layer_;
    std::vector<std::vector<std::size_t>> makers_, readers_;
    std::vector<std::size_t> counts_;  // vertices by layer
    std::size_t widest_ = 0, top_ = 0;
};

}  // namespace

std::vector<std::size_t> layers_of(std::vector<Vertex> const& vertices, std::vector<Link> const& links) {
    return Layering(vertices, links).run();
}

}  // namespace ein::apps::explain
