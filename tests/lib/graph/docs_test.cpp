// Every node that docs/graph-format.md and its folder show, on a line of its own in a json block, is a valid node.
#include <regex>
#include <sstream>

#include "lib/base/json.hpp"
#include "lib/graph/contract.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;

TEST_CASE("the examples of docs/graph-format.md are valid", "[lib][graph]") {
    std::istringstream lines(graph_format());
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

TEST_CASE("operators bind as the table of docs/graph-format.md says", "[lib][graph]") {
    scalar::Names const names{3, {}, {}};
    std::string text = graph_format();
    text = text.substr(text.find("| operators | group | so that |"));
    text = text.substr(0, text.find("\n\n"));
    text = std::regex_replace(text, std::regex(R"(\\\|)"), "|");  // escaped inside tables
    std::regex const pair("`([^`]+)` is `([^`]+)`");
    std::size_t count = 0;
    for (auto each = std::sregex_iterator(text.begin(), text.end(), pair); each != std::sregex_iterator(); ++each) {
        scalar::ParseResult const plain = scalar::parse((*each)[1].str(), names),
                                  grouped = scalar::parse((*each)[2].str(), names);
        CAPTURE(each->str());
        REQUIRE(plain.faults.empty());
        REQUIRE(grouped.faults.empty());
        CHECK(plain.expr == grouped.expr);
        ++count;
    }
    CHECK(count == 16);
}
