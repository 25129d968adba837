// BlockDirectory's messages: how a region gets from a block on one rank into a block on another. What lies in one run of memory is sent from where it
// is, and received where it will be. What does not is cut into messages, each of which is cut out, sent and put in its place while it is
// in the cache; a few are on their way at a time, so that this needs little memory.
// Example: rows to columns on two ranks: a rank cuts 2 MiB of columns out of its rows, sends it, and cuts the next; the other receives each in
// place, as rows of its columns. Columns to rows: the same backwards.
#include <algorithm>
#include <deque>

#include "scheduler/move/block_directory.hpp"

namespace ein::scheduler {

using schedule::TaskKind;

/// Messages that came into blocks of their own and are still to be put in their places, by rank.
class BlockDirectory::Arrivals {
public:
    Arrivals(BlockDirectory& residency, std::int64_t window) : residency_(residency), window_(window) {}

    /// Puts earlier ones in their places where there are many.
    void add(Placing placing) {
        Waiting& waiting = of_rank_[placing.from.rank];
        waiting.bytes += bytes_of(placing);
        waiting.list.push_back(std::move(placing));
        while (waiting.list.size() > 2 && waiting.bytes > window_) put_first(waiting);
    }
    void put_all() {
        for (auto& [rank, waiting] : of_rank_)
            while (!waiting.list.empty()) put_first(waiting);
    }

private:
    struct Waiting {
        std::deque<Placing> list;
        std::int64_t bytes = 0;
    };
    std::int64_t bytes_of(Placing const& placing) const {
        return residency_.on(placing.from.rank).bytes_of(placing.from.block);
    }
    void put_first(Waiting& waiting) {
        Placing const& first = waiting.list.front();
        residency_.copy(first.value, first.from, first.to, first.region);
        waiting.bytes -= bytes_of(first);
        waiting.list.pop_front();
    }

    BlockDirectory& residency_;
    std::int64_t window_;
    std::map<Rank, Waiting> of_rank_;
};

void BlockDirectory::bring(ValueId value, Box const& region, Holding const& from, Holding const& to, Purpose purpose) {
    count(to.rank, purpose, value, region.elements() * static_cast<std::int64_t>(size_of(graph_.value(value).dtype)));
    deliveries_.push_back({value, from, to, messages_of(value, region, from.box, to.box), 0});
}

std::vector<Box> BlockDirectory::messages_of(ValueId value, Box const& region, Box const& from, Box const& to) const {
    if (is_one_run(region, from) && is_one_run(region, to)) return {region};
    auto const element = static_cast<std::int64_t>(size_of(graph_.value(value).dtype));
    std::int64_t const bytes = std::max({std::int64_t{1}, messages_.bytes, to.elements() * element / messages_.most});
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

/// Appends what was asked for, in turns in which every rank gets one message from each that has a part of the block that it waits for: all send
/// and receive at once, and each rank's blocks are complete in the order in which it asked for them. Then what ranks copy for themselves.
void BlockDirectory::deliver() {
    Arrivals arrivals(*this, messages_.window);
    std::map<Rank, std::deque<Delivery>> open;  // by receiver
    for (Delivery& delivery : deliveries_) open[delivery.to.rank].push_back(std::move(delivery));
    deliveries_.clear();
    while (!open.empty()) {
        for (auto& [rank, queue] : open) {
            BlockId const block = queue.front().to.block;
            for (Delivery& delivery : queue) {
                if (delivery.to.block != block) break;
                if (delivery.sent < delivery.messages.size())
                    send(delivery, delivery.messages[delivery.sent++], arrivals);
            }
            while (!queue.empty() && queue.front().sent == queue.front().messages.size()) queue.pop_front();
        }
        std::erase_if(open, [](auto const& entry) { return entry.second.empty(); });
    }
    arrivals.put_all();
    for (Placing const& placing : placings_) copy(placing.value, placing.from, placing.to, placing.region);
    placings_.clear();
}

void BlockDirectory::send(Delivery const& delivery, Box const& message, Arrivals& arrivals) {
    ValueId const value = delivery.value;
    Holding const &from = delivery.from, &to = delivery.to;
    Box const all;
    bool const as_it_lies = is_one_run(message, from.box), in_place = is_one_run(message, to.box);
    BlockId const sent = as_it_lies ? from.block : cut_out(value, from, message);
    BlockId const received =
        in_place ? to.block : on(to.rank).add_block(value.value(), graph_.value(value).dtype, message);
    add_message({sent, as_it_lies && message != from.box ? message : all, from.rank},
                {received, in_place && message != to.box ? message : all, to.rank}, level_of(value));
    if (!in_place) arrivals.add({value, {to.rank, received, message}, to.block, message});
}

}  // namespace ein::scheduler
