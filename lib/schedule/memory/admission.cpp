#include "lib/schedule/memory/admission.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace ein::schedule {

Admission::Admission(std::vector<std::int64_t> const& live, std::int64_t limit, std::int64_t total)
    : limit_(limit), always_fits_(total <= limit) {
    if (always_fits_) return;
    leaves_ = std::bit_ceil(live.size() + 1);
    tree_.resize(2 * leaves_);
    added_.resize(2 * leaves_);
    std::copy(live.begin(), live.end(), tree_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t i = leaves_; i-- > 1;) tree_[i] = std::max(tree_[2 * i], tree_[2 * i + 1]);
}

bool Admission::admits(TaskId due, std::int64_t bytes, TaskId from) const {
    if (always_fits_ || bytes == 0 || due <= head_) return true;
    return highest(static_cast<std::size_t>(from.value()), static_cast<std::size_t>(due.value())) + bytes <= limit_;
}

bool Admission::made(TaskId due, std::int64_t bytes) {
    if (due <= head_) return false;
    add(due, bytes);
    return true;
}

/// The tasks before `due` are a leaf's left neighbours and those of its parents, with all below them.
void Admission::add(TaskId due, std::int64_t bytes) {
    if (always_fits_) return;
    for (std::size_t node = leaves_ + static_cast<std::size_t>(due.value()); node > 1; node /= 2) {
        if (node % 2 == 1) {
            tree_[node - 1] += bytes;
            added_[node - 1] += bytes;
        }
        tree_[node / 2] = std::max(tree_[node], tree_[node ^ 1]) + added_[node / 2];
    }
}

/// Of tasks [first, last). Upwards from both ends: `low` is the highest of the nodes that were taken from the left, all
/// of them below node `left` - 1, `high` of those from the right, below node `right`.
std::int64_t Admission::highest(std::size_t first, std::size_t last) const {
    constexpr std::int64_t nothing = std::numeric_limits<std::int64_t>::min() / 2;
    std::int64_t low = nothing, high = nothing;
    std::size_t left = leaves_ + first, right = leaves_ + last;
    for (; left < right; left /= 2, right /= 2) {
        if (left % 2 == 1) low = std::max(low, tree_[left++]);
        if (right % 2 == 1) high = std::max(high, tree_[--right]);
        low += added_[(left - 1) / 2];
        high += added_[right / 2];
    }
    for (std::size_t node = left - 1; node > 1; node /= 2) low += added_[node / 2];
    for (std::size_t node = right; node > 1; node /= 2) high += added_[node / 2];
    return std::max(low, high);
}

}  // namespace ein::schedule
