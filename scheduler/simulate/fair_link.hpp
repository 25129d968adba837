// One link that all who use it share evenly at every moment (processor sharing), in O(log users) for each arrival and
// departure: instead of every user's remaining bytes, one number grows, the bytes that each user has been given since
// the beginning. Chosen over first come, first served: MPI moves its open messages side by side, and several that start
// together end together. Example: 10 bytes/s; 20 bytes at 0 s and 10 bytes at 1 s: from 1 s on 5 bytes/s each; both end
// at 3 s.
#pragma once

#include <cstdint>
#include <limits>
#include <queue>
#include <tuple>
#include <vector>

namespace ein::scheduler {

class FairLink {
public:
    static constexpr double never = std::numeric_limits<double>::infinity();

    /// @param burst  bytes that it carries at once after it was idle for as long as it takes to carry them
    explicit FairLink(double bytes_per_second, double burst = 0)
        : rate_(bytes_per_second), burst_(burst), credit_(burst) {}

    /// @return the user's mark, for left()
    double add(double now, double bytes, std::int32_t user);
    /// Bytes that the user of `mark` has not been given yet; it has not been taken off.
    double left(double now, double mark) const;
    /// When the next user will have been served, if nobody comes before.
    double next_end() const;
    /// Takes that user off. @param now  what next_end() said
    std::int32_t take(double now);

private:
    void advance(double now);

    struct User {
        double ends_at;      // on the scale of given_
        std::int64_t order;  // of arrival: who came first goes first
        std::int32_t id;
        bool operator>(User const& other) const {
            return std::tie(ends_at, order) > std::tie(other.ends_at, other.order);
        }
    };

    double rate_, burst_, credit_;  // credit: what it carries at once now
    double given_ = 0, now_ = 0;
    std::int64_t arrivals_ = 0;
    std::priority_queue<User, std::vector<User>, std::greater<>> users_;
};

}  // namespace ein::scheduler
