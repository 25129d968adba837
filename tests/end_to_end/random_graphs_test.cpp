// Random graphs x rank counts against the interpreter: the whole way from JSON to results. EIN_SEEDS=FIRST:COUNT runs
// others.
#include <cmath>
#include <map>
#include <random>

#include "lib/tensor/compare.hpp"
#include "planner/strategies/strategies.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/results.hpp"

using namespace ein;

namespace {

/// Each call was looked at, and nothing was wrong.
void check_calls(test::WholeRun const& run) {
    relation::CheckedCalls const calls = test::checked_calls(run);
    CHECK(calls.mismatches == std::vector<std::string>());
    CHECK(calls.differ == 0);
    CHECK(calls.unchecked_nodes == std::vector<std::string>());
    CHECK(calls.calls >= calls.of_calls);  // a fused group may have more steps than calls
}

void run_and_check(Json const& json, test::WholeRunSetup const& setup) {
    try {
        test::WholeRun const run = test::whole_run(json, setup);
        test::check_results(run);
        if (run.failures.empty()) test::check_promises(run);
        if (run.failures.empty() && setup.check_calls.wanted) check_calls(run);
    } catch (std::exception const& error) {
        FAIL_CHECK(error.what());
    }
}

void check_random(std::uint64_t seed, test::GraphTaste const& taste) {
    constexpr int rank_counts[] = {1, 2, 3, 4, 5, 7};
    Json const json = test::random_graph(seed, taste);
    INFO("seed " << seed << " " << taste.dtype << "\n" << json.dump());
    test::WholeRunSetup setup;
    setup.ranks = rank_counts[seed % 6];
    setup.threads = 1 + static_cast<int>(seed % 3 == 0);
    setup.calls = seed % 4 == 0 ? 3 * setup.ranks : 0;
    if (seed / 2 % 2 == 0)
        setup.fused_groups = {64, 0, 1};  // the smallest kernels run in fused groups, a few elements at a time
    if (seed / 4 % 2 == 0) {              // and rows of a few elements are cut too
        setup.fused_groups.bytes_of_a_row_piece = 0;
        setup.fused_groups.bytes_of_a_carried_piece = 64;
        setup.fused_groups.least_carried = 1;
    }
    setup.subblock_bytes = seed % 2 == 0 ? 0 : 16 << 10;
    if (seed / 6 % 2 == 0) setup.staging.ranks = 2;  // small groups exchange in stages too
    if (seed / 12 % 2 == 0) setup.split = test::smallest_pieces;
    if (seed % 3 == 0) setup.messages = {.bytes = 64, .most = 8, .window = 128};  // pieces travel in several messages
    std::vector<std::string> const& strategies = planner::strategy_names();
    setup.decompose = seed % 2 == 0 ? "eindecomp" : strategies[seed / 2 % strategies.size()];
    setup.alternative = seed / 3;
    setup.place = seed % 5 == 0 ? "round-robin" : seed % 5 == 1 ? "ia" : "best";
    setup.inputs = seed % 7 == 0 ? scheduler::InputsPolicy::shared : scheduler::InputsPolicy::once;
    setup.check_calls = {seed % 2 == 0, 3};
    if (seed % 5 == 4) setup.sparse_results = relation::SparseResults::where_smaller;
    INFO("ranks " << setup.ranks << " calls " << setup.calls << " decompose " << setup.decompose << " alternative "
                  << setup.alternative << " place " << setup.place);
    run_and_check(json, setup);
}

}  // namespace

TEST_CASE("random graphs give the interpreter's results at any rank count", "[end_to_end]") {
    auto const dtype = GENERATE("f64", "f32", "mixed", "i32", "c128");
    auto const [first, count] = test::seeds(60);
    for (std::uint64_t seed = first; seed < first + count; ++seed) check_random(seed, {.dtype = dtype});
}

TEST_CASE("sparse tensors change no result", "[end_to_end][sparse]") {
    auto const dtype = GENERATE("f64", "f32", "mixed", "i32", "c128");
    auto const [first, count] = test::seeds(60);
    for (std::uint64_t seed = first; seed < first + count; ++seed) check_random(seed, {.dtype = dtype, .sparse = 60});
}

namespace {

/// "l0/a l1 l2/b,c": every mesh axis cuts some axis of the shape that is long enough, or none.
std::string random_sharding(Shape const& shape, graph::Mesh const& mesh, std::mt19937_64& random) {
    std::vector<std::string> over(shape.size());
    Shape left = shape;
    for (graph::MeshAxis const& axis : mesh) {
        std::size_t const at = random() % (shape.size() + 1);
        if (at == shape.size() || left[at] < axis.size) continue;
        left[at] /= axis.size;
        over[at] += (over[at].empty() ? "/" : ",") + axis.name;
    }
    std::string out;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        out += (axis > 0 ? " l" : "l") + std::to_string(axis) + over[axis];
    return out;
}

/// The graph with a mesh, and shardings of about half of its tensors and nodes.
Json sharded(Json json, graph::Mesh const& mesh, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    graph::EinGraph const graph = graph::read_graph(json.dump(), "random.json");
    std::map<std::string, Shape> shapes;
    for (graph::Value const& value : graph.values) shapes[value.name] = value.shape;
    for (graph::MeshAxis const& axis : mesh) json["mesh"][axis.name] = axis.size;
    auto const shard = [&](std::string const& name) {
        if (auto const at = shapes.find(name); at != shapes.end() && random() % 2 == 0)
            json["sharding"][name] = random_sharding(at->second, mesh, random);
    };
    for (auto const& [name, unused] : json["tensors"].items()) shard(name);
    for (Json const& node : json["nodes"])
        if (!node.contains("einsum")) shard(node["name"]);  // an einsum has labels of its own: see below
    return json;
}

/// Shardings of EinSum nodes: their own words.
void shard_einsums(Json& json, graph::Mesh const& mesh, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    graph::EinGraph const graph = graph::read_graph(json.dump(), "random.json");
    for (graph::Node const& node : graph.nodes) {
        graph::Value const& value = graph.value(node.output);
        auto const* einsum = std::get_if<graph::EinSum>(&node.op);
        bool const whole = value.name == node.name && einsum && !node.sharding;
        bool const own = std::any_of(json["nodes"].begin(), json["nodes"].end(), [&](Json const& other) {
            return other["name"] == value.name && other.contains("einsum");
        });
        if (!whole || !own || random() % 2 == 0) continue;
        std::string text = random_sharding(value.shape, mesh, random);
        for (std::size_t axis = einsum->output.size(); axis-- > 0;) {
            std::string const word = "l" + std::to_string(axis);
            text.replace(text.find(word), word.size(), einsum->labels[static_cast<std::size_t>(einsum->output[axis])]);
        }
        json["sharding"][value.name] = text;
    }
}

}  // namespace

TEST_CASE("random graphs on random meshes keep to their shardings", "[end_to_end][sharding]") {
    static graph::Mesh const meshes[] = {
        {{"a", 2}, {"b", 2}}, {{"a", 2}, {"b", 3}}, {{"a", 4}}, {{"a", 3}, {"b", 1}}, {{"a", 2}, {"b", 2}, {"c", 2}}};
    auto const [first, count] = test::seeds(80);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        graph::Mesh const& mesh = meshes[seed % std::size(meshes)];
        Json json = sharded(test::random_graph(seed, {.dtype = "f64", .sparse = seed % 3 == 0 ? 40 : 0}), mesh, seed);
        shard_einsums(json, mesh, seed + 1);
        INFO("seed " << seed << "\n" << json.dump());
        test::WholeRunSetup setup;
        setup.ranks = static_cast<int>(graph::rank_count(mesh));
        setup.decompose = seed % 4 == 0 ? "sqrt" : "eindecomp";
        setup.calls = seed % 7 == 0 ? 2 * setup.ranks : 0;
        setup.inputs = seed % 5 == 0 ? scheduler::InputsPolicy::shared : scheduler::InputsPolicy::once;
        run_and_check(json, setup);
    }
}
