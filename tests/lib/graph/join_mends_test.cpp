// What is said of aggregations and indices in a join: what to write, with the names and axes of the node.
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;

namespace {

/// Of a node "P" over S (8, 6), p (8, 6), y i64 (8,) and t (4, 8, 6).
std::vector<Fault> faults_of_node(std::string const& keys) {
    return faults_of(R"({"eingraph": 1, "tensors": {"S": {"shape": [8, 6]}, "p": {"shape": [8, 6]},
        "y": {"shape": [8], "dtype": "i64"}, "t": {"shape": [4, 8, 6]}}, "nodes": [{"name": "P", )" +
                     keys + R"(}], "outputs": ["P"]})");
}
std::vector<Fault> faults_of_join(std::string const& einsum, std::string const& inputs, std::string const& join,
                                  std::string const& more = "") {
    return faults_of_node("\"einsum\": \"" + einsum + "\", \"inputs\": [" + inputs + "], \"join\": \"" + join + "\"" +
                          more);
}
std::string only_fix(std::vector<Fault> const& faults) {
    REQUIRE(faults.size() == 1);
    return faults[0].fix.substr(0, faults[0].fix.find('\n'));
}

struct Mended {
    std::string join, mend;
};

}  // namespace

TEST_CASE("an op that a join writes out is named, with its axis", "[lib][graph][mends]") {
    auto const row = GENERATE(values<Mended>({
        {"exp(x)/sum(exp(x))", R"("op": "softmax", "inputs": ["S"], "axis": 1}: over 'j'; "axis": 0 is over 'i')"},
        {"np.exp(x) / np.sum(np.exp(x), axis=1)", R"("op": "softmax", "inputs": ["S"], "axis": 1}: over 'j')"},
        {"exp(x - max(x))/sum(exp(x - max(x)))", R"("op": "softmax", "inputs": ["S"], "axis": 1})"},
        {"exp(S)/sum(exp(S), axis=-1, keepdims=True)", R"("op": "softmax", "inputs": ["S"], "axis": 1})"},
        {"softmax(x)", R"("op": "softmax", "inputs": ["S"], "axis": 1})"},
        {"log(softmax(x))", R"("op": "log_softmax", "inputs": ["S"], "axis": 1})"},
        {"log_softmax(x)", R"("op": "log_softmax", "inputs": ["S"], "axis": 1})"},
        {"x - logsumexp(x)", R"("op": "log_softmax", "inputs": ["S"], "axis": 1})"},
        {"x - log(sum(exp(x)))", R"("op": "log_softmax", "inputs": ["S"], "axis": 1})"},
        {"log(sum(exp(x)))", R"("op": "logsumexp", "inputs": ["S"], "axis": 1})"},
        {"x/sqrt(mean(x^2) + 1e-6)", R"("op": "rms_norm", "inputs": ["S"], "axis": 1})"},
        {"x*rsqrt(mean(x**2) + 1e-6)", R"("op": "rms_norm", "inputs": ["S"], "axis": 1})"},
        {"(x - mean(x))/std(x)", R"("op": "layer_norm", "inputs": ["S"], "axis": 1})"},
        {"(x - mean(x))/sqrt(var(x) + 1e-5)", R"("op": "layer_norm", "inputs": ["S"], "axis": 1})"},
        {"exp(x/8)/sum(exp(x/8))",
         R"("inputs": ["P_in"], "axis": 1}: over 'j'; "axis": 0 is over 'i', where 'P_in' is a node with the "einsum" )"
         R"(of this one and "join": "x/8")"},
    }));
    CAPTURE(row.join);
    CHECK_THAT(only_fix(faults_of_join("ij->ij", "\"S\"", row.join)), Catch::Contains(row.mend));
}

TEST_CASE("another aggregation is a node of its own, with its axis", "[lib][graph][mends]") {
    std::string const axes = R"(, "axis": 1}: over 'j'; "axis": 0 is over 'i'; then add "P_)",
                      read = R"(" to "inputs", write "einsum": "ij,i->ij", and y in place of )";
    auto const row = GENERATE(values<Mended>({{"x/sum(x)", "sum"},
                                              {"x - max(x)", "max"},
                                              {"x - np.min(x)", "min"},
                                              {"x/norm(x)", "norm"},
                                              {"x/x.sum()", "sum"},
                                              {"x - x.max()", "max"},
                                              {"x/sum(S)", "sum"}}));
    CAPTURE(row.join);
    std::string const fix = only_fix(faults_of_join("ij->ij", "\"S\"", row.join)), name = row.mend;
    CHECK_THAT(fix, Catch::Contains("write a node of its own, {\"name\": \"P_" + name + "\", \"op\": \"" + name +
                                    "\", \"inputs\": [\"S\"]" + axes + name + read));
    CHECK(fix.substr(fix.rfind(' ')).find(')') != std::string::npos);
}

TEST_CASE("the aggregation of an expression is an einsum of its own", "[lib][graph][mends]") {
    CHECK_THAT(only_fix(faults_of_join("ij->ij", "\"S\"", "x/sum(x^2)")),
               Catch::Contains(R"({"name": "P_sum", "einsum": "ij->i", "inputs": ["S"], "join": "x^2"}: over 'j')"));
    CHECK_THAT(
        only_fix(faults_of_join("ij,ij->ij", R"("S", "p")", "x/max(abs(y))")),
        Catch::Contains(R"x({"name": "P_max", "einsum": "ij->i", "inputs": ["p"], "join": "abs(x)", "agg": "max"})x"));
    CHECK_THAT(only_fix(faults_of_join("row col -> row col", "\"S\"", "x/mean(x)")),
               Catch::Contains(R"(write "einsum": "row col, row -> row col", and y in place of mean(x))"));
    CHECK_THAT(only_fix(faults_of_join("bij->bij", "\"t\"", "x/sum(x)")),
               Catch::Contains(R"("axis": 2}: over 'j'; "axis": 0 is over 'b', "axis": 1 is over 'i')"));
    CHECK_THAT(only_fix(faults_of_join("ij->ij", "\"S\"", "x/sum(x, axis=0)")),
               Catch::Contains(R"("op": "sum", "inputs": ["S"], "axis": 0}: over 'i'; then add "P_sum" to "inputs", )"
                               R"(write "einsum": "ij,j->ij", and y in place of sum(x, axis=0))"));
    CHECK_THAT(only_fix(faults_of_join("ij->ij", "\"S\"", "exp(x)/sum(exp(x), axis = 0)")),
               Catch::EndsWith(R"("op": "softmax", "inputs": ["S"], "axis": 0}: over 'i')"));
    CHECK_THAT(only_fix({faults_of_join("ij->ij", "\"S\"", "x - x.mean(0)")[0]}),
               Catch::Contains(R"("op": "mean", "inputs": ["S"], "axis": 0}: over 'i'; then add "P_mean" to)"));
    CHECK_THAT(only_fix(faults_of_join("ij,ij->ij", R"("S", "p")", "y*softmax(x)")),
               Catch::Contains(R"("op": "softmax", "inputs": ["S"], "axis": 1}: over 'j'; "axis": 0 is over 'i'; then )"
                               R"(add "P_softmax" to "inputs", write "einsum": "ij,ij,ij->ij", and z in place)"));
    // Of the whole join it may be this node's own.
    CHECK_THAT(only_fix(faults_of_join("ij->i", "\"S\"", "sum(x)")), Catch::Contains("write \"agg\": \"sum\" beside"));
    CHECK_THAT(only_fix(faults_of_join("...j->...j", "\"S\"", "x/sum(x)")),
               Catch::Contains("\"axis\": N} for the axis"));
    CHECK(faults_of_join("ij,ij->ij", R"("S", "p")", "max(x, y)").empty());
    CHECK(faults_of_join("ij,ij->ij", R"("S", "p")", "x.max(y)").empty());
}

TEST_CASE("an operand at what another one says is a sum in which one term counts", "[lib][graph][mends]") {
    auto const row = GENERATE(values<Mended>({{"-log(x[y])", "where([c] == y, -log(x), 0)"},
                                              {"x[y]", "where([c] == y, x, 0)"},
                                              {"-log(p[b, y])", "where([c] == y, -log(p), 0)"},
                                              {"x[y[b]]", "where([c] == y, x, 0)"},
                                              {"2*(x[y])", "where([c] == y, 2*(x), 0)"}}));
    CAPTURE(row.join);
    auto const faults = faults_of_join("bc,b->b", R"("p", "y")", row.join);
    CHECK_THAT(only_fix(faults),
               Catch::Contains("operands have no index; what 'p' has at 'y' is the sum over 'c' of what "
                               "counts in one place: write \"join\": \"" +
                               row.mend + "\", with \"einsum\" as it stands"));
    CHECK_THAT(faults[0].found, Catch::StartsWith("an index behind it, '["));
    CHECK(faults_of_join("bc,b->b", R"("p", "y")", row.mend).empty());  // what is said is sound
}

TEST_CASE("other indices are gathered, sliced or left out", "[lib][graph][mends]") {
    CHECK_THAT(only_fix(faults_of_join("bc,b->bc", R"("p", "y")", "x[y]")),
               Catch::Contains(R"({"op": "gather", "inputs": ["p", "y"], "axis": 0}, as numpy.take does)"));
    CHECK_THAT(only_fix(faults_of_join("bc,b->b", R"("p", "y")", "x[y]", R"(, "agg": "max")")),
               Catch::Contains(R"({"op": "gather", "inputs": ["p", "y"], "axis": 1})"));
    for (std::string const join : {"x - x[i, j-1]", "x[i, j+1] - x[i, j-1]"})
        CHECK_THAT(only_fix(faults_of_join("ij->ij", "\"S\"", join)),
                   Catch::Contains(R"({"op": "slice", "inputs": ["S"], "slices": ":, 1:"})"));
    CHECK_THAT(only_fix(faults_of_join("ij->ij", "\"S\"", "abs(x[i])")), Catch::Contains("write the operand alone"));
    CHECK_THAT(only_fix(faults_of_join("ij->ij", "\"S\"", "x[:, 0]")), Catch::Contains(R"("slices": ":, 0")"));
}

TEST_CASE("a label of the result alone repeats it, and heads are split off before", "[lib][graph][mends]") {
    auto const fix = [](std::string const& einsum) {
        return only_fix(
            faults_of(R"({"eingraph": 1, "tensors": {"Q": {"shape": [2, 64, 32]}, "K": {"shape": [2, 9, 32]}},
            "nodes": [{"name": "S", "einsum": ")" +
                      einsum + R"(", "inputs": ["Q", "K"]}], "outputs": ["S"]})"));
    };
    CHECK(fix("bqd,bkd->bhqk") ==
          R"("sizes": {"h": N} repeats the result N times along it; to split 'd' into N parts, as heads are, reshape )"
          R"(before: {"op": "reshape", "inputs": ["Q"], "shape": [2, 64, N, -1]}, and {"op": "reshape", "inputs": )"
          R"(["K"], "shape": [2, 9, N, -1]}, and write "bqhd,bkhd->bhqk"; else correct the label)");
    CHECK_THAT(fix("b q d, b k d -> b head q k"),
               Catch::Contains(R"(write "b q head d, b k head d -> b head q k"; else)"));
    CHECK_THAT(fix("...qd,...kd->...hqk"), Catch::Contains("repeats the result N times along it; for another axis"));
}
