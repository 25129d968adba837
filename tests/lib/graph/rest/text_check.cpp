#include "tests/lib/graph/rest/text_check.hpp"

#include "lib/graph/contract.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/graph/rest/graph_text.hpp"
#include "tests/lib/graph/rest/one_by_one.hpp"
#include "tests/lib/graph/rest/same_graph.hpp"
#include "tests/support/catch.hpp"

namespace ein::test {

using namespace graph;

int check_same(EinGraph const& graph) {
    std::string const text = graph_text(graph);
    INFO(text);
    try {
        EinGraph const again = read_graph(text, "text");
        int moves_split = 0;
        CHECK(graph_difference(graph, again, moves_split) == "");
        CHECK(graph_text(again) == graph_text(read_graph(graph_text(again), "text")));
        return moves_split;
    } catch (std::exception const& error) {
        FAIL_CHECK(error.what());
        return 0;
    }
}

void check_bits(EinGraph const& graph) {
    std::string const text = graph_text(graph);
    EinGraph const again = read_graph(text, "text");
    CHECK(difference(graph, OneByOne(graph).outputs(), OneByOne(again).outputs()) == "");
}

void check_text(EinGraph const& graph, bool bits) {
    check_same(graph);
    if (bits) check_bits(graph);
    EinGraph const lowered = lower_contractions(graph);
    check_same(lowered);
    if (bits) check_bits(lowered);
    EinGraph const again = lower_contractions(read_graph(graph_text(lowered), "text"));
    int ignored = 0;
    CHECK(graph_difference(lowered, again, ignored) == "");
}

}  // namespace ein::test
