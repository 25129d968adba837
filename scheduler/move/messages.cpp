#include "scheduler/move/messages.hpp"

#include <algorithm>
#include <map>

#include "lib/base/partition.hpp"
#include "scheduler/move/value_parts.hpp"

namespace ein::scheduler {

std::vector<Box> messages_of(Box const& region, Box const& from, Box const& to, std::size_t element_size,
                             Messages const& rule) {
    if (is_one_run(region, from) && is_one_run(region, to)) return {region};
    auto const element = static_cast<std::int64_t>(element_size);
    std::int64_t const bytes = std::max({std::int64_t{1}, rule.bytes, to.elements() * element / rule.most});
    std::int64_t const count = region.elements() * element / bytes;
    if (count < 2) return {region};
    std::vector<Box> out;
    Parts const parts = leading_parts(region.length, count);
    for_each_index(parts, [&](std::vector<Extent> const& index) {
        Box message = block_box(region.length, parts, index);
        for (std::size_t axis = 0; axis < message.order(); ++axis) message.begin[axis] += region.begin[axis];
        out.push_back(std::move(message));
    });
    return out;
}

namespace {

/// What one rank still waits for.
struct ReceiveQueue {
    std::vector<std::uint32_t> regions;
    std::size_t first = 0;  // of those that are not complete
};

/// One message of each region of the block that is first in the queue.
void take_round(ReceiveQueue& queue, std::span<ExpectedRegion const> regions, std::vector<std::size_t>& taken,
                std::vector<MessageNumber>& out) {
    BlockId const block = regions[queue.regions[queue.first]].block;
    for (std::size_t k = queue.first; k < queue.regions.size(); ++k) {
        std::uint32_t const region = queue.regions[k];
        if (regions[region].block != block) break;
        if (taken[region] < regions[region].messages)
            out.push_back({region, static_cast<std::uint32_t>(taken[region]++)});
    }
    auto const is_complete = [&](std::uint32_t region) { return taken[region] == regions[region].messages; };
    while (queue.first < queue.regions.size() && is_complete(queue.regions[queue.first])) ++queue.first;
}

}  // namespace

std::vector<MessageNumber> message_order(std::span<ExpectedRegion const> regions) {
    std::vector<MessageNumber> out;
    std::map<Rank, ReceiveQueue> open;
    for (std::size_t region = 0; region < regions.size(); ++region)
        open[regions[region].to].regions.push_back(static_cast<std::uint32_t>(region));
    std::vector<std::size_t> taken(regions.size(), 0);
    int ranks = 1;
    for (ExpectedRegion const& region : regions)
        ranks = std::max({ranks, region.to.value() + 1, region.from.value() + 1});
    auto const turn = [&](MessageNumber const& message) {
        ExpectedRegion const& region = regions[message.region];
        return (region.from.value() - region.to.value() + ranks) % ranks;
    };
    while (!open.empty()) {
        auto const begin = static_cast<std::ptrdiff_t>(out.size());
        for (auto& [rank, queue] : open) take_round(queue, regions, taken, out);
        std::stable_sort(out.begin() + begin, out.end(),
                         [&](MessageNumber const& a, MessageNumber const& b) { return turn(a) < turn(b); });
        std::erase_if(open, [](auto const& entry) { return entry.second.first == entry.second.regions.size(); });
    }
    return out;
}

}  // namespace ein::scheduler
