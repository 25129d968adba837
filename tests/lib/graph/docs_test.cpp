// Every node that docs/graph-format.md shows, on a line of its own in a json block, is a valid node.
#include <sstream>

#include "lib/base/json.hpp"
#include "lib/graph/contract.hpp"
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;

TEST_CASE("the examples of docs/graph-format.md are valid", "[lib][graph]") {
    std::istringstream lines(read_text_file(EIN_DOCS "/graph-format.md"));
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("{\"name\"")) continue;
        Json graph = Json::parse(node_text(R"("op": "cast", "inputs": ["A"], "dtype": "f32")"));
        graph["nodes"] = Json::array({Json::parse(line)});
        graph["outputs"] = Json::array({graph["nodes"][0]["name"]});
        CAPTURE(line);
        CHECK_NOTHROW(lower_contractions(read_graph(graph.dump(), "docs")));
        ++count;
    }
    CHECK(count > 40);
}
