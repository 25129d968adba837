// Whole graphs with one thing made wrong: what checking calls finds of it, and what it says.
#include "executor/call_check/call_check.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/spoilt_device.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;
using ein::test::Spoil;

namespace {

Json const layers = Json::parse(R"~({"eingraph": 1, "dtype": "f32",
    "tensors": {"X": {"shape": [24, 36], "data": {"random": "normal"}},
                "W": {"shape": [36, 30], "data": {"random": "normal"}}},
    "nodes": [{"name": "H", "einsum": "ij,jk->ik", "inputs": ["X", "W"]},
              {"name": "P", "op": "softmax", "inputs": ["H"], "axes": [1]},
              {"name": "T", "op": "transpose", "inputs": ["P"], "axes": [1, 0]},
              {"name": "R", "op": "reshape", "inputs": ["T"], "shape": [15, 48]},
              {"name": "L", "einsum": "ij->", "inputs": ["R"], "join": "x*x"}],
    "outputs": ["L"]})~");

Json const loop = Json::parse(R"~({"eingraph": 1, "dtype": "f64",
    "tensors": {"V": {"shape": [12], "data": {"fill": 1}},
                "A": {"shape": [12, 12], "data": {"random": "uniform", "low": 0, "high": 0.1}}},
    "nodes": [{"name": "power", "loop": {"times": 40, "carry": {"V": "next"},
               "body": [{"name": "next", "einsum": "ij,j->i", "inputs": ["A", "V"]}]}}],
    "outputs": ["power/V"]})~");

struct Setup {
    Spoil spoil = {};
    int ranks = 1, threads = 1;
    std::optional<std::int64_t> elements = 4;
    executor::DeviceKind device = executor::DeviceKind::cpu;
    bool fuses = false;
};

relation::CheckedCalls checked(Json const& graph, Setup const& setup) {
    test::WholeRunSetup how;
    how.ranks = setup.ranks;
    how.threads = setup.threads;
    how.device = {setup.device};
    how.device_memory = {};
    how.check_calls = {true, setup.elements};
    if (setup.fuses) how.fused_groups = {2048, 0, 1};
    if (setup.device == executor::DeviceKind::cpu)
        how.spoilt = [&](std::unique_ptr<executor::Device> device) {
            return std::make_unique<test::SpoiltDevice>(std::move(device), setup.spoil);
        };
    test::WholeRun const run = test::whole_run(graph, how);
    CHECK(run.failures == std::vector<std::string>());
    return test::checked_calls(run);
}

}  // namespace

TEST_CASE("a run that is right is found right, whatever makes it", "[executor][call_check]") {
    int const ranks = GENERATE(1, 3, 4);
    bool const fuses = GENERATE(false, true);
    auto const device = GENERATE(executor::DeviceKind::cpu, executor::DeviceKind::emulated);
    CAPTURE(ranks, fuses, device);
    for (std::optional<std::int64_t> const elements : {std::optional<std::int64_t>(4), std::optional<std::int64_t>()}) {
        relation::CheckedCalls const calls =
            checked(layers, {.ranks = ranks, .threads = 2, .elements = elements, .device = device, .fuses = fuses});
        CHECK(calls.mismatches == std::vector<std::string>());
        CHECK(calls.covers_all());
        CHECK(calls.of_nodes >= 5);
        CHECK(calls.elements >= calls.calls);
        CHECK(calls.max_rel < calls.tolerance);
    }
}

TEST_CASE("a kernel that is wrong is found and named, alone or in a fused group", "[executor][call_check]") {
    int const ranks = GENERATE(1, 3);
    bool const fuses = GENERATE(false, true);
    std::string const node = GENERATE("H", "P", "T", "L");
    CAPTURE(ranks, fuses, node);
    relation::CheckedCalls const calls = checked(layers, {.spoil = {.node = node}, .ranks = ranks, .fuses = fuses});
    CHECK(calls.differ > 0);
    REQUIRE_FALSE(calls.mismatches.empty());
    for (std::string const& message : calls.mismatches) {
        CHECK_THAT(message, Catch::StartsWith("node '" + node + "' on rank "));
        CHECK_THAT(message, Catch::Contains(", task ") && Catch::Contains(", element [") &&
                                Catch::Contains(": expected ") &&
                                Catch::Contains(" by the blocks that it read, found "));
        if (node == "P" && ranks == 1) CHECK((message.find(", in a fused group, ") != message.npos) == fuses);
    }
}

TEST_CASE("so is one element at the end of each call, and what is moved or filled", "[executor][call_check]") {
    CHECK(checked(layers, {.spoil = {.node = "H", .every_element = false}, .ranks = 3}).differ > 0);
    Json const reshaped = Json::parse(R"~({"eingraph": 1, "dtype": "f32",
        "tensors": {"X": {"shape": [6, 8], "data": {"random": "normal"}}},
        "nodes": [{"name": "Y", "einsum": "ij->ij", "inputs": ["X"], "join": "x+1"},
                  {"name": "R", "op": "reshape", "inputs": ["Y"], "shape": [4, 12]},
                  {"name": "Z", "einsum": "ij->ij", "inputs": ["R"], "join": "2*x"},
                  {"name": "L", "einsum": "ij->", "inputs": ["Y"]}],
        "outputs": ["Z", "L"]})~");  // Y is read later, so that R has memory of its own
    for (int const ranks : {1, 3}) {
        CAPTURE(ranks);
        CHECK(checked(reshaped, {.spoil = {.reshapes = true}, .ranks = ranks}).differ > 0);
        CHECK(checked(reshaped, {.ranks = ranks}).differ == 0);
    }
    Json const padded = Json::parse(R"~({"eingraph": 1, "dtype": "f32",
        "tensors": {"X": {"shape": [6], "data": {"random": "normal"}}},
        "nodes": [{"name": "Z", "op": "pad", "inputs": ["X"], "pad_width": [[2, 2]]}], "outputs": ["Z"]})~");
    CHECK(checked(padded, {.spoil = {.fills = true}}).differ > 0);
    CHECK(checked(padded, {.spoil = {.copies = true}}).differ > 0);
    CHECK(checked(padded, {}).differ == 0);
}

TEST_CASE("every iteration of a loop is looked at, and a mismatch names it", "[executor][call_check]") {
    int const ranks = GENERATE(1, 3);
    relation::CheckedCalls const right = checked(loop, {.ranks = ranks});
    CHECK(right.calls == right.of_calls);
    CHECK(right.of_calls >= 40);
    CHECK(right.differ == 0);
    relation::CheckedCalls const seldom = checked(loop, {.ranks = ranks, .elements = {}});
    CHECK(seldom.calls > 0);
    CHECK(seldom.calls < right.calls);
    CHECK(seldom.covers_all());

    relation::CheckedCalls const wrong =
        checked(loop, {.spoil = {.node = "power/next", .by = 1 + 1e-9}, .ranks = ranks});
    REQUIRE_FALSE(wrong.mismatches.empty());
    CHECK_THAT(wrong.mismatches[0], Catch::Contains(", iteration 1 of loop 'power'"));
}

TEST_CASE("partial sums of several calls are checked call by call", "[executor][call_check]") {
    Json const sums = Json::parse(R"~({"eingraph": 1, "dtype": "f32",
        "tensors": {"A": {"shape": [8, 4096], "data": {"random": "normal"}},
                    "B": {"shape": [4096, 8], "data": {"random": "normal"}}},
        "nodes": [{"name": "Z", "einsum": "ij,jk->ik", "inputs": ["A", "B"]}], "outputs": ["Z"],
        "parts": {"Z": {"j": 6}}})~");
    int const ranks = GENERATE(1, 3);
    relation::CheckedCalls const right = checked(sums, {.ranks = ranks});
    CHECK(right.of_calls > 1);
    CHECK(right.calls == right.of_calls);
    CHECK(right.differ == 0);
    CHECK(checked(sums, {.spoil = {.node = "Z", .by = 1.001}, .ranks = ranks}).differ > 0);
}

TEST_CASE("what is wrong everywhere is not told for ever", "[executor][call_check]") {
    relation::CheckedCalls const calls = checked(loop, {.spoil = {.node = "power/next"}});
    CHECK(calls.mismatches.size() == 8);
    CHECK(calls.calls < calls.of_calls);
}
