#include "lib/graph/ops/pad_axis.hpp"

#include <algorithm>

#include "lib/base/error.hpp"

namespace ein::graph {
namespace {

/// The axis repeats in segments of this length, every other one backwards (wrap: all forwards).
Extent segment_length(PadMode mode, Extent extent) { return mode == PadMode::reflect ? extent - 1 : extent; }

Extent floor_div(Extent a, Extent b) { return a / b - (a % b < 0 ? 1 : 0); }

/// Runs for the positions [first, last) relative to the input's first element.
void add_runs(std::vector<PadRun>& runs, PadMode mode, Extent extent, Extent before, Extent first, Extent last) {
    Extent const segment = segment_length(mode, extent);
    while (first < last) {
        Extent const number = floor_div(first, segment);
        Extent const inside = first - number * segment;
        bool const forward = mode == PadMode::wrap || number % 2 == 0;
        Extent const length = std::min(segment - inside, last - first);
        runs.push_back({before + first, length, {forward ? inside : extent - 1 - inside, forward ? 1 : -1}});
        first += length;
    }
}

}  // namespace

Extent pad_run_count(PadMode mode, Extent extent, PadWidth width) {
    Extent const segment = segment_length(mode, extent);
    return width.before / segment + width.after / segment + 5;
}

std::vector<PadRun> pad_runs(PadMode mode, Extent extent, PadWidth width) {
    promise(segment_length(mode, extent) > 0, "pad_runs of an axis that cannot repeat");
    std::vector<PadRun> runs;
    add_runs(runs, mode, extent, width.before, -width.before, 0);
    runs.push_back({width.before, extent, {0, 1}});
    add_runs(runs, mode, extent, width.before, extent, extent + width.after);
    return runs;
}

}  // namespace ein::graph
