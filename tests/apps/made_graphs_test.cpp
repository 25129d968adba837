// The table of kinds that eintool makes: each entry is whole, and what a kind does not have is refused.
#include <set>

#include "apps/eintool/make/graph_kind.hpp"
#include "lib/base/error.hpp"
#include "lib/base/json.hpp"
#include "lib/graph/read_graph.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::apps::tool;

namespace {

std::string refusal(std::string const& kind, Wanted const& wanted) {
    try {
        make_graph(kind_named(kind), wanted);
    } catch (UsageError const& error) {
        return error.what();
    }
    return "made";
}

}  // namespace

TEST_CASE("every kind makes a sound graph in every dtype that it lists", "[apps][make]") {
    std::set<std::string> names;
    for (GraphKind const& kind : graph_kinds()) {
        CAPTURE(kind.name);
        CHECK(names.insert(kind.name).second);
        for (DType dtype : kind.dtypes) {
            std::string const dtype_name(name(dtype));
            CAPTURE(dtype_name);
            std::string const text = make_graph(kind, {.dtype = dtype_name});
            graph::EinGraph const graph = graph::read_graph(text, kind.name);
            CHECK_FALSE(graph.outputs.empty());
            CHECK(Json::parse(text)["dtype"] == dtype_name);
        }
        CHECK(make_graph(kind, {}) == make_graph(kind, {.dtype = std::string(name(kind.dtypes.front()))}));
    }
}

TEST_CASE("sizes are taken in order, and defaults for the rest", "[apps][make]") {
    Json const graph = Json::parse(make_graph(kind_named("matmul"), {.sizes = {4, 5}}));
    CHECK(graph["tensors"]["A"]["shape"] == Json({4, 5}));
    CHECK(graph["tensors"]["B"]["shape"] == Json({5, 1024}));
    CHECK(graph["x-made-by"] == "eintool make matmul 4 5 1024 --dtype f32");
}

TEST_CASE("kinds with a sparse tensor list its elements", "[apps][make]") {
    for (std::string const kind : {"pagerank", "factorization", "mttkrp", "spmm"}) {
        CAPTURE(kind);
        Json const dense = Json::parse(make_graph(kind_named(kind), {}));
        Json const graph = Json::parse(make_graph(kind_named(kind), {.options = {{"--sparse", ""}}}));
        int sparse = 0;
        for (auto const& [name, tensor] : graph["tensors"].items()) sparse += tensor.value("sparse", false) ? 1 : 0;
        for (auto const& [name, tensor] : dense["tensors"].items()) CHECK_FALSE(tensor.contains("sparse"));
        CHECK(sparse == 1);
        CHECK_NOTHROW(graph::read_graph(graph.dump(), kind));
    }
}

TEST_CASE("what a kind does not have is refused", "[apps][make]") {
    CHECK(refusal("heat", {.sizes = {4, 5, 6}}) == "make heat: expected at most 2 sizes (ROWS COLUMNS), found 3");
    CHECK(refusal("matmul", {.options = {{"--steps", "3"}}}) == "make matmul: --steps is an option of make ffnn-step");
    CHECK(refusal("matmul", {.options = {{"--links", "1"}}}) ==
          "make matmul: --links is an option of make pagerank or shortest-paths");
    CHECK(refusal("heat", {.options = {{"--iterations", "many"}}}) ==
          "make heat --iterations: expected a whole number from 1 to 1000000000, found 'many'");
    CHECK(refusal("heat", {.options = {{"--iterations", "0"}}}) ==
          "make heat --iterations: expected a whole number from 1 to 1000000000, found '0'");
    CHECK(refusal("pagerank", {.options = {{"--links", "1.5"}}}) ==
          "make pagerank --links: expected a number from 0 to 1, found '1.5'");
    CHECK(refusal("pagerank", {.options = {{"--links", "0.1x"}}}) ==
          "make pagerank --links: expected a number from 0 to 1, found '0.1x'");
    CHECK(refusal("llama", {.options = {{"--logits", "some"}}}) ==
          "make llama --logits: expected last or all, found 'some'");
    CHECK(refusal("network", {.dtype = "i32"}) == "make network --dtype: expected f32, f64, f16 or bf16, found 'i32'");
    CHECK(refusal("life", {.dtype = "f32"}) ==
          "make life --dtype: expected i32, bool, u8, i8, i16 or i64, found 'f32'");
    CHECK(refusal("k-means", {.sizes = {5, 2, 6}}) == "make k-means: expected CLUSTERS of at most POINTS (5), found 6");
    try {
        kind_named("kmeans");
        FAIL("accepted");
    } catch (UsageError const& error) {
        CHECK(std::string(error.what()).find("found 'kmeans'; did you mean \"k-means\"?") != std::string::npos);
    }
}

TEST_CASE("a loop takes as many iterations as paths may need", "[apps][make]") {
    auto const [n, iterations] = GENERATE(std::pair{1, 1}, std::pair{2, 1}, std::pair{3, 2}, std::pair{4, 2},
                                          std::pair{5, 3}, std::pair{64, 6}, std::pair{65, 7});
    CAPTURE(n);
    Json const graph = Json::parse(make_graph(kind_named("shortest-paths"), {.sizes = {n}}));
    CHECK(graph["nodes"][1]["loop"]["times"] == iterations);
}

TEST_CASE("numbers are rounded to two digits", "[apps][make]") {
    CHECK(rounded(0.123) == 0.12);
    CHECK(rounded(0.0417) == 0.042);
    CHECK(rounded(2.5e-5) == 2.5e-5);
    CHECK(rounded(987.6) == 990);
    CHECK(rounded(1) == 1);
    CHECK(rounded(-0.6666) == -0.67);
    CHECK(rounded(0) == 0);
}

TEST_CASE("--help lists every kind with its sizes, defaults and options", "[apps][make]") {
    std::string const help = kinds_help();
    for (GraphKind const& kind : graph_kinds()) {
        CAPTURE(kind.name);
        std::string line = "\n  " + kind.name;
        for (SizeOf const& size : kind.sizes) line += " " + size.name;
        CHECK(help.find(line) != std::string::npos);
        CHECK(help.find(kind.about) != std::string::npos);
        for (Option const& option : kind.options) CHECK(help.find("      " + option.name) != std::string::npos);
    }
    CHECK(help.find("k-means POINTS DIMENSIONS CLUSTERS (10000 16 10)") != std::string::npos);
}

TEST_CASE("a loop's nodes stand one a line below it", "[apps][make]") {
    GraphText g("halves", "f64");
    g.param("eta", 0.5);
    g.note("about", "x, halved");
    g.fill("x", {2}, 1);
    g.loop("half", {{"times", 3}}, {{"x", "x_next"}}, [&] {
        g.einsum("x_next", "i->i", {"x"}, {{"join", "eta*x"}});
        g.einsum("size", "i->", {"x"});
    });
    g.grad("g", "half/x", {"x"});
    CHECK(g.text({"half/x"}) == R"({"eingraph": 1, "name": "halves", "dtype": "f64",
 "x-about": "x, halved",
 "params": {"eta": 0.5},
 "tensors": {
  "x": {"shape": [2], "data": {"fill": 1}}},
 "nodes": [
  {"name": "half", "loop": {"times": 3, "carry": {"x": "x_next"}, "body": [
    {"name": "x_next", "einsum": "i->i", "inputs": ["x"], "join": "eta*x"},
    {"name": "size", "einsum": "i->", "inputs": ["x"]}]}},
  {"name": "g", "grad": {"of": "half/x", "wrt": ["x"]}}],
 "outputs": ["half/x"]}
)");
}
