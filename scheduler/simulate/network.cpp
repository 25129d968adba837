#include "scheduler/simulate/network.hpp"

#include <algorithm>

namespace ein::scheduler {

namespace {
std::size_t at(Rank rank) { return static_cast<std::size_t>(rank.value()); }
}  // namespace

Network::Network(Cluster const& cluster, int ranks) : cluster_(cluster) {
    auto const ends = [&](double rate) {
        std::size_t const out = add_link(rate), in = add_link(rate);
        return Ends{out, in};
    };
    for (int rank = 0; rank < ranks; ++rank) {
        inside_.push_back(ends(cluster.inside.bandwidth));
        between_.push_back(ends(cluster.between.bandwidth));
    }
    if (cluster.uplink)
        for (int node = 0; node <= cluster.node_of(Rank{ranks - 1}); ++node) nodes_.push_back(ends(*cluster.uplink));
    if (cluster.backbone) backbone_ = add_link(*cluster.backbone);
}

std::size_t Network::add_link(double rate) {
    links_.emplace_back(rate);
    earliest_.grow(links_.size());
    return links_.size() - 1;
}

std::size_t Network::exchange_of(Rank a, Rank b, double both_ways) {
    auto const [at, added] = exchanges_.try_emplace(std::minmax(a.value(), b.value()), 0);
    if (added) at->second = add_link(both_ways);
    return at->second;
}

void Network::put(std::size_t link, double now, double bytes, std::int32_t message) {
    links_[link].add(now, bytes, message);
    earliest_.set(link, links_[link].next_end());
    ++links_left_[static_cast<std::size_t>(message)];
}

void Network::start(double now, std::int32_t message, Rank from, Rank to, double bytes) {
    if (links_left_.size() <= static_cast<std::size_t>(message))
        links_left_.resize(static_cast<std::size_t>(message) + 1);
    bool const inside = same_node(from, to);
    Link const& kind = link(from, to);
    std::vector<Ends> const& ranks = inside ? inside_ : between_;
    double const own = bytes + kind.per_message * kind.bandwidth;
    put(ranks[at(from)].out, now, own, message);
    put(ranks[at(to)].in, now, own, message);
    if (kind.both_ways) put(exchange_of(from, to, *kind.both_ways), now, bytes, message);
    if (inside) return;
    if (!nodes_.empty()) {
        put(nodes_[static_cast<std::size_t>(cluster_.node_of(from))].out, now, bytes, message);
        put(nodes_[static_cast<std::size_t>(cluster_.node_of(to))].in, now, bytes, message);
    }
    if (cluster_.backbone) put(backbone_, now, bytes, message);
}

std::int32_t Network::step() {
    std::size_t const link = earliest_.index();
    std::int32_t const message = links_[link].take(earliest_.time());
    earliest_.set(link, links_[link].next_end());
    return --links_left_[static_cast<std::size_t>(message)] == 0 ? message : -1;
}

}  // namespace ein::scheduler
