#include "apps/explain/page/layered_layout.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "apps/explain/page/layers.hpp"

namespace ein::apps::explain {
namespace {

constexpr std::size_t most_vias = 60'000;  // links that would need more go straight
constexpr int ordering_sweeps = 10, placing_sweeps = 6;
constexpr double straight = 8, direct = 3;  // how much more a link between vias, or between boxes, is to be straight
constexpr double tall = 3, aspect = 1.5;    // folded above the first, height by width; then width by height

/// A vertex or a via on its layer.
struct Entry {
    double width = 0, x = 0;
    bool via = false;
};

/// One end of a link seen from the other.
struct Neighbour {
    std::size_t entry;
    double offset;  // of what this entry would like to be above or below of
    double weight;
};

std::vector<std::vector<std::size_t>> links_by_source(std::vector<Link> const& links,
                                                      std::vector<std::size_t> const& layer) {
    std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> by_source;
    for (std::size_t k = 0; k < links.size(); ++k) by_source[{links[k].from, links[k].from_port}].push_back(k);
    std::vector<std::vector<std::size_t>> out;
    for (auto& [source, list] : by_source) {
        std::stable_sort(list.begin(), list.end(),
                         [&](std::size_t a, std::size_t b) { return layer[links[a].to] < layer[links[b].to]; });
        out.push_back(std::move(list));
    }
    return out;
}

/// Layers that a source may pass by vias so that all together are few enough.
std::size_t longest_way(std::vector<std::vector<std::size_t>> const& sources, std::vector<Link> const& links,
                        std::vector<std::size_t> const& layer) {
    std::vector<std::size_t> spans;
    for (auto const& list : sources) spans.push_back(layer[links[list.back()].to] - layer[links[list.back()].from]);
    std::sort(spans.begin(), spans.end());
    std::size_t all = 0, longest = 0;
    for (std::size_t span : spans) {
        if ((all += span) > most_vias) return std::min(longest, span - 1);
        longest = span;
    }
    return longest;
}

class Drawing {
public:
    Drawing(std::vector<Vertex> const& vertices, std::vector<Link> const& links) : vertices_(vertices), links_(links) {
        auto const layer = layers_of(vertices, links);
        for (std::size_t b = 0; b < vertices.size(); ++b) {
            out_.vertices.push_back({0, layer[b]});
            add_entry({vertices[b].width, 0, false}, layer[b]);
        }
        out_.last_via.resize(links.size());
        auto const sources = links_by_source(links, layer);
        std::size_t const longest = longest_way(sources, links, layer);
        for (auto const& list : sources) add_ways(list, longest);
        for (std::size_t k = 0; k < links.size(); ++k) connect(links[k], out_.last_via[k]);
    }

    Layout run() {
        for (auto& layer : layers_) place(layer, [&](std::size_t entry) { return entries_[entry].x; });
        for (int sweep = 0; sweep < ordering_sweeps; ++sweep) {
            bool const down = sweep % 2 == 0;
            for (std::size_t k = 0; k < layers_.size(); ++k) {
                auto& layer = layers_[down ? k : layers_.size() - 1 - k];
                order(layer, down ? above_ : below_);
            }
        }
        for (int sweep = 0; sweep < placing_sweeps; ++sweep)
            for (std::size_t k = 0; k < layers_.size(); ++k) {
                auto& layer = layers_[sweep % 2 == 0 ? layers_.size() - 1 - k : k];
                place(layer, [&](std::size_t entry) { return middle(entry, {&above_, &below_}); });
            }
        measure();
        fold();
        for (std::size_t b = 0; b < vertices_.size(); ++b) out_.vertices[b].x = entries_[b].x;
        for (std::size_t v = 0; v < out_.vias.size(); ++v) out_.vias[v].place.x = entries_[vertices_.size() + v].x;
        return std::move(out_);
    }

private:
    using Sides = std::vector<std::vector<Neighbour>>;

    std::size_t add_entry(Entry entry, std::size_t layer) {
        if (layers_.size() <= layer) layers_.resize(layer + 1);
        layers_[layer].push_back(entries_.size());
        entry.x = static_cast<double>(layers_[layer].size()) * entry.width;
        entries_.push_back(entry);
        above_.emplace_back();
        below_.emplace_back();
        return entries_.size() - 1;
    }

    void join(std::size_t upper, double upper_port, std::size_t lower, double lower_port) {
        bool const from_via = entries_[upper].via, to_via = entries_[lower].via;
        double const weight = from_via && to_via ? straight : from_via || to_via ? 1 : direct;
        above_[lower].push_back({upper, upper_port - lower_port, weight});
        below_[upper].push_back({lower, lower_port - upper_port, weight});
    }

    /// Vias of one source, and for each of its links the last one on its way.
    void add_ways(std::vector<std::size_t> const& links, std::size_t longest) {
        Link const& any = links_[links[0]];
        std::size_t const from = out_.vertices[any.from].layer;
        if (out_.vertices[links_[links.back()].to].layer - from > longest) return;
        std::optional<std::size_t> last;
        for (std::size_t link : links) {
            std::size_t const end = out_.vertices[links_[link].to].layer;
            for (std::size_t layer = last ? out_.vias[*last].place.layer + 1 : from + 1; layer < end; ++layer) {
                std::size_t const entry = add_entry({0, 0, true}, layer);
                if (last)
                    join(vertices_.size() + *last, 0, entry, 0);
                else
                    join(any.from, vertices_[any.from].out[any.from_port], entry, 0);
                out_.vias.push_back({{0, layer}, last});
                last = out_.vias.size() - 1;
            }
            out_.last_via[link] = last;
        }
    }

    void connect(Link const& link, std::optional<std::size_t> via) {
        double const arrives = vertices_[link.to].in[link.to_port];
        if (via)
            join(vertices_.size() + *via, 0, link.to, arrives);
        else
            join(link.from, vertices_[link.from].out[link.from_port], link.to, arrives);
    }

    /// Where its neighbours would have an entry; where it is when it has none.
    double middle(std::size_t entry, std::initializer_list<Sides const*> sides) const {
        double sum = 0, weights = 0;
        for (Sides const* side : sides)
            for (Neighbour const& n : (*side)[entry]) {
                sum += n.weight * (entries_[n.entry].x + n.offset);
                weights += n.weight;
            }
        return weights > 0 ? sum / weights : entries_[entry].x;
    }

    void order(std::vector<std::size_t>& layer, Sides const& side) {
        std::vector<std::pair<double, std::size_t>> wishes;
        for (std::size_t entry : layer) wishes.emplace_back(middle(entry, {&side}), entry);
        std::stable_sort(wishes.begin(), wishes.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
        for (std::size_t k = 0; k < layer.size(); ++k) layer[k] = wishes[k].second;
        std::size_t next = 0;
        place(layer, [&](std::size_t) { return wishes[next++].first; });
    }

    double apart(std::size_t left, std::size_t right) const {
        double const gap = entries_[left].via || entries_[right].via ? via_gap : vertex_gap;
        return entries_[left].width / 2 + gap + entries_[right].width / 2;
    }

    /// Keeps the order; the sum of squares by which entries miss their wishes is least. Neighbours that would come too
    /// near are put side by side around the mean of their wishes, and so are groups of them (pool adjacent violators).
    template <class Wish>
    void place(std::vector<std::size_t> const& layer, Wish const& wish) {
        struct Pool {
            double sum, weight;
            std::size_t entries;
            double mean() const { return sum / weight; }
        };
        std::vector<Pool> pools;
        std::vector<double> from_first(layer.size(), 0);  // where an entry is when all stand side by side
        for (std::size_t k = 0; k < layer.size(); ++k) {
            if (k > 0) from_first[k] = from_first[k - 1] + apart(layer[k - 1], layer[k]);
            double const weight = entries_[layer[k]].via ? 2 : 1;
            pools.push_back({weight * (wish(layer[k]) - from_first[k]), weight, 1});
            while (pools.size() > 1 && pools[pools.size() - 2].mean() >= pools.back().mean()) {
                Pool const last = pools.back();
                pools.pop_back();
                pools.back() = {pools.back().sum + last.sum, pools.back().weight + last.weight,
                                pools.back().entries + last.entries};
            }
        }
        std::size_t k = 0;
        for (Pool const& pool : pools)
            for (std::size_t i = 0; i < pool.entries; ++i, ++k) entries_[layer[k]].x = pool.mean() + from_first[k];
    }

    void measure() {
        out_.layers.resize(layers_.size());
        for (std::size_t b = 0; b < vertices_.size(); ++b) {
            double& height = out_.layers[out_.vertices[b].layer].height;
            height = std::max(height, vertices_[b].height);
        }
    }

    std::pair<double, double> ends(std::size_t first, std::size_t last) const {
        double left = 1e300, right = -1e300;
        for (std::size_t layer = first; layer < last; ++layer)
            for (std::size_t entry : layers_[layer]) {
                left = std::min(left, entries_[entry].x - entries_[entry].width / 2);
                right = std::max(right, entries_[entry].x + entries_[entry].width / 2);
            }
        return {left, right};
    }

    void fold() {
        std::size_t const layers = layers_.size();
        if (layers == 0) return;
        double height = 0;
        for (Layer const& layer : out_.layers) height += layer.height + layer_gap;
        auto const [left, right] = ends(0, layers);
        double const width = right - left + column_gap;
        double const columns = height > tall * width ? std::round(std::sqrt(aspect * height / width)) : 1;
        double y = 0, x = 0;
        for (std::size_t first = 0, column = 0; first < layers; ++column) {
            std::size_t last = first;
            for (; last < layers && (last == first || y < height * static_cast<double>(column + 1) / columns); ++last) {
                y += out_.layers[last].height + layer_gap;
                out_.layers[last].column = column;
            }
            auto const [begin, end] = ends(first, last);
            for (std::size_t layer = first; layer < last; ++layer)
                for (std::size_t entry : layers_[layer]) entries_[entry].x += x - begin;
            x += end - begin + column_gap;
            out_.width = x - column_gap;
            first = last;
        }
    }

    std::vector<Vertex> const& vertices_;
    std::vector<Link> const& links_;
    std::vector<Entry> entries_;  // vertices, then vias
    std::vector<std::vector<std::size_t>> layers_;
    Sides above_, below_;
    Layout out_;
};

}  // namespace

double Layout::height() const {
    std::vector<double> columns;
    for (Layer const& layer : layers) {
        bool const opens = columns.size() <= layer.column;
        if (opens) columns.push_back(0);
        columns.back() += layer.height + (opens ? 0 : layer_gap);
    }
    return columns.empty() ? 0 : *std::max_element(columns.begin(), columns.end());
}

Layout lay_out(std::vector<Vertex> const& vertices, std::vector<Link> const& links) {
    return Drawing(vertices, links).run();
}

}  // namespace ein::apps::explain
