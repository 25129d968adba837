// Losses of a sparse tensor that count what it does not list, and how the listed ones alone are counted.
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;

namespace {

/// Of a sparse R (60, 50), a dense D (60, 50) and W (60, 50).
std::vector<std::string> notes_of_losses(std::string const& nodes, std::string const& fill = "") {
    return read_graph(R"({"eingraph": 1, "tensors": {"R": {"shape": [60, 50], "sparse": true)" + fill +
                          R"(, "data": {"random": "uniform", "density": 0.1}}, "D": {"shape": [60, 50]},
        "W": {"shape": [60, 50]}}, "nodes": [)" +
                          nodes + R"(], "outputs": ["loss", "R", "D", "W"]})",
                      "g.json", {})
        .notes;
}
std::string loss_of(std::string const& join, std::string const& more = "", std::string const& inputs = R"("R", "D")",
                    std::string const& einsum = "ij,ij->") {
    return "{\"name\": \"loss\", \"einsum\": \"" + einsum + "\", \"inputs\": [" + inputs + "], \"join\": \"" + join +
           "\"" + more + "}";
}

}  // namespace

TEST_CASE("a loss of differences from a sparse tensor counts all places", "[lib][graph][suspicions]") {
    std::vector<std::string> const found = notes_of_losses(loss_of("(x - y)^2"));
    REQUIRE(found.size() == 1);
    CHECK(found[0] ==
          "node 'loss': places that 'R' does not list count too, as 0: all 3000 of them; for those that it lists alone "
          "write \"join\": \"where(x != 0, (x - y)^2, 0)\"; if all are meant, write \"agg\": \"sum\"");
    auto const told = [](std::vector<std::string> const& notes, std::string const& text) {
        CAPTURE(text);
        REQUIRE(notes.size() == 1);
        CHECK_THAT(notes[0], Catch::Contains(text));
    };
    told(notes_of_losses(loss_of("0.5*(x - y)^2", "", R"("D", "R")")), "where(y != 0, 0.5*(x - y)^2, 0)");
    told(notes_of_losses(loss_of("abs(x - y)/2")), "where(x != 0, abs(x - y)/2, 0)");
    told(notes_of_losses(loss_of("(x - y)*(x - y)")), "where(x != 0, (x - y)*(x - y), 0)");
    told(notes_of_losses(loss_of("(x - y)^2", R"(, "agg": "mean")")), "take the sum, and divide it by their number");
    told(notes_of_losses(loss_of("(x - y)^2"), R"(, "fill": 3)"),
         "as 3: all 3000 of them; for those that it lists alone "
         "write \"join\": \"where(x != 3, (x - y)^2, 0)\"");
    told(notes_of_losses(loss_of("(x - y)^2"), R"(, "fill": "inf")"), "where(x != inf, ");
    for (std::string const& join :
         {loss_of("where(x != 0, (x - y)^2, 0)"), loss_of("(x - y)^2", R"(, "agg": "sum")"), loss_of("x*y"),
          loss_of("(x - y)^2", "", R"("W", "D")"), loss_of("(x - y)^2", "", R"("R", "D")", "ij,ij->ij"),
          loss_of("z*(x - y)^2", "", R"("R", "D", "W")", "ij,ij,ij->"), loss_of("(x - y)^2", R"(, "agg": "max")")}) {
        CAPTURE(join);
        CHECK(notes_of_losses(join).empty());
    }
    CHECK(notes_of_losses(loss_of("(x - y)^2"), R"(, "fill": "nan")").empty());
    // What is compared is 0 where nothing is listed.
    CHECK(notes_of_losses(R"x({"name": "at", "einsum": "ij->ij", "inputs": ["R"], "join": "where(x > 0, 1, 0)"},
        {"name": "D_at", "einsum": "ij,ij->ij", "inputs": ["at", "D"]}, )x" +
                          loss_of("(x - y)^2", "", R"("R", "D_at")"))
              .empty());
}

TEST_CASE("so does one whose differences are a node of their own", "[lib][graph][suspicions]") {
    std::string const difference = R"({"name": "E", "op": "subtract", "inputs": ["R", "D"]}, )";
    std::string const mend = R"x(write the difference as "einsum": "...,...->...", "join": "where(x != 0, x - y, 0)")x";
    for (std::string const& loss :
         {loss_of("x^2", "", "\"E\"", "ij->"), std::string(R"({"name": "loss", "op": "norm", "inputs": ["E"]})"),
          std::string(
              R"({"name": "E2", "op": "square", "inputs": ["E"]}, {"name": "loss", "op": "mean", "inputs": ["E2"]})"),
          R"({"name": "E2", "op": "abs", "inputs": ["E"]}, )" + loss_of("x", "", "\"E2\"", "ij->")}) {
        CAPTURE(loss);
        std::vector<std::string> const found = notes_of_losses(difference + loss);
        REQUIRE(found.size() == 1);
        CHECK_THAT(found[0], Catch::Contains(mend));
    }
    std::string const listed = R"x({"name": "E", "einsum": "...,...->...", "inputs": ["R", "D"],
        "join": "where(x != 0, x - y, 0)"}, )x";
    CHECK(notes_of_losses(listed + R"({"name": "loss", "op": "norm", "inputs": ["E"]})").empty());
}
