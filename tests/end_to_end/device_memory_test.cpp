// Graphs on a device whose memory is far too small for their blocks: the same bits as without one, what is copied as
// predicted, and a clean end when the device fails. EIN_SEEDS=FIRST:COUNT runs other random graphs.
#include <algorithm>
#include <array>
#include <filesystem>

#include "lib/schedule/device/device_traffic.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/results.hpp"

using namespace ein;

namespace {

/// Runs the schedule of `plain` on an emulated device. @param memory  bytes a rank; 0: as few as will do
test::WholeRun on_device(test::WholeRun const& plain, test::WholeRunSetup setup, std::string const& faults,
                         std::int64_t memory) {
    setup.device = {executor::DeviceKind::emulated, faults};
    setup.device_memory = memory;
    test::WholeRun run;
    run.schedule = plain.schedule;
    test::execute(run, setup);
    return run;
}

bool has_sparse(graph::EinGraph const& graph) {
    return std::any_of(graph.values.begin(), graph.values.end(),
                       [](graph::Value const& value) { return value.listing.has_value(); });
}

/// @param fused  kernels were put into others, whose sums may then run in another order
void check_same(test::WholeRun const& run, test::WholeRun const& plain, bool fused, bool all_on_device = true) {
    for (std::string const& failure : run.failures) FAIL_CHECK(failure);
    if (!run.failures.empty()) return;
    for (auto const& [name, expected] : plain.results) {
        CAPTURE(name);
        tensor::HostTensor const& found = run.results.at(name);
        if (!fused) CHECK(test::same_bits(found, expected));
        double const allowed = 10 * tensor::tolerance(expected.dtype(), plain.reduction_length.at(name));
        CHECK(tensor::compare(found, expected, allowed).count == 0);
    }
    for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
        CAPTURE(rank);
        executor::RunResult const& result = run.ranks[rank];
        CHECK(result.transfers.bytes_sent == result.predicted.sent);
        CHECK(result.blocks.created() == result.blocks.deleted());
        REQUIRE(result.device);
        CHECK(result.device->moved.peak <= result.device->capacity);
        if (all_on_device && run.ranks.size() == 1 && run.schedule.header.loops.empty())
            CHECK(result.device->moved == result.device->predicted);
    }
}

void check(std::uint64_t seed, std::string const& dtype) {
    Json const json = test::random_graph(seed, {.dtype = dtype, .sparse = seed % 3 == 0 ? 40 : 0});
    INFO("seed " << seed << " " << dtype << "\n" << json.dump());
    test::WholeRunSetup setup;
    setup.ranks = std::array{1, 2, 3, 4, 5, 7}[seed % 6];
    setup.calls = seed % 3 == 0 ? 3 * setup.ranks : 0;
    setup.subblock_bytes = seed % 2 == 0 ? 0 : 16 << 10;
    if (seed / 6 % 2 == 0) setup.split = test::smallest_pieces;
    if (seed % 3 != 0) setup.messages = {.bytes = 64, .most = 8, .window = 128};  // pieces travel in several messages
    setup.place = seed % 5 == 0 ? "round-robin" : "greedy";
    test::WholeRun const plain = test::whole_run(json, setup);
    for (std::string const& failure : plain.failures) FAIL_CHECK(failure);
    if (seed % 4 == 3) setup.threads = 2;
    std::string faults = "delay=" + std::to_string(seed % 3 * 20) + ",seed=" + std::to_string(seed);
    if (seed / 2 % 3 == 0) faults += ",host=" + std::to_string(2 + seed % 3);  // some kernels are left to the host
    setup.fuses_producers = seed % 2 == 0;
    check_same(on_device(plain, setup, faults, 0), plain, setup.fuses_producers, faults.find("host") == faults.npos);
}

}  // namespace

TEST_CASE("random graphs run in as little device memory as one task needs", "[end_to_end][device]") {
    auto const dtype = GENERATE("f64", "mixed", "i32");
    auto const [first, count] = test::seeds(24);
    for (std::uint64_t seed = first; seed < first + count; ++seed) check(seed, dtype);
}

TEST_CASE("the examples run in little device memory, loops among them", "[end_to_end][device]") {
    for (auto const& entry : std::filesystem::directory_iterator(EIN_EXAMPLES)) {
        if (entry.path().extension() != ".json") continue;
        Json const json = Json::parse(read_text_file(entry.path()));
        INFO(entry.path().filename());
        int on_mesh = 1;
        if (json.contains("mesh"))
            for (Json const& size : json["mesh"]) on_mesh *= size.get<int>();
        for (int const ranks : json.contains("mesh") ? std::vector{on_mesh} : std::vector{1, 3}) {
            INFO("ranks " << ranks);
            test::WholeRunSetup setup;
            setup.ranks = ranks;
            test::WholeRun const plain = test::whole_run(json, setup);
            for (std::string const& failure : plain.failures) FAIL_CHECK(failure);
            for (bool const fuses_producers : {false, true}) {
                setup.fuses_producers = fuses_producers;
                // Kernels with sparse operands run on the host.
                check_same(on_device(plain, setup, "delay=3", 0), plain, fuses_producers, !has_sparse(plain.graph));
            }
        }
    }
}

TEST_CASE("a device that fails ends the run with what failed", "[end_to_end][device]") {
    Json const json = test::random_graph(11, {.dtype = "f64"});
    test::WholeRunSetup setup;
    setup.ranks = 3;
    test::WholeRun const plain = test::whole_run(json, setup);
    for (std::string const kind : {"allocate", "copy", "kernel", "lost"})
        for (int const at : {1, 2}) {
            CAPTURE(kind, at);
            if (kind == "allocate" && at == 2) continue;  // a rank may need no host buffer
            test::WholeRun const run = on_device(plain, setup, kind + "=" + std::to_string(at), 0);
            REQUIRE_FALSE(run.failures.empty());
            CHECK_THAT(run.failures.front(), Catch::Contains("as it was told to"));
        }
}

TEST_CASE("every device reports an index beyond its axis alike: task, tensor, place and value", "[device]") {
    auto const [join, operands] = GENERATE(table<std::string, std::string>({{"position(x, 8)", R"(["J"])"},
                                                                            {"x+position(y, 8)", R"(["I", "J"])"},
                                                                            {"position(x, 8)", R"(["I"])"},
                                                                            {"position(x+1, 8)", R"(["I"])"}}));
    Json json = Json::parse(R"~({"eingraph": 1,
        "tensors": {"X": {"shape": [8, 4], "dtype": "f64", "data": {"random": "normal"}},
                    "I": {"shape": [6, 2], "dtype": "i64",
                          "data": {"values": [[1, 2], [3, 4], [5, 6], [-7, 0], [-8, 40], [1, 50]]}}},
        "nodes": [{"name": "J", "einsum": "ij->ij", "inputs": ["I"], "join": "x+0*[i]"},
                  {"name": "P", "einsum": "ij,ij->ij", "inputs": [], "join": ""},
                  {"name": "R", "op": "gather", "inputs": ["X", "P"]},
                  {"name": "S", "einsum": "ijk->k", "inputs": ["R"]}],
        "outputs": ["S"]})~");
    json["nodes"][1]["join"] = join;
    json["nodes"][1]["inputs"] = Json::parse(operands);
    if (json["nodes"][1]["inputs"].size() == 1) json["nodes"][1]["einsum"] = "ij->ij";
    graph::EinGraph const graph = graph::read_graph(json.dump(), "g.json");
    std::vector<std::string> told;
    using executor::DeviceKind;
    for (DeviceKind const kind : {DeviceKind::reference, DeviceKind::cpu, DeviceKind::emulated}) {
        test::WholeRunSetup setup;
        setup.ranks = 1;
        setup.fuses_producers = false;
        setup.device = {kind, kind == DeviceKind::emulated ? "delay=100" : ""};
        if (kind == DeviceKind::emulated) setup.device_memory = std::int64_t{1} << 20;
        test::WholeRun run;
        run.schedule = scheduler::make_schedule(graph, planner::plan(graph, {.ranks = 1}), {});
        test::execute(run, setup);
        REQUIRE_FALSE(run.failures.empty());
        told.push_back(run.failures[0]);
    }
    CAPTURE(join, operands);
    std::string const tensor = operands.find('J') == operands.npos ? "I" : "J",
                      where = join == "position(x+1, 8)" ? "" : "tensor '" + tensor + "': ";
    CHECK_THAT(told[0], Catch::Contains("(apply of node 'P', block P[0:6, 0:2]): " + where +
                                        "expected an index from -8 to 7, found 4"));
    if (!where.empty()) CHECK_THAT(told[0], Catch::Contains("found 40 at [4, 1]; correct the tensor of indices"));
    CHECK(told[1] == told[0]);
    CHECK(told[2] == told[0]);
}

TEST_CASE("device memory that is too small for one task is refused with the node and the numbers", "[device]") {
    Json const json = Json::parse(R"({"eingraph": 1,
        "tensors": {"X": {"shape": [64, 64], "dtype": "f64", "data": {"random": "normal"}}},
        "nodes": [{"name": "Z", "einsum": "ij,jk->ik", "inputs": ["X", "X"]}], "outputs": ["Z"]})");
    test::WholeRun const plain = test::whole_run(json, {});
    test::WholeRun const run = on_device(plain, {}, "", 40000);
    REQUIRE(run.failures.size() == 1);
    CHECK_THAT(run.failures.front(),
               Catch::Contains("node 'Z': expected at least 64 KiB (65536 bytes) of device memory"));
}

TEST_CASE("messages go from device to device where they can, and the same bits arrive", "[end_to_end][device]") {
    auto const [first, count] = test::seeds(12);
    int direct = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        Json const json = test::random_graph(seed, {.dtype = "f64", .sparse = seed % 3 == 0 ? 40 : 0});
        INFO("seed " << seed << "\n" << json.dump());
        test::WholeRunSetup setup;
        setup.ranks = std::array{2, 3, 4, 5}[seed % 4];
        setup.subblock_bytes = 0;
        if (seed % 3 != 0) setup.messages = {.bytes = 64, .most = 8, .window = 128};
        test::WholeRun const plain = test::whole_run(json, setup);
        for (executor::DeviceMessages const how : {executor::DeviceMessages::on, executor::DeviceMessages::off}) {
            setup.device_messages = how;
            setup.fuses_producers = false;
            test::WholeRun const run = on_device(plain, setup, "delay=20", std::int64_t{1} << 20);
            check_same(run, plain, false);
            for (executor::RunResult const& rank : run.ranks) {
                if (!rank.device) continue;
                direct += rank.device->direct_messages;
                CHECK((how == executor::DeviceMessages::on || !rank.device->direct_messages));
                CHECK(rank.device->moved.evicted == 0);
            }
        }
    }
    CHECK(direct > 10);
}

TEST_CASE("memory of the host that copies need is taken before the first kernel", "[end_to_end][device]") {
    auto const [first, count] = test::seeds(8);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        Json const json = test::random_graph(seed, {.dtype = "f64"});
        INFO("seed " << seed << "\n" << json.dump());
        test::WholeRunSetup setup;
        setup.ranks = std::array{1, 2, 3}[seed % 3];
        test::WholeRun const plain = test::whole_run(json, setup);
        setup.fuses_producers = false;
        setup.device_messages = executor::DeviceMessages::off;
        for (std::int64_t const memory : {std::int64_t{0}, std::int64_t{1} << 20})
            check_same(on_device(plain, setup, "late=1", memory), plain, false);
    }
}
