// The machines that a schedule will run on, as far as time depends on them: what a rank computes and what its links
// carry. Read from the JSON of --cluster (docs/cluster-format.md); measured by eintool preflight --cluster-out. Ranks
// fill nodes in order: rank r is on node r / ranks_per_node. All rates are those of a whole rank with all of its
// threads. Example: {"ranks_per_node": 1, "between": {"bandwidth": "1Gbit/s", "latency": "50us"}}; what is not said is
// as in Cluster{}.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "lib/base/dtype.hpp"
#include "lib/base/ids.hpp"
#include "lib/base/json.hpp"

namespace ein::scheduler {

/// What lies between two ranks. Full duplex: a rank sends and receives at the full bandwidth at once.
struct Link {
    double bandwidth = 0;             // bytes/s of one rank, each way
    double latency = 0;               // seconds from the last byte's leaving to its arrival
    double per_message = 0;           // seconds for which a message keeps the links of its ranks busy beside its bytes
    std::optional<double> both_ways;  // bytes/s that two ranks exchange, both directions together: less than twice the
                                      // bandwidth where a connection does not carry both at once
    std::int64_t queue = 0;  // bytes of each message under way the other way that stand before the answer to one above
                             // `eager`
    std::int64_t burst = 0;  // bytes that a link that was idle carries at once: the bucket of whoever limits its rate
    friend bool operator==(Link const&, Link const&) = default;
};

/// The defaults are a small cluster of today: nodes of 32 cores (4 ranks of 8 threads), one link of 100 Gbit/s each.
struct Cluster {
    std::optional<int> nodes;  // as many as are needed, if not said
    int ranks_per_node = 4;
    int threads = 8;                     // workers of one rank
    double flops_f64 = 2.4e11;           // flop/s of matrix products: 30 Gflop/s a thread
    double flops_f32 = 4.8e11;           // also for f16 and bf16, which are computed in f32
    double operations = 1.6e10;          // simple scalar operations/s of every other kernel: 2 Gop/s a thread
    double bytes = 3e10;                 // bytes/s read and written by kernels that are no matrix products
    double memory_rate = 3e10;           // the same of what is no longer in the cache that cores share
    double shared_cache = 0;             // bytes of that cache for one rank; 0: all is in memory
    double cached = 4e11;                // bytes/s read and written by kernels in a core's cache: 50 GB/s a thread
    double listed = 8e9;                 // listed elements/s that sparse kernels go through: 1 ns each on a thread
    double copied = 1.5e10;              // bytes/s copied, packed or filled (each byte counted once)
    double disk = 1e9;                   // bytes/s that spills write and fetches read, one after another
    double per_task = 1.5e-6;            // seconds beside the work itself, on one thread
    std::optional<std::int64_t> memory;  // bytes of blocks of one rank
    Link inside{1e10, 1e-6, 5e-7, {}};   // between ranks of one node
    Link between{1.25e10, 2e-6, 1e-6, {}};
    std::optional<double> uplink = 1.25e10;  // bytes/s of a node's link to the others, each way, shared by its ranks
    std::optional<double> backbone;          // bytes/s of all traffic between nodes together
    std::int64_t eager = 64 << 10;           // messages up to this size do not wait for their receiver
    std::map<int, double> speeds;            // of ranks that are slower or faster than the others, as factors

    int node_of(Rank rank) const { return rank.value() / ranks_per_node; }
    double speed_of(Rank rank) const;
    double flops(DType type) const;
    friend bool operator==(Cluster const&, Cluster const&) = default;
};

/// @param file  names the document in errors
/// @param unlikely  numbers without a unit that no machine has, as "/inside/latency: 2 without a unit is 2 seconds ..."
/// @throws InputError with every fault
Cluster cluster_from_json(Json const& document, std::string const& file, std::vector<std::string>* unlikely = nullptr);
/// All that cluster_from_json reads; rates in bytes/s and operations/s, times in seconds.
Json to_json(Cluster const& cluster);

/// @throws UsageError when the cluster has fewer nodes than `ranks` need
void check_room(Cluster const& cluster, int ranks);
/// How many ranks the cluster has places for; nothing when it does not say how many nodes it has.
std::optional<std::int64_t> room_of(Cluster const& cluster);

}  // namespace ein::scheduler
