#include "lib/schedule/admission.hpp"

#include <algorithm>

namespace ein::schedule {

Admission::Admission(std::vector<std::int64_t> const& live, std::int64_t limit, std::int64_t total)
    : limit_(limit), always_fits_(total <= limit) {
    if (always_fits_) return;
    leaves_ = live.size();
    tree_.resize(2 * leaves_);
    std::copy(live.begin(), live.end(), tree_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t i = leaves_; i-- > 1;) tree_[i] = std::max(tree_[2 * i], tree_[2 * i + 1]);
}

bool Admission::admits(TaskId due, std::int64_t bytes) const {
    if (always_fits_ || bytes == 0 || due <= head_) return true;
    std::int64_t const planned =
        highest(static_cast<std::size_t>(head_.value()), static_cast<std::size_t>(due.value()));
    return planned + early_bytes_ + bytes <= limit_;
}

bool Admission::made(TaskId due, std::int64_t bytes) {
    if (due <= head_) return false;
    early_bytes_ += bytes;
    return true;
}

std::int64_t Admission::highest(std::size_t first, std::size_t last) const {
    std::int64_t out = 0;
    for (first += leaves_, last += leaves_; first < last; first /= 2, last /= 2) {
        if (first % 2 == 1) out = std::max(out, tree_[first++]);
        if (last % 2 == 1) out = std::max(out, tree_[--last]);
    }
    return out;
}

}  // namespace ein::schedule
