// tra nodes from their JSON to results, at several rank counts and by several strategies, against the interpreter of
// graphs (which tests/lib/relation/tra_test.cpp compares with the algebra's own).
#include "lib/tensor/compare.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random_tra.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;

namespace {

void check_relation(Json const& graph, int ranks, std::string const& decompose = "eindecomp") {
    test::WholeRunSetup setup;
    setup.ranks = ranks;
    setup.decompose = decompose;
    setup.subblock_bytes = 0;
    CAPTURE(setup.ranks, setup.decompose, graph.dump());
    test::WholeRun const run = test::whole_run(graph, setup);
    for (std::string const& failure : run.failures) FAIL_CHECK(failure);
    for (auto const& [name, expected] : run.expected) {
        CAPTURE(name);
        double const tolerance = tensor::tolerance(expected.dtype(), run.reduction_length.at(name));
        tensor::Difference const d = tensor::compare(run.results.at(name), expected, 100 * tolerance);
        CHECK((d.same_shape && (d.count == 0 || d.max_abs <= 100 * tolerance)));
    }
}

}  // namespace

TEST_CASE("the programs of examples/tensor-relations.json run at any rank count", "[end_to_end][tra]") {
    Json const graph = Json::parse(read_text_file(EIN_EXAMPLES "/tensor-relations.json"));
    auto const ranks = GENERATE(1, 2, 3, 4, 5, 7);
    auto const decompose = GENERATE("eindecomp", "exact", "data");
    check_relation(graph, ranks, decompose);
}

TEST_CASE("random programs of the tensor relational algebra run at any rank count", "[end_to_end][tra]") {
    auto const dtype = GENERATE("f64", "i32");
    constexpr int rank_counts[] = {1, 2, 3, 4, 5, 7};
    for (std::uint64_t seed = 1; seed <= 120; ++seed)
        check_relation(test::RandomTraMaker(seed).make(dtype).graph, rank_counts[seed % 6]);
}

TEST_CASE("a filter of very many runs is looked up, by all ranks together", "[end_to_end][tra]") {
    Json const graph = Json::parse(R"j({"eingraph": 1, "dtype": "f64",
        "tensors": {"L": {"shape": [600], "data": {"random": "uniform", "low": -1, "high": 1, "seed": 1}}},
        "nodes": [{"name": "Z", "inputs": ["L"], "cut": {"L": [2]},
            "tra": {"aggregate": {"by": [1], "kernel": "KERNEL"}, "of":
                    {"rekey": ["[k0]", "mod([k0]*[k0], 5)"], "of": {"filter": "mod([k0]*[k0], 7) < 3", "of": "L"}}}}],
        "outputs": ["Z"]})j");
    auto const kernel = GENERATE("x + y", "max(x, y)");
    auto const ranks = GENERATE(1, 3, 4);
    Json aggregated = graph;
    aggregated["nodes"][0]["tra"]["aggregate"]["kernel"] = kernel;
    aggregated["nodes"][0]["tra"]["of"]["rekey"][1] = "min(2, mod([k0]*[k0], 5))";
    check_relation(aggregated, ranks);
}
