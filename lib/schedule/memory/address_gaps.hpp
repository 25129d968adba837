// Places in one range of memory: the smallest gap that is large enough, gaps that meet are joined.
// Example: of 1024 bytes take(256) is 0, take(256) is 256, give(0, 256), and take(512) is 512: the gap at 0 is too
// small.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace ein::schedule {

class AddressGaps {
public:
    explicit AddressGaps(std::int64_t bytes) : free_(bytes) {
        if (bytes > 0) add(0, bytes);
    }

    /// @return where, or nothing where no gap is as large
    std::optional<std::int64_t> take(std::int64_t bytes) {
        auto const gap = by_size_.lower_bound({bytes, -1});
        if (gap == by_size_.end()) return std::nullopt;
        auto const [size, begin] = *gap;
        drop(begin, size);
        if (size > bytes) add(begin + bytes, size - bytes);
        free_ -= bytes;
        return begin;
    }

    void give(std::int64_t begin, std::int64_t bytes) {
        free_ += bytes;
        auto const after = gaps_.lower_bound(begin);
        if (after != gaps_.end() && after->first == begin + bytes) {
            bytes += after->second;
            drop(after->first, after->second);
        }
        auto const next = gaps_.lower_bound(begin);
        if (next != gaps_.begin())
            if (auto const before = std::prev(next); before->first + before->second == begin) {
                auto const [from, size] = *before;
                drop(from, size);
                begin = from, bytes += size;
            }
        add(begin, bytes);
    }

    std::int64_t free() const { return free_; }

private:
    void add(std::int64_t begin, std::int64_t bytes) {
        gaps_.emplace(begin, bytes);
        by_size_.emplace(bytes, begin);
    }
    void drop(std::int64_t begin, std::int64_t bytes) {
        gaps_.erase(begin);
        by_size_.erase({bytes, begin});
    }

    std::map<std::int64_t, std::int64_t> gaps_;                // by begin
    std::set<std::pair<std::int64_t, std::int64_t>> by_size_;  // size, begin
    std::int64_t free_;
};

}  // namespace ein::schedule
