// Where elements of nested labels lie, in room that a launch has: offsets, and how many from each on lie side by side.
// Example: two labels of 2 and 3 with steps 10 and 1 are at 0 1 2 10 11 12, and 3 2 1 3 2 1 are adjacent.
#pragma once

#include <algorithm>
#include <vector>

#include "executor/device/cpu/gemm/label_iterations.hpp"
#include "executor/device/cpu/narrow/narrow_loops.hpp"

namespace ein::executor {

/// The room of some labels' places.
class PlaceRoom {
public:
    static std::size_t bytes(Extent count) { return 2 * lines_of(count); }
    PlaceRoom(std::byte* room, Extent most)
        : at_(reinterpret_cast<std::ptrdiff_t*>(room)),
          adjacent_(reinterpret_cast<std::ptrdiff_t*>(room + lines_of(most))) {}

    /// Of iterations first ... first + count - 1. @param matrix  which of the two whose steps the labels have
    NarrowPlaces find(std::vector<PairLabel> const& label, int matrix, Extent first, Extent count) const {
        PairLabels const labels{label.data(), static_cast<int>(label.size())};
        Iterations iterations(labels, first);
        for (Extent done = 0; done < count;) {
            Extent const run = std::min(iterations.run(), count - done), step = iterations.step(matrix);
            Extent at = iterations.at(matrix);
            for (Extent i = done; i < done + run; ++i, at += step) at_[i] = at;
            done += run;
            iterations.advance(run);
        }
        for (Extent i = count; i-- > 0;)
            adjacent_[i] = i + 1 < count && at_[i + 1] == at_[i] + 1 ? adjacent_[i + 1] + 1 : 1;
        return {at_, adjacent_, count};
    }

private:
    static std::size_t lines_of(Extent count) { return (static_cast<std::size_t>(count) * 8 + 63) / 64 * 64; }
    std::ptrdiff_t *at_, *adjacent_;
};

}  // namespace ein::executor
