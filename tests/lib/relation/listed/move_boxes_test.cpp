#include "lib/relation/listed/move_boxes.hpp"

#include <random>
#include <set>

#include "tests/support/catch.hpp"

using namespace ein;

TEST_CASE("boxes before a reshape have each place of a box once", "[relation]") {
    std::mt19937 random(3);
    std::vector<Shape> const shapes{{4, 3, 5, 2}, {12, 10}, {120}, {1, 120, 1}, {2, 60}, {8, 15}, {5, 4, 6}};
    for (int round = 0; round < 300; ++round) {
        Shape const &from = shapes[random() % shapes.size()], &to = shapes[random() % shapes.size()];
        Box box = Box::whole(to);
        bool rows = true;  // cut along its first axis alone
        for (std::size_t axis = 0; axis < to.size(); ++axis) {
            box.begin[axis] = static_cast<Extent>(random() % static_cast<std::size_t>(to[axis]));
            box.length[axis] = 1 + static_cast<Extent>(random() % static_cast<std::size_t>(to[axis] - box.begin[axis]));
            if (axis > 0 && round % 2 == 0) box.begin[axis] = 0, box.length[axis] = to[axis];
            rows = rows && (axis == 0 || box.length[axis] == to[axis]);
        }
        std::multiset<Extent> read;
        auto const strides = row_major_strides(from), strides_to = row_major_strides(to);
        for (Box const& part : relation::boxes_before_reshape(from, to, box))
            for_each_index(part.length, [&](std::vector<Extent> const& index) {
                Extent place = 0;
                for (std::size_t axis = 0; axis < from.size(); ++axis)
                    place += strides[axis] * (part.begin[axis] + index[axis]);
                read.insert(place);
            });
        for_each_index(box.length, [&](std::vector<Extent> const& index) {
            Extent place = 0;
            for (std::size_t axis = 0; axis < to.size(); ++axis)
                place += strides_to[axis] * (box.begin[axis] + index[axis]);
            CHECK(read.count(place) == 1);
        });
        CHECK(std::set<Extent>(read.begin(), read.end()).size() == read.size());
        if (rows) CHECK(read.size() == static_cast<std::size_t>(box.elements()));
    }
    CHECK(relation::boxes_before_reshape({0, 3}, {3, 0}, Box::whole({3, 0})).empty());
    CHECK(relation::boxes_before_reshape({}, {1, 1}, Box::whole({1, 1})) == std::vector<Box>{Box{}});
}
