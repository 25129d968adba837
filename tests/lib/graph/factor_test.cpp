#include "lib/graph/factor/factor_joins.hpp"

#include <algorithm>

#include "lib/graph/lower_graph.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;

namespace {

using Lines = std::vector<std::string>;

/// "VALUE = labels,labels->labels join" of each node.
Lines lines_of(EinGraph const& graph) {
    verify(graph, "factor_joins");
    Lines out;
    for (Node const& node : graph.nodes) {
        auto const* einsum = std::get_if<EinSum>(&node.op);
        std::string text = graph.value(node.output).name + " = ";
        if (einsum == nullptr) {
            out.push_back(text + "moved");
            continue;
        }
        auto const add = [&](std::vector<int> const& labels) {
            for (int label : labels) text += einsum->labels[static_cast<std::size_t>(label)];
        };
        for (std::size_t k = 0; k < einsum->operands(); ++k) {
            if (k > 0) text += ",";
            add(einsum->inputs[k]);
        }
        text += "->";
        add(einsum->output);
        out.push_back(text + " " +
                      scalar::print(einsum->join, {static_cast<int>(einsum->operands()), einsum->labels, {}}));
    }
    return out;
}

/// Of a sum over j of A (i, j) and B (j, k), of extents that are worth it.
Lines lines(std::string const& join, std::string const& agg = "sum", std::string const& dtype = "f64",
            std::string const& extent = "64") {
    std::string const shape = "{\"shape\": [" + extent + ", " + extent + "]}";
    EinGraph graph = read_graph("{\"eingraph\": 1, \"dtype\": \"" + dtype + "\", \"tensors\": {\"A\": " + shape +
                                    ", \"B\": " + shape +
                                    "}, \"nodes\": [{\"name\": \"C\", \"einsum\": \"ij,jk->ik\", \"inputs\": [\"A\", "
                                    "\"B\"], \"join\": \"" +
                                    join + "\", \"agg\": \"" + agg + "\"}], \"outputs\": [\"C\"]}",
                                "g.json");
    return lines_of(lower_graph(std::move(graph)));
}

}  // namespace

TEST_CASE("what one operand alone decides is computed once an element of it", "[graph][factor]") {
    CHECK(lines("x*tanh(y)") == Lines{"C:y = jk->jk tanh(x)", "C = ij,jk->ik x*y"});
    CHECK(lines("exp(x)*y") == Lines{"C:x = ij->ij exp(x)", "C = jk,ij->ik y*x"});
    CHECK(lines("where(x > 0, x, 0)*y*2") == Lines{"C:x = ij->ij where(x > 0, x, 0)", "C = jk,ij->ik y*x*2"});
    CHECK(lines("(x + 1)*(y - 1)").size() == 3);
    CHECK(lines("abs(x) + tanh(y)", "min").size() == 3);
    CHECK(lines("(x - tanh(y))^2") == Lines{"C:y = jk->jk tanh(x)", "C = ij,jk->ik (x - y)^2"});
}

TEST_CASE("factors that belong together are multiplied first", "[graph][factor]") {
    CHECK(lines("x*y*[j]") == Lines{"C:x = ij->ij x*[j]", "C = jk,ij->ik y*x"});
    CHECK(lines("exp(x)*y*tanh(x)").size() == 2);
    CHECK(lines("x*y/size(i)") == Lines{"C = ij,jk->ik x*y/64"});
}

TEST_CASE("a choice that no summed label changes is made after the sum", "[graph][factor]") {
    CHECK(lines("where([i] >= [k], x*y/8, -inf)") ==
          Lines{"C:chosen = ij,jk->ik x*y/8", "C = ik->ik where([i] >= [k], x, -inf)"});
    CHECK(lines("where([i] >= [k], 0, x*tanh(y))") ==
          Lines{"C:chosen:y = jk->jk tanh(x)", "C:chosen = ij,jk->ik x*y", "C = ik->ik where([i] >= [k], 0, x)"});
    CHECK(lines("where([i] >= [k], x*y, 1)").size() == 1);  // 64 of a sum of ones
    CHECK(lines("where([i] >= [j], x*y, 0)").size() == 1);  // the summed label decides
    CHECK(lines("where(x > 0, x*y, 0)").size() == 1);       // y may be nan where it is not chosen
    CHECK(lines("where([i] >= [k], x + y, 7)", "max").size() == 2);
}

TEST_CASE("what gains nothing stays", "[graph][factor]") {
    CHECK(lines("x*y").size() == 1);
    CHECK(lines("x*tanh(y)", "sum", "f64", "16").size() == 1);  // little work
    CHECK(lines("tanh(x*y)").size() == 1);                      // nothing moves out of a function
    CHECK(lines("(x + y)*(x - y)").size() == 1);
    CHECK(lines("x/(1 + y)", "sum", "i32").size() == 1);  // 1 + y is an i32 that becomes f64
}

TEST_CASE("a part that a loop does not change is made before it", "[graph][factor]") {
    EinGraph graph = read_graph(R"~({"eingraph": 1, "dtype": "f64",
        "tensors": {"W": {"shape": [64, 64]}, "x": {"shape": [64, 64]}},
        "nodes": [{"name": "l", "loop": {"times": 3, "carry": {"x": "next"},
            "body": [{"name": "next", "einsum": "ij,jk->ik", "inputs": ["x", "W"], "join": "exp(x)*tanh(y)"}]}}],
        "outputs": ["l/x"]})~",
                                "g.json");
    EinGraph const lowered = lower_graph(std::move(graph));
    verify(lowered, "factor_joins");
    std::map<std::string, std::int32_t> loops;
    for (Node const& node : lowered.nodes) loops[lowered.value(node.output).name] = node.loop;
    REQUIRE(loops.size() >= 5);
    std::vector<std::int32_t> parts;
    for (auto const& [name, loop] : loops)
        if (name.ends_with(":x") || name.ends_with(":y"))
            if (name.find("next") != std::string::npos) parts.push_back(loop);
    std::sort(parts.begin(), parts.end());
    CHECK(parts == std::vector<std::int32_t>{-1, 0});
}

TEST_CASE("what a sparse tensor lists decides as before", "[graph][factor]") {
    EinGraph graph = read_graph(R"~({"eingraph": 1, "dtype": "f64",
        "tensors": {"A": {"shape": [64, 64], "sparse": true, "data": {"random": "uniform", "density": 0.1}},
                    "B": {"shape": [64, 64], "data": {"random": "normal"}}},
        "nodes": [{"name": "C", "einsum": "ij,jk->ik", "inputs": ["A", "B"], "join": "x*tanh(y)"}],
        "outputs": ["C"]})~",
                                "g.json");
    CHECK(lower_graph(std::move(graph)).nodes.size() == 1);
}

TEST_CASE("readers of a one-hot tensor compare for themselves where that is a lookup, a scatter or a count",
          "[graph][factor]") {
    auto const reading = [](std::string const& node, std::string const& outputs = R"("Z")") {
        return lines_of(lower_graph(read_graph(R"~({"eingraph": 1, "dtype": "f64",
            "tensors": {"n": {"shape": [90], "dtype": "i64"}, "W": {"shape": [9, 40]}, "G": {"shape": [90, 40]}},
            "nodes": [{"name": "H", "op": "one_hot", "inputs": ["n"], "depth": 9},
                      {"name": "Z", )~" + node + R"~(}], "outputs": [)~" +
                                                   outputs + "]}",
                                               "g.json")));
    };
    CHECK(reading(R"("einsum": "iv,vd->id", "inputs": ["H", "W"])") == Lines{"Z = i,vd->id (x == [v])*y"});
    CHECK(reading(R"("einsum": "vd,iv->id", "inputs": ["W", "H"])") == Lines{"Z = vd,i->id x*(y == [v])"});
    CHECK(reading(R"("einsum": "iv,id->vd", "inputs": ["H", "G"])") == Lines{"Z = i,id->vd (x == [v])*y"});
    CHECK(reading(R"("einsum": "iv->v", "inputs": ["H"])") == Lines{"Z = i->v x == [v]"});
    CHECK(reading(R"("einsum": "iv->v", "inputs": ["H"])", R"("Z", "H")").size() == 2);  // an output is made
    CHECK(reading(R"("einsum": "iv->i", "inputs": ["H"])").size() == 2);                 // no count of n
    CHECK(reading(R"("einsum": "iv->v", "inputs": ["H"], "agg": "max")").size() == 2);
    CHECK(reading(R"("einsum": "iv->v", "inputs": ["H"], "join": "x*2")").size() == 2);
}
