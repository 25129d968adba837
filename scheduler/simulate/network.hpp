// Messages on the links of a cluster. A message takes a share of every link on its way at once and has passed when each
// of them has given it all of its bytes; it arrives a latency later. With one bottleneck on the way that is the exact
// fluid model; where shares are unequal it is a little optimistic (a link serves a message even while another one holds
// it up), for which every change costs O(log) only (and for links with a queue, the messages between two ranks, which
// the dispatcher bounds). Links: out of and into each rank, inside its node and between nodes; between two ranks both
// ways together, where the cluster limits it; out of and into each node; the backbone.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "scheduler/simulate/cluster.hpp"
#include "scheduler/simulate/earliest.hpp"
#include "scheduler/simulate/fair_link.hpp"

namespace ein::scheduler {

class Network {
public:
    Network(Cluster const& cluster, int ranks);

    /// Begins a message. @param message  a number of the caller's, 0, 1, ...
    void start(double now, std::int32_t message, Rank from, Rank to, double bytes);
    double next() const { return earliest_.time(); }
    /// Goes on to next(). @return the message that passed its last link then, or -1
    std::int32_t step();

    /// Asks whether `to` is ready for a message. @return when it can answer: where answers may have to queue, the
    /// message's first bytes go with the request and matter, since ranks that ask each other within that time both
    /// answer before either sends.
    double ask(double now, Rank from, Rank to);
    /// @return when the answer is there that `to` gives now: behind what is under way in its direction, where that
    /// queues
    double answer(double now, Rank from, Rank to) const;

    Link const& link(Rank from, Rank to) const { return same_node(from, to) ? cluster_.inside : cluster_.between; }

private:
    bool same_node(Rank a, Rank b) const { return cluster_.node_of(a) == cluster_.node_of(b); }
    std::size_t add_link(double rate);
    double put(std::size_t link, double now, double bytes, std::int32_t message);

    std::size_t exchange_of(Rank a, Rank b, double both_ways);

    struct Ends {
        std::size_t out, in;
    };
    Cluster const& cluster_;
    std::vector<FairLink> links_;
    std::vector<Ends> inside_, between_, nodes_;
    std::map<std::pair<int, int>, std::size_t> exchanges_;  // by pair of ranks that have sent
    std::size_t backbone_ = 0;
    Earliest earliest_;
    struct UnderWay {
        std::int32_t links_left = 0;
        Rank from, to;
        double mark = 0;  // on the link out of `from`
    };
    std::vector<UnderWay> messages_;
    struct Queue {
        double asked = 0;  // when the last request has gone
        std::vector<std::int32_t> messages;
    };
    std::map<std::pair<Rank, Rank>, Queue> queues_;  // under way from a rank to another, where their link has a queue
};

}  // namespace ein::scheduler
