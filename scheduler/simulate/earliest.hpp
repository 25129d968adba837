// The earliest of many times that change: a tournament, O(log n) for a change, O(1) to ask.
// Example: Earliest e(3); e.set(0, 5.0); e.set(2, 4.0); e.time() is 4.0 and e.index() is 2; of equal times the lower index is taken.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace ein::scheduler {

class Earliest {
public:
    explicit Earliest(std::size_t count = 0) {
        while (leaves_ < count) leaves_ *= 2;
        times_.assign(leaves_, std::numeric_limits<double>::infinity());
        winner_.resize(2 * leaves_);
        for (std::size_t i = 0; i < leaves_; ++i) winner_[leaves_ + i] = i;
        for (std::size_t i = leaves_; i-- > 1;) winner_[i] = winner_[2 * i];
    }

    void set(std::size_t index, double time) {
        times_[index] = time;
        for (std::size_t i = (index + leaves_) / 2; i > 0; i /= 2) {
            std::size_t const left = winner_[2 * i], right = winner_[2 * i + 1];
            winner_[i] = times_[right] < times_[left] ? right : left;
        }
    }
    std::size_t index() const { return leaves_ == 1 ? 0 : winner_[1]; }
    double time() const { return times_[index()]; }

private:
    std::size_t leaves_ = 1;
    std::vector<double> times_;
    std::vector<std::size_t> winner_;  // of each match; the leaves are at leaves_ + index
};

}  // namespace ein::scheduler
