// Which bytes of a file are taken: a new range goes into the first gap that is wide enough, else to the end.
// Example: take(8) is 0, take(4) is 8; after give(0, 8), take(6) is 0 and take(4) is 12.
#pragma once

#include <cstdint>
#include <map>

namespace ein::executor {

class DiskRanges {
public:
    /// @return where `bytes` bytes may go
    std::int64_t take(std::int64_t bytes);
    /// @param offset, bytes  as taken
    void give(std::int64_t offset, std::int64_t bytes);

    std::int64_t taken() const { return taken_; }  // bytes
    std::int64_t peak() const { return peak_; }

private:
    std::map<std::int64_t, std::int64_t> gaps_;  // bytes by offset; never side by side, never at the end
    std::int64_t end_ = 0, taken_ = 0, peak_ = 0;
};

}  // namespace ein::executor
