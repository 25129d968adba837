#include "executor/checkpoint/folder/box_cover.hpp"

namespace ein::executor {

namespace {

/// Adds what of `box` lies outside of `taken`, as boxes that do not overlap.
void add_difference(Box box, Box const& taken, std::vector<Box>& out) {
    Box const shared = intersection(box, taken);
    if (shared.empty()) return out.push_back(std::move(box));
    for (std::size_t axis = 0; axis < box.order(); ++axis) {
        Box before = box, after = box;
        before.length[axis] = shared.begin[axis] - box.begin[axis];
        after.begin[axis] = shared.end(axis);
        after.length[axis] = box.end(axis) - shared.end(axis);
        if (!before.empty()) out.push_back(std::move(before));
        if (!after.empty()) out.push_back(std::move(after));
        box.begin[axis] = shared.begin[axis];
        box.length[axis] = shared.length[axis];
    }
}

}  // namespace

std::vector<Box> without(Box const& box, Box const& taken) {
    std::vector<Box> out;
    add_difference(box, taken, out);
    return out;
}

bool is_covered(Box const& box, std::span<SavedBox const> boxes) {
    std::vector<Box> missing;
    if (!box.empty()) missing.push_back(box);
    for (SavedBox const& saved : boxes) {
        if (missing.empty()) break;
        std::vector<Box> still;
        for (Box& part : missing) add_difference(std::move(part), saved.box, still);
        missing = std::move(still);
    }
    return missing.empty();
}

}  // namespace ein::executor
