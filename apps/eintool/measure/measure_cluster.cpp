#include "apps/eintool/measure/measure_cluster.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "executor/startup/host_memory.hpp"

namespace ein::apps::tool {

using executor::Seat;
using scheduler::Cluster;

namespace {

/// Three digits: more would only be noise.
double to_three_digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return std::strtod(text, nullptr);
}

void round_all(Cluster& cluster) {
    for (double* value : {&cluster.flops_f64, &cluster.flops_f32, &cluster.operations, &cluster.bytes,
                          &cluster.memory_rate, &cluster.cached, &cluster.copied, &cluster.listed,
                          &cluster.inside.bandwidth, &cluster.inside.latency, &cluster.inside.per_message,
                          &cluster.between.bandwidth, &cluster.between.latency, &cluster.between.per_message})
        *value = to_three_digits(*value);
    for (std::optional<double>* value : {&cluster.uplink, &cluster.inside.both_ways, &cluster.between.both_ways})
        if (*value) *value = to_three_digits(**value);
    for (std::int64_t* value :
         {&cluster.inside.queue, &cluster.between.queue, &cluster.inside.burst, &cluster.between.burst})
        *value = static_cast<std::int64_t>(to_three_digits(static_cast<double>(*value)));
}

std::string to_text(KernelRates const& rates, std::int64_t memory) {
    return Json{rates.flops_f64, rates.flops_f32, rates.operations, rates.bytes,
                rates.cached,    rates.copied,    rates.listed,     memory}
        .dump();
}

}  // namespace

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

Cluster measure_cluster(executor::Transport& transport, executor::Device& device, std::vector<Seat> const& seats,
                        int threads) {
    Cluster cluster;
    std::map<std::string, int> ranks_on;
    for (Seat const& seat : seats) ++ranks_on[seat.host];
    cluster.ranks_per_node = 1;
    for (auto const& [host, count] : ranks_on) cluster.ranks_per_node = std::max(cluster.ranks_per_node, count);
    cluster.threads = threads;

    transport.barrier();
    std::vector<Json> ranks;
    for (std::string const& text :
         transport.all_gather(to_text(measure_kernels(device, threads), executor::memory_of_this_host())))
        ranks.push_back(Json::parse(text));
    auto const of_all = [&](std::size_t what) {
        std::vector<double> out;
        for (Json const& rank : ranks) out.push_back(rank[what].get<double>());
        return out;
    };
    cluster.flops_f64 = median(of_all(0));
    cluster.flops_f32 = median(of_all(1));
    cluster.operations = median(of_all(2));
    cluster.bytes = median(of_all(3));
    cluster.memory_rate = cluster.bytes;  // where the shared cache ends changes with who else uses it
    cluster.cached = median(of_all(4));
    cluster.copied = median(of_all(5));
    cluster.listed = median(of_all(6));
    std::vector<double> const memory = of_all(7), flops = of_all(0);
    double const least = *std::min_element(memory.begin(), memory.end());
    if (least > 0) cluster.memory = static_cast<std::int64_t>(0.8 * least / cluster.ranks_per_node);
    for (std::size_t rank = 0; rank < flops.size(); ++rank)  // smaller differences are noise
        if (flops[rank] < 0.7 * cluster.flops_f64)
            cluster.speeds[static_cast<int>(rank)] = to_three_digits(flops[rank] / cluster.flops_f64);
    if (transport.size() > 1) measure_links(transport, seats, cluster);
    round_all(cluster);
    return cluster;
}

}  // namespace ein::apps::tool
