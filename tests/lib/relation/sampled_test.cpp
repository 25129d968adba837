#include "lib/relation/sampled.hpp"

#include "lib/base/error.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::relation;

TEST_CASE("an index set knows its indices and their places", "[relation][sampled]") {
    IndexSet set = IndexSet::of(10, {1, 4, 9});
    CHECK(set.size() == 3);
    CHECK(set[1] == 4);
    CHECK(set.position(9) == 2);
    CHECK(set.contains(4));
    CHECK_FALSE(set.contains(5));
    CHECK_THROWS_AS(set.position(5), InternalError);
    CHECK(IndexSet::of(3, {0, 1, 2}).is_all());
    CHECK(IndexSet::all(0).size() == 0);
    CHECK(IndexSet::all(5).position(3) == 3);
    CHECK_FALSE(IndexSet::all(5).contains(5));
}

TEST_CASE("index sets unite; together they may be all of the axis", "[relation][sampled]") {
    IndexSet set = IndexSet::of(5, {0, 3});
    set.unite(IndexSet::of(5, {1, 3}));
    CHECK(set.size() == 3);
    CHECK(set[1] == 1);
    set.unite(IndexSet::of(5, {2, 4}));
    CHECK(set.is_all());
    set.unite(IndexSet::of(5, {2}));
    CHECK(set.is_all());
    IndexSet other = IndexSet::of(5, {});
    other.unite(IndexSet::all(5));
    CHECK(other.is_all());
}

TEST_CASE("picks that repeat, fall or leave the axis are refused", "[relation][sampled]") {
    auto const picks = GENERATE(as<std::vector<Extent>>(), std::vector<Extent>{1, 1}, std::vector<Extent>{2, 1},
                                std::vector<Extent>{-1}, std::vector<Extent>{5});
    CHECK_THROWS_AS(IndexSet::of(5, picks), InternalError);
}
