#include "lib/graph/factor/read_diagonals.hpp"

#include "lib/graph/factor/read_once.hpp"
#include "lib/graph/read_graph.hpp"
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;

namespace {

using Lines = std::vector<std::string>;

Lines with_diagonals(std::string const& nodes, std::string const& outputs = R"("t")", std::string const& parts = "{}") {
    EinGraph const graph = read_diagonals(read_graph(R"~({"eingraph": 1, "dtype": "f64",
        "tensors": {"A": {"shape": [6, 9]}, "B": {"shape": [6, 9]}, "x": {"shape": [6]}},
        "parts": )~" + parts + R"~(, "nodes": [)~" + nodes +
                                                         R"~(], "outputs": [)~" + outputs + "]}",
                                                     "g.json"));
    verify(graph, "read_diagonals");
    return graph::test::describe(graph);
}

std::string const made_of_two = R"~({"name": "S", "einsum": "ij,kj->ik", "inputs": ["A", "B"]})~",
                  read_as_trace = R"~(, {"name": "t", "einsum": "ii->", "inputs": ["S"]})~";

}  // namespace

TEST_CASE("a result of which only the diagonal is read is made as the diagonal", "[graph][factor]") {
    std::string const diagonal = "S f64(6,) = A(i j) B(i j) -> (i) sum x*y";
    CHECK(with_diagonals(made_of_two + read_as_trace) == Lines{diagonal, "t f64() = S(i) -> () sum x"});
    std::string const with_itself =
        R"~(, {"name": "t", "einsum": "ii,i,ii->i", "inputs": ["S", "x", "S"], "join": "max(x*y, z)"})~";
    CHECK(with_diagonals(made_of_two + with_itself) ==
          Lines{diagonal, "t f64(6,) = S(i) x(i) S(i) -> (i) sum max(x*y, z)"});
    // Any join and aggregation, and indices in them.
    std::string const indexed =
        R"~({"name": "S", "einsum": "ij,kj->ik", "inputs": ["A", "B"], "join": "x*[i] + y*[k]", "agg": "min"})~";
    CHECK(with_diagonals(indexed + read_as_trace) ==
          Lines{"S f64(6,) = A(i j) B(i j) -> (i) min x*[i] + y*[i]", "t f64() = S(i) -> () sum x"});
    // Through what reads a diagonal itself then, and of three axes.
    std::string const through =
        R"~(, {"name": "E", "einsum": "ik,i->ki", "inputs": ["S", "x"], "join": "exp(x)*y"},
            {"name": "t", "einsum": "kk->", "inputs": ["E"]})~";
    CHECK(with_diagonals(made_of_two + through) ==
          Lines{diagonal, "E f64(6,) = S(k) x(k) -> (k) sum exp(x)*y", "t f64() = E(k) -> () sum x"});
    std::string const of_three = R"~({"name": "S", "einsum": "ij,kj,l->ilk", "inputs": ["A", "B", "x"]},
        {"name": "t", "einsum": "iii->i", "inputs": ["S"]})~";
    CHECK(with_diagonals(of_three) ==
          Lines{"S f64(6,) = A(i j) B(i j) x(i) -> (i) sum x*y*z", "t f64(6,) = S(i) -> (i) sum x"});
}

TEST_CASE("a result that is read elsewhere too, or wanted whole, stays whole", "[graph][factor]") {
    std::string const whole = "S f64(6, 6) = A(i j) B(k j) -> (i k) sum x*y", trace = "t f64() = S(i i) -> () sum x";
    CHECK(with_diagonals(made_of_two + read_as_trace, R"("t", "S")") == Lines{whole, trace});
    Lines const cut = with_diagonals(made_of_two + read_as_trace, R"("t")", R"({"S": {"i": 2}})");
    CHECK(cut == Lines{whole, trace});
    std::string const others = made_of_two + read_as_trace;
    CHECK(with_diagonals(others + R"~(, {"name": "u", "einsum": "ik->k", "inputs": ["S"]})~", R"("t", "u")") ==
          Lines{whole, trace, "u f64(6,) = S(i k) -> (k) sum x"});
    CHECK(with_diagonals(made_of_two + R"~(, {"name": "t", "einsum": "ii,ik->", "inputs": ["S", "S"]})~").front() ==
          whole);
}

TEST_CASE("a sparse tensor that a node reads twice in the same way is read once", "[graph][factor]") {
    auto const reading_once = [](std::string const& node) {
        EinGraph const graph = read_once(read_graph(R"~({"eingraph": 1, "dtype": "f64",
            "tensors": {"A": {"shape": [6, 6], "sparse": true}, "D": {"shape": [6, 6]}},
            "nodes": [{"name": "t", )~" + node + R"~(}], "outputs": ["t"]})~",
                                                    "g.json"));
        verify(graph, "read_once");
        return graph::test::describe(graph);
    };
    CHECK(reading_once(R"~("einsum": "ij,ij->i", "inputs": ["A", "A"])~") ==
          Lines{"t f64(6,) = A(i j) -> (i) sum x*x"});
    CHECK(reading_once(R"~("einsum": "ij,ji,ij,ij->", "inputs": ["A", "A", "D", "A"], "join": "x0*x1 - x2*x3")~") ==
          Lines{"t f64() = A(i j) A(j i) D(i j) -> () sum x*y - z*x"});
    CHECK(reading_once(R"~("einsum": "ij,ij->i", "inputs": ["D", "D"])~") ==
          Lines{"t f64(6,) = D(i j) D(i j) -> (i) sum x*y"});
}
