// Loops that carry sparse values, from a graph to results, against the interpreter, which knows dense ones alone.
#include <cmath>

#include "lib/tensor/compare.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/results.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;

namespace {

struct Carried {
    std::string name, carry, body;
    bool is_sparse = true;  // what W becomes
    std::string fill = "0";
};

/// Sparse A and W of 23 by 23, P of 23 by 23 that is sparse too, dense X and y; a loop "t" that carries W.
Json graph_of(Carried const& what, double density, int times) {
    auto const sparse = [&](int seed, double share) {
        return R"({"shape": [23, 23], "sparse": true, "fill": )" + what.fill +
               R"(, "data": {"random": "uniform", "low": -1, "high": 1, "seed": )" + std::to_string(seed) +
               R"(, "density": )" + std::to_string(share) + "}}";
    };
    std::string const text = R"({"eingraph": 1, "dtype": "f64", "tensors": {"A": )" + sparse(1, density) +
                             R"(, "W": )" + sparse(2, density) + R"(, "P": )" + sparse(3, density / 2) +
                             R"(, "X": {"shape": [23, 4], "data": {"random": "uniform", "seed": 4}},
                                "y": {"shape": [23], "data": {"random": "uniform", "seed": 5}}},
                                "nodes": [{"name": "t", "loop": {"times": )" +
                             std::to_string(times) + R"(, "carry": {)" + what.carry + R"(}, "body": [)" + what.body +
                             R"(]}}, {"name": "Z", "einsum": "ij,j->i", "inputs": ["t/W", "y"]}],
                                "outputs": ["t/W", "Z"]})";
    return Json::parse(text);
}

Carried const cases[] = {
    {"rows are scaled", R"("W": "n")", R"g({"name": "n", "einsum": "ij,j->ij", "inputs": ["W", "y"]})g"},
    {"a step at the places that W lists", R"("W": "n")",
     R"g({"name": "G", "einsum": "ij,ir,jr->ij", "inputs": ["W", "X", "X"]},
         {"name": "n", "einsum": "ij,ij->ij", "inputs": ["W", "G"], "join": "0.9*x - 0.1*y"})g"},
    {"what A lists of anything", R"("W": "n")",
     R"g({"name": "WW", "einsum": "ij,jk->ik", "inputs": ["W", "W"]},
         {"name": "n", "einsum": "ij,ij->ij", "inputs": ["A", "WW"], "sparse": true})g"},
    {"more places in each iteration", R"("W": "n")",
     R"g({"name": "WA", "einsum": "ij,jk->ik", "inputs": ["W", "A"], "sparse": true},
         {"name": "n", "einsum": "ij,ij->ij", "inputs": ["WA", "W"], "join": "0.3*x + y", "sparse": true})g"},
    {"transposed each time", R"("W": "n")",
     R"g({"name": "n", "einsum": "ij->ji", "inputs": ["W"], "join": "-0.5*x", "sparse": true})g"},
    {"moved each time", R"("W": "n")",
     R"g({"name": "low", "op": "slice", "inputs": ["W"], "slices": "1:"},
         {"name": "n", "op": "pad", "inputs": ["low"], "pad_width": [[0, 1], [0, 0]]})g"},
    {"two change places", R"("W": "V", "V": {"begin": "P", "next": "s"})",
     R"g({"name": "s", "einsum": "ij,ij->ij", "inputs": ["W", "V"], "join": "x + 0.5*y", "sparse": true})g"},
    {"another fill, kept", R"("W": "n")",
     R"g({"name": "n", "einsum": "ij,j->ij", "inputs": ["W", "y"], "join": "where(y > 0, x, max(x, x))"})g", true, "2"},
    {"another fill, lost", R"("W": "n")", R"g({"name": "n", "einsum": "ij->ij", "inputs": ["W"], "join": "x/2"})g",
     false, "2"},
    {"dense where iterations look at it", R"("W": "n")",
     R"g({"name": "e", "einsum": "ij->i", "inputs": ["W"], "join": "exp(-x*x)"},
         {"name": "n", "einsum": "ij,i->ij", "inputs": ["W", "e"], "join": "x*y/23"})g"},
    {"dense in the end", R"("W": "n")",
     R"g({"name": "n", "einsum": "ij,j->ij", "inputs": ["W", "y"], "join": "x/2 + y"})g", false},
    {"in a loop", R"("W": "n")",
     R"g({"name": "u", "loop": {"times": 2, "carry": {"V": {"begin": "W", "next": "m"}}, "body": [
            {"name": "m", "einsum": "ij,i->ij", "inputs": ["V", "y"]}]}},
         {"name": "n", "einsum": "ij,ij->ij", "inputs": ["u/V", "A"], "join": "x + 0.1*y", "sparse": true})g"},
    {"until it is small", R"("W": "n")",
     R"g({"name": "n", "einsum": "ij,j->ij", "inputs": ["W", "y"], "join": "0.5*x*y"},
         {"name": "largest", "einsum": "ij->", "inputs": ["n"], "join": "abs(x)", "agg": "max"},
         {"name": "on", "einsum": "->", "inputs": ["largest"], "join": "x > 0.05"})g"},
};

void check(Json json, Carried const& what, test::WholeRunSetup const& setup) {
    if (what.name == "until it is small") {
        Json& loop = json["nodes"][0]["loop"];
        loop["max"] = loop["times"];
        loop.erase("times");
        loop["while"] = "on";
    }
    test::WholeRun const run = test::whole_run(json, setup);
    test::check_results(run);
    for (graph::Value const& value : run.graph.values)
        if (value.name == "t/W") CHECK(value.listing.has_value() == what.is_sparse);
    if (!run.failures.empty()) return;
    schedule::Prediction const& p = run.schedule.header.prediction;
    for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
        CHECK(run.ranks[rank].transfers.bytes_sent <= p.bytes_sent[rank]);
        CHECK(run.ranks[rank].blocks.peak_bytes() <= p.peak_bytes[rank]);
        CHECK(run.ranks[rank].blocks.created() == run.ranks[rank].blocks.deleted());
    }
    if (setup.check_calls.wanted) CHECK(test::checked_calls(run).mismatches == std::vector<std::string>());
}

}  // namespace

TEST_CASE("loops carry sparse values", "[end_to_end][loops][sparse]") {
    int const ranks = GENERATE(1, 2, 3, 5, 7);
    double const density = GENERATE(0.0, 0.1, 1.0);
    int count = 0;
    for (Carried const& what : cases) {
        int const times = 1 + ++count % 4;
        INFO(what.name << ", " << ranks << " ranks, density " << density << ", " << times << " times");
        test::WholeRunSetup setup{.ranks = ranks, .threads = 1 + count % 2};
        setup.alternative = static_cast<std::size_t>(count);
        setup.check_calls = {count % 3 == 0, 3};
        setup.place = count % 2 == 0 ? "best" : "round-robin";
        check(graph_of(what, density, times), what, setup);
    }
}

TEST_CASE("what a loop carries has room for no more than it can list", "[end_to_end][loops][sparse]") {
    auto const most = [](std::string const& name) {
        for (Carried const& what : cases)
            if (what.name == name) {
                test::WholeRunSetup setup{.sparse_results = relation::SparseResults::where_smaller};
                test::WholeRun const run = test::whole_run(graph_of(what, 0.1, 3), setup);
                for (graph::Value const& value : run.graph.values)
                    if (value.name == "t/W") return value.listing ? value.listing->most : -1;
            }
        return Extent{-1};
    };
    Extent const listed = 53;  // of 23 * 23 at a density of 0.1
    CHECK(most("rows are scaled") == listed);
    CHECK(most("a step at the places that W lists") == listed);
    CHECK(most("what A lists of anything") == listed);
    CHECK(most("more places in each iteration") == 23 * 23);
}
