// One axis of a slice, as Python has it: start:stop:step, each may be missing, negative ones count from the end, and
// what lies beyond the ends is clamped. Example: 5:1:-2 of an axis of 10 is the positions 5 and 3: AxisMap{5, -2}, 2
// elements.
#pragma once

#include <optional>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

struct SliceAxis {
    std::optional<std::int64_t> start, stop;
    std::int64_t step = 1;  // not 0, magnitude at most 2^62
};

struct SlicedAxis {
    AxisMap map;
    Extent length = 0;
};

SlicedAxis slice_axis(SliceAxis const& slice, Extent extent);

}  // namespace ein::graph
