#include "lib/schedule/memory/admission.hpp"

#include <algorithm>
#include <bit>

namespace ein::schedule {

Admission::Admission(std::vector<std::int64_t> const& live, std::int64_t limit, std::int64_t total)
    : limit_(limit), always_fits_(total <= limit) {
    if (always_fits_) return;
    leaves_ = std::bit_ceil(live.size());
    tree_.resize(2 * leaves_);
    added_.resize(2 * leaves_);
    std::copy(live.begin(), live.end(), tree_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t i = leaves_; i-- > 1;) tree_[i] = std::max(tree_[2 * i], tree_[2 * i + 1]);
}

bool Admission::admits(TaskId due, std::int64_t bytes, TaskId from) const {
    if (always_fits_ || bytes == 0 || due <= head_) return true;
    return highest(1, leaves_, 0, static_cast<std::size_t>(from.value()), static_cast<std::size_t>(due.value())) +
               bytes <=
           limit_;
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

/// Of tasks [first, last); `node` has the `width` tasks from `begin` on.
std::int64_t Admission::highest(std::size_t node, std::size_t width, std::size_t begin, std::size_t first,
                                std::size_t last) const {
    if (first <= begin && begin + width <= last) return tree_[node];
    std::int64_t out = 0;
    std::size_t const middle = begin + width / 2;
    if (first < middle) out = highest(2 * node, width / 2, begin, first, last);
    if (last > middle) out = std::max(out, highest(2 * node + 1, width / 2, middle, first, last));
    return out + added_[node];
}

}  // namespace ein::schedule
