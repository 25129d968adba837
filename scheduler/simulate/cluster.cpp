#include "scheduler/simulate/cluster.hpp"

#include <charconv>

#include "lib/base/text/quantities.hpp"
#include "lib/base/text/sizes.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {

namespace {

enum class Zero { allowed, refused };

using Notes = std::vector<std::string>;  // of numbers that are hardly meant

/// Outside of these no time would be finite.
constexpr double least_rate = 1e-3, largest_rate = 1e24, longest_time = 1e6;

std::optional<double> read_quantity(Cursor const& at, Quantity quantity, Zero zero, Notes& notes) {
    std::optional<double> value;
    if (at.value().is_number()) value = at.value().get<double>();
    if (at.value().is_string()) value = parse_quantity(at.value().get_ref<std::string const&>(), quantity);
    double const least = zero == Zero::allowed ? 0 : least_rate;
    double const largest = quantity == Quantity::seconds ? longest_time : largest_rate;
    if (value && *value >= least && *value <= largest) {
        std::string const note =
            at.value().is_number() ? note_of_unlikely(*value, at.value().dump(), quantity) : std::string();
        if (!note.empty()) notes.push_back(at.pointer() + ": " + note);
        return value;
    }
    at.fail(std::string(example_of(quantity)), brief(at.value()),
            !value           ? mend_quantity(at.value().is_string() ? at.value().get<std::string>() : "", quantity)
            : *value < least ? "write a positive one"
                             : "write a smaller one");
    return std::nullopt;
}

template <class Value>
void take(std::optional<double> const& read, Value& value) {
    if (read) value = *read;
}

void read_rate(Cursor const& at, std::string const& key, auto& value, Quantity quantity, Notes& notes) {
    if (at.has(key)) take(read_quantity(at.at(key), quantity, Zero::refused, notes), value);
}

void read_time(Cursor const& at, std::string const& key, double& value, Notes& notes) {
    if (at.has(key)) take(read_quantity(at.at(key), Quantity::seconds, Zero::allowed, notes), value);
}

/// @param most  of the value
std::optional<int> read_count(Cursor const& at, int most) {
    auto const count = at.integer();
    if (count && (*count < 1 || *count > most)) {
        at.fail("1 to " + std::to_string(most), std::to_string(*count), "correct the number");
        return std::nullopt;
    }
    return count ? std::optional(static_cast<int>(*count)) : std::nullopt;
}

std::optional<std::int64_t> read_size(Cursor const& at) {
    std::optional<std::int64_t> bytes;
    if (at.value().is_number())
        bytes = parse_bytes(at.value().dump());
    else if (at.value().is_string())
        bytes = parse_bytes(at.value().get_ref<std::string const&>());
    if (!bytes)
        at.fail("a size such as \"16GiB\", or a number of bytes", brief(at.value()),
                mend_size(at.value().is_string() ? at.value().get<std::string>() : ""));
    return bytes;
}

void read_flops(Cursor const& at, Cluster& cluster, Notes& notes) {
    if (!at.value().is_object()) {
        auto const rate = read_quantity(at, Quantity::operations_per_second, Zero::refused, notes);
        if (rate) cluster.flops_f64 = *rate, cluster.flops_f32 = 2 * *rate;
        return;
    }
    at.only_keys({"f64", "f32"});
    read_rate(at, "f64", cluster.flops_f64, Quantity::operations_per_second, notes);
    read_rate(at, "f32", cluster.flops_f32, Quantity::operations_per_second, notes);
}

void read_link(Cursor const& at, Link& link, Notes& notes) {
    if (!at.expect_object(R"({"bandwidth": "100Gbit/s", "latency": "2us"})")) return;
    at.only_keys({"bandwidth", "latency", "per_message", "both_ways", "queue", "burst"});
    read_rate(at, "bandwidth", link.bandwidth, Quantity::bytes_per_second, notes);
    read_time(at, "latency", link.latency, notes);
    read_time(at, "per_message", link.per_message, notes);
    read_rate(at, "both_ways", link.both_ways, Quantity::bytes_per_second, notes);
    if (at.has("queue")) link.queue = read_size(at.at("queue")).value_or(0);
    if (at.has("burst")) link.burst = read_size(at.at("burst")).value_or(0);
}

void read_speeds(Cursor const& at, std::map<int, double>& speeds) {
    if (!at.expect_object(R"({"3": 0.5}: a rank, and how fast it is beside the others)")) return;
    for (auto const& [key, value] : at.value().items()) {
        int rank = -1;
        auto const [end, error] = std::from_chars(key.data(), key.data() + key.size(), rank);
        Cursor const entry = at.at(key);
        if (error != std::errc{} || end != key.data() + key.size() || rank < 0)
            entry.fail("the number of a rank as key", "\"" + key + "\"", "write as {\"3\": 0.5}");
        else if (auto const speed = entry.number(); speed && !(*speed >= 1e-3 && *speed <= 1e3))
            entry.fail("a factor of 0.001 to 1000, 1 being the speed of the other ranks", brief(value), "correct it");
        else if (speed)
            speeds[rank] = *speed;
    }
}

Json to_json(Link const& link) {
    Json out{{"bandwidth", link.bandwidth}, {"latency", link.latency}, {"per_message", link.per_message}};
    if (link.both_ways) out["both_ways"] = *link.both_ways;
    if (link.queue > 0) out["queue"] = link.queue;
    if (link.burst > 0) out["burst"] = link.burst;
    return out;
}

}  // namespace

double Cluster::speed_of(Rank rank) const {
    auto const found = speeds.find(rank.value());
    return found == speeds.end() ? 1.0 : found->second;
}

double Cluster::flops(DType type) const {
    if (is_exact(type)) return operations;  // integers have no matrix product of their own
    double const real = type == DType::f64 || type == DType::c128 ? flops_f64 : flops_f32;
    return is_complex(type) ? real / 4 : real;  // a complex multiply-add is four real ones
}

Cluster cluster_from_json(Json const& document, std::string const& file, std::vector<std::string>* unlikely) {
    Notes notes;
    Faults faults(file);
    Cursor const at(document, faults);
    Cluster cluster;
    if (at.expect_object()) {
        at.only_keys({"nodes",
                      "ranks_per_node",
                      "threads",
                      "flops_per_second",
                      "operations_per_second",
                      "bytes_per_second",
                      "cached_per_second",
                      "memory_per_second",
                      "shared_cache",
                      "listed_per_second",
                      "copied_per_second",
                      "disk_per_second",
                      "seconds_per_task",
                      "memory",
                      "inside",
                      "between",
                      "uplink",
                      "backbone",
                      "eager",
                      "speeds"});
        if (at.has("nodes")) cluster.nodes = read_count(at.at("nodes"), 1 << 20);
        if (at.has("ranks_per_node"))
            cluster.ranks_per_node = read_count(at.at("ranks_per_node"), 1 << 20).value_or(cluster.ranks_per_node);
        if (at.has("threads")) cluster.threads = read_count(at.at("threads"), 4096).value_or(cluster.threads);
        if (at.has("flops_per_second")) read_flops(at.at("flops_per_second"), cluster, notes);
        read_rate(at, "operations_per_second", cluster.operations, Quantity::operations_per_second, notes);
        read_rate(at, "bytes_per_second", cluster.bytes, Quantity::bytes_per_second, notes);
        if (at.has("bytes_per_second")) cluster.cached = tuning::caches_beside_memory * cluster.bytes;
        read_rate(at, "cached_per_second", cluster.cached, Quantity::bytes_per_second, notes);
        cluster.memory_rate = cluster.bytes;
        read_rate(at, "memory_per_second", cluster.memory_rate, Quantity::bytes_per_second, notes);
        if (at.has("shared_cache"))
            cluster.shared_cache = static_cast<double>(read_size(at.at("shared_cache")).value_or(0));
        if (at.has("threads")) cluster.listed = cluster.threads / tuning::seconds_of_an_element;
        read_rate(at, "listed_per_second", cluster.listed, Quantity::operations_per_second, notes);
        cluster.copied = cluster.bytes / 2;
        read_rate(at, "copied_per_second", cluster.copied, Quantity::bytes_per_second, notes);
        read_rate(at, "disk_per_second", cluster.disk, Quantity::bytes_per_second, notes);
        read_time(at, "seconds_per_task", cluster.per_task, notes);
        if (at.has("memory")) cluster.memory = read_size(at.at("memory"));
        if (at.has("inside")) read_link(at.at("inside"), cluster.inside, notes);
        if (at.has("between")) {
            cluster.uplink.reset();  // of another cluster than the default one: none unless said
            read_link(at.at("between"), cluster.between, notes);
        }
        read_rate(at, "uplink", cluster.uplink, Quantity::bytes_per_second, notes);
        read_rate(at, "backbone", cluster.backbone, Quantity::bytes_per_second, notes);
        if (at.has("eager")) cluster.eager = read_size(at.at("eager")).value_or(cluster.eager);
        if (at.has("speeds")) read_speeds(at.at("speeds"), cluster.speeds);
    }
    faults.throw_if_any();
    if (unlikely != nullptr) *unlikely = std::move(notes);
    return cluster;
}

Json to_json(Cluster const& cluster) {
    Json out{{"ranks_per_node", cluster.ranks_per_node},
             {"threads", cluster.threads},
             {"flops_per_second", {{"f64", cluster.flops_f64}, {"f32", cluster.flops_f32}}},
             {"operations_per_second", cluster.operations},
             {"bytes_per_second", cluster.bytes},
             {"cached_per_second", cluster.cached},
             {"listed_per_second", cluster.listed},
             {"copied_per_second", cluster.copied},
             {"disk_per_second", cluster.disk},
             {"seconds_per_task", cluster.per_task},
             {"inside", to_json(cluster.inside)},
             {"between", to_json(cluster.between)},
             {"eager", cluster.eager}};
    if (cluster.nodes) out["nodes"] = *cluster.nodes;
    if (cluster.memory_rate != cluster.bytes) out["memory_per_second"] = cluster.memory_rate;
    if (cluster.shared_cache > 0) out["shared_cache"] = static_cast<std::int64_t>(cluster.shared_cache);
    if (cluster.memory) out["memory"] = *cluster.memory;
    if (cluster.uplink) out["uplink"] = *cluster.uplink;
    if (cluster.backbone) out["backbone"] = *cluster.backbone;
    for (auto const& [rank, speed] : cluster.speeds) out["speeds"][std::to_string(rank)] = speed;
    return out;
}

std::optional<std::int64_t> room_of(Cluster const& cluster) {
    if (!cluster.nodes) return std::nullopt;
    return std::int64_t{*cluster.nodes} * cluster.ranks_per_node;
}

void check_room(Cluster const& cluster, int ranks) {
    auto const room = room_of(cluster);
    if (!room || *room >= ranks) return;
    throw UsageError("--ranks: expected at most " + std::to_string(*room) + " on a cluster of " +
                     std::to_string(*cluster.nodes) + " nodes with " + std::to_string(cluster.ranks_per_node) +
                     " ranks each, found " + std::to_string(ranks) +
                     "; plan for fewer ranks, or correct \"nodes\" in the cluster file");
}

}  // namespace ein::scheduler
