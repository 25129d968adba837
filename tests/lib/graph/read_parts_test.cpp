#include "lib/base/error.hpp"
#include "lib/graph/contract.hpp"
#include "lib/graph/read_graph.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;

namespace {

std::string with_parts(std::string const& parts) {
    return R"({"eingraph": 1, "tensors": {"A": {"shape": [6, 4]}, "B": {"shape": [4, 8]}, "C": {"shape": [8, 2]}},
        "nodes": [{"name": "Z", "einsum": "ij,jk->ik", "inputs": ["A", "B"]},
                  {"name": "P", "op": "softmax", "inputs": ["Z"], "axes": [1]},
                  {"name": "R", "op": "reshape", "inputs": ["P"], "shape": [48]},
                  {"name": "same", "op": "cast", "inputs": ["Z"], "dtype": "f32"},
                  {"name": "chain", "einsum": "ij,jk,kl->il", "inputs": ["A", "B", "C"]},
                  {"name": "dead", "einsum": "ij->", "inputs": ["A"]},
                  {"name": "sum", "einsum": "ij->", "inputs": ["same"]},
                  {"name": "mean", "einsum": "ij->i", "inputs": ["A"], "agg": "mean"}],
        "outputs": ["R", "chain", "sum", "mean"], "parts": )" +
           parts + "}";
}

EinGraph read(std::string const& parts) { return read_graph(with_parts(parts), "g.json"); }

/// The node that makes a value.
Node const& maker(EinGraph const& graph, std::string const& value) {
    for (Node const& node : graph.nodes)
        if (graph.value(node.output).name == value) return node;
    FAIL("no node makes " << value);
    return graph.nodes.front();
}

std::vector<Fault> faults(std::string const& parts) {
    try {
        read(parts);
    } catch (InputError const& error) {
        return {error.faults().begin(), error.faults().end()};
    }
    FAIL("accepted: " << parts);
    return {};
}

}  // namespace

TEST_CASE("parts fix the labels that they name and leave others free", "[lib][graph][parts]") {
    EinGraph const graph = read(R"({"Z": {"k": 4, "i": 3, "x-why": "heads"}, "R": {"0": 5}, "x-note": 1})");
    CHECK(maker(graph, "Z").fixed == Parts{3, 0, 4});
    CHECK(maker(graph, "R").fixed == Parts{5});
    CHECK(maker(graph, "P").fixed.empty());
    CHECK(maker(read(R"({"mean": {"j": 2}})"), "mean:sum").fixed == Parts{0, 2});
    CHECK(maker(read(R"({"dead": {"i": 2}})"), "Z").fixed.empty());  // checked, then left out with its node
}

TEST_CASE("parts of a macro are those of the node that makes its value", "[lib][graph][parts]") {
    EinGraph const graph = read(R"({"P": {"axis0": 2}})");
    for (Node const& node : graph.nodes) CHECK(node.fixed.empty() == (graph.value(node.output).name != "P"));
    CHECK(maker(graph, "P").fixed == Parts{2, 0});
}

TEST_CASE("every step of a contraction keeps the parts of the labels that it has", "[lib][graph][parts]") {
    EinGraph const graph = lower_contractions(read(R"({"chain": {"i": 2, "k": 4}})"));
    int fixed = 0;
    for (Node const& node : graph.nodes) {
        if (node.name != "chain") continue;
        auto const& labels = std::get<EinSum>(node.op).labels;
        REQUIRE(node.fixed.size() == labels.size());
        for (std::size_t k = 0; k < labels.size(); ++k) {
            CHECK(node.fixed[k] == (labels[k] == "i" ? 2 : labels[k] == "k" ? 4 : 0));
            fixed += node.fixed[k] > 0;
        }
    }
    CHECK(fixed == 2);  // (B C) has k, A with it has i
}

TEST_CASE("faulty parts are reported with their place, all at once", "[lib][graph][parts]") {
    struct Row {
        std::string parts, where, found;
    };
    auto const row = GENERATE(values<Row>({{"3", "/parts", "3"},
                                           {R"({"Z": 4})", "/parts/Z", "4"},
                                           {R"({"Y": {"i": 2}})", "/parts/Y", "'Y'"},
                                           {R"({"A": {"0": 2}})", "/parts/A", "'A', a tensor"},
                                           {R"({"Z": {"q": 2}})", "/parts/Z/q", "'q'"},
                                           {R"({"P": {"i": 2}})", "/parts/P/i", "'i'"},
                                           {R"({"Z": {"i": 0}})", "/parts/Z/i", "0"},
                                           {R"({"Z": {"i": 7}})", "/parts/Z/i", "7"},
                                           {R"({"Z": {"i": -1}})", "/parts/Z/i", "-1"},
                                           {R"({"Z": {"i": 1.5}})", "/parts/Z/i", "1.5"}}));
    CAPTURE(row.parts);
    auto const reported = faults(row.parts);
    REQUIRE(reported.size() == 1);
    CHECK(reported[0].where == row.where);
    CHECK(reported[0].found == row.found);
    CHECK(faults(R"({"Z": {"i": 0, "q": 2, "k": 9}, "Y": {}, "P": {"axis0": 7}})").size() == 5);
}
