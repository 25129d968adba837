#include "scheduler/move/block_directory.hpp"

#include <map>

#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using namespace ein::scheduler;

namespace {

constexpr ValueId X{0}, Y{1};
Box const upper_rows{{0, 0}, {4, 6}}, lower_rows{{4, 0}, {4, 6}}, one_column{{0, 0}, {8, 1}};

/// X, a leaf, and Y = 2 X, both of 8 x 6 in two rows.
struct TwoRows {
    graph::EinGraph graph = [] {
        test::GraphBuilder g;
        g.leaf("X", {8, 6});
        g.einsum("Y", "ij->ij", {"X"}, {.join = "2*x"});
        return g.finish({"Y"});
    }();
    BlockDirectory directory{graph, {{.made = {2, 1}, .wanted = {}}, {.made = {2, 1}, .wanted = {}}}};
};

std::map<int, double> by_rank(std::vector<Held> const& held) {
    std::map<int, double> out;
    for (Held const& has : held) out[has.rank.value()] = has.bytes;
    return out;
}

}  // namespace

TEST_CASE_METHOD(TwoRows, "a block is where it was put, and nowhere before", "[scheduler][block_directory]") {
    CHECK_FALSE(directory.has_blocks(Y));
    CHECK_FALSE(directory.block(Y, 1));
    directory.put(Y, 1, {Rank{3}, BlockId{7}, lower_rows});
    CHECK(directory.has_blocks(Y));
    CHECK(directory.block(Y, 1)->rank == Rank{3});
    CHECK(directory.input_of(X) == schedule::InputId{0});
    CHECK_FALSE(directory.input_of(Y));
}

TEST_CASE_METHOD(TwoRows, "who holds how much of a region", "[scheduler][block_directory]") {
    directory.put(Y, 0, {Rank{1}, BlockId{0}, upper_rows});
    directory.put(Y, 1, {Rank{3}, BlockId{7}, lower_rows});
    CHECK(by_rank(directory.held(Y, one_column)) == std::map<int, double>{{1, 32}, {3, 32}});
    CHECK(by_rank(directory.held(X, one_column)).empty());  // not loaded
    directory.remember(Y, upper_rows, {Rank{5}, BlockId{2}, upper_rows});
    CHECK(by_rank(directory.held(Y, {{0, 0}, {2, 6}})) == std::map<int, double>{{1, 96}, {5, 96}});
}

TEST_CASE_METHOD(TwoRows, "copies are known by region and rank until they are forgotten",
                 "[scheduler][block_directory]") {
    directory.remember(Y, one_column, {Rank{0}, BlockId{4}, one_column});
    directory.remember(Y, one_column, {Rank{2}, BlockId{5}, one_column});
    CHECK(directory.copy_of(Y, one_column, Rank{2})->block == BlockId{5});
    CHECK_FALSE(directory.copy_of(Y, one_column, Rank{1}));
    CHECK_FALSE(directory.copy_of(Y, upper_rows, Rank{0}));
    directory.forget_copies(Y);
    CHECK_FALSE(directory.copy_of(Y, one_column, Rank{0}));
}

TEST_CASE_METHOD(TwoRows, "copies are found in whatever order they came; of a rank the first stays",
                 "[scheduler][block_directory]") {
    for (int rank : {5, 2, 9, 0, 7}) directory.remember(Y, one_column, {Rank{rank}, BlockId{rank}, one_column});
    for (int rank : {9, 2}) directory.remember(Y, one_column, {Rank{rank}, BlockId{100}, one_column});
    for (int rank : {0, 2, 5, 7, 9}) {
        CAPTURE(rank);
        REQUIRE(directory.copy_of(Y, one_column, Rank{rank}));
        CHECK(directory.copy_of(Y, one_column, Rank{rank})->block == BlockId{rank});
    }
    for (int rank : {1, 6, 10}) CHECK_FALSE(directory.copy_of(Y, one_column, Rank{rank}));
    CHECK(by_rank(directory.held(Y, one_column)).size() == 5);
}

TEST_CASE_METHOD(TwoRows, "a value may be cut in another way before its blocks are made",
                 "[scheduler][block_directory]") {
    Cut cut = directory.cut(Y);
    cut.subdivide({{1, 3}, {1, 3}});
    directory.recut(Y, std::move(cut));
    CHECK(directory.cut(Y).blocks() == 6);
    for (std::size_t k = 0; k < 6; ++k)
        directory.put(Y, k, {Rank{static_cast<int>(k)}, BlockId{0}, directory.cut(Y).box(k)});
    Layout const layout = directory.layout(Y);
    CHECK(layout.parts == Parts{2, 1});
    CHECK(layout.subblocks == Parts{1, 3});
    CHECK(layout.ranks.size() == 6);
    CHECK(layout.ranks[4] == Rank{4});
}

TEST_CASE_METHOD(TwoRows, "a layout names no ranks for what has no home", "[scheduler][block_directory]") {
    CHECK(directory.layout(X).ranks.empty());
    directory.put(X, 0, {Rank{1}, BlockId{0}, upper_rows});
    CHECK(directory.layout(X).ranks == std::vector<Rank>{Rank{1}, Rank{-1}});
}
