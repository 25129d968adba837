// The earliest of many times that change: a tournament, O(log n) for a change, O(1) to ask.
// Example: Earliest e(3); e.set(0, 5.0); e.set(2, 4.0); e.time() is 4.0 and e.index() is 2; of equal times the lower
// index is taken.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace ein::scheduler {

class Earliest {
public:
    explicit Earliest(std::size_t count = 1) { grow(count); }

    /// Room for at least so many; new ones are never.
    void grow(std::size_t count) {
        if (count <= leaves_ && !times_.empty()) return;
        while (leaves_ < count) leaves_ *= 2;
        times_.resize(leaves_, std::numeric_limits<double>::infinity());
        winner_.resize(2 * leaves_);
        for (std::size_t i = 0; i < leaves_; ++i) winner_[leaves_ + i] = i;
        for (std::size_t i = leaves_; i-- > 1;) play(i);
    }

    void set(std::size_t index, double time) {
        times_[index] = time;
        for (std::size_t i = (index + leaves_) / 2; i > 0; i /= 2) play(i);
    }
    std::size_t index() const { return leaves_ == 1 ? 0 : winner_[1]; }
    double time() const { return times_[index()]; }

private:
    void play(std::size_t match) {
        std::size_t const left = winner_[2 * match], right = winner_[2 * match + 1];
        winner_[match] = times_[right] < times_[left] ? right : left;
    }

    std::size_t leaves_ = 1;
    std::vector<double> times_;
    std::vector<std::size_t> winner_;  // of each match; the leaves are at leaves_ + index
};

}  // namespace ein::scheduler
