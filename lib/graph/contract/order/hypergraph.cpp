#include "lib/graph/contract/order/hypergraph.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>

#include "lib/base/ids.hpp"

namespace ein::graph {
namespace {

using Sides = std::vector<char>;

/// Merging ends with so many vertices, or when it makes little progress.
constexpr std::size_t few_vertices = 48;
/// Partings of the smallest hypergraph that are compared.
constexpr int first_partings = 8;
/// Edges of more vertices say little about which of them belong together.
constexpr std::size_t most_rated = 64;
constexpr int most_passes = 6;

double total(std::vector<double> const& weights) { return std::accumulate(weights.begin(), weights.end(), 0.0); }

double cut_of(Hypergraph const& graph, Sides const& side) {
    double cut = 0;
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
        auto const& vertices = graph.edges[e];
        bool const is_cut = std::any_of(vertices.begin(), vertices.end(),
                                        [&](int v) { return side[at(v)] != side[at(vertices.front())]; });
        if (is_cut) cut += graph.edge_weights[e];
    }
    return cut;
}

/// One pass moves each vertex once, the best first, and keeps the best parting on the way.
class Refinement {
public:
    Refinement(Hypergraph const& graph, Sides& side, double most)
        : graph_(graph), side_(side), most_(most), inside_(graph.edges.size()) {}

    void run() {
        for (int pass = 0; pass < most_passes; ++pass)
            if (!improve()) break;
    }

private:
    struct Entry {
        double gain;
        int vertex;
        unsigned version;
        bool operator<(Entry const& other) const {
            return gain != other.gain ? gain < other.gain : vertex > other.vertex;
        }
    };

    double gain(int v) const {
        double sum = 0;
        int const here = side_[at(v)];
        for (int e : graph_.incident[at(v)]) {
            auto const& count = inside_[at(e)];
            if (count[1 - here] == 0 && count[here] > 1) sum -= graph_.edge_weights[at(e)];
            if (count[here] == 1 && count[1 - here] > 0) sum += graph_.edge_weights[at(e)];
        }
        return sum;
    }

    void push(int v) { queue_.push({gain(v), v, ++version_[at(v)]}); }

    /// Moves a vertex; the gains of those that share an edge with it change where that edge's sides change.
    void move(int v, bool tell) {
        int const here = side_[at(v)];
        weight_[here] -= graph_.vertex_weights[at(v)];
        weight_[1 - here] += graph_.vertex_weights[at(v)];
        side_[at(v)] = static_cast<char>(1 - here);
        for (int e : graph_.incident[at(v)]) {
            auto& count = inside_[at(e)];
            bool const matters = count[1 - here] <= 1 || count[here] <= 2;
            --count[here];
            ++count[1 - here];
            if (!tell || !matters) continue;
            for (int other : graph_.edges[at(e)])
                if (other != v && !locked_[at(other)]) push(other);
        }
    }

    void begin() {
        weight_[0] = weight_[1] = 0;
        for (std::size_t v = 0; v < graph_.vertices(); ++v) weight_[at(int{side_[v]})] += graph_.vertex_weights[v];
        for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
            inside_[e] = {0, 0};
            for (int v : graph_.edges[e]) ++inside_[e][side_[at(v)]];
        }
        locked_.assign(graph_.vertices(), false);
        version_.assign(graph_.vertices(), 0);
        queue_ = {};
        for (std::size_t v = 0; v < graph_.vertices(); ++v) push(static_cast<int>(v));
    }

    bool improve() {
        begin();
        std::vector<int> moved;
        double gained = 0, best = 0;
        std::size_t best_moves = 0;
        bool balanced = std::max(weight_[0], weight_[1]) <= most_;
        while (!queue_.empty() && moved.size() < best_moves + graph_.vertices() / 4 + 50) {
            Entry const entry = queue_.top();
            queue_.pop();
            if (locked_[at(entry.vertex)] || entry.version != version_[at(entry.vertex)]) continue;
            int const here = side_[at(entry.vertex)];
            double const there = weight_[1 - here] + graph_.vertex_weights[at(entry.vertex)];
            if (there > most_ && there >= weight_[here]) continue;  // it would not balance better either
            locked_[at(entry.vertex)] = true;
            move(entry.vertex, true);
            moved.push_back(entry.vertex);
            gained += entry.gain;
            bool const now_balanced = std::max(weight_[0], weight_[1]) <= most_;
            if ((now_balanced && !balanced) || (now_balanced == balanced && gained > best + 1e-9)) {
                balanced = now_balanced;
                best = gained;
                best_moves = moved.size();
            }
        }
        for (std::size_t k = moved.size(); k > best_moves; --k) move(moved[k - 1], false);
        return best_moves > 0;
    }

    Hypergraph const& graph_;
    Sides& side_;
    double most_;
    double weight_[2] = {0, 0};
    std::vector<std::array<int, 2>> inside_;  // of each edge: vertices on either side
    std::vector<bool> locked_;
    std::vector<unsigned> version_;
    std::priority_queue<Entry> queue_;
};

struct Merged {
    Hypergraph graph;
    std::vector<int> into;  // of each vertex
};

/// Pairs of vertices that share much and weigh little become one.
Merged merge_pairs(Hypergraph const& graph, Draws& draws) {
    std::size_t const n = graph.vertices();
    double const heaviest = 4 * total(graph.vertex_weights) / static_cast<double>(few_vertices);
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t k = n; k > 1; --k) std::swap(order[k - 1], order[draws.below(k)]);
    Merged out;
    out.into.assign(n, -1);
    std::vector<double> rating(n, 0);
    std::vector<int> rated;
    for (int v : order) {
        if (out.into[at(v)] >= 0) continue;
        for (int e : graph.incident[at(v)]) {
            auto const& vertices = graph.edges[at(e)];
            if (vertices.size() > most_rated) continue;
            for (int other : vertices) {
                if (other == v || out.into[at(other)] >= 0) continue;
                if (rating[at(other)] == 0) rated.push_back(other);
                rating[at(other)] += graph.edge_weights[at(e)] / static_cast<double>(vertices.size() - 1);
            }
        }
        int best = -1;
        double best_rating = 0;
        for (int other : rated) {
            double const weight = graph.vertex_weights[at(v)] + graph.vertex_weights[at(other)];
            double const value = rating[at(other)] / (graph.vertex_weights[at(v)] * graph.vertex_weights[at(other)]);
            if (weight <= heaviest && value > best_rating) best = other, best_rating = value;
            rating[at(other)] = 0;
        }
        rated.clear();
        int const number = static_cast<int>(out.graph.vertex_weights.size());
        out.graph.vertex_weights.push_back(graph.vertex_weights[at(v)]);
        out.into[at(v)] = number;
        if (best < 0) continue;
        out.into[at(best)] = number;
        out.graph.vertex_weights.back() += graph.vertex_weights[at(best)];
    }
    std::map<std::vector<int>, double> edges;  // edges of the same vertices become one
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
        std::vector<int> vertices;
        for (int v : graph.edges[e]) vertices.push_back(out.into[at(v)]);
        std::sort(vertices.begin(), vertices.end());
        vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
        if (vertices.size() > 1) edges[std::move(vertices)] += graph.edge_weights[e];
    }
    for (auto& [vertices, weight] : edges) {
        out.graph.edges.push_back(vertices);
        out.graph.edge_weights.push_back(weight);
    }
    out.graph.connect();
    return out;
}

/// Grown from a drawn vertex along edges until it is half of all.
Sides grown(Hypergraph const& graph, double share, Draws& draws) {
    std::size_t const n = graph.vertices();
    Sides side(n, 1);
    double const wanted = share * total(graph.vertex_weights);
    double weight = 0;
    std::vector<double> pull(n, 0);
    int next = static_cast<int>(draws.below(n));
    while (next >= 0) {
        side[at(next)] = 0;
        weight += graph.vertex_weights[at(next)];
        if (weight >= wanted) break;
        for (int e : graph.incident[at(next)])
            for (int other : graph.edges[at(e)])
                pull[at(other)] += graph.edge_weights[at(e)] / static_cast<double>(graph.edges[at(e)].size());
        next = -1;
        for (std::size_t v = 0; v < n; ++v)
            if (side[v] == 1 && (next < 0 || pull[v] > pull[at(next)])) next = static_cast<int>(v);
    }
    return side;
}

Sides first_parting(Hypergraph const& graph, double most, double imbalance, Draws& draws) {
    Sides best;
    double best_cut = 0;
    for (int k = 0; k < first_partings; ++k) {
        double const share = 0.5 + 0.5 * imbalance * (draws.uniform() - 0.5);
        Sides side = grown(graph, share, draws);
        Refinement(graph, side, most).run();
        double const cut = cut_of(graph, side);
        if (best.empty() || cut < best_cut) best = std::move(side), best_cut = cut;
    }
    return best;
}

}  // namespace

void Hypergraph::connect() {
    incident.assign(vertices(), {});
    for (std::size_t e = 0; e < edges.size(); ++e)
        for (int v : edges[e]) incident[at(v)].push_back(static_cast<int>(e));
}

std::vector<char> bisect(Hypergraph const& graph, double imbalance, Draws& draws) {
    double const most = (1 + imbalance) / 2 * total(graph.vertex_weights);
    if (graph.vertices() > few_vertices) {
        Merged const merged = merge_pairs(graph, draws);
        if (10 * merged.graph.vertices() < 9 * graph.vertices()) {
            Sides const coarse = bisect(merged.graph, imbalance, draws);
            Sides side(graph.vertices());
            for (std::size_t v = 0; v < side.size(); ++v) side[v] = coarse[at(merged.into[v])];
            Refinement(graph, side, most).run();
            return side;
        }
    }
    return first_parting(graph, most, imbalance, draws);
}

}  // namespace ein::graph
