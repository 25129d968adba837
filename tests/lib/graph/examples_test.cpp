// Every graph of examples/ reads, and needs no file and no --input: it runs anywhere.
#include <filesystem>

#include "lib/base/json.hpp"
#include "lib/graph/contract.hpp"
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;

TEST_CASE("the examples are valid graphs with data of their own", "[lib][graph]") {
    std::size_t count = 0;
    for (auto const& entry : std::filesystem::directory_iterator(EIN_EXAMPLES)) {
        if (entry.path().extension() != ".json") continue;
        CAPTURE(entry.path());
        EinGraph const graph = lower_contractions(read_graph(read_text_file(entry.path()), entry.path().string()));
        CHECK_NOTHROW(verify(graph, "lower_contractions"));
        for (Leaf const& leaf : graph.leaves) {
            CAPTURE(graph.value(leaf.value).name);
            bool const inside = std::holds_alternative<tensor::RandomSource>(leaf.source) ||
                                std::holds_alternative<tensor::SparseRandomSource>(leaf.source) ||
                                std::holds_alternative<tensor::FillSource>(leaf.source) ||
                                std::holds_alternative<tensor::ValuesSource>(leaf.source);
            CHECK(inside);
        }
        ++count;
    }
    CHECK(count >= 22);
}
