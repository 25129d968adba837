#include "lib/graph/write_graph.hpp"

#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;

TEST_CASE("what is written reads back, the same text every time", "[lib][graph]") {
    auto const write = [] {
        GraphWriter writer("a \"chain\"", DType::f64);
        writer.param("eta", 0.5);
        writer.tensor("B", {3, 4}, uniform_data(7));
        writer.tensor("A", {2, 3}, {{"npy", "A.npy"}}, DType::f32);
        writer.tensor("s", {}, nullptr, DType::f64);
        writer.einsum("C", "ij,jk->ik", {"A", "B"}, {{"join", "eta*x*y"}});
        writer.einsum("D", Json::parse(R"({"in": [["i", "j"]], "out": ["i"]})"), {"C"}, {{"agg", "max"}});
        writer.op("P", "softmax", {"D"}, {{"axes", 0}});
        writer.output("P");
        writer.output("C");
        return writer.text();
    };
    EinGraph const graph = read_graph(write(), "g.json");
    CHECK(write() == write());
    CHECK(graph.name == "a \"chain\"");
    CHECK(describe(graph)[0] == "C f64(2, 4) = A(i j) B(j k) -> (i k) sum eta*x*y");
    CHECK(graph.outputs.size() == 2);
    CHECK(write().find("{\"name\":\"C\",\"einsum\":\"ij,jk->ik\",\"inputs\":[\"A\",\"B\"],\"join\":\"eta*x*y\"}") !=
          std::string::npos);
}
