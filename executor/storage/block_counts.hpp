// The books of one rank's blocks: how many were created and deleted, how many bytes are live and were at most.
// Bytes are elements times their size, so that they compare with a predicted peak exactly.
// Example: create(8), create(8), remove(8): created 2, deleted 1, live 8 bytes, peak 16 bytes.
#pragma once

#include <cstdint>

namespace ein::executor {

class BlockCounts {
public:
    void create(std::int64_t bytes);
    void remove(std::int64_t bytes);

    std::int64_t created() const { return created_; }
    std::int64_t deleted() const { return deleted_; }
    std::int64_t live() const { return created_ - deleted_; }
    std::int64_t live_bytes() const { return live_bytes_; }
    std::int64_t peak_bytes() const { return peak_bytes_; }

    /// @throws InternalError when a block is left, or when the blocks were ever more than `peak_predicted` bytes
    void check(std::int64_t peak_predicted) const;

private:
    std::int64_t created_ = 0, deleted_ = 0, live_bytes_ = 0, peak_bytes_ = 0;
};

}  // namespace ein::executor
