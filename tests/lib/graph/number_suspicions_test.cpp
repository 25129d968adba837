// Numbers that are hardly meant: 0*inf, sums that wrap, gradients that are 0.
#include "lib/graph/read/number_suspicions.hpp"

#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;

namespace {

/// Notes of one node C of X, shape and dtype as given, and of m (16, 16), truth values.
std::vector<std::string> notes_of(std::string const& tensor, std::string const& node) {
    return read_graph(R"({"eingraph": 1, "tensors": {"X": )" + tensor +
                          R"(, "m": {"shape": [16, 16], "dtype": "bool"}}, "nodes": [{"name": "C", )" + node +
                          R"(}], "outputs": ["X", "m", "C"]})",
                      "g.json", {})
        .notes;
}
std::string const wide = R"({"shape": [16, 16]})", bytes = R"({"shape": [16, 16], "dtype": "u8"})";

}  // namespace

TEST_CASE("a mask that multiplies by inf is noted", "[lib][graph][suspicions]") {
    auto const of = [](std::string const& join) {
        return notes_of(wide, R"("einsum": "ij,ij->ij", "inputs": ["X", "m"], "join": ")" + join + "\"");
    };
    for (std::string const join : {"x + (1 - y)*-inf", "x - inf*!y", "where(x > 0, y*inf, 0)"}) {
        CAPTURE(join);
        REQUIRE(of(join).size() == 1);
        CHECK_THAT(of(join)[0], Catch::Contains("multiplies by inf, and 0*inf is nan; write where(MASK, x, -inf)"));
    }
    for (std::string const join : {"where(y, x, -inf)", "x + (1 - y)*-1e9", "min(x*y, inf)", "x*y + 2*-inf", "x/inf"}) {
        CAPTURE(join);
        CHECK(of(join).empty());
    }
}

TEST_CASE("a sum that a narrow type of integers may not hold is noted", "[lib][graph][suspicions]") {
    std::string const sum = R"("einsum": "ij->i", "inputs": ["X"])";
    std::vector<std::string> const found = notes_of(bytes, sum);
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0], Catch::Contains("node 'C' adds 16 elements in u8, which wraps beyond 255; give the node "
                                         "\"dtype\": \"i64\", or u8 if that is meant"));
    CHECK(notes_of(bytes, sum + R"(, "join": "x*2")").size() == 1);
    CHECK(notes_of(bytes, R"("einsum": "ij,kj->ik", "inputs": ["X", "X"])").size() == 1);
    CHECK(notes_of(R"({"shape": [4, 3], "dtype": "u8", "data": {"fill": 100}})", sum).size() == 1);
    for (std::string const keys : {R"(, "dtype": "i64")", R"(, "dtype": "u8")", R"(, "join": "x > 3")",
                                   R"x(, "join": "where(x > 3, 2, 0)")x", R"(, "agg": "max")"}) {
        CAPTURE(keys);
        CHECK(notes_of(bytes, sum + keys).empty());
    }
    for (std::string const tensor :
         {R"({"shape": [4, 3], "dtype": "u8"})", R"({"shape": [16, 16], "dtype": "i32"})",  // few terms, a wide type
          R"({"shape": [16, 16], "dtype": "u8", "data": {"random": "uniform", "low": 0, "high": 2}})",
          R"({"shape": [1, 3], "dtype": "i8", "data": {"values": [[100, 20, 1]]}})"}) {
        CAPTURE(tensor);
        CHECK(notes_of(tensor, sum).empty());
    }
    CHECK(notes_of(bytes, R"("op": "sum", "inputs": "X")").empty());  // into i64, as in NumPy
}

TEST_CASE("powers that a narrow type of integers may not hold are noted, in sums as such", "[lib][graph][suspicions]") {
    std::string const rows = R"("einsum": "ij->i", "inputs": ["X"], "join": ")";
    std::string const each = R"("einsum": "ij->ij", "inputs": ["X"], "join": ")";
    for (std::string const join : {"x^2", "x*x", "x^3", "abs(x)^2", "floor(x)^2", "max(x, 3)^2", "2^x"}) {
        CAPTURE(join);
        std::vector<std::string> const sum = notes_of(bytes, rows + join + "\""),
                                       alone = notes_of(bytes, each + join + "\"");
        REQUIRE(sum.size() == 1);
        CHECK_THAT(sum[0], Catch::Contains("node 'C' adds 16 elements in u8, which wraps beyond 255"));
        REQUIRE(alone.size() == 1);
        CHECK_THAT(alone[0], Catch::Contains("node 'C': its join takes powers in u8, which wraps beyond 255; give the "
                                             "node \"dtype\": \"i64\", or u8 if that is meant"));
        CHECK(notes_of(bytes, each + join + R"(", "dtype": "i64")").empty());
        CHECK(notes_of(bytes, each + join + R"(", "dtype": "u8")").empty());
    }
    CHECK(notes_of(bytes, R"("einsum": "ij,ij->ij", "inputs": ["X", "X"])").size() == 1);
    CHECK(notes_of(R"({"shape": [3, 5], "dtype": "u8"})", each + "x^2\"").empty());  // few
    CHECK(notes_of(R"({"shape": [16, 16], "dtype": "i16"})", each + "x^2\"").size() == 1);
    CHECK(notes_of(R"({"shape": [16, 16], "dtype": "i32"})", each + "x^2\"").empty());
    CHECK(notes_of(R"({"shape": [16, 16], "dtype": "u8", "data": {"fill": 15}})", each + "x^2\"").empty());
    CHECK(notes_of(bytes, R"("einsum": "ij,ij->ij", "inputs": ["X", "m"], "join": "x*y")").empty());  // a mask
    CHECK(notes_of(bytes, each + "(x > 3)^2\"").empty());
}

TEST_CASE("a real number that a type of integers does not hold is noted where it is added",
          "[lib][graph][suspicions]") {
    auto const of = [](std::string const& join, std::string const& more = "") {
        return notes_of(bytes, R"("einsum": "ij->ij", "inputs": ["X"], "join": ")" + join + "\"" + more);
    };
    for (std::string const join : {"x + 1e3", "1e3 + x", "x - 256.0", "max(x, x + 1e3)"}) {
        CAPTURE(join);
        REQUIRE(of(join).size() == 1);
        CHECK_THAT(of(join)[0], Catch::Contains(", which u8, its inputs' dtype, does not hold: its results wrap; give "
                                                "the node \"dtype\": \"i64\", or u8 if that is meant"));
        CHECK(of(join, R"(, "dtype": "u8")").empty());
        CHECK(of(join, R"(, "dtype": "f32")").empty());
    }
    for (std::string const join : {"x + 1e2", "x*(x > 1e3)", "where(x > 1e3, 1, x)", "min(x, 1e3)"}) {
        CAPTURE(join);
        CHECK(of(join).empty());
    }
}

TEST_CASE("so is one of truth values, which counts nothing", "[lib][graph][suspicions]") {
    std::vector<std::string> const found = notes_of(wide, R"("einsum": "ij->i", "inputs": ["m"])");
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0], Catch::Contains("a sum of truth values is one, true where any is; give the node \"dtype\": "
                                         "\"i64\" to count, or \"agg\": \"any\""));
    CHECK(notes_of(wide, R"("einsum": "ij,ij->i", "inputs": ["m", "m"], "join": "x != y")").size() == 1);
    CHECK(notes_of(wide, R"("einsum": "ij->i", "inputs": ["m"], "dtype": "i64")").empty());
    CHECK(notes_of(wide, R"("einsum": "ij->i", "inputs": ["m"], "agg": "any")").empty());
    CHECK(notes_of(wide, R"("einsum": "ij->i", "inputs": ["X"], "join": "x > 0")").empty());  // a count in f32
    CHECK(notes_of(wide, R"("einsum": "ij,jk->ik", "inputs": ["m", "m"])").empty());          // is there a path
}

TEST_CASE("a gradient that steps make 0 is noted", "[lib][graph][suspicions]") {
    auto const of = [](std::string const& join) {
        return read_graph(R"({"eingraph": 1, "tensors": {"W": {"shape": [4]}}, "nodes": [{"name": "loss",
            "einsum": "i->", "inputs": ["W"], "join": ")" +
                              join + R"("}, {"name": "g", "grad": {"of": "loss", "wrt": ["W"]}}],
            "outputs": ["g/W"]})",
                          "g.json", {})
            .notes;
    };
    for (std::string const join : {"x > 0", "floor(x)", "sign(x)", "where(x > 2, 1, 3)"}) {
        CAPTURE(join);
        REQUIRE(of(join).size() == 1);
        CHECK_THAT(of(join)[0], Catch::Contains("'g/W' is 0 everywhere: \"loss\" depends on 'W' by steps alone"));
    }
    for (std::string const join : {"x^2", "where(x > 0, x, 0)", "abs(x)", "x*(x > 0)", "x - round(x)"}) {
        CAPTURE(join);
        CHECK(of(join).empty());
    }
}

TEST_CASE("an output that a loop begins with is noted where nothing reads its end", "[lib][graph][suspicions]") {
    auto const of = [](std::string const& outputs) {
        return read_graph(R"({"eingraph": 1, "tensors": {"W": {"shape": [4]}}, "nodes": [{"name": "fit", "loop":
            {"times": 2, "carry": {"W": "n"}, "body": [{"name": "n", "op": "relu", "inputs": "W"}]}}], "outputs": )" +
                              outputs + "}",
                          "g.json", {})
            .notes;
    };
    REQUIRE(of("[\"W\"]").size() == 2);
    CHECK_THAT(of("[\"W\"]")[0], Catch::Contains("the output 'W' is what the loop 'fit' begins with; what it ends "
                                                 "with is \"fit/W\""));
    CHECK(of("[\"W\", \"fit/W\"]").empty());
}
