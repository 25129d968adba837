// What "grad" nodes become, node by node, and what is refused. Values are checked in
// tests/lib/relation/gradient_test.cpp.
#include <algorithm>

#include "lib/graph/contract.hpp"
#include "lib/graph/read_graph.hpp"
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;

namespace {

std::string text_of(std::string const& nodes, std::string const& outputs) {
    return R"({"eingraph": 1, "dtype": "f64", "tensors": {
        "A": {"shape": [2, 3]}, "B": {"shape": [3, 4]}, "C": {"shape": [4, 5]}, "Y": {"shape": [2, 4]},
        "D": {"shape": [3, 3]}, "v": {"shape": [3]},
        "E": {"shape": [7, 3]}, "n": {"shape": [2], "dtype": "i64"}, "z": {"shape": [2], "dtype": "c128"},
        "h": {"shape": [3], "dtype": "f16"},
        "s": {"shape": []}},
        "nodes": [)" +
           nodes + R"(], "outputs": )" + outputs + "}";
}

std::string gradient(std::string const& of, std::string const& wrt) {
    return R"({"name": "g", "grad": {"of": ")" + of + R"(", "wrt": )" + wrt + "}}";
}

/// Of "loss", with the nodes that the loss needs itself left out.
std::vector<std::string> gradient_nodes(std::string const& nodes, std::string const& wrt, std::string const& outputs) {
    std::vector<std::string> lines =
        describe(lower_contractions(read_graph(text_of(nodes + ", " + gradient("loss", wrt), outputs), "g.json")));
    std::erase_if(lines, [](std::string const& line) { return !line.starts_with("g"); });
    return lines;
}

using Lines = std::vector<std::string>;

/// w descends in the loop 'fit', with nodes behind it.
std::string fitted(std::string const& behind) {
    return R"({"eingraph": 1, "dtype": "f64", "tensors":
        {"w": {"shape": [3]}, "X": {"shape": [4, 3]}, "u": {"shape": [3]}},
        "nodes": [{"name": "fit", "loop": {"times": 5, "carry": {"w": "next"}, "body": [
            {"name": "p", "einsum": "ij,j->", "inputs": ["X", "w"], "join": "(x*y)^2"},
            {"name": "d", "grad": {"of": "p", "wrt": ["w"]}},
            {"name": "next", "einsum": "i,i->i", "inputs": ["w", "d/w"], "join": "x - 0.1*y"}]}}, )" +
           behind + "}";
}
std::vector<Fault> faults_in(std::string const& text) {
    try {
        read_graph(text, "g.json");
    } catch (InputError const& error) {
        return error.faults();
    }
    return {};
}

}  // namespace

TEST_CASE("a gradient through a loop is refused as what it is, and told how to be written", "[lib][graph][gradient]") {
    std::string const loss = R"({"name": "loss", "einsum": "i->", "inputs": ["fit/w"], "join": "x^2"}, )";
    for (std::string const wrt : {"w", "X"}) {
        CAPTURE(wrt);
        auto const faults =
            faults_in(fitted(loss + gradient("loss", "[\"" + wrt + "\"]") + R"(], "outputs": ["g/)" + wrt + "\"]"));
        REQUIRE(faults.size() == 1);
        CHECK(faults[0].expected == "a tensor that 'loss' depends on without going through a loop");
        CHECK(faults[0].found == "'" + wrt + "', which it depends on through the loop 'fit' alone");
        CHECK_THAT(faults[0].fix, Catch::Contains("write them one by one in place of the loop"));
    }
    auto const unrelated = faults_in(fitted(loss + gradient("loss", R"(["u"])") + R"(], "outputs": ["g/u"])"));
    REQUIRE(unrelated.size() == 1);
    CHECK(unrelated[0].found == "'u', which it does not depend on");
    CHECK(unrelated[0].fix == "remove it, or correct one of the names");
    CHECK(faults_in(fitted(loss + gradient("loss", R"(["fit/w"])") + R"(], "outputs": ["g/fit/w"])")).empty());
}

TEST_CASE("a gradient that no iteration changes is noted", "[lib][graph][gradient]") {
    auto const notes = [](std::string const& read) {
        return read_graph(R"({"eingraph": 1, "tensors": {"w": {"shape": [3]}, "start": {"shape": [3]}},
            "nodes": [{"name": "fit", "loop": {"times": 5, "carry": {"w": "next"}, "body": [
                {"name": "p", "einsum": "i->", "inputs": [")" +
                              read + R"("], "join": "x^2"}, {"name": "d", "grad": {"of": "p", "wrt": [")" + read +
                              R"("]}}, {"name": "next", "einsum": "i,i->i", "inputs": ["w", "d/)" + read +
                              R"("], "join": "x - 0.1*y"}]}}], "outputs": ["fit/w", "start"]})",
                          "g.json", {})
            .notes;
    };
    CHECK(notes("w").empty());
    REQUIRE_FALSE(notes("start").empty());
    CHECK_THAT(notes("start")[0],
               Catch::Contains("the gradient 'fit/d' is the same in each iteration: \"p\" is computed from nothing"));
}

TEST_CASE("a gradient that leaves out what goes through a loop is noted", "[lib][graph][gradient]") {
    auto const notes = [](std::string const& join, std::string const& wrt) {
        std::string const loss =
            R"({"name": "loss", "einsum": "i,i->", "inputs": ["fit/w", "w"], "join": ")" + join + "\"}, ";
        return read_graph(
                   fitted(loss + gradient("loss", "[\"" + wrt + "\"]") + R"(], "outputs": ["g/)" + wrt + "\", \"u\"]"),
                   "g.json", {})
            .notes;
    };
    std::vector<std::string> const found = notes("x^2 + y^2", "w");
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0], Catch::Contains("'g/w' is a part of the gradient: \"loss\" depends on 'w' through the loop "
                                         "'fit' too, which gradients do not go through"));
    CHECK(notes("x^2 + y^2", "fit/w").empty());
}

TEST_CASE("the gradient of a product is the transposed product", "[lib][graph][gradient]") {
    std::string const nodes = R"({"name": "P", "einsum": "ij,jk->ik", "inputs": ["A", "B"]},
        {"name": "loss", "einsum": "ik,ik->", "inputs": ["P", "Y"], "join": "(x - y)^2"})";
    CHECK(gradient_nodes(nodes, R"(["A", "B"])", R"(["g/A", "g/B"])") ==
          Lines{"g:P f64(2, 4) = P(i k) Y(i k) -> (i k) sum 2*(x - y)",
                "g/A f64(2, 3) = g:P(i k) B(j k) -> (i j) sum x*y",
                "g/B f64(3, 4) = g:P(i k) A(i j) -> (j k) sum x*y"});
    CHECK(gradient_nodes(nodes, R"(["B"])", R"(["g/B"])").size() == 2);
}

TEST_CASE("a chain of products has two products for each one of its own", "[lib][graph][gradient]") {
    Lines const lines = gradient_nodes(R"({"name": "P", "einsum": "ij,jk,kl->il", "inputs": ["A", "B", "C"]},
        {"name": "loss", "einsum": "il->", "inputs": ["P"], "join": "x^2"})",
                                       R"(["A", "B", "C"])", R"(["g/A", "g/B", "g/C"])");
    CHECK(lines == Lines{"g:P f64(2, 5) = P(i l) -> (i l) sum 2*x",
                         "g:P:1 f64(2, 4) = g:P(i l) C(k l) -> (i k) sum x*y",
                         "g/A f64(2, 3) = g:P:1(i k) B(j k) -> (i j) sum x*y",
                         "g/B f64(3, 4) = g:P:1(i k) A(i j) -> (j k) sum x*y",
                         "g/C f64(4, 5) = g:P(i l) P:1(i k) -> (k l) sum x*y"});
}

TEST_CASE("cotangents that are one number need no nodes", "[lib][graph][gradient]") {
    CHECK(gradient_nodes(R"({"name": "loss", "einsum": "ij->", "inputs": ["A"], "join": "3*x"})", R"(["A"])",
                         R"(["g/A"])")
              .empty());
    CHECK(
        gradient_nodes(
            R"({"name": "m", "op": "mean", "inputs": ["A"]}, {"name": "loss", "einsum": ",j->", "inputs": ["m", "v"]})",
            R"(["v"])", R"(["g/v"])") == Lines{"g/v f64(3,) = m() -> (j) sum x"});
    CHECK(gradient_nodes(R"({"name": "P", "einsum": "ij,jk->ik", "inputs": ["A", "B"]}, )"
                         R"({"name": "loss", "op": "mean", "inputs": ["P"]})",
                         R"(["A"])", R"(["g/A"])") ==
          Lines{"g:A:sum f64(3,) = B(j k) -> (j) sum 0.125*x", "g/A f64(2, 3) = g:A:sum(j) -> (i j) sum x"});
}

TEST_CASE("terms of several readers are added in one join", "[lib][graph][gradient]") {
    CHECK(gradient_nodes(R"({"name": "r", "einsum": "ij,ij->ij", "inputs": ["A", "A"], "join": "sin(y) + x"},
        {"name": "loss", "einsum": "ij,ij->", "inputs": ["r", "A"], "join": "x*exp(y) "})",
                         R"(["A"])", R"(["g/A"])") ==
          Lines{"g:r f64(2, 3) = A(i j) -> (i j) sum exp(x)",
                "g/A f64(2, 3) = r(i j) A(i j) g:r(i j) -> (i j) sum x*exp(y) + (z + z*cos(y))"});
    CHECK(gradient_nodes(R"({"name": "P", "einsum": "ij,kj->ik", "inputs": ["A", "A"]}, )"
                         R"({"name": "loss", "einsum": "ii->", "inputs": ["P"], "join": "x^3"})",
                         R"(["A"])",
                         R"(["g/A"])") == Lines{"g:P f64(2, 2) = P(i i) -> (i i') sum where([i] == [i'], 3*x^2, 0)",
                                                "g:A:1 f64(2, 3) = g:P(i k) A(k j) -> (i j) sum x*y",
                                                "g:A:2 f64(2, 3) = g:P(i k) A(i j) -> (k j) sum x*y",
                                                "g/A f64(2, 3) = g:A:1(i j) g:A:2(i j) -> (i j) sum x + y"});
}

TEST_CASE("what two operands get alike is computed once", "[lib][graph][gradient]") {
    CHECK(gradient_nodes(R"({"name": "r", "einsum": "ij,j->ij", "inputs": ["A", "v"], "join": "relu(x + y) "},
        {"name": "loss", "einsum": "ij->", "inputs": ["r"], "join": "x^2"})",
                         R"(["A", "v"])", R"(["g/A", "g/v"])") ==
          Lines{"g:r f64(2, 3) = r(i j) -> (i j) sum 2*x",
                "g:r:inside f64(2, 3) = g:r(i j) A(i j) v(j) -> (i j) sum where(y + z > 0, x, 0)",
                "g/A f64(2, 3) = g:r:inside(axis0 axis1) -> (axis0 axis1) sum x",
                "g/v f64(3,) = g:r:inside(i j) -> (j) sum x"});
}

TEST_CASE("the gradient of slices is their concatenation", "[lib][graph][gradient]") {
    Lines const lines = gradient_nodes(R"({"name": "a", "op": "slice", "inputs": ["B"], "slices": ":, 0:1"},
        {"name": "b", "op": "slice", "inputs": ["B"], "slices": ":, 1:"},
        {"name": "loss", "einsum": "ij,ik->", "inputs": ["a", "b"], "join": "x*exp(y) "})",
                                       R"(["B"])", R"(["g/B"])");
    REQUIRE_FALSE(lines.empty());
    CHECK(lines.back() == "g/B f64(3, 4) = g:b[0 0]->[0:3, 1:4] g:a[0 0]->[0:3, 0:1]");
}

TEST_CASE("softmax does not differentiate the maximum that it subtracts", "[lib][graph][gradient]") {
    Lines const lines = gradient_nodes(R"({"name": "P", "op": "softmax", "inputs": ["A"], "axes": [1]},
        {"name": "loss", "einsum": "ij,ij->", "inputs": ["P", "A"], "join": "x*y"})",
                                       R"(["A"])", R"(["g/A"])");
    for (std::string const& line : lines) CHECK(line.find("max:") == std::string::npos);
    CHECK(lines.size() <= 3);
}

TEST_CASE("a gather gives back to the rows that it took", "[lib][graph][gradient]") {
    CHECK(gradient_nodes(R"({"name": "e", "op": "gather", "inputs": ["E", "n"]}, )"
                         R"({"name": "loss", "einsum": "ij->", "inputs": ["e"], "join": "x^2"})",
                         R"(["E"])", R"(["g/E"])") ==
          Lines{"g:e f64(2, 3) = e(i j) -> (i j) sum 2*x",
                "g/E f64(7, 3) = g:e(index0 axis1) e:position(index0) -> (axis0 axis1) sum where(y == [axis0], x, 0)"});
}

TEST_CASE("gradients have the type of what they are by", "[lib][graph][gradient]") {
    CHECK(gradient_nodes(R"({"name": "loss", "einsum": "i,i->", "inputs": ["h", "v"], "dtype": "f32", "join": "x*y"})",
                         R"(["h", "v"])", R"(["g/h", "g/v"])") ==
          Lines{"g/h f16(3,) = v(i) -> (i) sum x", "g/v f64(3,) = h(i) -> (i) sum x"});
    CHECK(gradient_nodes(
              R"({"name": "loss", "einsum": "i->", "inputs": ["z"], "dtype": "f64", "join": "real(x*conj(x)) "})",
              R"(["z"])", R"(["g/z"])") == Lines{"g/z c128(2,) = z(i) -> (i) sum 2*x"});
}

TEST_CASE("what is reached by steps alone has gradient 0", "[lib][graph][gradient]") {
    EinGraph const graph = read_graph(text_of(R"({"name": "k", "einsum": "ij->i", "inputs": ["A"], "agg": "argmax"}, )"
                                              R"({"name": "f", "einsum": "ij->", "inputs": ["A"], "join": "floor(x) "},
                   {"name": "loss", "einsum": "i,,j->", "inputs": ["k", "f", "v"], "join": "x + y + z^2"}, )" +
                                                  gradient("loss", R"(["A", "v"])"),
                                              R"(["g/A", "g/v"])"),
                                      "g.json");
    CHECK(describe(graph) == Lines{"g/v f64(3,) = v(j) -> (j) sum 4*x"});
    REQUIRE(graph.leaves.size() == 2);
    CHECK(std::any_of(graph.leaves.begin(), graph.leaves.end(), [&](Leaf const& leaf) {
        return graph.value(leaf.value).name == "g/A" && leaf.source == tensor::Source(tensor::FillSource{0.0, 0});
    }));
}

TEST_CASE("gradients may be by values of nodes, of any order in the file, and be read", "[lib][graph][gradient]") {
    EinGraph const graph =
        read_graph(text_of(R"({"name": "W", "einsum": "ij,ij->ij", "inputs": ["A", "g/A"], "join": "x - 0.1*y"}, )" +
                               gradient("loss", R"(["A", "P"])") +
                               R"(, {"name": "loss", "einsum": "ik->", "inputs": ["P"], "join": "exp(x) "}, )"
                               R"({"name": "P", "einsum": "ij,jk->ik", "inputs": ["A", "B"]})",
                           R"(["W", "g/P"])"),
                   "g.json");
    CHECK(describe(graph) == Lines{"P f64(2, 4) = A(i j) B(j k) -> (i k) sum x*y",
                                   "g/P f64(2, 4) = P(i k) -> (i k) sum exp(x)",
                                   "g/A f64(2, 3) = g/P(i k) B(j k) -> (i j) sum x*y",
                                   "W f64(2, 3) = A(i j) g/A(i j) -> (i j) sum x - 0.1*y"});
}

TEST_CASE("parts may be fixed of gradients, and of chains that they split", "[lib][graph][gradient][parts]") {
    std::string text = text_of(R"({"name": "P", "einsum": "ij,jk,kl->il", "inputs": ["A", "B", "C"]}, )"
                               R"({"name": "loss", "einsum": "il->", "inputs": ["P"], "join": "x^2"}, )" +
                                   gradient("loss", R"(["B"])"),
                               R"(["g/B"])");
    text.back() = ',';
    EinGraph const graph = read_graph(text + R"("parts": {"P": {"i": 2, "k": 4}, "g/B": {"j": 3}}})", "g.json");
    for (Node const& node : graph.nodes) {
        std::string const& name = graph.value(node.output).name;
        CAPTURE(name);
        if (name == "P:1") CHECK(node.fixed == Parts{2, 0, 4});
        if (name == "P") CHECK(node.fixed == Parts{2, 4, 0});
        if (name == "g/B") CHECK(node.fixed == Parts{0, 0, 3});
    }
}

TEST_CASE("each fault of a gradient", "[lib][graph][gradient]") {
    struct Row {
        std::string nodes, where, found;
    };
    std::string const loss = R"({"name": "loss", "einsum": "ij->", "inputs": ["A"], "join": "x^2"}, )";
    std::string const first = R"({"name": "other", "einsum": "j->", "inputs": ["v"]}, )";
    auto const row = GENERATE_COPY(values<Row>(
        {{loss + gradient("losss", R"(["A"])"), "/nodes/1/grad/of", "'losss'"},
         {loss + gradient("loss", R"(["AA"])"), "/nodes/1/grad/wrt/0", "'AA'"},
         {loss + gradient("A", R"(["A"])"), "/nodes/1/grad/of", "'A' of f64 and shape (2, 3)"},
         {R"({"name": "k", "einsum": "i->", "inputs": ["z"]}, )" + gradient("k", R"(["z"])"), "/nodes/1/grad/of",
          "'k' of c128 and shape ()"},
         {R"({"name": "k", "einsum": "i->", "inputs": ["n"]}, )" + gradient("k", R"(["n"])"), "/nodes/1/grad/of",
          "'k' of i64 and shape ()"},
         {R"({"name": "k", "einsum": "i->", "inputs": ["n"], "dtype": "f64"}, )" + gradient("k", R"(["n"])"),
          "/nodes/1/grad/wrt/0", "'n' of i64 and shape (2,)"},
         {loss + gradient("loss", R"(["A", "B"])"), "/nodes/1/grad/wrt/1", "'B', which it does not depend on"},
         {first + loss + gradient("loss", R"(["other"])"), "/nodes/2/grad/wrt/0",
          "'other', which it does not depend on"},
         {loss + gradient("loss", R"(["A", "A"])"), "/nodes/1/grad/wrt/1", "'A' again"},
         {loss + gradient("loss", "[]"), "/nodes/1/grad/wrt", "none"},
         {loss + gradient("loss", R"({"A": 1})"), "/nodes/1/grad/wrt", R"({"A":1})"},
         {loss + gradient("loss", "[3]"), "/nodes/1/grad/wrt/0", "3"},
         {loss + R"({"name": "g", "grad": "loss"})", "/nodes/1/grad", "\"loss\""},
         {loss + R"({"name": "g", "grad": {"of": "loss"}})", "/nodes/1/grad", "none"},
         {loss + R"({"name": "g", "grad": {"wrt": ["A"]}})", "/nodes/1/grad", "none"},
         {loss + R"({"name": "g", "grad": {"of": "loss", "wrt": ["A"], "by": 1}})", "/nodes/1/grad/by",
          "the unknown key \"by\""},
         {loss + R"({"name": "g", "grad": {"of": "loss", "wrt": ["A"]}, "inputs": ["A"]})", "/nodes/1/inputs",
          "the unknown key \"inputs\""},
         {loss + R"({"name": "g", "op": "cast", "grad": {"of": "loss", "wrt": ["A"]}})", "/nodes/1", "2 of them"},
         {loss + gradient("loss", R"(["A"])") + R"(, {"name": "g/A", "einsum": "->", "inputs": ["s"]})",
          "/nodes/2/name", "'g/A' again"},
         {loss + R"({"name": "g/A", "einsum": "->", "inputs": ["s"]}, )" + gradient("loss", R"(["A"])"),
          "/nodes/2/grad/wrt/0", "'g/A' again"},
         {loss + R"({"name": "s", "grad": {"of": "loss", "wrt": ["A"]}})", "/nodes/1/name", "'s' again"},
         {loss + gradient("loss", R"(["A"])") + R"(, {"name": "x", "einsum": "->", "inputs": ["g"]})",
          "/nodes/2/inputs/0", "'g'"},
         {R"({"name": "k", "einsum": "ij->", "inputs": ["g/A"]}, )" + gradient("k", R"(["A"])"), "/nodes/0/inputs",
          "the cycle 'k' -> 'g' -> 'k'"}}));
    CAPTURE(row.nodes);
    std::vector<Fault> const faults = faults_of(text_of(row.nodes, R"(["s"])"));
    REQUIRE(!faults.empty());
    CHECK(faults[0].where == row.where);
    CHECK(faults[0].found == row.found);
    CHECK_FALSE(faults[0].fix.empty());
}

TEST_CASE("a gradient in another form is answered with ours, in its own names", "[lib][graph][gradient]") {
    struct Row {
        std::string node, fix;
    };
    std::string const loss = R"({"name": "f", "einsum": "ij->", "inputs": ["A"], "join": "x^2"}, {"name": "g", )";
    auto const row = GENERATE_COPY(values<Row>(
        {{R"("grad": "f")", R"(write it as {"of": "f", "wrt": ["W"]})"},
         {R"("grad": "f", "wrt": "A")", R"(write it as {"of": "f", "wrt": ["A"]})"},
         {R"("grad": ["f", "A", "v"])", R"(write it as {"of": "f", "wrt": ["A","v"]})"},
         {R"("grad": {"loss": "f", "wrt": ["A"]})", "write \"of\" for it"},
         {R"("grad": {"of": "f", "params": ["A"]})", "write \"wrt\" for it"},
         {R"("grad": {"of": "f", "wrt": ["A"], "params": ["A"]})", "remove it: \"wrt\" says it"},
         {R"("grad": {"off": "f", "wrt": ["A"]})", "did you mean \"of\"?"},
         {R"("grad": {"of": "f"}, "inputs": ["A"])", R"(write it within: "grad": {"of": "f", "wrt": ["A"]})"},
         {R"("grad": {"wrt": "A"}, "of": "f")", R"(write it within: "grad": {"of": "f", "wrt": ["A"]})"},
         {R"("grad": {"of": "f", "wrt": "A"}, "inputs": ["A"])",
          "remove it: \"grad\" says what is differentiated, and by what"},
         {R"("grad": {"of": "f", "wrt": 0})", "name what to differentiate by: \"wrt\": [\"W\"]"}}));
    CAPTURE(row.node);
    std::vector<Fault> const faults = faults_of(text_of(loss + row.node + "}", R"(["s"])"));
    REQUIRE(!faults.empty());
    CHECK(faults[0].fix == row.fix);
}

TEST_CASE("a param that is to be differentiated by is shown as the tensor that it may be", "[lib][graph][gradient]") {
    for (auto const& [param, written] :
         {std::pair("0.25", "0.25"), {"-3", "-3.0"}, {"\"inf\"", "\"inf\""}, {"\"nan\"", "\"nan\""}}) {
        std::vector<Fault> const faults = faults_of(R"({"eingraph": 1, "params": {"eta": )" + std::string(param) +
                                                    R"(}, "tensors": {"A": {"shape": [3]}}, "nodes": [
            {"name": "f", "einsum": "i->", "inputs": ["A"], "join": "eta*x^2"},
            {"name": "g", "grad": {"of": "f", "wrt": ["eta"]}}], "outputs": ["f"]})");
        REQUIRE(faults.size() == 1);
        CHECK_THAT(faults[0].fix,
                   Catch::Contains("write it as a tensor: \"tensors\": {\"eta\": {\"shape\": [], \"data\": "
                                   "{\"fill\": " +
                                   std::string(written) + "}}} in place of \"params\": {\"eta\": " + written + "}"));
    }
}

TEST_CASE("a join whose derivative is too deep is a fault", "[lib][graph][gradient]") {
    std::string join = "x";
    for (int k = 0; k < 450; ++k) join = "sin(" + join + ")";
    auto const nodes = [&](std::string const& written) {
        return R"({"name": "loss", "einsum": "ij->", "inputs": ["A"], "join": ")" + written + R"("}, )" +
               gradient("loss", R"(["A"])");
    };
    CHECK(faults_of(text_of(nodes(join), R"(["g/A"])")).empty());
    std::string deep = "x";
    for (int k = 0; k < 1500; ++k) deep += "*x + x";
    std::vector<Fault> const faults = faults_of(text_of(nodes(deep), R"(["g/A"])"));
    for (Fault const& fault : faults) CHECK(fault.where.starts_with("/nodes/"));
}

TEST_CASE("gradients of thousands of nodes are read", "[lib][graph][gradient]") {
    std::string nodes = R"({"name": "x0", "einsum": "ij->ij", "inputs": ["A"], "join": "x/2"}, )";
    for (int k = 1; k < 20000; ++k)
        nodes += R"({"name": "x)" + std::to_string(k) + R"(", "einsum": "ij->ij", "inputs": ["x)" +
                 std::to_string(k - 1) + R"("], "join": "tanh(x) "}, )";
    EinGraph const graph = read_graph(
        text_of(nodes + R"({"name": "loss", "einsum": "ij->", "inputs": ["x19999"]}, )" + gradient("loss", R"(["A"])"),
                R"(["g/A"])"),
        "g.json");
    CHECK(graph.nodes.size() == 2 * 20000);
}
