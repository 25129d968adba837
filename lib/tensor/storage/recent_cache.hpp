// The last few things made, by key: open files, parsed directories. Safe to call from many threads; a value lives on
// for as long as somebody holds it, though the cache has let it go.
// Example: RecentCache<Key, File> files(128); auto file = files.find_or_make(key, [&] { return open_file(key); });
#pragma once

#include <list>
#include <memory>
#include <utility>

#include "lib/base/threads/mutex.hpp"

namespace ein::tensor {

template <class Key, class Value>
class RecentCache {
public:
    explicit RecentCache(std::size_t capacity) : capacity_(capacity) {}

    /// @param make  called without the lock; two threads may make the same value, one is kept
    template <class Make>
    std::shared_ptr<Value const> find_or_make(Key const& key, Make&& make) {
        if (auto found = find(key)) return found;
        std::shared_ptr<Value const> made = make();
        return insert(key, std::move(made));
    }

private:
    using Entry = std::pair<Key, std::shared_ptr<Value const>>;

    std::shared_ptr<Value const> find(Key const& key) {
        MutexLock const lock(mutex_);
        for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
            if (!(entry->first == key)) continue;
            entries_.splice(entries_.begin(), entries_, entry);
            return entries_.front().second;
        }
        return nullptr;
    }

    std::shared_ptr<Value const> insert(Key const& key, std::shared_ptr<Value const> value) {
        if (auto found = find(key)) return found;
        MutexLock const lock(mutex_);
        entries_.emplace_front(key, value);
        if (entries_.size() > capacity_) entries_.pop_back();
        return value;
    }

    std::size_t const capacity_;
    Mutex mutex_;
    std::list<Entry> entries_ EIN_GUARDED_BY(mutex_);  // latest first; few enough to search
};

}  // namespace ein::tensor
