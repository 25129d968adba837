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

double Network::put(std::size_t link, double now, double bytes, std::int32_t message) {
    double const mark = links_[link].add(now, bytes, message);
    earliest_.set(link, links_[link].next_end());
    ++messages_[static_cast<std::size_t>(message)].links_left;
    return mark;
}

void Network::start(double now, std::int32_t message, Rank from, Rank to, double bytes) {
    if (messages_.size() <= static_cast<std::size_t>(message)) messages_.resize(static_cast<std::size_t>(message) + 1);
    UnderWay& under_way = messages_[static_cast<std::size_t>(message)] = {0, from, to, 0};
    bool const inside = same_node(from, to);
    Link const& kind = link(from, to);
    std::vector<Ends> const& ranks = inside ? inside_ : between_;
    if (kind.queue > 0) {
        queues_[{from, to}].messages.push_back(message);
        if (auto const asked = static_cast<double>(cluster_.eager); bytes > asked)
            bytes -= asked;  // went with the request
    }
    double const own = bytes + kind.per_message * kind.bandwidth;
    under_way.mark = put(ranks[at(from)].out, now, own, message);
    put(ranks[at(to)].in, now, own, message);
    if (kind.both_ways) put(exchange_of(from, to, *kind.both_ways), now, bytes, message);
    if (inside) return;
    if (!nodes_.empty()) {
        put(nodes_[static_cast<std::size_t>(cluster_.node_of(from))].out, now, bytes, message);
        put(nodes_[static_cast<std::size_t>(cluster_.node_of(to))].in, now, bytes, message);
    }
    if (cluster_.backbone) put(backbone_, now, bytes, message);
}

double Network::ask(double now, Rank from, Rank to) {
    Link const& kind = link(from, to);
    if (kind.queue == 0) return now + kind.latency;
    double& asked = queues_[{from, to}].asked;
    asked = std::max(asked, now) + static_cast<double>(cluster_.eager) / kind.bandwidth;
    return asked + kind.latency;
}

double Network::answer(double now, Rank from, Rank to) const {
    Link const& kind = link(from, to);
    auto const queue = queues_.find({to, from});
    if (queue == queues_.end()) return now + kind.latency;
    FairLink const& out = links_[(same_node(from, to) ? inside_ : between_)[at(to)].out];
    double bytes = 0;
    for (std::int32_t message : queue->second.messages)
        bytes += out.left(now, messages_[static_cast<std::size_t>(message)].mark);
    double const behind = std::min(bytes, static_cast<double>(kind.queue)) / kind.bandwidth;
    return std::max(now + behind, queue->second.asked) + kind.latency;
}

std::int32_t Network::step() {
    std::size_t const link = earliest_.index();
    std::int32_t const message = links_[link].take(earliest_.time());
    earliest_.set(link, links_[link].next_end());
    UnderWay& under_way = messages_[static_cast<std::size_t>(message)];
    bool const left_sender =
        link == (same_node(under_way.from, under_way.to) ? inside_ : between_)[at(under_way.from)].out;
    if (auto const queue = queues_.find({under_way.from, under_way.to}); left_sender && queue != queues_.end())
        std::erase(queue->second.messages, message);
    return --under_way.links_left == 0 ? message : -1;
}

}  // namespace ein::scheduler
