// "mesh" and "sharding": where blocks lie, what becomes of a graph, and faults.
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;

namespace {

std::vector<int> numbers(std::vector<Rank> const& ranks) {
    std::vector<int> out;
    for (Rank rank : ranks) out.push_back(rank.value());
    return out;
}

std::string with(std::string const& mesh, std::string const& sharding, std::string const& more = "") {
    return R"({"eingraph": 1, "tensors": {"X": {"shape": [8, 6]}, "W": {"shape": [6, 4]}},
        "nodes": [{"name": "Z", "einsum": "batch dim, dim ffn -> batch ffn", "inputs": ["X", "W"]},
                  {"name": "S", "op": "softmax", "inputs": ["Z"], "axes": [1]}],
        "outputs": ["S"], "mesh": )" +
           mesh + R"(, "sharding": )" + sharding + more + "}";
}

Node const* maker(EinGraph const& graph, std::string const& name) {
    for (Node const& node : graph.nodes)
        if (graph.value(node.output).name == name) return &node;
    return nullptr;
}

}  // namespace

TEST_CASE("ranks of blocks on a mesh", "[lib][graph][sharding]") {
    Mesh const mesh{{"dp", 2}, {"tp", 3}, {"sp", 2}};  // rank = 6 dp + 2 tp + sp
    CHECK(rank_count(mesh) == 12);
    CHECK(numbers(ranks_of(mesh, {{}, {}})) == std::vector<int>{0});
    CHECK(numbers(ranks_of(mesh, {{0}, {}})) == std::vector<int>{0, 6});
    CHECK(numbers(ranks_of(mesh, {{1}, {0}})) == std::vector<int>{0, 6, 2, 8, 4, 10});
    CHECK(numbers(ranks_of(mesh, {{0, 2}})) == std::vector<int>{0, 1, 6, 7});
    CHECK(numbers(ranks_of(mesh, {{2, 0}})) == std::vector<int>{0, 6, 1, 7});
    CHECK(replicas_of(mesh, {{1}, {0}}) == std::vector<std::int64_t>{0, 1});
    CHECK(replicas_of(mesh, {{2}}) == std::vector<std::int64_t>{0, 2, 4, 6, 8, 10});
    CHECK(parts_of(mesh, {{0, 1}, {}}) == Parts{6, 1});
}

TEST_CASE("what is sharded is read through a copy that lies so", "[lib][graph][sharding]") {
    auto const graph =
        read_graph(with(R"({"dp": 2, "tp": 2})", R"({"X": "b/dp d", "Z": "batch/dp ffn/tp", "S": "r c"})"), "g.json");
    Node const *x = maker(graph, "X:sharded"), *z = maker(graph, "Z"), *computed = maker(graph, "Z:computed"),
               *s = maker(graph, "S");
    REQUIRE((x && z && computed && s));
    CHECK(x->sharding == Sharding{{0}, {}});
    CHECK(x->fixed == Parts{2, 1});
    CHECK(z->sharding == Sharding{{0}, {1}});
    CHECK(s->sharding == Sharding{{}, {}});
    CHECK((x->replicated && z->replicated));
    CHECK(computed->inputs[0] == x->output);
    CHECK_FALSE(computed->sharding);
    CHECK(std::get<EinSum>(x->op).labels == std::vector<std::string>{"b", "d"});
    CHECK(graph.value(graph.outputs[0]).name == "S");
}

TEST_CASE("a tensor that is an output is written as it is", "[lib][graph][sharding]") {
    auto const graph =
        read_graph(R"({"eingraph": 1, "tensors": {"X": {"shape": [8]}}, "mesh": {"a": 2}, "sharding": {"X": "i/a"},
        "nodes": [{"name": "Z", "einsum": "i->i", "inputs": ["X"], "join": "2*x"}], "outputs": ["X", "Z"]})",
                   "g.json");
    CHECK(graph.value(graph.outputs[0]).name == "X");
    CHECK(graph.value(maker(graph, "Z")->inputs[0]).name == "X:sharded");
}

TEST_CASE("what a loop carries keeps its sharding from iteration to iteration", "[lib][graph][sharding]") {
    auto const graph = read_graph(R"({"eingraph": 1, "tensors": {"X": {"shape": [8]}}, "mesh": {"a": 2, "b": 2},
        "sharding": {"t/X": "i/a", "t/Y": "i/b"},
        "nodes": [{"name": "t", "loop": {"times": 3, "carry": {"X": "Y"}, "body": [
            {"name": "Y", "einsum": "i->i", "inputs": ["X"], "join": "2*x"}]}}], "outputs": ["t/X"]})",
                                  "g.json");
    Node const *inside = maker(graph, "t:X"), *y = maker(graph, "t/Y");
    REQUIRE((inside && y));
    CHECK(inside->sharding == Sharding{{0}});
    CHECK_FALSE(inside->replicated);
    CHECK(y->sharding == Sharding{{1}});
    CHECK(y->loop == 0);
}

TEST_CASE("a faulty mesh says nothing about shardings", "[lib][graph][sharding]") {
    auto const faults = faults_of(R"({"eingraph": 1, "mesh": {"a": 0}, "tensors": {"M": {"shape": [4, 4]}},
        "nodes": [{"name": "Z", "einsum": "ij->ij", "inputs": ["M"]}], "sharding": {"M": "i/a j"}, "outputs": ["Z"]})");
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].where == "/mesh/a");
}

TEST_CASE("each fault of a mesh or a sharding", "[lib][graph][sharding]") {
    struct Row {
        char const *mesh, *sharding, *more;
        char const *where, *expected, *found;
    };
    std::string const mesh = R"({"dp": 2, "tp": 4})";
    auto const row = GENERATE(values<Row>({
        {"[]", "{}", "", "/mesh", "an object", "[]"},
        {R"({"dp": 0})", "{}", "", "/mesh/dp", "1 rank or more, and at most 16777216 in the whole mesh", "0"},
        {R"({"d p": 2})", "{}", "", "/mesh/d p", "a name without spaces, '/' and ','", "'d p'"},
        {nullptr, R"({"Q": "i j"})", "", "/sharding/Q", "the name of a tensor or node", "'Q'"},
        {nullptr, R"({"X": "b/dp"})", "", "/sharding/X", "2 words, one for each axis of shape (8, 6)", "1 in 'b/dp'"},
        {nullptr, R"({"X": "/dp d"})", "", "/sharding/X", "a label before '/'", "none for axis 0"},
        {nullptr, R"({"X": "b/tp d/tp"})", "", "/sharding/X", "each axis of the mesh once in a tensor",
         "'tp' at 'b' and at 'd'"},
        {nullptr, R"({"X": "b/dq d"})", "", "/sharding/X", "axes of the mesh: dp or tp", "'dq'"},
        {"{}", R"({"X": "b/dp d"})", "", "/sharding/X", "axes of the mesh: it has none", "'dp'"},
        {nullptr, R"({"X": "b d/dp,tp"})", "", "/sharding/X", "an axis of at least 8 to cut 'd' over the mesh",
         "an extent of 6"},
        {nullptr, R"({"Z": "ffn/dp batch"})", "", "/sharding/Z", "the node's labels in their order: 'batch ffn'",
         "'ffn' for axis 0"},
        {nullptr, R"({"Z": "batch/tp ffn"})", R"(, "parts": {"Z": {"batch": 2}})", "/sharding/Z",
         "no contradiction to /parts/Z/batch, which wants 'batch' in 2 parts", "'batch' in 4 over the mesh"},
        {nullptr, R"({"X": 3})", "", "/sharding/X", "", ""},
    }));
    std::string const text = with(row.mesh ? row.mesh : mesh, row.sharding, row.more);
    CAPTURE(text);
    auto const faults = faults_of(text);
    REQUIRE(!faults.empty());
    CHECK(faults[0].where == row.where);
    if (*row.expected != 0) CHECK(faults[0].expected == row.expected);
    if (*row.found != 0) CHECK(faults[0].found == row.found);
    CHECK(!faults[0].fix.empty());
}
