// Every kind of graph that eintool makes, written and read again, and stopped at places between its nodes.
#include "apps/eintool/make/graph_kind.hpp"
#include "lib/graph/read_graph.hpp"
#include "tests/lib/graph/rest/rest_check.hpp"
#include "tests/lib/graph/rest/text_check.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::test;
using graph::read_graph;

TEST_CASE("what eintool makes is the same graph when it is written and read", "[apps][make]") {
    for (apps::tool::GraphKind const& kind : apps::tool::graph_kinds())
        for (DType const dtype : kind.dtypes) {
            CAPTURE(kind.name, name(dtype));
            std::string const text = apps::tool::make_graph(kind, {.dtype = std::string(name(dtype))});
            check_text(read_graph(text, kind.name), false);
        }
}

TEST_CASE("what is left of the programs that eintool makes gives their results", "[apps][make]") {
    struct Row {
        std::string kind;
        std::vector<Extent> sizes;
    };
    auto const row = GENERATE(values<Row>({{"network", {6, 3, 4}},
                                           {"heat", {5, 4}},
                                           {"life", {5, 4}},
                                           {"pagerank", {6}},
                                           {"k-means", {8, 2, 3}},
                                           {"shortest-paths", {5}}}));
    CAPTURE(row.kind);
    apps::tool::GraphKind const& kind = apps::tool::kind_named(row.kind);
    apps::tool::Wanted wanted{.sizes = row.sizes};
    for (apps::tool::Option const& option : kind.options)
        if (option.name == "--iterations") wanted.options["--iterations"] = "4";
    check_everywhere(read_graph(apps::tool::make_graph(kind, wanted), row.kind), 20);
}
