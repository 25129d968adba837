#include "executor/spill/spill_store.hpp"

#include "lib/base/error.hpp"

namespace ein::executor {

SpillStore::SpillStore(std::filesystem::path const& folder, schedule::Section const& section, Reserve reserve)
    : file_(folder, reserve == Reserve::peak ? schedule::disk_use(section).peak : 0) {
    for (schedule::Task const& task : section.tasks)
        if (task.is<schedule::Fetch>()) ++fetches_[section.as<schedule::Fetch>(task).spill];
}

void SpillStore::spill(TaskId spill, std::span<std::byte const> bytes) {
    Kept kept{0, static_cast<std::int64_t>(bytes.size()), fetches_.at(spill)};
    {
        MutexLock const lock(mutex_);
        kept.offset = ranges_.take(kept.bytes);
    }
    file_.write(kept.offset, bytes);
    MutexLock const lock(mutex_);
    promise(kept_.emplace(spill, kept).second, "a block is spilled twice by one task");
    ++use_.blocks;
    use_.written += kept.bytes;
}

void SpillStore::fetch(TaskId spill, std::span<std::byte> bytes) {
    std::int64_t offset = 0;
    {
        MutexLock const lock(mutex_);
        auto const kept = kept_.find(spill);
        promise(kept != kept_.end() && kept->second.bytes == static_cast<std::int64_t>(bytes.size()),
                "a block is fetched that is not on disk");
        offset = kept->second.offset;
    }
    file_.read(offset, bytes);
    MutexLock const lock(mutex_);
    use_.read += static_cast<std::int64_t>(bytes.size());
    auto const kept = kept_.find(spill);
    if (--kept->second.fetches > 0) return;
    ranges_.give(kept->second.offset, kept->second.bytes);
    kept_.erase(kept);
}

void SpillStore::read(TaskId spill, std::span<std::byte> bytes) const {
    std::int64_t offset = 0;
    {
        MutexLock const lock(mutex_);
        auto const kept = kept_.find(spill);
        promise(kept != kept_.end() && kept->second.bytes == static_cast<std::int64_t>(bytes.size()),
                "a block is read that is not on disk");
        offset = kept->second.offset;
    }
    file_.read(offset, bytes);
}

void SpillStore::restore(TaskId spill, std::span<std::byte const> bytes, std::int32_t fetches) {
    this->spill(spill, bytes);
    MutexLock const lock(mutex_);
    kept_.at(spill).fetches = fetches;
}

void SpillStore::forget_blocks() {
    MutexLock const lock(mutex_);
    for (auto const& [spill, kept] : kept_) ranges_.give(kept.offset, kept.bytes);
    kept_.clear();
}

schedule::DiskUse SpillStore::use() const {
    MutexLock const lock(mutex_);
    schedule::DiskUse use = use_;
    use.peak = ranges_.peak();
    return use;
}

std::int64_t SpillStore::blocks_left() const {
    MutexLock const lock(mutex_);
    return static_cast<std::int64_t>(kept_.size());
}

}  // namespace ein::executor
