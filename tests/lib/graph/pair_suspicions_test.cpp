// Operands that meet otherwise than is hardly meant: each element with every other, and means of rows with columns.
#include "lib/graph/read/pair_suspicions.hpp"

#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;

namespace {

/// Notes of nodes, the last of which is d, over tensors p and y of these shapes.
std::vector<std::string> notes_of_pairs(std::string const& p, std::string const& y, std::string const& nodes) {
    return read_graph(R"({"eingraph": 1, "tensors": {"p": {"shape": )" + p + R"(}, "y": {"shape": )" + y +
                          "}}, \"nodes\": [" + nodes + R"(], "outputs": ["p", "y", "d"]})",
                      "g.json", {})
        .notes;
}

std::string einsum_of(std::string const& subscripts, std::string const& join, std::string const& more = "") {
    return R"({"name": "d", "einsum": ")" + subscripts + R"(", "inputs": ["p", "y"], "join": ")" + join + "\"" + more +
           "}";
}

std::string const subtract = R"({"name": "d", "op": "subtract", "inputs": ["p", "y"]})";

}  // namespace

TEST_CASE("a vector against a column is noted where neither was reshaped to it", "[lib][graph][suspicions]") {
    for (auto const& [p, y] : {std::pair("[4]", "[4, 1]"), {"[4, 1]", "[4]"}})
        for (std::string const& node : {subtract, einsum_of("...,...->...", "x-y"), einsum_of("...,...", "x-y")}) {
            CAPTURE(p, node);
            std::vector<std::string> const found = notes_of_pairs(p, y, node);
            REQUIRE(found.size() == 1);
            CHECK_THAT(found[0],
                       Catch::Contains("give (4, 4), each element with every other; if they belong together, "
                                       "reshape the second: {\"op\": \"reshape\", \"inputs\": \"" +
                                       std::string(std::string_view(y) == "[4]" ? "p" : "y") + "\", \"shape\": [4]}"));
        }
    CHECK(notes_of_pairs("[4]", "[5, 1]", subtract).empty());
    CHECK(notes_of_pairs("[1]", "[1, 1]", subtract).empty());
    CHECK(notes_of_pairs("[4, 1]", "[1, 4]", subtract).empty());
    CHECK(notes_of_pairs("[4]", "[]", subtract).empty());
    CHECK(notes_of_pairs("[4]", "[4]", R"({"name": "c", "op": "reshape", "inputs": "y", "shape": [4, 1]},
        {"name": "d", "op": "subtract", "inputs": ["p", "c"]})")
              .empty());  // all pairs, as they are written
}

TEST_CASE("so are tensors of more axes that are alike but for axes of 1", "[lib][graph][suspicions]") {
    for (std::string const& node : {subtract, einsum_of("...,...->...", "x-y")}) {
        std::vector<std::string> const found = notes_of_pairs("[5, 1, 3]", "[5, 3]", node);
        REQUIRE(found.size() == 1);
        CHECK_THAT(found[0], Catch::Contains("'y' of shape (5, 3) and 'p' of shape (5, 1, 3) give (5, 5, 3)") &&
                                 Catch::EndsWith("\"inputs\": \"p\", \"shape\": [5,3]}"));
        CHECK(notes_of_pairs("[1, 5, 3]", "[5, 3]", node).empty());  // no larger than both
        CHECK(notes_of_pairs("[7, 5, 3]", "[5, 3]", node).empty());
        CHECK(notes_of_pairs("[5, 1, 3]", "[7, 3]", node).empty());
    }
    CHECK(notes_of_pairs("[5, 3]", "[5, 3]", einsum_of("ik,jk->ij", "abs(x-y)")).empty());
}

TEST_CASE("differences that are summed over all pairs are noted", "[lib][graph][suspicions]") {
    for (std::string const& node : {einsum_of("i,j->", "(x-y)^2"), einsum_of("i,j->", "abs(x-y)/size(i)"),
                                    einsum_of("i,j->", "(x-y)^2", R"(, "agg": "mean")")}) {
        CAPTURE(node);
        std::vector<std::string> const found = notes_of_pairs("[8]", "[8]", node);
        REQUIRE(found.size() == 1);
        CHECK_THAT(found[0],
                   Catch::Contains("'p' and 'y' have no label in common, so that each of 8 elements is compared with "
                                   "every one of 8; axes that belong together need one label, as in \"i,i->\""));
    }
    CHECK(notes_of_pairs("[2, 4]", "[2, 4]", einsum_of("ij,kl->", "(x-y)^2")).size() == 1);
    CHECK(notes_of_pairs("[8]", "[8]", einsum_of("i,i->", "(x-y)^2")).empty());
    CHECK(notes_of_pairs("[8]", "[9]", einsum_of("i,j->", "(x-y)^2")).empty());   // of two sets of points
    CHECK(notes_of_pairs("[8]", "[8]", einsum_of("i,j->i", "(x-y)^2")).empty());  // all pairs are meant
    CHECK(notes_of_pairs("[8]", "[8]", einsum_of("i,j->", "abs(x-y)", R"(, "agg": "max")")).empty());
    CHECK(notes_of_pairs("[8, 2]", "[8, 2]", einsum_of("ik,jk->", "(x-y)^2")).empty());
    std::string const with_itself = R"x({"name": "d", "einsum": "i,j->", "inputs": ["p", "p"], "join": "abs(x-y)"})x";
    CHECK(notes_of_pairs("[8]", "[8]", with_itself).empty());
}

TEST_CASE("means of rows that meet columns are noted", "[lib][graph][suspicions]") {
    auto const of = [](std::string const& op, std::string const& axis, std::string const& more,
                       std::string const& shape = "[6, 6]") {
        return notes_of_pairs(shape, "[]",
                              R"({"name": "m", "op": ")" + op + R"(", "inputs": "p", "axis": )" + axis + more +
                                  R"(}, {"name": "d", "op": "subtract", "inputs": ["p", "m"]})");
    };
    for (std::string const op : {"mean", "sum", "max", "std", "var", "norm", "logsumexp"}) {
        CAPTURE(op);
        std::vector<std::string> const found = of(op, "1", "");
        REQUIRE(found.size() == 1);
        CHECK_THAT(found[0],
                   Catch::Contains("'m' has axis 0 of 'p' and meets its axis 1, since axes are aligned on the right; "
                                   "give 'm' \"keepdims\": true, or write the node as an \"einsum\""));
        CHECK(of(op, "0", "").empty());
        CHECK(of(op, "1", ", \"keepdims\": true").empty());
        CHECK(of(op, "[0, 1]", "").empty());
    }
    CHECK(of("mean", "2", "", "[6, 6, 6]").size() == 1);
    CHECK(of("mean", "0", "", "[6, 6, 6]").empty());
    CHECK(notes_of_pairs("[6, 6]", "[6]", subtract).empty());  // nobody knows which axis it has
}

TEST_CASE("heads that \"sizes\" alone makes are noted, repetitions are not", "[lib][graph][suspicions]") {
    auto const notes_of_heads = [](std::string const& node) {
        return read_graph(
                   R"({"eingraph": 1, "tensors": {"Q": {"shape": [2, 6, 8]}, "K": {"shape": [2, 5, 8]}}, "nodes": [
            {"name": "S", )" +
                       node + R"(}], "outputs": ["S", "Q", "K"]})",
                   "g.json", {})
            .notes;
    };
    std::vector<std::string> const found =
        notes_of_heads(R"("einsum": "bqd,bkd->bhqk", "inputs": ["Q", "K"], "sizes": {"h": 4})");
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0],
               Catch::Contains("node 'S': no input has 'h', so that the result is the same 4 times along it"));
    CHECK_THAT(found[0], Catch::Contains("\"shape\": [..., 4, -1]}, and then 'h' is a label of the inputs too"));
    for (std::string const node : {R"("einsum": "bqd->bqdh", "inputs": ["Q"], "sizes": {"h": 4})",
                                   R"("einsum": "bqd,bkd->bhqk", "inputs": ["Q", "K"], "sizes": {"h": 1})",
                                   R"x("einsum": "bqd,bkd->bhqk", "inputs": ["Q", "K"], "sizes": {"h": 4},
                                     "join": "x*y*exp2(-[h])")x"}) {
        CAPTURE(node);
        CHECK(notes_of_heads(node).empty());
    }
}

TEST_CASE("heads that a reshape makes of other rows are noted", "[lib][graph][suspicions]") {
    auto const notes_of_reshape = [](std::string const& from, std::string const& to) {
        return read_graph(R"({"eingraph": 1, "tensors": {"Q": {"shape": )" + from +
                              R"(}}, "nodes": [{"name": "H", "op": "reshape",
            "inputs": ["Q"], "shape": )" +
                              to + R"(}], "outputs": ["H", "Q"]})",
                          "g.json", {})
            .notes;
    };
    std::vector<std::string> const split = notes_of_reshape("[2, 64, 32]", "[2, 4, 64, 8]");
    REQUIRE(split.size() == 1);
    CHECK(split[0] ==
          "node 'H': a reshape keeps the order of elements, so that the 64 rows of (2, 64, 32) do not become the 64 of "
          "(2, 4, 64, 8); split the last axis, \"shape\": [2,64,4,8], then exchange axes, {\"op\": \"transpose\", "
          "\"axes\": [0,2,1,3]}");
    std::vector<std::string> const joined = notes_of_reshape("[2, 4, 64, 8]", "[2, 64, -1]");
    REQUIRE(joined.size() == 1);
    CHECK_THAT(joined[0], Catch::EndsWith("exchange axes before, {\"op\": \"transpose\", \"axes\": [0,2,1,3]}"));
    CHECK(notes_of_reshape("[64, 32]", "[4, 64, 8]").size() == 1);
    for (std::string const to : {"[2, 64, 4, 8]", "[2, 8, 8, 32]", "[128, 32]", "[2, 1, 64, 32]", "[2, 2, 32, 32]"}) {
        CAPTURE(to);
        CHECK(notes_of_reshape("[2, 64, 32]", to).empty());
    }
    CHECK(notes_of_reshape("[2, 4, 32]", "[2, 4, 4, 8]").empty());  // as many heads as rows
}
