#include "lib/graph/sparse/idle_sets.hpp"

#include <cmath>

#include "lib/graph/lower_graph.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/graph/sparse/make_dense.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using graph::EinGraph;
using graph::IdleSets;

namespace {

using Sets = std::vector<std::vector<int>>;

/// A node of sparse A, B (i, j) with these fills and a dense x (i, j).
EinGraph graph_of(std::string const& join, std::string const& agg, std::string const& fill_a, std::string const& fill_b,
                  std::string const& out = "i", std::string const& dtype = "f64") {
    return graph::read_graph(R"({"eingraph": 1, "dtype": ")" + dtype + R"(", "tensors": {
        "A": {"shape": [4, 3], "sparse": true, "fill": )" +
                                 fill_a + R"(},
        "B": {"shape": [4, 3], "sparse": true, "fill": )" +
                                 fill_b + R"(}, "X": {"shape": [4, 3]}},
        "nodes": [{"name": "Z", "einsum": "ij,ij,ij->)" +
                                 out + R"(", "inputs": ["A", "B", "X"], "join": ")" + join + R"(", "agg": ")" + agg +
                                 R"("}], "outputs": ["Z"]})",
                             "t.json");
}

Sets sets_of(std::string const& join, std::string const& agg = "sum", std::string const& fill_a = "0",
             std::string const& fill_b = "0", std::string const& out = "i", std::string const& dtype = "f64") {
    EinGraph const graph = graph_of(join, agg, fill_a, fill_b, out, dtype);
    return graph::idle_sets(graph, graph.nodes.back()).sets;
}

}  // namespace

TEST_CASE("what is not listed contributes nothing where the join gives what the aggregation begins with") {
    CHECK(sets_of("x*z") == Sets{{0}});
    CHECK(sets_of("x*y*z") == Sets{{0}, {1}});
    CHECK(sets_of("x*y+z*0") == Sets{{0}, {1}});  // whatever z is
    CHECK(sets_of("x*z + y*z") == Sets{{0, 1}});
    CHECK(sets_of("x*y + z").empty());
    CHECK(sets_of("x + z").empty());
    CHECK(sets_of("x*z", "max").empty());  // 0 may be the maximum
    CHECK(sets_of("x+z", "min", "\"inf\"") == Sets{{0}});
    CHECK(sets_of("x+z", "max", "\"-inf\"") == Sets{{0}});
    CHECK(sets_of("x+z", "max", "\"inf\"").empty());
    CHECK(sets_of("x+z", "logsumexp", "\"-inf\"") == Sets{{0}});
    CHECK(sets_of("x^z", "prod", "1").empty());  // 1^z is 1, which pow does not promise
    CHECK(sets_of("z^x", "prod") == Sets{{0}});
    CHECK(sets_of("x && z > 0", "any") == Sets{{0}});
    CHECK(sets_of("x || z > 0", "all", "1") == Sets{{0}});
    CHECK(sets_of("where(x > 0, z*y, 0)") == Sets{{0}, {1}});
    CHECK(sets_of("where(z > 0, x, y)") == Sets{{0, 1}});
    CHECK(sets_of("exp(x)*z").empty());
    CHECK(sets_of("expm1(x)*[i]*z") == Sets{{0}});
    CHECK(sets_of("min(x, z)", "min", "\"inf\"").empty());
    CHECK(sets_of("x/z") == Sets{{0}});
    CHECK(sets_of("x*z", "sum", "0", "0", "i", "i32") == Sets{{0}});
    CHECK(sets_of("x*z", "sum", "0", "0", "i", "c64") == Sets{{0}});
    CHECK(sets_of("x*z", "sum", "0", "0", "i", "f16") == Sets{{0}});
}

TEST_CASE("without aggregation the result has a fill") {
    auto const fill = [](std::string const& join, std::string const& a, std::string const& b) {
        EinGraph const graph = graph_of(join, "sum", a, b, "ij");
        return graph::idle_sets(graph, graph.nodes.back());
    };
    CHECK(fill("x + y", "2", "3").sets == Sets{{0, 1}});
    CHECK(fill("x + y", "2", "3").fill->number == 5.0);
    CHECK(fill("exp(x)", "0", "3").fill->number == 1.0);
    CHECK(fill("x*z", "2", "3").sets.empty());
    // Where only one of them is not listed the join must leave the same behind: 0*y, x*0 and 0*0 do.
    CHECK(fill("x*y", "0", "0").sets == Sets{{0}, {1}});
    CHECK(fill("x*y", "0", "0").fill->number == 0.0);
    // What is left behind is the join of the fills, so that 0/y of nothing but x decides only where that is 0.
    CHECK(fill("x/y", "0", "2").sets == Sets{{0}});
    CHECK(fill("x/y", "0", "0").sets == Sets{{0, 1}});
    CHECK(std::isnan(fill("x/y", "0", "0").fill->number.real()));
    CHECK(fill("x*y", "0", "\"inf\"").sets == Sets{{0, 1}});
}

TEST_CASE("an operand decides about what is aggregated whatever the fills of others are") {
    for (std::string const join : {"x*y", "x/y", "x*log(y)", "x*log(1 - y)", "where(x == 0, 0, y)"})
        for (std::string const other : {"0.5", "1", "\"inf\"", "\"nan\""}) {
            CAPTURE(join, other);
            CHECK(sets_of(join, "sum", "0", other).front() == std::vector<int>{0});
        }
}

TEST_CASE("an operand that decides nothing is looked up where others do") {
    auto const looked_up = [](std::string const& join, std::string const& out = "i", std::string const& agg = "sum",
                              std::string const& fill = "0", std::string const& dtype = "f64") {
        EinGraph const graph = graph_of(join, agg, fill, fill, out, dtype);
        return graph::idle_sets(graph, graph.nodes.back()).looked_up;
    };
    using Operands = std::vector<int>;
    for (std::string const out : {"", "i", "ji"}) {
        CAPTURE(out);
        CHECK(looked_up("x*exp(y)", out) == Operands{1});
        CHECK(looked_up("x*(1 + y)*z", out) == Operands{1});
        CHECK(looked_up("x/(sqrt(y) + 0.1)", out) == Operands{1});
        CHECK(looked_up("where(x != 0, (x - y)^2, 0)", out) == Operands{1});
        CHECK(looked_up("exp(x)*y", out) == Operands{0});
        CHECK(looked_up("x*y", out).empty());
        CHECK(looked_up("z + exp(y)", out).empty());  // nothing decides
    }
    CHECK(looked_up("x + 1/y", "i", "min", "\"inf\"") == Operands{1});
    CHECK(looked_up("x && !y", "i", "any", "0", "bool") == Operands{1});
    CHECK(looked_up("x*position(y, 3)", "i", "sum", "0", "i64").empty());  // all positions are looked at
}

TEST_CASE("what is looked up has labels of what decides alone") {
    auto const looked_up = [](std::string const& subscripts, std::string const& join) {
        EinGraph const graph = graph::read_graph(
            R"({"eingraph": 1, "tensors": {"A": {"shape": [4, 4], "sparse": true}, "B": {"shape": [4, 4], "sparse":
            true}, "v": {"shape": [4], "sparse": true}}, "nodes": [{"name": "Z", "einsum": ")" +
                subscripts + R"(", "inputs": ["A", "v", "B"], "join": ")" + join + R"("}], "outputs": ["Z"]})",
            "t.json");
        return graph::idle_sets(graph, graph.nodes.back()).looked_up;
    };
    using Operands = std::vector<int>;
    CHECK(looked_up("ij,j,ij->i", "x*exp(y)*z") == Operands{1});
    CHECK(looked_up("ij,j,jk->ik", "x*exp(y)*z") == Operands{1});
    CHECK(looked_up("ij,k,ij->i", "x*exp(y)*z").empty());
    CHECK(looked_up("ij,k,jk->i", "x*exp(y)*z") == Operands{1});      // the other one that decides has it
    CHECK(looked_up("ij,j,jk->i", "x*y*exp(z)").empty());             // at all k
    CHECK(looked_up("ij,i,ij->i", "(x + y)*exp(z)").empty());         // v alone may list an element of (i)
    CHECK(looked_up("ij,i,ii->i", "(x + y)*exp(z)") == Operands{2});  // and has all labels of a diagonal
}

TEST_CASE("products of many operands with a sparse one stay whole where that is less work") {
    auto const nodes = [](std::string const& subscripts, std::string const& b, std::string const& c) {
        EinGraph const graph = graph::lower_graph(graph::read_graph(
            R"({"eingraph": 1, "tensors": {"A": {"shape": [400, 300], "sparse": true}, "B": {"shape": )" + b +
                R"(}, "C": {"shape": )" + c + R"(}}, "nodes": [{"name": "Z", "einsum": ")" + subscripts +
                R"(", "inputs": ["A", "B", "C"]}], "outputs": ["Z"]})",
            "t.json"));
        return graph.nodes.size();
    };
    CHECK(nodes("ij,ik,jk->ij", "[400, 64]", "[300, 64]") == 1);  // samples a product
    CHECK(nodes("ij,jk,kl->il", "[300, 64]", "[64, 64]") == 2);   // the dense product first
}
