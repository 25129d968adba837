// How many messages a rank has sent to and received from each of its peers: the next of them has that number as its
// tag. A table of open addresses, since few of all pairs talk, and each message is counted at both ends.
// Example: tags.sent(Rank{3})++ is 0, then 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "lib/base/ids.hpp"

namespace ein::scheduler {

class PeerTags {
public:
    std::int32_t& sent(Rank peer) { return at(peer).sent; }
    std::int32_t& received(Rank peer) { return at(peer).received; }

private:
    static constexpr std::int32_t nobody = -1;
    struct Entry {
        std::int32_t peer = nobody, sent = 0, received = 0;
    };

    Entry& at(Rank peer) {
        if (4 * used_ >= 3 * entries_.size()) grow();
        Entry& entry = place_of(peer.value());
        if (entry.peer == nobody) entry.peer = peer.value(), ++used_;
        return entry;
    }
    Entry& place_of(std::int32_t peer) {
        std::size_t const mask = entries_.size() - 1;
        std::size_t place = (static_cast<std::uint32_t>(peer) * 0x9E3779B1U >> 7) & mask;
        while (entries_[place].peer != nobody && entries_[place].peer != peer) place = (place + 1) & mask;
        return entries_[place];
    }
    void grow() {
        std::vector<Entry> const before =
            std::exchange(entries_, std::vector<Entry>(std::max<std::size_t>(16, 2 * entries_.size())));
        for (Entry const& entry : before)
            if (entry.peer != nobody) place_of(entry.peer) = entry;
    }

    std::vector<Entry> entries_;  // a power of two
    std::size_t used_ = 0;
};

}  // namespace ein::scheduler
