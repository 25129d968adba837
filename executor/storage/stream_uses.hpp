// What the streams of a device did last with a range of its memory: who comes next waits for it. Kept for blocks
// while they have a place, and for the places that blocks have left.
#pragma once

#include <algorithm>
#include <map>

#include "executor/device/accelerator.hpp"

namespace ein::executor {

struct StreamUses {
    std::int64_t kernel = 0;   // number of the last kernel launched on it
    std::int64_t written = 0;  // of the last that writes it: who only reads waits for that
    Accelerator::Mark in = 0, out = 0;

    void add(StreamUses const& other) {
        kernel = std::max(kernel, other.kernel);
        written = std::max(written, other.written);
        in = std::max(in, other.in);
        out = std::max(out, other.out);
    }
};

class LeftGaps {
public:
    void left(std::int64_t begin, std::int64_t bytes, StreamUses const& uses) {
        places_[begin] = {begin + bytes, uses};
    }

    /// A place is taken: what was last done anywhere in it.
    StreamUses taken(std::int64_t begin, std::int64_t bytes) {
        std::int64_t const end = begin + bytes;
        StreamUses uses;
        auto at = places_.upper_bound(begin);
        if (at != places_.begin()) --at;
        while (at != places_.end() && at->first < end) {
            auto const [first, left] = *at;
            if (left.end <= begin) {
                ++at;
                continue;
            }
            uses.add(left.uses);
            at = places_.erase(at);
            if (first < begin) places_[first] = {begin, left.uses};
            if (left.end > end) at = places_.insert_or_assign(end, Left{left.end, left.uses}).first;
        }
        return uses;
    }

private:
    struct Left {
        std::int64_t end = 0;
        StreamUses uses;
    };
    std::map<std::int64_t, Left> places_;  // by begin; apart from each other
};

}  // namespace ein::executor
