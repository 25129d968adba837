#include "scheduler/move/messages.hpp"

#include <algorithm>
#include <map>

#include "lib/base/partition.hpp"
#include "scheduler/move/turns.hpp"
#include "scheduler/move/value_parts.hpp"

namespace ein::scheduler {

std::vector<Box> messages_of(Box const& region, Box const& from, Box const& to, std::size_t element_size,
                             Messages const& rule) {
    if (is_one_run(region, from) && is_one_run(region, to)) return std::vector<Box>(1, region);
    auto const element = static_cast<std::int64_t>(element_size);
    std::int64_t const bytes = std::max({std::int64_t{1}, rule.bytes, to.elements() * element / rule.most});
    std::int64_t const count = region.elements() * element / bytes;
    if (count < 2) return std::vector<Box>(1, region);
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

/// Sorts rounds by turns (turns.hpp).
class Turns {
public:
    explicit Turns(std::span<ExpectedRegion const> regions) : regions_(regions) {
        for (ExpectedRegion const& region : regions)
            ranks_ = std::max({ranks_, region.to.value() + 1, region.from.value() + 1});
    }
    void sort(Round& round) {
        if (round.size() < 2) return;
        std::vector<Route> routes;
        routes.reserve(round.size());
        for (MessageNumber const& message : round)
            routes.push_back({regions_[message.region].from, regions_[message.region].to});
        if (routes != routes_) {  // most rounds are as the one before
            routes_ = std::move(routes);
            order_ = in_turns(routes_, ranks_);
        }
        Round sorted;
        sorted.reserve(round.size());
        for (std::uint32_t k : order_) sorted.push_back(round[k]);
        round = std::move(sorted);
    }

private:
    std::span<ExpectedRegion const> regions_;
    int ranks_ = 1;
    std::vector<Route> routes_;  // of the round before
    std::vector<std::uint32_t> order_;
};

/// What one rank still waits for.
struct ReceiveQueue {
    std::vector<std::uint32_t> regions;
    std::size_t first = 0;  // of those that are not complete
};

/// One message of each region of the block that is first in the queue.
void take_round(ReceiveQueue& queue, std::span<ExpectedRegion const> regions, std::vector<std::size_t>& taken,
                Round& out) {
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

std::vector<Round> message_rounds(std::span<ExpectedRegion const> regions) {
    std::vector<Round> out;
    std::map<Rank, ReceiveQueue> open;
    for (std::size_t region = 0; region < regions.size(); ++region)
        open[regions[region].to].regions.push_back(static_cast<std::uint32_t>(region));
    std::vector<std::size_t> taken(regions.size(), 0);
    Turns turns(regions);
    while (!open.empty()) {
        Round& round = out.emplace_back();
        for (auto& [rank, queue] : open) take_round(queue, regions, taken, round);
        turns.sort(round);
        std::erase_if(open, [](auto const& entry) { return entry.second.first == entry.second.regions.size(); });
    }
    return out;
}

}  // namespace ein::scheduler
