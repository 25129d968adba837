#include "scheduler/move/exchange.hpp"

#include <deque>
#include <map>

namespace ein::scheduler {

/// Messages that came into blocks of their own and are still to be put in their places, by rank.
class Exchange::Arrivals {
public:
    Arrivals(BlockMover& mover, std::int64_t window) : mover_(mover), window_(window) {}

    /// Puts earlier ones in their places where there are many.
    void add(LocalCopy arrival) {
        Waiting& waiting = of_rank_[arrival.from.rank];
        waiting.bytes += mover_.bytes_of(arrival.from);
        waiting.list.push_back(std::move(arrival));
        while (waiting.list.size() > 2 && waiting.bytes > window_) put_first(waiting);
    }
    void put_all() {
        for (auto& [rank, waiting] : of_rank_)
            while (!waiting.list.empty()) put_first(waiting);
    }

private:
    struct Waiting {
        std::deque<LocalCopy> list;
        std::int64_t bytes = 0;
    };
    void put_first(Waiting& waiting) {
        LocalCopy const& first = waiting.list.front();
        mover_.copy(first.value, first.from, first.to, first.region);
        waiting.bytes -= mover_.bytes_of(first.from);
        waiting.list.pop_front();
    }

    BlockMover& mover_;
    std::int64_t window_;
    std::map<Rank, Waiting> of_rank_;
};

void Exchange::add(RegionTransfer transfer) {
    auto messages =
        messages_of(transfer.region, transfer.from.box, transfer.to.box, size_of(mover_.dtype(transfer.value)), rule_);
    transfers_.push_back({transfer.value, std::move(transfer.from), std::move(transfer.to), std::move(messages)});
}

void Exchange::emit() {
    std::vector<ExpectedRegion> regions;
    regions.reserve(transfers_.size());
    for (Transfer const& transfer : transfers_)
        regions.push_back({transfer.to.rank, transfer.to.block, transfer.messages.size(), transfer.from.rank});
    Arrivals arrivals(mover_, rule_.window);
    for (auto const& [region, message] : message_order(regions))
        send(transfers_[region], transfers_[region].messages[message], arrivals);
    transfers_.clear();
    arrivals.put_all();
    for (LocalCopy const& copy : copies_) mover_.copy(copy.value, copy.from, copy.to, copy.region);
    copies_.clear();
}

void Exchange::send(Transfer const& transfer, Box const& message, Arrivals& arrivals) {
    ValueId const value = transfer.value;
    Holding const &from = transfer.from, &to = transfer.to;
    Box const whole_block;
    bool const as_it_lies = is_one_run(message, from.box), in_place = is_one_run(message, to.box);
    BlockId const sent = as_it_lies ? from.block : mover_.cut_out(value, from, message);
    BlockId const received = in_place ? to.block : mover_.add_block(value, message, to.rank);
    mover_.message(value, {from.rank, sent, as_it_lies && message != from.box ? message : whole_block},
                   {to.rank, received, in_place && message != to.box ? message : whole_block});
    if (!in_place) arrivals.add({value, {to.rank, received, message}, to.block, message});
}

}  // namespace ein::scheduler
