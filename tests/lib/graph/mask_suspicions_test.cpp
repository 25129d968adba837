// Masks before a softmax that leave out nothing are noted; those that do, and functions of the scores, are not.
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;

namespace {

std::string const softmax_of_m = R"(, {"name": "P", "op": "softmax", "inputs": ["M"], "axis": 1})";

/// Of scores S (8, 6), masks m bool (8, 6) and o (8, 6), a vector v (6,) and a scalar zero.
std::vector<std::string> notes_of_nodes(std::string const& nodes) {
    return read_graph(R"({"eingraph": 1, "params": {"low": -5, "lowest": -1e30}, "tensors": {"S": {"shape": [8, 6]},
        "m": {"shape": [8, 6], "dtype": "bool"}, "o": {"shape": [8, 6]}, "zero": {"shape": []}}, "nodes": [)" +
                          nodes + R"(], "outputs": ["P", "S", "m", "o", "zero"]})",
                      "g.json", {})
        .notes;
}
std::string masked(std::string const& join, std::string const& einsum = "qk->qk", std::string const& inputs = "\"S\"") {
    return "{\"name\": \"M\", \"einsum\": \"" + einsum + "\", \"inputs\": [" + inputs + "], \"join\": \"" + join +
           "\"}";
}

void check_note(std::string const& nodes, std::string const& text) {
    CAPTURE(nodes);
    std::vector<std::string> const found = notes_of_nodes(nodes);
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0], Catch::Contains(text));
}

}  // namespace

TEST_CASE("a score that is filled with a number counts in a softmax", "[lib][graph][suspicions]") {
    std::string const zero =
        "node 'M' puts 0 where scores are left out along 'k', and the exp that 'P' takes of it is 1 "
        "there, which counts in the sum; to leave them out write -inf in place of 0";
    for (std::string const join : {"where([q] >= [k], x, 0)", "where([q] < [k], 0, x)", "where([q] >= [k], x, 0)/8",
                                   "2*where([k] < 3, x, 0.0)", "where([q] >= [k], x/8, -0.0)"})
        check_note(masked(join) + softmax_of_m, join.ends_with("-0.0)") ? "puts -0 where" : zero);
    check_note(masked("where([q] >= [k], x, low)") + softmax_of_m, "is 0.00674 there, which counts in the sum");
    check_note(masked("where([q] >= [k], x, -100)") + softmax_of_m,
               "counts beside scores that are as low; to leave them out "
               "write -inf in place of -100");
    check_note(masked("where(y, x, 0)", "qk,qk->qk", R"("S", "m")") + softmax_of_m, "puts 0 where scores are left out");
    for (std::string const join : {
             "where([q] >= [k], x, -inf)", "where([q] >= [k], x, -1e9)", "where([q] >= [k], x, lowest)",
             "where(x > 0, x, 0)",        // of the scores themselves
             "where([q] < 4, x, 0)",      // whole rows, whose softmax nobody reads
             "where([q] >= [k], x, x/2)"  // no number
         }) {
        CAPTURE(join);
        CHECK(notes_of_nodes(masked(join) + softmax_of_m).empty());
    }
    CHECK(notes_of_nodes(masked("where([q] >= [k], x, 0)") +
                         R"(, {"name": "P", "op": "softmax", "inputs": ["M"], "axis": 0})")
              .size() == 1);
    CHECK(
        notes_of_nodes(masked("where([q] >= [k], x, 0)") + R"(, {"name": "P", "op": "sum", "inputs": ["M"]})").empty());
}

TEST_CASE("so does one in a softmax that is written out, and in its logarithm", "[lib][graph][suspicions]") {
    std::string const mask = masked("where([q] >= [k], x, 0)");
    for (std::string const op : {"log_softmax", "logsumexp"})
        check_note(mask + R"(, {"name": "P", "op": ")" + op + R"(", "inputs": ["M"], "axis": 1})",
                   "puts 0 where scores");
    check_note(
        mask + R"(, {"name": "E", "op": "exp", "inputs": ["M"]}, {"name": "Z", "einsum": "qk->q", "inputs": ["E"]},
        {"name": "P", "einsum": "qk,q->qk", "inputs": ["E", "Z"], "join": "x/y"})",
        "the exp that 'Z' takes of it is 1 there");
    check_note(R"x({"name": "P", "einsum": "qk->q", "inputs": ["S"], "join": "exp(where([q] >= [k], x, 0))"})x",
               "node 'P' puts 0 where scores are left out along 'k', and its own exp is 1 there");
    check_note(R"x({"name": "P", "einsum": "qk->q", "inputs": ["S"], "join": "where([q] >= [k], x, 0)",
                    "agg": "logsumexp"})x",
               "its own exp is 1 there");
    check_note(mask + R"(, {"name": "T", "einsum": "qk->kq", "inputs": ["M"], "join": "x/4"},
        {"name": "P", "op": "softmax", "inputs": ["T"], "axis": 0})",
               "puts 0 where scores are left out along 'k'");
    // What is left out of exp itself is 0.
    CHECK(notes_of_nodes(R"x({"name": "E", "einsum": "qk->qk", "inputs": ["S"], "join": "where([q] >= [k], exp(x), 0)"},
        {"name": "P", "einsum": "qk->q", "inputs": ["E"]})x")
              .empty());
}

TEST_CASE("a score times a mask counts in a softmax", "[lib][graph][suspicions]") {
    check_note(masked("x*([q] >= [k])") + softmax_of_m,
               "node 'M' multiplies scores by a mask along 'k', and the exp that 'P' "
               "takes of it is 1 where that is 0, which counts in the sum; to leave "
               "them out write where([q] >= [k], x, -inf) in place of x*([q] >= [k])");
    check_note(masked("x*y", "qk,qk->qk", R"("S", "m")") + softmax_of_m,
               "write where(y != 0, x, -inf) in place of x*y");
    check_note(R"({"name": "M", "op": "multiply", "inputs": ["S", "m"]})" + softmax_of_m,
               R"x(write "einsum": "...,...->...", "join": "where(y != 0, x, -inf)" in place of the op)x");
    check_note(masked("x*where([q] >= [k], 1, 0)/8") + softmax_of_m, "write where([q] >= [k], x, -inf) in place of x*");
    check_note(masked("where([q] < [k], 0, 1)*x") + softmax_of_m, "write where(!([q] < [k]), x, -inf) in place of ");
    check_note(R"({"name": "tri", "einsum": "qk->qk", "inputs": ["o"], "join": "[q] >= [k]"}, )" +
                   masked("x*y", "qk,qk->qk", R"("S", "tri")") + softmax_of_m,
               "multiplies scores by a mask");
    CHECK(notes_of_nodes(masked("x*y", "qk,qk->qk", R"("S", "o")") + softmax_of_m).empty());  // o may be anything
    check_note(
        masked("x + where([q] >= [k], 0, -1)") + softmax_of_m,
        "node 'M' adds -1 where scores are left out along 'k', and the exp that 'P' takes of it is 0.368 times as "
        "large, which counts in the sum; to leave them out write -inf in place of -1");
    CHECK(notes_of_nodes(masked("x + where([q] >= [k], 0, -inf)") + softmax_of_m).empty());
    CHECK(notes_of_nodes(masked("x + where([q] >= [k], 0, -1e4)") + softmax_of_m).empty());
    CHECK(notes_of_nodes(masked("x*([q] < 4)") + softmax_of_m).empty());
    CHECK(notes_of_nodes(masked("x*([q] + [k])") + softmax_of_m).empty());
}
