// Messages on the links of a cluster. A message takes a share of every link on its way at once and has passed when each of them has given it
// all of its bytes; it arrives a latency later. With one bottleneck on the way that is the exact fluid model; where shares are unequal it is
// a little optimistic (a link serves a message even while another one holds it up), for which every change costs O(log) only.
// Links: out of and into each rank, inside its node and between nodes; between two ranks both ways together, where the cluster limits it;
// out of and into each node; the backbone.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "scheduler/cluster.hpp"
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

    Link const& link(Rank from, Rank to) const { return same_node(from, to) ? cluster_.inside : cluster_.between; }

private:
    bool same_node(Rank a, Rank b) const { return cluster_.node_of(a) == cluster_.node_of(b); }
    std::size_t add_link(double rate);
    void put(std::size_t link, double now, double bytes, std::int32_t message);

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
    std::vector<std::int32_t> links_left_;  // by message
};

}  // namespace ein::scheduler
