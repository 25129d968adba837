// Random graphs of kinds that random_graphs_test.cpp does not draw x rank counts against the interpreter, and gradients
// against differences. EIN_SEEDS=FIRST:COUNT runs others.
#include <algorithm>
#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/random_products.hpp"
#include "tests/support/random_programs.hpp"
#include "tests/support/random_setup.hpp"

using namespace ein;

namespace {

void check_kind(Json (&of)(std::uint64_t seed), std::uint64_t count) {
    auto const [first, seeds] = test::seeds(count);
    for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
        Json const json = of(seed);
        INFO("seed " << seed << "\n" << json.dump());
        test::run_and_check(json, test::random_setup(seed));
    }
}

/// One number, with other params.
double interpreted(graph::EinGraph const& graph, std::string const& output, scalar::Params const& params) {
    ValueId const value = *std::ranges::find(graph.outputs, output, [&](ValueId id) { return graph.value(id).name; });
    relation::Interpreter interpreter(graph, test::source_reader(graph), params);
    return interpreter.whole(value).at(0).number.real();
}

/// The loss on both sides, at a distance that rounding, curvature and kinks leave alone.
bool is_slope_of_loss(graph::EinGraph const& graph) {
    double const slope = interpreted(graph, "slope", {});
    for (double const h : {1e-5, 1e-6, 1e-7}) {
        double const above = interpreted(graph, "loss", {{"h", h}}), below = interpreted(graph, "loss", {{"h", -h}});
        if (std::abs((above - below) / (2 * h) - slope) <= 1e-5 * (1 + std::abs(slope) + std::abs(above))) return true;
        CAPTURE(h);
        UNSCOPED_INFO("h " << h << " difference " << (above - below) / (2 * h) << " slope " << slope);
    }
    return false;
}

}  // namespace

TEST_CASE("random products of uneven labels give the interpreter's results", "[end_to_end][random_kinds]") {
    check_kind(test::random_products, 25);
}

TEST_CASE("random masks of labels give the interpreter's results", "[end_to_end][random_kinds]") {
    check_kind(test::random_masks, 25);
}

TEST_CASE("random loops of several tensors give the interpreter's results", "[end_to_end][random_kinds]") {
    check_kind(test::random_loops, 25);
}

TEST_CASE("random gradients give the interpreter's results", "[end_to_end][random_kinds][gradient]") {
    check_kind(test::random_gradients, 25);
}

TEST_CASE("random gradients are slopes", "[end_to_end][random_kinds][gradient]") {
    auto const [first, count] = test::seeds(25);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        Json const json = test::random_gradients(seed);
        INFO("seed " << seed << "\n" << json.dump());
        CHECK(is_slope_of_loss(graph::read_graph(json.dump(), "random.json")));
    }
}
