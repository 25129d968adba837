// Random graphs of sparse tensors x ranks x threads against the interpreter, which knows dense tensors alone: results,
// bits at any number of threads, bounds of bytes and rooms. EIN_SEEDS=FIRST:COUNT runs others, all ranks and threads of
// each.
#include <cmath>
#include <cstdlib>

#include "lib/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/random_sparse_graph.hpp"
#include "tests/support/results.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;

namespace {

/// As it was drawn, or without wishes where a node cannot have its own.
Json with_legal_wishes(Json json, relation::SparseResults how) {
    try {
        graph::EinGraph graph = graph::read_graph(json.dump(), "random.json");
        relation::ListedElements listed = relation::count_listed(graph, "");
        relation::lower_by_size(std::move(graph), listed, "random.json", how);
        return json;
    } catch (InputError const& error) {
        INFO(json.dump());
        CHECK(std::string(error.what()).find("expected a result that can be kept sparse") != std::string::npos);
    }
    for (Json& node : json["nodes"]) {
        node.erase("sparse");
        if (node.contains("loop"))
            for (Json& inner : node["loop"]["body"]) inner.erase("sparse");
    }
    return json;
}

/// What is not listed contributes nothing even beside infinity, where a dense tensor gives nan.
bool overflows(test::WholeRun const& run) {
    for (auto const& [name, tensor] : run.expected)
        if (!is_exact(tensor.dtype()))
            for (Extent k = 0; k < element_count(tensor.shape()); ++k) {
                std::complex<double> value;
                tensor::convert(tensor.dtype(),
                                tensor.bytes().data() + static_cast<std::size_t>(k) * size_of(tensor.dtype()), 1,
                                DType::c128, &value, 1);
                if (std::isnan(value.real()) || std::isnan(value.imag())) return true;
            }
    return false;
}

/// @return whether there was anything to compare
bool check(std::uint64_t seed, std::vector<int> const& rank_counts, std::vector<int> const& thread_counts) {
    test::WholeRunSetup setup;
    if (seed % 3 != 0) setup.sparse_results = relation::SparseResults::where_smaller;
    Json const json = with_legal_wishes(test::random_sparse_graph(seed), setup.sparse_results);
    INFO("seed " << seed << "\n" << json.dump());
    if (seed % 4 == 0) setup.split = test::smallest_pieces;
    if (seed % 5 == 0) setup.messages = {.bytes = 64, .most = 8, .window = 128};
    setup.place = seed % 7 == 0 ? "round-robin" : seed % 7 == 1 ? "ia" : "best";
    setup.alternative = seed / 3;
    test::WholeRun first;
    for (int ranks : rank_counts) {
        setup.ranks = ranks;
        if (seed % 6 == 1) setup.calls = 3 * ranks;
        setup.check_calls = {seed % 8 == 0 && ranks % 2 == 1, 3};
        setup.compared = first.expected.empty();
        setup.threads = thread_counts[0];
        CAPTURE(ranks);
        test::WholeRun run;
        try {
            run = test::whole_run(json, setup);
        } catch (std::exception const& error) {
            FAIL_CHECK(error.what());
            return true;
        }
        if (setup.compared) first.expected = run.expected, first.reduction_length = run.reduction_length;
        run.expected = first.expected, run.reduction_length = first.reduction_length;
        if (overflows(run)) return false;
        test::check_results(run);
        if (!run.failures.empty()) return true;
        test::check_promises(run);
        if (setup.check_calls.wanted) CHECK(test::checked_calls(run).mismatches == std::vector<std::string>());
        auto const results = run.results;
        for (std::size_t k = 1; k < thread_counts.size(); ++k) {
            setup.threads = thread_counts[k];
            CAPTURE(setup.threads);
            run.results.clear(), run.ranks.clear();
            test::execute(run, setup);
            for (std::string const& failure : run.failures) FAIL_CHECK(failure);
            if (!run.failures.empty()) return true;
            test::check_promises(run);
            for (auto const& [name, tensor] : results) {
                CAPTURE(name);
                CHECK(test::same_bits_but_nans(tensor, run.results.at(name)));
            }
        }
    }
    return true;
}

}  // namespace

TEST_CASE("random graphs of sparse tensors give what dense ones give", "[end_to_end][sparse]") {
    auto const [first, count] = test::seeds(150);
    constexpr int ranks[] = {1, 2, 3, 5, 7};
    std::uint64_t compared = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed)
        if (std::getenv("EIN_SEEDS") != nullptr)
            compared += check(seed, {1, 2, 3, 5, 7}, {1, 2, 3, 4, 5, 6, 7, 8});
        else
            compared += check(seed, {ranks[seed % 5]}, {1 + static_cast<int>(seed / 5 % 8), 1});
    CHECK(10 * compared >= 9 * count);
}

TEST_CASE("sparse results and what loops carry lie as their shardings say", "[end_to_end][sparse]") {
    Json const json = Json::parse(R"({
      "eingraph": 1, "dtype": "f64", "mesh": {"dp": 2, "tp": 2},
      "tensors": {
        "A": {"shape": [24, 30], "sparse": true, "fill": 0, "data": {"random": "uniform", "density": 0.1, "seed": 1}},
        "X": {"shape": [24, 30], "data": {"random": "uniform", "low": 0.5, "high": 1, "seed": 2}}},
      "nodes": [
        {"name": "Z", "einsum": "ij,ij->ij", "inputs": ["A", "X"], "sparse": true},
        {"name": "R", "einsum": "ij->j", "inputs": ["Z"]},
        {"name": "W", "loop": {"times": 3, "carry": {"Z": "n"}, "body": [
          {"name": "n", "einsum": "ij,ij->ij", "inputs": ["Z", "X"], "sparse": true}]}}],
      "outputs": ["Z", "R", "W/Z"],
      "sharding": {"Z": "i/dp j/tp", "W/Z": "i j/dp,tp"}})");
    for (int ranks : {4, 5, 7}) {
        CAPTURE(ranks);
        test::WholeRun const run = test::whole_run(json, {.ranks = ranks});
        test::check_results(run);
        test::check_promises(run);
        for (auto const& output : run.schedule.header.outputs) {
            CAPTURE(output.name);
            CHECK((run.schedule.header.tensors[output.tensor].fill.has_value() || output.name == "R"));
        }
    }
}
