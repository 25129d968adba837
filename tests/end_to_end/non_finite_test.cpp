// Where NaN and infinities begin, from a graph's JSON: the same on every device and at every number of ranks.
#include "executor/finite/origins.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;
using executor::DeviceKind;
using executor::Origin;

namespace {

std::vector<Origin> looked_at(Json const& graph, DeviceKind device, int ranks, int threads = 1) {
    test::WholeRunSetup setup;
    setup.ranks = ranks;
    setup.threads = threads;
    setup.calls = 4;
    setup.device = {device};
    setup.device_memory = device == DeviceKind::emulated ? std::optional<std::int64_t>(0) : std::nullopt;
    setup.check_finite = true;
    auto const run = test::whole_run(graph, setup);
    for (std::string const& failure : run.failures) FAIL_CHECK(failure);
    std::vector<executor::SeenNonFinite> seen;
    for (executor::RunResult const& rank : run.ranks) seen.push_back(rank.non_finite.value());
    return origins(run.schedule.header, seen);
}

/// "Y: 1 element (1 NaN)" for each, a '?' before those whose inputs are infinite. On all devices, and 1 to 3 ranks.
std::vector<std::string> found(Json const& graph) {
    std::vector<std::string> first;
    for (DeviceKind const device : {DeviceKind::cpu, DeviceKind::reference, DeviceKind::emulated})
        for (int const ranks : {1, 2, 3}) {
            std::vector<std::string> texts;
            for (Origin const& each : looked_at(graph, device, ranks, ranks))
                texts.push_back((each.inputs_are_finite ? "" : "?") + each.node + ": " + executor::text_of(each.count));
            CAPTURE(static_cast<int>(device), ranks);
            if (device == DeviceKind::cpu && ranks == 1) first = texts;
            CHECK(texts == first);
        }
    return first;
}
using Texts = std::vector<std::string>;

Json einsum(std::string const& name, std::string const& text, std::vector<std::string> const& inputs,
            std::string const& join) {
    return {{"name", name}, {"einsum", text}, {"inputs", inputs}, {"join", join}};
}

Json values(Shape const& shape, Json const& of) { return {{"shape", shape}, {"data", {{"values", of}}}}; }

Json graph_of(std::string const& dtype, Json const& tensors, std::vector<Json> const& nodes,
              std::string const& output) {
    return {{"eingraph", 1},      {"name", "finite"}, {"dtype", dtype},
            {"tensors", tensors}, {"nodes", nodes},   {"outputs", Json::array({output})}};
}

Json const x{{"X", values({8}, {0, 1, 2, 0, 4, 5, 0, 7})}};

}  // namespace

TEST_CASE("a division by zero begins where it is, and NaN out of it is told apart", "[end_to_end][finite]") {
    CHECK(found(graph_of("f32", x, {einsum("Y", "i->i", {"X"}, "1/x"), einsum("Z", "i->i", {"Y"}, "x - x")}, "Z")) ==
          Texts{"Y: 3 elements (3 infinite)", "?Z: 3 elements (3 NaN)"});
}

TEST_CASE("what does not fit a dtype begins where it is rounded", "[end_to_end][finite]") {
    struct Case {
        std::string dtype, scale, text;
    };
    for (Case const& each :
         {Case{"f16", "1e4", "1 element (1 infinite)"}, Case{"bf16", "1e38", "3 elements (3 infinite)"},
          Case{"f32", "1e38", "3 elements (3 infinite)"}, Case{"f64", "1e308", "4 elements (4 infinite)"},
          Case{"c64", "1e38", "3 elements (3 infinite)"}}) {
        CAPTURE(each.dtype);
        std::vector<Json> const nodes{einsum("Y", "i->i", {"X"}, "x*" + each.scale),
                                      einsum("Z", "i,i->i", {"Y", "X"}, "x*y")};
        CHECK(found(graph_of(each.dtype, x, nodes, "Z")).front() == "Y: " + each.text);
    }
}

TEST_CASE("a mask is meant, and a row that is masked as a whole is reported", "[end_to_end][finite]") {
    Json const scores{{"S", {{"shape", {6, 6}}, {"data", {{"random", "uniform"}, {"seed", 1}}}}}};
    Json const softmax{{"name", "P"}, {"op", "softmax"}, {"inputs", {"M"}}, {"axes", Json::array({1})}};
    auto const masked = [&](std::string const& where) {
        return found(
            graph_of("f32", scores, {einsum("M", "ij->ij", {"S"}, "where(" + where + ", x, -inf)"), softmax}, "P"));
    };
    CHECK(masked("[i] >= [j]").empty());
    Texts const first_row = masked("[i] > [j]");
    REQUIRE(first_row.size() == 1);
    CHECK_THAT(first_row[0], Catch::StartsWith("?P"));
}

TEST_CASE("partial results are not looked at: how a node is cut decides nothing", "[end_to_end][finite]") {
    Json const rows{{"X", values({2, 8}, {{0, 1, 2, 3, 0, 5, 6, 7}, {1, 1, 1, 1, 0, 0, 0, 0}})}};
    Json smallest = einsum("Y", "ij->i", {"X"}, "1/x");  // finite, though not of half a row
    smallest["agg"] = "min";
    CHECK(found(graph_of("f32", rows, {smallest}, "Y")).empty());
}

TEST_CASE("what moves is looked at where it is: a finite slice of infinite numbers is finite", "[end_to_end][finite]") {
    Json const last{{"X", values({8}, {1, 2, 3, 4, 5, 6, 7, "inf"})}};
    auto const scaled = [&](std::string const& part) {
        Json const slice{{"name", "S"}, {"op", "slice"}, {"inputs", {"X"}}, {"slices", part}};
        Json const reshape{{"name", "R"}, {"op", "reshape"}, {"inputs", {"S"}}, {"shape", {2, 3}}};
        return found(graph_of("f32", last, {slice, reshape, einsum("Y", "ij->ij", {"R"}, "x*1e38")}, "Y"));
    };
    CHECK(scaled(":6") == Texts{"Y: 3 elements (3 infinite)"});
    CHECK(scaled("2:").empty());
}

TEST_CASE("a loop's iteration is named, and later ones count no more", "[end_to_end][finite]") {
    Json const start{{"X", values({4}, {1e38, 1, 1e38, 2})}};
    Json const loop{
        {"name", "train"},
        {"loop",
         {{"times", 6}, {"carry", {{"X", "next"}}}, {"body", Json::array({einsum("next", "i->i", {"X"}, "x*1.5")})}}}};
    Json const graph = graph_of("f32", start, {loop, einsum("Z", "i->i", {"train/X"}, "x - x")}, "Z");
    for (int const ranks : {1, 3}) {
        std::vector<Origin> const all = looked_at(graph, DeviceKind::cpu, ranks);
        REQUIRE(all.size() == 2);
        Origin const& fault = *executor::first_fault(all);
        CHECK_THAT(fault.node, Catch::Contains("next"));
        CHECK(fault.count == tensor::NonFinite{0, 2});
        REQUIRE(fault.first.size() == 1);
        CHECK(fault.first[0].iteration == 4);  // 1.5 ** 4 * 1e38 is too much
        CHECK(all[1].node == "Z");
        CHECK_FALSE(all[1].inputs_are_finite);
    }
}
