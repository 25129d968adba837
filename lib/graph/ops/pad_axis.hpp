// How np.pad's modes that copy fill one axis, as runs of the input: each run reads consecutive elements forwards or
// backwards. Example: reflect of 3 elements by (2, 1) is the runs 2 1 | 0 1 2 | 1.
#pragma once

#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

enum class PadMode : std::uint8_t { constant, edge, reflect, symmetric, wrap };

struct PadWidth {
    Extent before = 0, after = 0;
    bool none() const { return before == 0 && after == 0; }
    friend bool operator==(PadWidth const&, PadWidth const&) = default;
};

struct PadRun {
    Extent begin = 0;  // in the output
    Extent length = 0;
    AxisMap map;
};

/// How many runs pad_runs gives at most.
Extent pad_run_count(PadMode mode, Extent extent, PadWidth width);

/// @param mode    reflect (extent >= 2), symmetric or wrap (extent >= 1)
std::vector<PadRun> pad_runs(PadMode mode, Extent extent, PadWidth width);

}  // namespace ein::graph
