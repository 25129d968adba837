// einrun --verify of what real runs leave: rounding is never called wrong, however it is amplified; faults are.
#include "apps/einrun/verify_run.hpp"

#include <unistd.h>

#include <cstring>

#include "lib/base/json.hpp"
#include "lib/tensor/formats/npy_write.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;
namespace fs = std::filesystem;

namespace {

Json leaf(Shape const& shape, Json const& data) { return {{"shape", shape}, {"data", data}}; }
Json normal(double mean, double std) { return {{"random", "normal"}, {"mean", mean}, {"std", std}, {"seed", 3}}; }
Json uniform(double low, double high) { return {{"random", "uniform"}, {"low", low}, {"high", high}, {"seed", 4}}; }
Json node(char const* name, char const* subscripts, std::vector<std::string> const& inputs,
          Json extras = Json::object()) {
    extras.update({{"name", name}, {"einsum", subscripts}, {"inputs", inputs}});
    return extras;
}
Json op(char const* name, char const* op, char const* input) {
    return {{"name", name}, {"op", op}, {"inputs", {input}}, {"axes", {1}}};
}
Json graph_of(Json tensors, Json nodes, char const* output, char const* dtype = "f32") {
    return {{"eingraph", 1},
            {"name", "g"},
            {"dtype", dtype},
            {"tensors", std::move(tensors)},
            {"nodes", std::move(nodes)},
            {"outputs", {output}}};
}

Json const layer_norm = graph_of({{"X", leaf({8, 512}, normal(1000, 0.01))}}, {op("Z", "layer_norm", "X")}, "Z");
Json const dot_products =
    graph_of({{"A", leaf({16, 256}, uniform(0.5, 1.5))}, {"B", leaf({256, 8}, uniform(0.5, 1.5))}},
             {node("Z", "ij,jk->ik", {"A", "B"})}, "Z");

/// Writes results as a run would and verifies them against a graph.
relation::Verification verify(Json const& graph, tensor::HostTensor const& result,
                              std::optional<std::int64_t> samples = std::nullopt) {
    fs::path const folder = fs::temp_directory_path() / ("ein-verify-" + std::to_string(getpid()));
    fs::create_directories(folder);
    tensor::write_npy(folder / "Z.npy", result);
    relation::Verification out = apps::verify_run({.graph_text = graph.dump(),
                                                   .graph_file = "g.json",
                                                   .data_folder = folder,
                                                   .output_folder = folder,
                                                   .samples = samples});
    fs::remove_all(folder);
    return out;
}

tensor::HostTensor result_of(Json const& graph, int ranks) {
    test::WholeRunSetup setup;
    setup.ranks = ranks;
    test::WholeRun run = test::whole_run(graph, setup);
    REQUIRE(run.failures.empty());
    return run.results.at("Z");
}

}  // namespace

TEST_CASE("rounding that a graph amplifies is not called wrong", "[end_to_end][verify]") {
    Json const ones = leaf({4096}, {{"fill", 1}});
    Json const graphs[] = {
        layer_norm,
        graph_of({{"X", leaf({8, 512}, normal(1000, 0.01))}},  // nothing but rounding is left
                 {op("N", "layer_norm", "X"), node("Z", "ij->i", {"N"})}, "Z"),
        graph_of({{"X", leaf({8, 4096}, uniform(0, 1))}, {"O", ones}},
                 {node("S", "ij->i", {"X"}), node("M", "ij,j->i", {"X", "O"}),
                  node("Z", "i,i->i", {"S", "M"}, {{"join", "x - y"}})},
                 "Z"),
        graph_of({{"A", leaf({8, 300}, normal(0, 30))}, {"B", leaf({300, 64}, normal(0, 30))}},
                 {node("L", "ij,jk->ik", {"A", "B"}), op("Z", "softmax", "L")}, "Z"),
        graph_of({{"A", leaf({8, 50}, normal(0, 1))},
                  {"B", leaf({50, 8}, normal(0, 1))},
                  {"C", leaf({8, 6}, normal(100, 1))}},
                 {node("AB", "ij,jk->ik", {"A", "B"}), node("Z", "ij,jk->ik", {"AB", "C"})}, "Z", "bf16"),
        graph_of({{"X", leaf({4, 64}, normal(0, 1))}}, {node("Z", "ij->ij", {"X"}, {{"join", "(x + 1e6) - 1e6"}})},
                 "Z"),
    };
    int const ranks = GENERATE(1, 3);
    for (Json const& each : graphs) {
        CAPTURE(ranks, each.dump());
        relation::Verification const result = verify(each, result_of(each, ranks));
        CAPTURE(to_json(result).dump());
        CHECK(result.mismatches.empty());
    }
}

TEST_CASE("what was amplified is reported, with the largest tolerance used", "[end_to_end][verify]") {
    relation::Verification const amplified = verify(layer_norm, result_of(layer_norm, 2));
    REQUIRE(amplified.outputs.size() == 1);
    CHECK(amplified.outputs[0].ill_conditioned > 0);
    CHECK(amplified.outputs[0].tolerance > 1e-3);
    CHECK(amplified.outputs[0].tolerance < 0.5);
    relation::Verification const other = verify(dot_products, result_of(dot_products, 2));
    CHECK(other.ill_conditioned() == 0);
    CHECK(other.outputs.at(0).tolerance < 1e-4);
}

TEST_CASE("faults are found, in ill-conditioned results too", "[end_to_end][verify]") {
    Json const& whole = GENERATE_REF(layer_norm, dot_products);
    tensor::HostTensor result = result_of(whole, 2);
    std::size_t const row = result.bytes().size() / static_cast<std::size_t>(result.shape()[0]);
    SECTION("two swapped rows") {
        std::swap_ranges(result.bytes().begin(), result.bytes().begin() + static_cast<std::ptrdiff_t>(row),
                         result.bytes().begin() + static_cast<std::ptrdiff_t>(row));
    }
    SECTION("a row that was never written") { std::memset(result.bytes().data() + row, 0, row); }
    SECTION("one element that is not a number") { std::memset(result.bytes().data(), 0xff, 4); }
    CHECK(verify(whole, result).mismatches.size() == 1);
}

TEST_CASE("a missing term of many is found", "[end_to_end][verify]") {
    Json short_of_one = dot_products;
    short_of_one["nodes"][0]["join"] = "where([j] == 7, 0, x * y)";
    relation::Verification const result = verify(dot_products, result_of(short_of_one, 2));
    CHECK(result.mismatches.size() == 1);
    CHECK(result.differ() == 16 * 8);
    CHECK(verify(dot_products, result_of(short_of_one, 2), 4).mismatches.size() == 1);
}
