// What is sound and hardly meant: which graphs are noted, and which are not.
#include "lib/graph/read/suspicions.hpp"

#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;

namespace {

/// Tensors A (4, 3), B (3, 5), b (5,), v (4,), s (); all of the outputs are read.
std::vector<std::string> notes(std::string const& nodes, std::string const& outputs) {
    return read_graph(R"({"eingraph": 1, "tensors": {"A": {"shape": [4, 3]}, "B": {"shape": [3, 5]},
        "b": {"shape": [5]}, "v": {"shape": [4]}, "s": {"shape": []}}, "nodes": [)" +
                          nodes + R"(], "outputs": ["A", "B", "b", "v", "s", )" + outputs + "]}",
                      "g.json", {})
        .notes;
}
std::vector<std::string> notes_of_node(std::string const& keys) {
    return notes("{\"name\": \"C\", " + keys + "}", "\"C\"");
}

}  // namespace

TEST_CASE("a term that a sum adds again and again is noted", "[lib][graph][suspicions]") {
    std::vector<std::string> const found =
        notes_of_node(R"("einsum": "ij,jk,k->ik", "inputs": ["A", "B", "b"], "join": "x*y + z")");
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0], Catch::Contains("node 'C': 'b' is added 3 times, once for each 'j'"));
    CHECK_THAT(found[0], Catch::Contains("add it in a node of its own"));
    CHECK(notes_of_node(R"("einsum": "ij,i->i", "inputs": ["A", "v"], "join": "x - y")").size() == 1);
    for (std::string const keys : {
             R"x("einsum": "ij,i->i", "inputs": ["A", "v"], "join": "x + y/size(j)")x",  // who divides knows
             R"("einsum": "ij,i->ij", "inputs": ["A", "v"], "join": "x + y")",           // nothing is summed
             R"("einsum": "ij,i->i", "inputs": ["A", "v"], "join": "x + y", "agg": "max")",
             R"("einsum": "ij,i->i", "inputs": ["A", "v"], "join": "x + y", "agg": "mean")",
             R"("einsum": "ij,i->", "inputs": ["A", "v"], "join": "(x - y)^2")",      // a deviation
             R"("einsum": "ij,ij->i", "inputs": ["A", "A"], "join": "x + x*y + 1")",  // the same operand again
             R"("einsum": "i->", "inputs": ["v"], "join": "x + x")",
             R"("einsum": "ij->i", "inputs": ["A"], "join": "x + [i]*0.5")",
         }) {
        CAPTURE(keys);
        CHECK(notes_of_node(keys).empty());
    }
}

TEST_CASE("so is a bias inside what is taken of the sum", "[lib][graph][suspicions]") {
    auto const of = [](std::string const& join) {
        return notes_of_node(R"("einsum": "ij,jk,k->ik", "inputs": ["A", "B", "b"], "join": ")" + join + "\"");
    };
    for (std::string const join :
         {"relu(x*y + z)", "(x*y + z)/2", "max(x*y + z, 0)", "0.5*(x*y + z)", "-(x*y + z)", "tanh(x*y - z)/4",
          "gelu(2*x*y + z)", "min(6, relu(x*y + z))", "x*y + relu(x*y + z)", "sigmoid(z + x*y)"}) {
        CAPTURE(join);
        std::vector<std::string> const found = of(join);
        REQUIRE(found.size() == 1);
        CHECK_THAT(found[0], Catch::Contains("node 'C': 'b' is added 3 times, once for each 'j'"));
    }
    CHECK_THAT(of("tanh(x*y + z)").at(0),
               Catch::Contains("inside tanh") && Catch::Contains("add it, and take tanh, in"));
    for (std::string const join : {"(x*y + z)/3", "relu(x*y + z/size(j))", "(x*y - z)^2", "abs(x*y - z)",
                                   "exp(x*y - z)", "relu(x - z)*y", "max(x*y, z)"}) {
        CAPTURE(join);
        CHECK(of(join).empty());
    }
    for (std::string const join : {"relu(x - y)", "max(1 - x*y, 0)", "sigmoid(x - y)"}) {  // each element is meant
        CAPTURE(join);
        CHECK(notes_of_node(R"("einsum": "ij,i->i", "inputs": ["A", "v"], "join": ")" + join + "\"").empty());
    }
}

TEST_CASE("a function of each product that is summed is noted, where of the sum is meant", "[lib][graph][suspicions]") {
    auto const of = [](std::string const& join, std::string const& more = "") {
        return notes_of_node(R"("einsum": "ij,jk->ik", "inputs": ["A", "B"], "join": ")" + join + "\"" + more);
    };
    for (std::string const join :
         {"relu(x*y)", "gelu(x*y)/2", "0.5*tanh(2*x*y)", "sigmoid(-x*y)", "max(x*y, 0)", "max(0, x*y/3)", "exp(x*y)",
          "exp(-(x - y)^2/2)", "x*y*sigmoid(x*y)", "where(x*y > 0, x*y, 0.01*x*y)", "relu(x*y + 1)", "1 - exp(-x*y)"}) {
        CAPTURE(join);
        std::vector<std::string> const found = of(join);
        REQUIRE(found.size() == 1);
        CHECK_THAT(found[0], Catch::Contains("before the sum over 'j'; if of the sum is meant"));
        CHECK(of(join, R"(, "agg": "sum")").empty());  // who writes it means it
        CHECK(of(join, R"(, "agg": "max")").empty());
    }
    CHECK_THAT(of("relu(x*y)").at(0), Catch::Contains("node 'C': relu is taken of each product") &&
                                          Catch::Contains("in a node of its own, {\"op\": \"relu\"}"));
    CHECK_THAT(of("max(x*y, 0)").at(0), Catch::Contains("with a join that reads this one"));
    CHECK(notes_of_node(R"j("einsum": "ij,j->i", "inputs": ["B", "b"], "join": "tanh(x*y)")j").size() == 1);
    for (std::string const join : {"x*y", "(x*y)^2", "abs(x*y)", "sqrt(x*y)", "relu(x)*y", "exp(x)*y", "exp(x - y)",
                                   "relu(x - y)", "log(x*y)", "min(x, y)", "where(x > 0, y, 0)"}) {
        CAPTURE(join);
        CHECK(of(join).empty());
    }
    for (std::string const join : {"softplus(-x*y)", "relu(-x*y)", "max(0, 1 - x*y)", "exp(-x*y)"})  // losses
        CHECK(notes_of_node(R"("einsum": "ij,ij->", "inputs": ["A", "A"], "join": ")" + join + "\"").empty());
    CHECK(notes_of_node(R"j("einsum": "ij,jk->ijk", "inputs": ["A", "B"], "join": "relu(x*y)")j").empty());
}

TEST_CASE("so is the root of each square, which is no norm", "[lib][graph][suspicions]") {
    auto const of = [](std::string const& einsum, std::string const& join) {
        return notes_of_node("\"einsum\": \"" + einsum + R"(", "inputs": ["A"], "join": ")" + join + "\"");
    };
    for (std::string const join : {"sqrt(x^2)", "sqrt(x*x)", "(x^2)^0.5", "2*sqrt(3*x*x)", "sqrt(x**2)"}) {
        CAPTURE(join);
        REQUIRE(of("ij->i", join).size() == 1);
        CHECK_THAT(of("ij->i", join)[0], Catch::Contains("sqrt is taken of each square before the sum over 'j'") &&
                                             Catch::Contains("or {\"op\": \"norm\"}"));
        CHECK(of("ij->ij", join).empty());
    }
    CHECK(notes_of_node(R"j("einsum": "ij,kj->ik", "inputs": ["A", "A"], "join": "sqrt((x - y)^2)")j").size() == 1);
    for (std::string const join : {"sqrt(x)", "abs(x)", "x^0.5", "sqrt(x^2 + 1)"}) CHECK(of("ij->i", join).empty());
}

TEST_CASE("steps of descent with exchanged operands, or another tensor's gradient, are noted",
          "[lib][graph][suspicions]") {
    auto const of = [](std::string const& inputs, std::string const& join = "x - 0.1*y", std::string const& more = "") {
        return read_graph(
                   R"({"eingraph": 1, "params": {"eta": 2}, "tensors": {"W": {"shape": [3]}, "V": {"shape": [3]}},
            "nodes": [{"name": "loss", "einsum": "i,i->", "inputs": ["W", "V"], "join": "(x - y)^2"},
            {"name": "g", "grad": {"of": "loss", "wrt": ["W", "V"]}},
            {"name": "n", "einsum": "i,i->i", "inputs": )" +
                       inputs + R"(, "join": ")" + join + R"("}], "outputs": ["n", "g/W", "g/V")" + more + "]}",
                   "g.json", {})
            .notes;
    };
    for (std::string const join : {"x - 0.1*y", "x - y", "x - y*eta"}) {
        REQUIRE(of(R"(["g/W", "W"])", join).size() == 1);
        CHECK_THAT(of(R"(["g/W", "W"])", join)[0],
                   Catch::Contains("node 'n' takes a part of 'W' from its gradient 'g/W'; a step of descent has "
                                   "\"inputs\": [\"W\", \"g/W\"]"));
        REQUIRE(of(R"(["W", "g/V"])", join).size() == 1);
        CHECK_THAT(of(R"(["W", "g/V"])", join)[0],
                   Catch::Contains("steps from 'W' along the gradient 'g/V', though there is \"g/W\""));
        CHECK(of(R"(["W", "g/W"])", join).empty());
        CHECK(of(R"(["W", "V"])", join).empty());
    }
    CHECK(of(R"(["g/W", "W"])", "x + 0.1*y").empty());  // weight decay
    CHECK(of(R"(["g/W", "g/V"])", "x - y").empty());
}

TEST_CASE("a gradient that nothing reads is noted", "[lib][graph][suspicions]") {
    auto const of = [](std::string const& outputs) {
        return notes(R"({"name": "h", "einsum": "ij,jk->ik", "inputs": ["A", "B"]},
            {"name": "l", "einsum": "ik->", "inputs": ["h"], "join": "x^2"},
            {"name": "g", "grad": {"of": "l", "wrt": ["A", "B"]}})",
                     outputs);
    };
    REQUIRE(of("\"g/A\"").size() == 1);
    CHECK_THAT(of("\"g/A\"")[0], Catch::Contains("nothing reads the gradient 'g/B'; remove it from \"wrt\""));
    CHECK(of(R"("g/A", "g/B")").empty());
}

TEST_CASE("a node that reads what a loop began with is noted where nothing reads its end", "[lib][graph][suspicions]") {
    std::string const loop = R"({"name": "fit", "loop": {"times": 3, "carry": {"v": "next"}, "body": [
        {"name": "next", "einsum": "i->i", "inputs": ["v"], "join": "x/2"}]}})";
    std::string const behind = R"(, {"name": "end", "einsum": "i->", "inputs": ["v"], "join": "x^2"})";
    std::vector<std::string> const found = notes(loop + behind, R"("fit/v", "end")");
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0],
               Catch::Contains("node 'end' reads 'v', which the loop 'fit' begins with, and none reads what it "
                               "ends with; write \"fit/v\" if that is meant"));
    std::string const both = R"(, {"name": "end", "einsum": "i,i->", "inputs": ["fit/v", "v"], "join": "(x - y)^2"})";
    CHECK(notes(loop + both, "\"end\"").empty());
}

TEST_CASE("an operand that is summed by itself multiplies with its sum, which is noted", "[lib][graph][suspicions]") {
    for (std::string const keys : {R"("einsum": "ij,k->ij", "inputs": ["A", "b"])",
                                   R"("einsum": "ij,k->ij", "inputs": ["A", "b"], "join": "x/y")",
                                   R"("einsum": "ij,k->ij", "inputs": ["A", "b"], "join": "2*x*y")"}) {
        CAPTURE(keys);
        REQUIRE(notes_of_node(keys).size() == 1);
        CHECK_THAT(
            notes_of_node(keys)[0],
            Catch::Contains("'k' of 'b' is summed by itself, so that each element is multiplied by a sum of 'b'"));
    }
    for (std::string const keys :
         {R"("einsum": "ij,k->ijk", "inputs": ["A", "b"])", R"("einsum": "ij,->ij", "inputs": ["A", "s"])",
          R"("einsum": "i,k->i", "inputs": ["v", "b"], "join": "x > y", "dtype": "i64")",
          R"("einsum": "ij,ik->ij", "inputs": ["A", "A"])", R"("einsum": "ij,k->ik", "inputs": ["A", "b"])"}) {
        CAPTURE(keys);
        CHECK(notes_of_node(keys).empty());
    }
}

TEST_CASE("differences of unsigned numbers and imaginary parts that get lost are noted", "[lib][graph][suspicions]") {
    auto const of = [](std::string const& node, std::string const& dtype) {
        return read_graph(R"({"eingraph": 1, "tensors": {"X": {"shape": [4], "dtype": ")" + dtype +
                              R"("}, "Y": {"shape": [4], "dtype": ")" + dtype + R"("}}, "nodes": [{"name": "C", )" +
                              node + R"(}], "outputs": ["X", "Y", "C"]})",
                          "g.json", {})
            .notes;
    };
    std::string const pair = R"("einsum": "i,i->i", "inputs": ["X", "Y"], "join": )";
    for (std::string const& node : {pair + "\"abs(x - y)\"", pair + "\"x - 128\"", pair + "\"-x\"",
                                    pair + "\"(x - y)*2\"", std::string(R"("op": "subtract", "inputs": ["X", "Y"])")}) {
        CAPTURE(node);
        REQUIRE(of(node, "u8").size() == 1);
        CHECK_THAT(of(node, "u8")[0], Catch::Contains("3 - 5 is 254") && Catch::Contains("\"dtype\": \"i16\""));
        CHECK(of(node, "i16").empty());
        CHECK(of(node + ", \"dtype\": \"u8\"", "u8").empty());
    }
    CHECK(of(pair + "\"255 - x\"", "u8").empty());
    CHECK(of(pair + "\"x + y\"", "u8").empty());
    for (std::string const& node :
         {pair + R"("x*y", "dtype": "f32")", std::string(R"("op": "cast", "inputs": "X", "dtype": "f32")")}) {
        CAPTURE(node);
        REQUIRE(of(node, "c64").size() == 1);
        CHECK_THAT(of(node, "c64")[0],
                   Catch::Contains("the real part alone") || Catch::Contains("its real part alone"));
    }
    CHECK(of(pair + "\"real(x*y)\"", "c64").empty());
    CHECK(of(pair + "\"abs(x)\"", "c64").empty());
}

TEST_CASE("an input whose name is computed in the join is noted", "[lib][graph][suspicions]") {
    auto const of = [](std::string const& join) {
        return read_graph(
                   R"({"eingraph": 1, "params": {"g": 2}, "tensors": {"W": {"shape": [3]}, "g/W": {"shape": [3]}},
            "nodes": [{"name": "n", "einsum": "i,i->i", "inputs": ["W", "g/W"], "join": ")" +
                       join + R"("}], "outputs": ["n"]})",
                   "g.json", {})
            .notes;
    };
    REQUIRE(of("W - 0.1*g/W").size() == 1);
    CHECK_THAT(of("W - 0.1*g/W")[0], Catch::Contains("node 'n': 'g/W' in its join is computed of its words") &&
                                         Catch::Contains("the input 'g/W' is y: write that"));
    CHECK(of("x - 0.1*y").empty());
    CHECK(of("x - 0.1*g / W").empty());
}

TEST_CASE("real numbers that are stored as integers are noted", "[lib][graph][suspicions]") {
    auto const of = [](std::string const& node, std::string const& dtype = "u8") {
        return read_graph(
                   R"({"eingraph": 1, "params": {"eta": 0.5, "k": 2}, "tensors": {"X": {"shape": [4], "dtype": ")" +
                       dtype + R"("}, "m": {"shape": [4], "dtype": "bool"}}, "nodes": [{"name": "C", )" + node +
                       "}], \"outputs\": [\"X\", \"m\", \"" + (node.starts_with("\"loop") ? "C/X" : "C") + "\"]}",
                   "g.json", {})
            .notes;
    };
    auto const join = [&](std::string const& text) {
        return of(R"("einsum": "i,i->i", "inputs": ["X", "m"], "join": ")" + text + "\"");
    };
    for (std::string const text : {"(x - 128)/255", "x*eta", "where(y, x, -inf)", "x/2", "sqrt(x)", "x*0.5", "x^-1",
                                   "min(x*eta, 255)", "floor(x/2)*eta"}) {
        CAPTURE(text);
        REQUIRE(join(text).size() == 1);
        CHECK_THAT(join(text)[0], Catch::Contains("node 'C': its join gives real numbers, which are stored as u8") &&
                                      Catch::Contains("give the node \"dtype\": \"f32\", or write floor(...)"));
    }
    for (std::string const text :
         {"x*2", "x*k", "x + 1.0", "floor(x/2)", "ceil(x*eta)", "round(x*eta)", "trunc(x*eta)",
          "where(y, floor(x*eta), 0)", "floor(x/2)*3 + 1", "x > eta", "cast_i32(x*eta)", "cast_f32(x*eta)", "x^2"}) {
        CAPTURE(text);
        CHECK(join(text).empty());
    }
    CHECK(of(R"("einsum": "i->i", "inputs": ["X"], "join": "x*eta", "dtype": "u8")").empty());
    CHECK(of(R"("einsum": "i->i", "inputs": ["X"], "join": "x*eta", "dtype": "f32")").empty());
    CHECK(of(R"("einsum": "i->i", "inputs": ["X"], "join": "x*eta")", "f16").empty());
    for (std::string const agg : {"mean", "count", "logsumexp", "any"})
        CHECK(of(R"("einsum": "i->", "inputs": ["X"], "join": "x*eta", "agg": ")" + agg + "\"").empty());
    std::vector<std::string> const found =
        of(R"("loop": {"times": 3, "carry": {"X": "n"}, "body": [{"name": "n", "einsum": "i->i", "inputs": ["X"],
           "join": "x*eta"}]})");
    CHECK(std::ranges::any_of(found, [](auto const& note) { return note.find("'C/n': its join") != note.npos; }));
    CHECK_THAT(of(R"x("einsum": "i->i", "inputs": ["m"], "join": "where(x, 0, -inf)")x").at(0),
               Catch::Contains("stored as bool"));
}

TEST_CASE("operands that share no label, and are summed each by itself, are noted", "[lib][graph][suspicions]") {
    std::vector<std::string> const found = notes_of_node(R"("einsum": "ij,kl->il", "inputs": ["A", "B"])");
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0], Catch::Contains("'j' of 'A' and 'k' of 'B' are summed each by itself"));
    CHECK(notes_of_node(R"("einsum": "ij,jk->ik", "inputs": ["A", "B"])").empty());
    CHECK(notes_of_node(R"("einsum": "i,k->ik", "inputs": ["v", "b"])").empty());
    CHECK(notes_of_node(R"("einsum": "ij,->i", "inputs": ["A", "s"])").empty());
}

TEST_CASE("an aggregation over nothing is noted", "[lib][graph][suspicions]") {
    std::vector<std::string> const found = notes_of_node(R"("einsum": "ij->ij", "inputs": ["A"], "agg": "max")");
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0], Catch::Contains("agg \"max\" has nothing to aggregate"));
    CHECK(notes_of_node(R"("einsum": "->", "inputs": ["s"], "join": "x > 2", "agg": "any")").empty());
    CHECK(notes_of_node(R"("einsum": "ij->ij", "inputs": ["A"], "agg": "np.amax")").size() == 1);
    for (std::string const agg : {"mean", "average", "var", "std", "norm", "count", "logsumexp", "max", "argmax"}) {
        CAPTURE(agg);  // which become several nodes, the last of which aggregate nothing
        CHECK(notes_of_node(R"("einsum": "ij->i", "inputs": ["A"], "agg": ")" + agg + "\"").empty());
        CHECK(notes_of_node(R"("einsum": "ij,i->i", "inputs": ["A", "v"], "agg": ")" + agg + "\"").empty());
    }
    CHECK(notes_of_node(R"("einsum": "ij->ij", "inputs": ["A"], "agg": "mean")").size() == 1);
}

TEST_CASE("nodes and tensors that no output needs are noted by name", "[lib][graph][suspicions]") {
    std::string const many = R"({"name": "C", "op": "relu", "inputs": "A"}, {"name": "d1", "op": "relu", "inputs": "A"},
        {"name": "d2", "op": "relu", "inputs": "d1"}, {"name": "d3", "op": "relu", "inputs": "A"},
        {"name": "d4", "op": "relu", "inputs": "A"}, {"name": "d5", "op": "relu", "inputs": "A"},
        {"name": "d6", "op": "relu", "inputs": "A"})";
    std::vector<std::string> const found = notes(many, "\"C\"");
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0], Catch::Contains("no output needs the nodes 'd1', 'd2', 'd3', 'd4', 'd5' and 1 more"));
    std::string const text =
        R"({"eingraph": 1, "tensors": {"A": {"shape": [4]}, "U": {"shape": [4]}}, "outputs": ["A"]})";
    CHECK_THAT(read_graph(text, "g.json", {}).notes.at(0),
               Catch::Contains("no output needs the tensor 'U'; remove it"));
}

TEST_CASE("what loops and gradients need is needed, what nothing carried needs is not", "[lib][graph][suspicions]") {
    std::string const loop = R"({"name": "fit", "loop": {"times": 2, "carry": {"v": "next"}, "body": [
        {"name": "loss", "einsum": "i->", "inputs": ["v"], "join": "x^2"},
        {"name": "seen", "op": "relu", "inputs": "v"},
        {"name": "g", "grad": {"of": "loss", "wrt": ["v"]}},
        {"name": "next", "einsum": "i,i->i", "inputs": ["v", "g/v"], "join": "x - y"}]}})";
    std::vector<std::string> const found = notes(loop, "\"fit/v\"");
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0], Catch::Contains("the node 'fit/seen', which is checked but not computed"));
}

TEST_CASE("a loop whose condition says when to end is noted", "[lib][graph][suspicions]") {
    auto const notes_of_condition = [](std::string const& name) {
        return read_graph(R"({"eingraph": 1, "tensors": {"w": {"shape": []}}, "nodes": [{"name": "fit", "loop": {
            "while": ")" + name +
                              R"(", "max": 9, "carry": {"w": "w1"}, "body": [
                {"name": "w1", "einsum": "->", "inputs": ["w"], "join": "x/2"},
                {"name": ")" + name +
                              R"(", "einsum": "->", "inputs": ["w1"], "join": "x < 1"}]}}], "outputs": ["fit/w"]})",
                          "g.json", {})
            .notes;
    };
    for (std::string const name : {"converged", "is_done", "stop"}) {
        std::vector<std::string> const found = notes_of_condition(name);
        CAPTURE(name);
        REQUIRE(found.size() == 1);
        CHECK_THAT(found[0],
                   Catch::Contains("the loop 'fit' goes on as long as '" + name + "' is not 0, and ends once it is 0"));
        CHECK_THAT(found[0], Catch::Contains("\"inputs\": [\"" + name + "\"], \"join\": \"!x\"}, and write \"while\""));
    }
    for (std::string const name : {"not_done", "more", "go_on", "loss"}) CHECK(notes_of_condition(name).empty());
}
