#include "lib/base/partition.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

using namespace ein;

TEST_CASE("the header's example", "[lib][base][partition]") {
    CHECK(part_begin(7, 3, 0) == 0);
    CHECK(part_begin(7, 3, 1) == 3);
    CHECK(part_begin(7, 3, 2) == 5);
    CHECK(part_begin(7, 3, 3) == 7);
    CHECK(part_length(0, 1, 0) == 0);
}

TEST_CASE("parts cover an axis without gaps, differ by at most one, longer ones first", "[lib][base][partition]") {
    for (Extent extent = 0; extent <= 40; ++extent)
        for (std::int64_t parts = 1; parts <= std::max<Extent>(1, extent); ++parts) {
            CAPTURE(extent, parts);
            CHECK(part_begin(extent, parts, 0) == 0);
            CHECK(part_begin(extent, parts, parts) == extent);
            for (std::int64_t part = 0; part < parts; ++part) {
                CHECK(part_begin(extent, parts, part) + part_length(extent, parts, part) ==
                      part_begin(extent, parts, part + 1));
                CHECK(part_length(extent, parts, part) >= extent / parts);
                CHECK(part_length(extent, parts, part) <= (extent + parts - 1) / parts);
                if (part > 0) CHECK(part_length(extent, parts, part) <= part_length(extent, parts, part - 1));
            }
        }
}

TEST_CASE("part_of finds the part that holds an element", "[lib][base][partition]") {
    for (Extent extent = 1; extent <= 40; ++extent)
        for (std::int64_t parts = 1; parts <= extent; ++parts)
            for (Extent position = 0; position < extent; ++position) {
                CAPTURE(extent, parts, position);
                std::int64_t const part = part_of(extent, parts, position);
                CHECK(part_begin(extent, parts, part) <= position);
                CHECK(position < part_begin(extent, parts, part + 1));
            }
}

TEST_CASE("extents near 2^62 do not overflow", "[lib][base][partition]") {
    Extent const extent = (Extent{1} << 62) + 5;
    std::int64_t const parts = 7;
    CHECK(part_begin(extent, parts, parts) == extent);
    CHECK(part_of(extent, parts, extent - 1) == parts - 1);
    CHECK(part_of(extent, parts, part_begin(extent, parts, 3)) == 3);
}

TEST_CASE("blocks of a grid tile the tensor", "[lib][base][partition]") {
    Shape const shape{7, 1, 5};
    Parts const parts{3, 1, 2};
    CHECK(block_box(shape, parts, Shape{1, 0, 1}) == Box{{3, 0, 3}, {2, 1, 2}});
    Extent covered = 0;
    for_each_index(parts,
                   [&](std::vector<Extent> const& index) { covered += block_box(shape, parts, index).elements(); });
    CHECK(covered == element_count(shape));
    CHECK(block_box({}, {}, {}).elements() == 1);
}

TEST_CASE("blocks_meeting finds exactly the blocks that share elements with a region", "[lib][base][partition]") {
    Shape const shape{7, 6};
    Parts const parts{3, 4};
    for_each_index(Shape{7, 6, 7, 6}, [&](std::vector<Extent> const& p) {
        Box const region{{p[0], p[1]}, {std::min(p[2] + 1, 7 - p[0]), std::min(p[3] + 1, 6 - p[1])}};
        Box const meeting = blocks_meeting(shape, parts, region);
        bool agrees = true;
        for_each_index(parts, [&](std::vector<Extent> const& index) {
            bool const shares = !intersection(block_box(shape, parts, index), region).empty();
            bool const named = meeting.contains(Box{index, Shape(index.size(), 1)});
            agrees = agrees && shares == named;
        });
        CAPTURE(to_string(region), to_string(meeting));
        CHECK(agrees);
    });
}
