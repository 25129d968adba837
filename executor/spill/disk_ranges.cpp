#include "executor/spill/disk_ranges.hpp"

#include <algorithm>

namespace ein::executor {

std::int64_t DiskRanges::take(std::int64_t bytes) {
    taken_ += bytes;
    peak_ = std::max(peak_, taken_);
    auto const gap = std::find_if(gaps_.begin(), gaps_.end(), [&](auto const& each) { return each.second >= bytes; });
    if (gap == gaps_.end()) {
        end_ += bytes;
        return end_ - bytes;
    }
    auto const [offset, size] = *gap;
    gaps_.erase(gap);
    if (size > bytes) gaps_.emplace(offset + bytes, size - bytes);
    return offset;
}

void DiskRanges::give(std::int64_t offset, std::int64_t bytes) {
    taken_ -= bytes;
    if (bytes == 0) return;
    auto next = gaps_.lower_bound(offset);
    if (next != gaps_.end() && next->first == offset + bytes) {
        bytes += next->second;
        next = gaps_.erase(next);
    }
    if (next != gaps_.begin()) {
        auto const before = std::prev(next);
        if (before->first + before->second == offset) {
            offset = before->first;
            bytes += before->second;
            gaps_.erase(before);
        }
    }
    if (offset + bytes == end_)
        end_ = offset;
    else
        gaps_.emplace(offset, bytes);
}

}  // namespace ein::executor
