// Graphs that are planned to be reproducible: the same bits at every rank count and thread count, however they are cut,
// placed, scheduled and fused. EIN_SEEDS=FIRST:COUNT runs other random graphs.
#include "planner/strategies/strategies.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/random_products.hpp"
#include "tests/support/random_programs.hpp"
#include "tests/support/results.hpp"

using namespace ein;

namespace {

constexpr std::array rank_counts{1, 2, 3, 4, 5, 7};

/// All that must not matter, another choice for each number.
test::WholeRunSetup variant(std::uint64_t number, int ranks) {
    test::WholeRunSetup setup;
    setup.reproducible = true;
    setup.compared = false;
    setup.ranks = ranks;
    setup.threads = 1 + static_cast<int>(number % 3);
    setup.calls = number % 4 == 0 ? 3 * ranks : 0;
    if (number % 2 == 0) setup.fused_groups = {64, 0, 1};  // the smallest kernels run in fused groups
    setup.subblock_bytes = number / 2 % 2 == 0 ? 0 : 16 << 10;
    if (number / 3 % 2 == 0) setup.staging.ranks = 2;
    if (number % 3 != 0) setup.split = test::smallest_pieces;
    std::vector<std::string> const& strategies = planner::strategy_names();
    setup.decompose = number % 2 == 0 ? "eindecomp" : strategies[number / 2 % strategies.size()];
    setup.alternative = number / 3;
    setup.place = number % 5 == 0 ? "round-robin" : number % 5 == 1 ? "ia" : "best";
    setup.inputs = number % 7 == 0 ? scheduler::InputsPolicy::shared : scheduler::InputsPolicy::once;
    return setup;
}

void check_same(test::WholeRun const& run, test::WholeRun const& first) {
    for (std::string const& failure : run.failures) FAIL_CHECK(failure);
    if (!run.failures.empty()) return;
    for (auto const& [name, expected] : first.results) {
        CAPTURE(name);
        CHECK(test::same_bits_but_nans(run.results.at(name), expected));
    }
}

/// One rank and one thread against every rank count.
void check(Json const& json, std::uint64_t seed) {
    test::WholeRunSetup alone;
    alone.reproducible = true;
    test::WholeRun const first = test::whole_run(json, alone);
    test::check_results(first);
    for (std::size_t k = 0; k < rank_counts.size(); ++k) {
        test::WholeRunSetup const setup = variant(seed * rank_counts.size() + k, rank_counts[k]);
        INFO("ranks " << setup.ranks << " threads " << setup.threads << " calls " << setup.calls << " decompose "
                      << setup.decompose << " alternative " << setup.alternative << " place " << setup.place);
        try {
            check_same(test::whole_run(json, setup), first);
        } catch (std::exception const& error) {
            FAIL_CHECK(error.what());
        }
    }
}

struct Large {
    std::string name;
    std::vector<std::pair<std::string, Shape>> tensors;
    Json nodes;
};

/// Long enough for kernels to cut sums and to run on several threads.
std::vector<Large> large_graphs() {
    auto const node = [](std::string const& einsum, std::vector<std::string> const& inputs,
                         Json more = Json::object()) {
        more["einsum"] = einsum;
        more["inputs"] = inputs;
        return more;
    };
    return {
        {"a product of long sums", {{"A", {48, 9000}}, {"B", {9000, 40}}}, {node("ij,jk->ik", {"A", "B"})}},
        {"a product that streams", {{"A", {700, 900}}, {"B", {900}}}, {node("ij,j->i", {"A", "B"})}},
        {"batches without rows", {{"A", {40, 500}}, {"B", {40, 500}}}, {node("bi,bi->b", {"A", "B"})}},
        {"several summed labels", {{"A", {30, 7, 5, 9}}, {"B", {5, 11, 9, 7}}}, {node("abcd,cedb->ae", {"A", "B"})}},
        {"a label of one operand alone", {{"A", {60, 9, 50}}, {"B", {9, 70}}}, {node("iak,aj->ij", {"A", "B"})}},
        {"sums of all", {{"A", {500, 700}}}, {node("ij->", {"A"})}},
        {"sums of columns", {{"A", {3000, 90}}}, {node("ij->j", {"A"})}},
        {"sums of outer and inner labels", {{"A", {40, 60, 50}}}, {node("ijk->j", {"A"}, {{"join", "x*x"}})}},
        {"logarithms of sums", {{"A", {400, 600}}}, {node("ij->j", {"A"}, {{"agg", "logsumexp"}})}},
        {"products", {{"A", {30, 4000}}}, {node("ij->i", {"A"}, {{"join", "1+x/64"}, {"agg", "prod"}})}},
        {"distances", {{"A", {60, 300}}, {"B", {50, 300}}}, {node("ik,jk->ij", {"A", "B"}, {{"join", "abs(x-y)"}})}},
        {"shortest paths",
         {{"A", {60, 300}}, {"B", {300, 50}}},
         {node("ik,kj->ij", {"A", "B"}, {{"join", "x+y"}, {"agg", "min"}})}},
        {"a join with positions", {{"A", {90, 700}}}, {node("ij->i", {"A"}, {{"join", "x*[j]+[i]"}})}},
        {"softmax", {{"A", {300, 700}}}, {{{"op", "softmax"}, {"inputs", {"A"}}, {"axes", {1}}}}},
        {"layer norm", {{"A", {300, 700}}}, {{{"op", "layer_norm"}, {"inputs", {"A"}}, {"axes", {1}}}}},
    };
}

Json graph_of(Large const& large, std::string const& dtype) {
    Json tensors = Json::object(), nodes = large.nodes;
    for (std::size_t k = 0; k < large.tensors.size(); ++k)
        tensors[large.tensors[k].first] = {
            {"shape", large.tensors[k].second},
            {"data", {{"random", "uniform"}, {"low", -1}, {"high", 1}, {"seed", k + 1}}}};
    nodes.back()["name"] = "Z";
    return {{"eingraph", 1}, {"dtype", dtype}, {"tensors", tensors}, {"nodes", nodes}, {"outputs", {"Z"}}};
}

}  // namespace

TEST_CASE("random graphs have the same bits at any rank count", "[end_to_end][reproducible]") {
    auto const dtype = GENERATE("f64", "f32", "mixed", "c128");
    auto const [first, count] = test::seeds(12);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        Json const json = test::random_graph(seed, {.dtype = dtype, .sparse = seed % 3 == 0 ? 40 : 0});
        INFO("seed " << seed << " " << dtype << "\n" << json.dump());
        check(json, seed);
    }
}

TEST_CASE("random products and programs have the same bits at any rank count", "[end_to_end][reproducible]") {
    auto const [first, count] = test::seeds(4);
    for (std::uint64_t seed = first; seed < first + count; ++seed)
        for (auto const of : {test::random_products, test::random_masks, test::random_loops, test::random_gradients}) {
            Json const json = of(seed);
            INFO("seed " << seed << "\n" << json.dump());
            check(json, seed);
        }
}

/// A block of one column has two axes with stride 1: along which of them terms are added follows from the whole node.
TEST_CASE("sums beside a sparse scalar have the same bits at any cut", "[end_to_end][reproducible]") {
    Json const json = Json::parse(R"({"eingraph": 1, "dtype": "c128",
        "tensors": {"A": {"shape": [9, 5], "data": {"random": "uniform", "low": -1, "high": 1, "seed": 1}},
                    "S": {"shape": [6], "sparse": true,
                          "data": {"random": "uniform", "low": -1, "high": 1, "seed": 2, "density": 0.05}}},
        "nodes": [{"name": "s", "einsum": "i,i,i->", "inputs": ["S", "S", "S"]},
                  {"name": "Z", "einsum": "ij,->jw", "inputs": ["A", "s"], "sizes": {"w": 3}}],
        "outputs": ["Z"]})");
    for (std::uint64_t seed = 520; seed < 526; ++seed) check(json, seed);
}

/// Where an index of the result is alone in its block, all of its terms follow one another.
TEST_CASE("sums of short runs beside a sparse matrix have the same bits at any cut", "[end_to_end][reproducible]") {
    Json const json = Json::parse(R"json({"eingraph": 1, "dtype": "f64",
        "tensors": {"S": {"shape": [2, 3], "sparse": true, "data": {"random": "uniform", "seed": 1, "density": 1}},
                    "T": {"shape": [6, 2, 3, 9], "data": {"random": "uniform", "low": -1, "high": 1, "seed": 2}}},
        "nodes": [{"name": "Z", "einsum": "bc,abcd->a", "inputs": ["S", "T"], "join": "x*(y + y*y)"}],
        "outputs": ["Z"]})json");
    for (std::uint64_t seed = 520; seed < 526; ++seed) check(json, seed);
}

TEST_CASE("large kernels have the same bits at any rank count", "[end_to_end][reproducible]") {
    auto const dtype = GENERATE("f32", "f64", "bf16", "c64");
    std::uint64_t seed = 1;
    for (Large const& large : large_graphs()) {
        Json const json = graph_of(large, dtype);
        bool const complex = std::string_view(dtype) == "c64";
        if (complex && large.name != "sums of all" && !large.name.starts_with("a product") &&
            large.name != "several summed labels")
            continue;
        INFO(large.name << " " << dtype);
        check(json, ++seed);
    }
}

TEST_CASE("examples have the same bits at any rank count", "[end_to_end][reproducible]") {
    for (std::string const name :
         {"attention", "ffnn-step", "linear-regression", "power-iteration", "k-means", "ttmc"}) {
        INFO(name);
        check(Json::parse(read_text_file(std::filesystem::path(EIN_EXAMPLES) / (name + ".json"))), 5);
    }
}
