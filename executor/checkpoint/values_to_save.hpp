// What all ranks together write of the values that are live at a point: which rank writes which boxes, and where. What
// sparse values list is counted first, so each box has its place in the file before anything is written.
// Steps: values.write(anew), collective; then one rank: values.complete(anew) for the manifest.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "executor/checkpoint/folder/new_checkpoint.hpp"
#include "executor/checkpoint/live_values.hpp"
#include "executor/transport/transport.hpp"

namespace ein::executor {

/// The bytes of a block, as they lie in memory; those of one on disk are read into the buffer.
using ReadLive = std::function<std::span<std::byte const>(LiveBox const&, std::vector<std::byte>& buffer)>;

class ValuesToSave {
public:
    /// Collective. @param live  of this rank, without given tensors
    ValuesToSave(Transport& transport, schedule::Header const& header, std::vector<LiveBox> live, ReadLive read);

    /// Collective. @throws Disagreement
    void write(NewCheckpoint& anew);
    /// Of all values, once they are written.
    std::int64_t bytes() const;
    /// Rank 0, when all have written: files of sparse values are completed. @throws RunError
    std::vector<SavedValue> complete(NewCheckpoint& anew);

private:
    /// A box, and where it is in the manifest.
    struct Item {
        BoxToSave what;
        std::size_t value, box;
    };
    SavedBox& saved(Item const& item) { return values_[item.value].boxes[item.box]; }
    bool is_mine(Item const& item) const { return item.what.rank == transport_.rank(); }
    LiveBox const& live_of(Item const& item) const;
    tensor::SparseBlockView block_of(Item const& item, std::vector<std::byte>& buffer) const;
    void describe(std::vector<BoxToSave> boxes);
    void count();
    std::string write_mine(NewCheckpoint& anew);

    Transport& transport_;
    schedule::Header const& header_;
    std::vector<LiveBox> live_;
    ReadLive read_;
    std::vector<Item> items_;  // of all ranks
    std::vector<SavedValue> values_;
    std::vector<std::string> written_;  // by rank, of its items in order: hash, sums of sparse ones
};

}  // namespace ein::executor
