#include "executor/storage/block_counts.hpp"

#include <algorithm>

#include "lib/base/error.hpp"

namespace ein::executor {

void BlockCounts::create(std::int64_t bytes) {
    ++created_;
    live_bytes_ += bytes;
    peak_bytes_ = std::max(peak_bytes_, live_bytes_);
}

void BlockCounts::remove(std::int64_t bytes) {
    ++deleted_;
    live_bytes_ -= bytes;
}

void BlockCounts::check(std::int64_t peak_predicted) const {
    if (live() != 0 || live_bytes_ != 0)
        throw InternalError(std::to_string(live()) + " blocks of " + std::to_string(live_bytes_) +
                            " bytes are left after the last task");
    if (peak_bytes_ > peak_predicted)
        throw InternalError("blocks took " + std::to_string(peak_bytes_) + " bytes at once, " +
                            std::to_string(peak_predicted) + " were predicted");
}

}  // namespace ein::executor
