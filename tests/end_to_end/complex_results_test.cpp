// Complex results of real operands: the join runs in real numbers where it has no meaning for complex ones.
#include "lib/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;

namespace {

Json graph_with(Json node) {
    node["name"] = "Z";
    node["inputs"] = {"a", "b"};
    node["einsum"] = "i,i->i";
    return {{"eingraph", 1},
            {"tensors",
             {{"a", {{"shape", {2}}, {"data", {{"values", {1, -2}}}}}},
              {"b", {{"shape", {2}}, {"data", {{"values", {3, 4}}}}}}}},
            {"nodes", {node}},
            {"outputs", {"Z"}}};
}

std::complex<double> element(test::WholeRun const& run, Extent k) { return run.results.at("Z").at(k).number; }

}  // namespace

TEST_CASE("complex numbers are made of real operands", "[end_to_end][complex]") {
    auto const run = test::whole_run(graph_with({{"join", "complex(x, y)"}, {"dtype", "c64"}}),
                                     test::WholeRunSetup{.ranks = 2, .transport = {}});
    CHECK(run.failures.empty());
    CHECK(element(run, 0) == std::complex<double>(1, 3));
    CHECK(element(run, 1) == std::complex<double>(-2, 4));
}

TEST_CASE("a join that orders its operands may have a complex output", "[end_to_end][complex]") {
    auto const run = test::whole_run(graph_with({{"join", "max(x, y)"}, {"dtype", "c128"}}), {});
    CHECK(element(run, 0) == std::complex<double>(3, 0));
}

TEST_CASE("functions that complex numbers have are computed in them", "[end_to_end][complex]") {
    auto const run = test::whole_run(graph_with({{"join", "sqrt(x)"}, {"dtype", "c128"}}), {});
    CHECK(std::abs(element(run, 1) - std::complex<double>(0, std::sqrt(2.0))) < 1e-15);
}

TEST_CASE("an imaginary part is not dropped silently", "[end_to_end][complex]") {
    CHECK_THROWS_WITH(graph::read_graph(graph_with({{"join", "complex(x, y)"}}).dump(), "g.json"),
                      Catch::Contains("/nodes/0/join") && Catch::Contains("\"dtype\": \"c64\""));
}
