// Moves and reshapes as tasks: what stays, what is cut out and sent, what is filled.
#include "tests/scheduler/lower/lowering_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using Kinds = std::map<std::string, int>;

namespace {

/// Y = 2 X of 8 rows, then Z, made of Y's rows [first, first + 4) at rows [to, to + 4) of `rows`.
graph::EinGraph rows_of(Extent first, Extent to, Extent rows) {
    test::GraphBuilder g;
    g.leaf("X", {8, 2});
    g.einsum("Y", "ij->ij", {"X"}, {.join = "2*x"});
    graph::Move move;
    move.regions.push_back({{{to, 0}, {4, 2}}, {{first - to, 1}, {0, 1}}});
    if (rows > 4) move.fill = scalar::Scalar{};
    g.node("Z", move, {"Y"}, {rows, 2});
    return g.finish({"Z"});
}

graph::EinGraph reshaped(Shape const& from, Shape const& to) {
    test::GraphBuilder g;
    g.leaf("X", from);
    g.einsum("Y", from.size() == 1 ? "i->i" : "ij->ij", {"X"}, {.join = "2*x"});
    g.node("Z", graph::Reshape{}, {"Y"}, to);
    return g.finish({"Z"});
}

}  // namespace

TEST_CASE("rows that lie on one rank are copied there", "[scheduler][lower_move]") {
    auto const kinds = test::lowered_kinds(rows_of(0, 0, 4), 1, {{1, 1}, {1, 1}});
    CHECK(kinds[0] == Kinds{{"load", 1}, {"apply", 1}, {"copy", 1}, {"store", 1}});
}

TEST_CASE("what a slice needs from another rank is cut out there and sent once", "[scheduler][lower_move]") {
    auto kinds = test::lowered_kinds(rows_of(2, 0, 4), 2, {{2, 1}, {2, 1}});
    CHECK(kinds[0]["copy"] == 1);  // rows 2 and 3 are on rank 0, which has Z's first block
    CHECK(kinds[1]["copy"] == 1);
    CHECK(kinds[0]["send"] + kinds[1]["send"] == 0);
    kinds = test::lowered_kinds(rows_of(4, 0, 4), 2, {{2, 1}, {2, 1}});
    CHECK(kinds[0]["send"] + kinds[1]["send"] == 1);  // rows 4 to 7 are on rank 1 alone
}

TEST_CASE("a pad fills what no input covers", "[scheduler][lower_move]") {
    auto const kinds = test::lowered_kinds(rows_of(0, 2, 8), 1, {{1, 1}, {1, 1}});
    CHECK(kinds[0] == Kinds{{"load", 1}, {"apply", 1}, {"fill", 1}, {"copy", 1}, {"store", 1}});
}

TEST_CASE("a reshape takes what two blocks share, packed when it travels", "[scheduler][lower_reshape]") {
    auto kinds = test::lowered_kinds(reshaped({4, 6}, {24}), 1, {{1, 1}, {1}});
    CHECK(kinds[0] == Kinds{{"load", 1}, {"apply", 1}, {"reshape", 1}, {"store", 1}});
    kinds = test::lowered_kinds(reshaped({4, 6}, {24}), 2, {{1, 2}, {2}});  // columns to rows
    for (auto of_rank : kinds) {
        CHECK(of_rank["reshape"] == 1);
        CHECK(of_rank["pack"] == 1);
        CHECK(of_rank["send"] == 1);
        CHECK(of_rank["unpack"] == 1);
    }
    kinds = test::lowered_kinds(reshaped({4, 6}, {24}), 2, {{2, 1}, {2}});  // each rank has what it needs
    for (auto of_rank : kinds) CHECK(of_rank["send"] == 0);
}

TEST_CASE("an empty output is filled with nothing", "[scheduler][lower_reshape]") {
    auto const kinds = test::lowered_kinds(reshaped({0, 6}, {0}), 1, {{1, 1}, {1}});
    CHECK(kinds[0].at("fill") == 2);  // and an empty block of X, in place of a load
}
