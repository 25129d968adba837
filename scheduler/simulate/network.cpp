#include "scheduler/simulate/network.hpp"

#include <algorithm>
#include <utility>

#include "scheduler/tuning.hpp"

namespace ein::scheduler {

namespace {
std::size_t at(Rank rank) { return static_cast<std::size_t>(rank.value()); }
}  // namespace

Network::Network(Cluster const& cluster, int ranks) : cluster_(cluster) {
    auto const ends = [&](double rate, std::int64_t burst = 0) {
        auto const at_once = static_cast<double>(burst);
        std::size_t const out = add_link(rate, at_once), in = add_link(rate, at_once);
        return Ends{out, in};
    };
    for (int rank = 0; rank < ranks; ++rank) {
        inside_.push_back(ends(cluster.inside.bandwidth, cluster.inside.burst));
        between_.push_back(ends(cluster.between.bandwidth, cluster.between.burst));
    }
    if (cluster.uplink)
        for (int node = 0; node <= cluster.node_of(Rank{ranks - 1}); ++node) nodes_.push_back(ends(*cluster.uplink));
    if (cluster.backbone) backbone_ = add_link(*cluster.backbone);
}

std::size_t Network::add_link(double rate, double burst) {
    links_.emplace_back(rate, burst);
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

/// What fits in the queue follows when the rest has passed, and its sender is free from then on.
bool Network::start(double now, std::int32_t message, Rank from, Rank to, double bytes) {
    if (messages_.size() <= static_cast<std::size_t>(message)) messages_.resize(static_cast<std::size_t>(message) + 1);
    UnderWay& under_way = messages_[static_cast<std::size_t>(message)] = {0, from, to, 0, 0};
    Link const& kind = link(from, to);
    bool queued = false;
    if (kind.queue > 0) {
        queues_[{from, to}].messages.push_back(message);
        if (bytes > static_cast<double>(cluster_.eager) && kind.burst == 0)
            bytes -= static_cast<double>(cluster_.eager);  // went with the request
        queued = bytes <= static_cast<double>(kind.queue);
        if (!queued) under_way.queued = static_cast<double>(kind.queue);
    }
    put_on_way(now, message, bytes - under_way.queued, kind.per_message * kind.bandwidth);
    return queued;
}

/// @param beside  its bytes, what keeps the links of its ranks busy
void Network::put_on_way(double now, std::int32_t message, double bytes, double beside) {
    UnderWay& under_way = messages_[static_cast<std::size_t>(message)];
    Rank const from = under_way.from, to = under_way.to;
    bool const inside = same_node(from, to);
    Link const& kind = link(from, to);
    std::vector<Ends> const& ranks = inside ? inside_ : between_;
    under_way.mark = put(ranks[at(from)].out, now, bytes + beside, message);
    put(ranks[at(to)].in, now, bytes + beside, message);
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
    Queue& queue = queues_[{from, to}];
    double const carried = static_cast<double>(std::max<std::int64_t>(0, cluster_.eager - kind.burst));
    queue.asks = now;
    queue.asked = std::max(queue.asked, now) + kind.per_message + carried / kind.bandwidth;
    return queue.asked + kind.latency;
}

double Network::answer(double now, Rank from, Rank to) const {
    Link const& kind = link(from, to);
    auto const queue = queues_.find({to, from});
    if (queue == queues_.end()) return now + kind.latency;
    FairLink const& out = links_[(same_node(from, to) ? inside_ : between_)[at(to)].out];
    double bytes = 0;
    for (std::int32_t message : queue->second.messages) {
        UnderWay const& before = messages_[static_cast<std::size_t>(message)];
        bytes += std::min(out.left(now, before.mark) + before.queued, static_cast<double>(kind.queue));
    }
    double const behind = tuning::share_of_a_queue * bytes / kind.bandwidth;
    double const requests = queue->second.asks < now ? queue->second.asked : now;  // an answer goes before later ones
    return std::max(now + behind, requests) + kind.latency;
}

Network::Step Network::step() {
    double const now = earliest_.time();
    std::size_t const link = earliest_.index();
    std::int32_t const message = links_[link].take(now);
    earliest_.set(link, links_[link].next_end());
    UnderWay& under_way = messages_[static_cast<std::size_t>(message)];
    Rank const from = under_way.from, to = under_way.to;
    if (link == (same_node(from, to) ? inside_ : between_)[at(from)].out) {  // nothing stands behind it any more
        under_way.mark = 0;
        if (auto const queue = queues_.find({from, to}); under_way.queued == 0 && queue != queues_.end())
            std::erase(queue->second.messages, message);
    }
    if (--under_way.links_left > 0) return {};
    if (under_way.queued > 0) {
        put_on_way(now, message, std::exchange(under_way.queued, 0), 0);
        return {message, true, false};
    }
    return {message, this->link(from, to).queue == 0, true};
}

}  // namespace ein::scheduler
