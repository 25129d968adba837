// Graphs written as text: read again they are the same, and give the same bits.
#include "lib/graph/rest/graph_text.hpp"

#include <cmath>
#include <filesystem>

#include "lib/base/json.hpp"
#include "lib/graph/read_graph.hpp"
#include "tests/lib/graph/describe.hpp"
#include "tests/lib/graph/rest/one_by_one.hpp"
#include "tests/lib/graph/rest/text_check.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/random_graph.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::test;

TEST_CASE("the examples are the same graphs when they are written and read", "[lib][graph][rest]") {
    for (auto const& entry : std::filesystem::directory_iterator(EIN_EXAMPLES)) {
        if (entry.path().extension() != ".json") continue;
        CAPTURE(entry.path());
        check_text(read_graph(read_text_file(entry.path()), entry.path().string()), false);
    }
}

TEST_CASE("random graphs are the same, and give the same bits, when they are written and read", "[lib][graph][rest]") {
    auto const dtype = GENERATE("f64", "f32", "mixed", "i32", "c128", "bf16");
    auto const [first, count] = ein::test::seeds(30);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        CAPTURE(dtype, seed);
        check_text(read_graph(random_graph(seed, {.dtype = dtype}).dump(), "random"), true);
    }
}

namespace {

/// The regions of a pinwheel: no cut along an axis leaves all of them whole.
Move pinwheel(bool filled) {
    auto const region = [](Extent row, Extent column, Extent rows, Extent columns, AxisMap down, AxisMap across) {
        return Move::Region{{{row, column}, {rows, columns}}, {down, across}};
    };
    Move move;
    move.regions = {region(0, 0, 1, 2, {2, 1}, {1, 1}), region(0, 2, 2, 1, {0, 2}, {0, 1}),
                    region(2, 1, 1, 2, {1, 1}, {2, -2}), region(1, 0, 2, 1, {2, -2}, {1, 1})};
    if (filled)
        move.fill = scalar::Scalar::of(std::complex<double>(std::nan("")));
    else
        move.regions.push_back(region(1, 1, 1, 1, {0, -3}, {2, 5}));
    return move;
}

EinGraph graph_of(Move const& move) {
    ein::test::GraphBuilder g;
    std::vector<std::string> const names{"A", "B", "A", "B", "A"};
    g.leaf("A", {3, 3});
    g.leaf("B", {4, 3});
    g.node("Z", move, {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(move.regions.size())}, {3, 3});
    return g.finish({"Z"});
}

std::string with_keys(std::string const& keys) {
    return R"({"eingraph": 1, "tensors": {"A": {"shape": [2, 3]}}, "mesh": {"dp": 2, "tp": 2}, )" + keys + "}";
}

}  // namespace

TEST_CASE("moves of any regions become slices, pads and concats", "[lib][graph][rest]") {
    bool const filled = GENERATE(false, true);
    EinGraph const graph = graph_of(pinwheel(filled));
    verify(graph, "the test");
    CHECK(check_same(graph) == 1);
    check_bits(graph);
}

TEST_CASE("one region that is turned and padded is two nodes", "[lib][graph][rest]") {
    Move move;
    move.regions = {{{{1, 0}, {2, 3}}, {{2, -1}, {2, -1}}}};
    move.fill = scalar::Scalar::of(std::complex<double>(-0.0));
    ein::test::GraphBuilder g;
    g.leaf("A", {3, 3});
    g.node("Z", move, {"A"}, {4, 3});
    EinGraph const graph = g.finish({"Z"});
    check_bits(graph);
    CHECK(read_graph(graph_text(graph), "text").nodes.size() == 2);
}

TEST_CASE("parts, shardings, params and odd labels are written", "[lib][graph][rest]") {
    auto const keys = GENERATE(values<std::string>(
        {R"("nodes": [{"name": "Z", "einsum": "...j->...", "inputs": ["A"]}], "outputs": ["Z"])",
         R"("nodes": [{"name": "Z", "einsum": {"in": [["a/b", "c"]], "out": ["a/b"]}, "inputs": ["A"]}],
            "outputs": ["Z"], "parts": {"Z": {"c": 3}})",
         R"("nodes": [{"name": "Z", "einsum": "ij->i", "inputs": ["A"]}], "outputs": ["Z"],
            "sharding": {"A": "i/dp j/tp", "Z": "i/tp"})",
         R"("nodes": [{"name": "H", "op": "slice", "inputs": ["A"], "slices": "::-1"},
                      {"name": "Z", "einsum": "ij->ij", "inputs": ["H"]}],
            "outputs": ["H", "Z"], "sharding": {"H": "i/dp j", "Z": "i j/tp"}, "parts": {"H": {"1": 1}})",
         R"("nodes": [{"name": "go", "loop": {"times": 2, "carry": {"A": "B"}, "body": [
              {"name": "B", "einsum": "ij->ij", "inputs": ["A"], "join": "x + 1"}]}}],
            "outputs": ["go/A"], "sharding": {"go/A": "i/dp j/tp"}, "parts": {"go/B": {"i": 2}})"}));
    std::string const text = with_keys(keys);
    INFO(text);
    EinGraph const graph = read_graph(text, "given");
    check_same(graph);
    check_bits(graph);
}

TEST_CASE("how a node's result must be kept is written", "[lib][graph][rest]") {
    EinGraph const graph = read_graph(R"({"eingraph": 1, "tensors": {"A": {"shape": [3, 4], "sparse": true, "fill": 2,
        "data": {"random": "uniform", "density": 0.3, "seed": 1}}}, "nodes": [
        {"name": "S", "einsum": "ij->ij", "inputs": ["A"], "join": "x*x", "sparse": true},
        {"name": "D", "einsum": "ij->ji", "inputs": ["A"], "sparse": false},
        {"name": "C", "op": "concat", "inputs": ["A", "A"], "axis": 0, "sparse": true},
        {"name": "R", "op": "reshape", "inputs": ["A"], "shape": [12], "sparse": false},
        {"name": "P", "op": "pad", "inputs": ["A"], "pad_width": [[1, 0], [0, 2]], "constant_values": 2,
         "sparse": true}], "outputs": ["S", "D", "C", "R", "P"]})",
                                      "given");
    CHECK(graph.nodes[0].storage == StorageWish::sparse);
    CHECK(graph.nodes[1].storage == StorageWish::dense);
    check_same(graph);
}

TEST_CASE("a tensor may be called as a param or a number that a join reads", "[lib][graph][rest]") {
    ein::test::GraphBuilder g;
    g.param("eta", 0.5);
    g.leaf("nan", {2, 3});
    g.leaf("eta", {3});
    g.einsum("Z", "ij,j->i", {"nan", "eta"}, {.join = "eta*x + where(y > 0.5, nan, y)"});
    EinGraph const graph = g.finish({"Z"});
    INFO(graph_text(graph));
    check_bits(graph);
}

TEST_CASE("a body may call its nodes as what is around the loop", "[lib][graph][rest]") {
    ein::test::GraphBuilder g;
    g.leaf("W", {3});
    g.leaf("L/W", {3});
    g.einsum("L:W", "i->i", {"L/W"});
    g.begin_loop("L", 3);
    g.einsum("Ax", "i,i->i", {"L:W", "W"}, {.join = "x + y"});
    g.einsum("L/Ax", "i,i->i", {"Ax", "L/W"}, {.join = "x*y"});
    g.einsum("L/result", "i->i", {"L/Ax"});
    g.end_loop({{"L:W", "L/result"}});
    g.einsum("Z", "i,i->i", {"L/result", "W"});
    EinGraph const graph = g.finish({"Z", "L/result", "L/W"});
    verify(graph, "the test");
    check_same(graph);
    check_bits(graph);
}

TEST_CASE("data is written as it was, files where they are seen from the text", "[lib][graph][rest]") {
    std::string const text = R"({"eingraph": 1, "tensors": {
        "a": {"shape": [2], "data": {"npy": "a.npy"}}, "b": {"shape": [2], "data": {"npz": "b.npz", "entry": "e"}},
        "c": {"shape": [2], "data": {"safetensors": "c", "tensor": "t"}},
        "d": {"shape": [2], "data": {"raw": "d.bin", "offset": 8}}, "e": {"shape": [2], "data": {"raw": "e.bin"}},
        "f": {"shape": [2], "dtype": "i64", "data": {"fill": 9223372036854775807}},
        "g": {"shape": [2], "dtype": "c64", "data": {"values": [[1, "inf"], "nan"]}},
        "h": {"shape": [2], "dtype": "bool", "data": {"values": [true, false]}},
        "i": {"shape": [2, 0], "data": {"values": [[], []]}},
        "j": {"shape": [2], "dtype": "f16", "data": {"values": [0.1, -0.0]}},
        "k": {"shape": [2], "data": {"random": "normal", "mean": 0.1, "std": 2, "seed": 18446744073709551615}},
        "l": {"shape": [2], "dtype": "u8", "data": {"random": "uniform", "low": 3, "high": 9}},
        "m": {"shape": [2], "dtype": "f64", "data": {"fill": "-inf"}}, "n": {"shape": []},
        "o": {"shape": [2, 2], "data": {"mtx": "o.mtx"}}, "p": {"shape": [2], "data": {"tns": "p.tns"}},
        "q": {"shape": [2, 2], "data": {"scipy": "q.npz"}},
        "r": {"shape": [2], "data": {"random": "normal", "mean": 0.1, "std": 2, "seed": 4, "density": 0.1}}},
        "outputs": ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r"]})";
    EinGraph const graph = read_graph(text, "given");
    check_same(graph);
    EinGraph const moved = read_graph(graph_text(graph, [](std::string const& file) { return "../" + file; }), "moved");
    for (Leaf const& leaf : moved.leaves)
        if (auto const* file = tensor::file_of(leaf.source)) CHECK(file->starts_with("../"));
}

TEST_CASE("order of labels, compute type and begin are checked", "[lib][graph][rest]") {
    struct Row {
        std::string node, expected;
    };
    auto const row = GENERATE(values<Row>(
        {{R"("einsum": {"in": [["i"]], "out": [], "labels": ["j"]}, "inputs": ["v"])", "each label of the terms once"},
         {R"("einsum": {"in": [["i"]], "out": [], "labels": []}, "inputs": ["v"])",
          "every label of the terms, and no '...' in them"},
         {R"("einsum": "i->", "inputs": ["v"], "agg": "mean", "compute": "f64")", "no \"compute\" beside \"mean\""},
         {R"("einsum": "i->", "inputs": ["v"], "compute": "i64")",
          "a type that holds operands of f32, not f16 or bf16"},
         {R"("loop": {"times": 2, "carry": {"x": {"begin": "v"}}, "body": []})", "the key \"next\""},
         {R"("loop": {"times": 2, "carry": {"x": {"begin": "u", "next": "x"}}, "body": []})",
          "the name of a tensor or node"}}));
    CAPTURE(row.node);
    auto const faults = graph::test::node_faults(row.node);
    REQUIRE_FALSE(faults.empty());
    CHECK(faults[0].expected == row.expected);
}

TEST_CASE("what is carried may begin as a tensor of another name", "[lib][graph][rest]") {
    EinGraph const graph = read_graph(R"({"eingraph": 1, "tensors": {"zero": {"shape": [2], "data": {"fill": 0}}},
        "nodes": [{"name": "L", "loop": {"times": 3, "carry": {"a": {"begin": "zero", "next": "a_next"},
                                                              "b": {"begin": "zero", "next": "a"}},
            "body": [{"name": "a_next", "einsum": "i,i->i", "inputs": ["a", "zero"], "join": "x + y + 1"}]}}],
        "outputs": ["L/a", "L/b"]})",
                                      "given");
    CHECK(OneByOne(graph).outputs()[0]->at(0).number == 3.0);
    CHECK(OneByOne(graph).outputs()[1]->at(0).number == 2.0);
    check_same(graph);
}
