// Any JSON is either a plan for the graph below, which is the same when written and read again, or an InputError with
// at least one fault.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lib/base/error.hpp"
#include "lib/base/files/file_kind.hpp"
#include "lib/base/json.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/relation/plan_json.hpp"

namespace {

constexpr std::string_view graph_text = R"({"eingraph": 1, "tensors": {
    "A": {"shape": [8, 6], "data": {"fill": 1}}, "B": {"shape": [6, 4], "data": {"fill": 2}}},
  "nodes": [{"name": "AB", "einsum": "ij,jk->ik", "inputs": ["A", "B"]},
            {"name": "P", "op": "softmax", "inputs": ["AB"], "axes": [1]},
            {"name": "S", "op": "slice", "inputs": ["P"], "start": [1, 0], "stop": [7, 4]}],
  "outputs": ["S"]})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace ein;
    static graph::EinGraph const graph = graph::read_graph(graph_text, "graph.json");
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    try {
        relation::Plan const plan = relation::plan_from_json(parse_json_of(FileUse::plan, "a plan", text, "plan.json"),
                                                             "plan.json", graph, "0123456789abcdef");
        std::string const written = relation::write_plan(graph, plan, "0123456789abcdef");
        if (relation::write_plan(
                graph,
                relation::plan_from_json(parse_json(written, "again.json"), "again.json", graph, "0123456789abcdef"),
                "0123456789abcdef") != written)
            std::abort();
    } catch (InputError const& error) {
        if (error.faults().empty() || error.faults().front().file == "again.json") std::abort();
    }
    return 0;
}
