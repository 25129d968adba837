#include "lib/graph/ops/slice_axis.hpp"

#include <algorithm>

namespace ein::graph {

SlicedAxis slice_axis(SliceAxis const& slice, Extent extent) {
    bool const forward = slice.step > 0;
    Extent const least = forward ? 0 : -1, most = forward ? extent : extent - 1;  // where start and stop may lie
    auto clamped = [&](std::optional<std::int64_t> position, Extent otherwise) {
        if (!position) return otherwise;
        return std::clamp(*position < 0 ? *position + extent : *position, least, most);
    };
    Extent const start = clamped(slice.start, forward ? least : most);
    Extent const stop = clamped(slice.stop, forward ? most : least);
    Extent const span = forward ? stop - start : start - stop;
    Extent const stride = forward ? slice.step : -slice.step;
    Extent const length = span <= 0 ? 0 : (span - 1) / stride + 1;
    if (length == 0) return {{0, 1}, 0};
    return {{start, length == 1 ? 1 : slice.step}, length};  // the step of one element does not matter
}

}  // namespace ein::graph
