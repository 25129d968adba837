#include "scheduler/simulate/cluster.hpp"

#include "tests/support/catch.hpp"

using namespace ein;
using scheduler::Cluster;

namespace {

Cluster read(std::string const& text) { return scheduler::cluster_from_json(parse_json(text, "c.json"), "c.json"); }

std::vector<Fault> faults_in(std::string const& text) {
    try {
        read(text);
    } catch (InputError const& error) {
        return error.faults();
    }
    return {};
}

}  // namespace

TEST_CASE("a cluster is read with units or without", "[scheduler][cluster]") {
    Cluster const cluster =
        read(R"({"nodes": 3, "ranks_per_node": 2, "threads": 4, "flops_per_second": {"f64": "50Gflop/s", "f32": 1e11},
        "operations_per_second": "2 Gflop/s", "bytes_per_second": "20GB/s", "copied_per_second": "5GB/s",
        "listed_per_second": 3e9, "memory_per_second": "12GB/s", "shared_cache": "48MiB",
        "disk_per_second": "600MB/s", "seconds_per_task": "3us",
        "memory": "16GiB", "inside": {"bandwidth": "8GB/s", "latency": 1e-6, "per_message": "500ns"},
        "between": {"bandwidth": "100Gbit/s", "latency": "2us", "both_ways": "20GB/s"},
        "uplink": "200Gbit/s", "backbone": "1Tbit/s", "eager": "4KiB", "speeds": {"5": 0.5}, "x-note": "mine"})");
    CHECK(cluster.nodes == 3);
    CHECK(cluster.listed == 3e9);
    CHECK(cluster.memory_rate == Approx(1.2e10));
    CHECK(cluster.shared_cache == 48 << 20);
    CHECK(cluster.flops(DType::f64) == Approx(5e10));
    CHECK(cluster.flops(DType::bf16) == Approx(1e11));
    CHECK(cluster.copied == Approx(5e9));
    CHECK(cluster.disk == Approx(6e8));
    CHECK(cluster.per_task == Approx(3e-6));
    CHECK(cluster.memory == std::int64_t{16} << 30);
    CHECK(cluster.inside.per_message == Approx(5e-7));
    CHECK(cluster.between.bandwidth == Approx(1.25e10));
    CHECK(*cluster.between.both_ways == Approx(2e10));
    CHECK(*cluster.uplink == Approx(2.5e10));
    CHECK(*cluster.backbone == Approx(1.25e11));
    CHECK(cluster.eager == 4096);
    CHECK(cluster.speed_of(Rank{5}) == 0.5);
    CHECK(cluster.speed_of(Rank{4}) == 1);
    CHECK(cluster.node_of(Rank{5}) == 2);
}

TEST_CASE("what is not said is as in the default cluster", "[scheduler][cluster]") {
    CHECK(read("{}") == Cluster{});
    Cluster const cluster =
        read(R"({"flops_per_second": 1e10, "between": {"bandwidth": "1GB/s"}, "bytes_per_second": 8e9})");
    CHECK(cluster.flops_f64 == 1e10);
    CHECK(cluster.flops_f32 == 2e10);
    CHECK(cluster.copied == 4e9);
    CHECK(cluster.memory_rate == 8e9);
    CHECK(cluster.shared_cache == 0);
    CHECK(cluster.between.latency == Cluster{}.between.latency);
    CHECK_FALSE(cluster.uplink);  // the default one is of another network
}

TEST_CASE("a cluster that is written is read again as it was", "[scheduler][cluster]") {
    Cluster cluster;
    cluster.nodes = 2;
    cluster.memory = 1 << 30;
    cluster.backbone = 1e9;
    cluster.between.both_ways = 2e9;
    cluster.between.queue = 1 << 19;
    cluster.speeds = {{3, 0.25}};
    CHECK(read(to_json(cluster).dump()) == cluster);
    CHECK(read(to_json(Cluster{}).dump()) == Cluster{});
}

TEST_CASE("all faults of a cluster file are reported at once", "[scheduler][cluster]") {
    auto const faults =
        faults_in(R"({"node": 4, "ranks_per_node": 0, "threads": 1.5, "flops_per_second": {"f64": -1, "f16": 3},
        "bytes_per_second": "8Gb/s", "memory": "lots", "inside": 3,
        "between": {"bandwith": "1GB/s", "latency": "2 GB/s"},
        "speeds": {"a": 1, "1": 0}})");
    std::vector<std::string> places;
    for (Fault const& fault : faults) places.push_back(fault.where);
    CHECK(places == std::vector<std::string>{"/node", "/ranks_per_node", "/threads", "/flops_per_second/f16",
                                             "/flops_per_second/f64", "/bytes_per_second", "/memory", "/inside",
                                             "/between/bandwith", "/between/latency", "/speeds/1", "/speeds/a"});
    CHECK(faults.front().text() ==
          "c.json: /node: expected nodes, ranks_per_node, threads, flops_per_second, operations_per_second, "
          "bytes_per_second, cached_per_second, memory_per_second, shared_cache, listed_per_second, "
          "copied_per_second, disk_per_second, seconds_per_task, memory, inside, between, uplink, backbone, eager or "
          "speeds, found the unknown key "
          "\"node\"; did you mean \"nodes\"?");
    CHECK(
        faults[5].text() ==
        "c.json: /bytes_per_second: expected a rate such as \"100Gbit/s\" or \"8GB/s\", or a number of bytes/s, found "
        "\"8Gb/s\"; b may mean bits or bytes: write 8Gbit/s or 8GB/s");
}

TEST_CASE("what a node has is told from what a rank has", "[scheduler][cluster]") {
    auto const fix = [](std::string const& keys) {
        try {
            scheduler::cluster_from_json(Json::parse("{\"nodes\": 2, " + keys + "}"), "c.json");
        } catch (InputError const& error) {
            return error.faults().front().fix;
        }
        return std::string("sound");
    };
    for (char const* key : {"cores", "cpus", "cores_per_node", "sockets"}) {
        std::string const mend = fix("\"" + std::string(key) + "\": 64");
        CHECK_THAT(mend, Catch::Contains("their product is the cores of a node, as 16 threads for each of 4 ranks"));
    }
    CHECK_THAT(fix("\"gpus\": 4"), Catch::Contains("\"ranks_per_node\": as many as a node has GPUs"));
    CHECK_THAT(fix("\"mem\": \"256GiB\""), Catch::Contains("that of a node divided by \"ranks_per_node\""));
    CHECK(fix("\"cpus_per_task\": 8") == "write \"threads\"");
    CHECK(fix("\"ntasks_per_node\": 8") == "write \"ranks_per_node\"");
    CHECK_THAT(fix("\"bandwidth\": 8"), Catch::Contains("\"between\": {\"bandwidth\""));
}

TEST_CASE("a cluster with too few nodes is refused with its size", "[scheduler][cluster]") {
    Cluster cluster;
    check_room(cluster, 1000000);
    cluster.nodes = 2;
    cluster.ranks_per_node = 4;
    check_room(cluster, 8);
    CHECK_THROWS_WITH(check_room(cluster, 9), Catch::Contains("expected at most 8"));
}
