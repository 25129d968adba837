// Random graphs x rank counts against the interpreter: the whole way from JSON to results. EIN_SEEDS=FIRST:COUNT runs
// others.
#include <map>
#include <random>

#include "tests/support/catch.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/random_setup.hpp"

using namespace ein;

namespace {

void check_random(std::uint64_t seed, test::GraphTaste const& taste) {
    Json const json = test::random_graph(seed, taste);
    INFO("seed " << seed << " " << taste.dtype << "\n" << json.dump());
    test::run_and_check(json, test::random_setup(seed));
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
        test::run_and_check(json, setup);
    }
}
