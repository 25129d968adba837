// Graphs whose values are made subblock by subblock, because partial results leave by subblocks, against the
// interpreter: attention over heads with a residual, and the same in a loop, on any number of ranks, in fused groups
// and out of them.
#include "lib/schedule/fusion/fold.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/results.hpp"

using namespace ein;

namespace {

/// One iteration of attention: x_next of x.
char const* const nodes = R"~([
    {"name": "q", "einsum": "sa,ahd->shd", "inputs": ["x", "WQ"]},
    {"name": "k", "einsum": "sa,ahd->shd", "inputs": ["x", "WK"]},
    {"name": "scores", "einsum": "shd,thd->hst", "inputs": ["q", "k"]},
    {"name": "masked", "einsum": "hst->hst", "inputs": ["scores"], "join": "where([t] <= [s], x/3, -inf)"},
    {"name": "weights", "op": "softmax", "inputs": ["masked"], "axes": [2]},
    {"name": "v", "einsum": "sa,ahd->shd", "inputs": ["x", "WV"]},
    {"name": "o", "einsum": "hst,thd->shd", "inputs": ["weights", "v"]},
    {"name": "y", "einsum": "shd,ahd->sa", "inputs": ["o", "WO"]},
    {"name": "x_next", "einsum": "sa,sa->sa", "inputs": ["x", "y"], "join": "x + y"}])~";

Json attention(int ranks, char const* dtype, bool in_loop) {
    Json parts;
    for (auto const& node : {"q", "k", "scores", "masked", "v", "o", "y"}) parts[node] = {{"h", ranks}};
    parts["weights"] = {{"axis0", ranks}};
    Json const tensor = {{"shape", {6, ranks, 4}}, {"data", {{"random", "normal"}, {"seed", 1}, {"std", 0.4}}}};
    Json graph = {{"eingraph", 1}, {"dtype", dtype}};
    graph["tensors"]["x"] = {{"shape", {4 * ranks + 1, 6}}, {"data", {{"random", "normal"}, {"seed", 9}}}};
    for (auto const& name : {"WQ", "WK", "WV", "WO"}) {
        graph["tensors"][name] = tensor;
        graph["tensors"][name]["data"]["seed"] = name[1];
    }
    if (in_loop) {
        graph["nodes"] = {
            {{"name", "layers"}, {"loop", {{"times", 3}, {"carry", {{"x", "x_next"}}}, {"body", Json::parse(nodes)}}}}};
        graph["outputs"] = {"layers/x"};
    } else {
        graph["nodes"] = Json::parse(nodes);
        graph["outputs"] = {"x_next"};
        graph["parts"] = parts;
    }
    return graph;
}

/// Blocks that are parts of what one rank makes of a value.
std::size_t blocks_of(schedule::Section const& section, schedule::Header const& header, std::string const& name) {
    std::size_t count = 0;
    for (schedule::Block const& block : section.blocks)
        if (header.tensors[block.tensor].name == name) ++count;
    return count;
}

}  // namespace

TEST_CASE("attention subblock by subblock is attention", "[end_to_end][pipelining]") {
    test::WholeRunSetup setup;
    setup.ranks = GENERATE(1, 2, 3, 4, 5, 7);
    setup.split = test::smallest_pieces;
    setup.subblock_bytes = 0;
    bool const fused = GENERATE(false, true);
    if (fused) setup.fused_groups = {64, 0, 1};
    setup.threads = fused ? 2 : 1;
    auto const dtype = GENERATE("f32", "f64", "bf16");
    CAPTURE(setup.ranks, fused, dtype);
    test::WholeRun const run = test::whole_run(attention(setup.ranks, dtype, false), setup);
    test::check_results(run);
    for (schedule::Section const& section : run.schedule.sections) {
        schedule::Section const apart = schedule::with_members_apart(run.schedule.header, section);
        for (auto const& name : {"scores", "weights", "o"})
            CHECK((blocks_of(apart, run.schedule.header, name) > 1) == (setup.ranks > 1));
    }
}

TEST_CASE("layers of attention subblock by subblock in a loop", "[end_to_end][pipelining]") {
    test::WholeRunSetup setup;
    setup.ranks = GENERATE(2, 3, 4);
    setup.split = test::smallest_pieces;
    setup.subblock_bytes = 0;
    setup.decompose = "megatron";
    CAPTURE(setup.ranks);
    test::WholeRun const run = test::whole_run(attention(setup.ranks, "f64", true), setup);
    test::check_results(run);
    for (schedule::Section const& section : run.schedule.sections)
        CHECK(blocks_of(section, run.schedule.header, "layers/o") > 1);
}
