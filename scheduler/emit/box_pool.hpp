// The coordinates of a section while it is made: boxes that were entered lately are not entered again, since layers
// that are alike are cut alike.
#pragma once

#include <span>
#include <vector>

#include "lib/schedule/model/schedule.hpp"

namespace ein::scheduler {

/// Where tasks put what does not fit in a record (lib/schedule/model/packing.hpp).
class BoxPool {
public:
    explicit BoxPool(schedule::Section& section) : section_(section) {}

    std::int32_t add_operands(std::span<BlockId const> blocks) { return section_.add_operands(blocks); }
    /// @return where the box is in Section::coords
    schedule::CoordsPlace add_box(BoxView box);

private:
    schedule::Section& section_;
    std::vector<schedule::CoordsPlace> places_;  // by hash, of the last box with that hash
};

}  // namespace ein::scheduler
