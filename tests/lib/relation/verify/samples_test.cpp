#include "lib/relation/verify/samples.hpp"
#include "tests/support/catch.hpp"

using ein::relation::IndexSets;
using ein::relation::sampled_indices;

TEST_CASE("sampled positions are sorted, distinct, inside, and as many as asked for or a few more",
          "[relation][verify]") {
    for (ein::Shape const& shape :
         {ein::Shape{}, {1}, {1000}, {7, 1}, {4000, 4000}, {3, 500, 2, 60}, {2, 2, 2, 2, 2, 2, 2, 2}})
        for (std::int64_t count : {1, 2, 5, 64, 1000}) {
            CAPTURE(ein::to_string(shape), count);
            IndexSets const sets = sampled_indices(shape, count);
            CHECK(sets == sampled_indices(shape, count));
            REQUIRE(sets.size() == shape.size());
            std::int64_t product = 1;
            for (std::size_t axis = 0; axis < shape.size(); ++axis) {
                REQUIRE_FALSE(sets[axis].empty());
                CHECK(std::is_sorted(sets[axis].begin(), sets[axis].end()));
                CHECK(std::adjacent_find(sets[axis].begin(), sets[axis].end()) == sets[axis].end());
                CHECK(sets[axis].front() >= 0);
                CHECK(sets[axis].back() < shape[axis]);
                product *= static_cast<std::int64_t>(sets[axis].size());
            }
            CHECK(product >= std::min(count, ein::element_count(shape)));
            CHECK(product <= std::max<std::int64_t>(4 * count, 1));
        }
}

TEST_CASE("an empty tensor has no positions", "[relation][verify]") {
    IndexSets const sets = sampled_indices({3, 0}, 64);
    CHECK(sets[1].empty());
}
