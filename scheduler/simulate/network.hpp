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
#include "scheduler/tuning.hpp"

namespace ein::scheduler {

class Network {
public:
    Network(Cluster const& cluster, int ranks);

    /// Begins a message. @param message  a number of the caller's, 0, 1, ...
    /// @return whether its sender has nothing to do with it any more: it stands in the link's queue
    bool start(double now, std::int32_t message, Rank from, Rank to, double bytes);
    double next() const { return earliest_.time(); }
    /// What became of a message: its sender has nothing to do with it any more, and it has passed its last link.
    struct Step {
        std::int32_t message = -1;
        bool sent = false, passed = false;
    };
    /// Goes on to next().
    Step step();

    /// Asks whether `to` is ready for a message. @return when it can answer: where answers may have to queue, the
    /// message's first bytes go with the request and matter, since ranks that ask each other within that time both
    /// answer before either sends.
    double ask(double now, Rank from, Rank to);
    /// @return when the answer is there that `to` gives now: behind what is under way in its direction, where that
    /// queues
    double answer(double now, Rank from, Rank to) const;

    /// How much later than rank 0 a rank begins. It matters where answers queue: ranks that wait for each other never
    /// ask at the same time, and the later one's answer is given before its request.
    double apart(Rank rank) const {
        Link const& first = link(Rank{0}, rank);
        return rank == Rank{0} || first.queue == 0 ? 0 : tuning::seconds_apart;
    }

    Link const& link(Rank from, Rank to) const { return same_node(from, to) ? cluster_.inside : cluster_.between; }
    bool same_node(Rank a, Rank b) const { return cluster_.node_of(a) == cluster_.node_of(b); }

private:
    std::size_t add_link(double rate, double burst = 0);
    void put_on_way(double now, std::int32_t message, double bytes, double beside);
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
        double mark = 0;    // on the link out of `from`
        double queued = 0;  // bytes behind those that are on their way
    };
    std::vector<UnderWay> messages_;
    struct Queue {
        double asks = 0, asked = 0;  // when the last request was made, and when it has gone
        std::vector<std::int32_t> messages;
    };
    std::map<std::pair<Rank, Rank>, Queue> queues_;  // under way from a rank to another, where their link has a queue
};

}  // namespace ein::scheduler
