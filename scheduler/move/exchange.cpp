#include "scheduler/move/exchange.hpp"

#include <deque>
#include <map>
#include <set>
#include <utility>

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

/// Copies that need nothing of what comes: where that is received in its place, before the first round that brings some
/// of it. So the block has memory before this rank's own sends: a rank that could receive only after its first send has
/// ended would wait for another one that does the same. What comes in blocks of its own is better put together at last.
class Exchange::OwnPieces {
public:
    OwnPieces(BlockMover& mover, std::vector<LocalCopy> copies, std::vector<Transfer> const& transfers)
        : mover_(mover) {
        if (copies.empty()) return;
        std::set<Place> received, in_place, made;
        for (Transfer const& transfer : transfers) {
            Place const to{transfer.to.rank, transfer.to.block};
            received.insert(to);
            if (is_one_run(transfer.messages.front(), transfer.to.box)) in_place.insert(to);
        }
        for (LocalCopy const& copy : copies) made.insert({copy.from.rank, copy.to});
        for (LocalCopy& copy : copies) {
            Place const from{copy.from.rank, copy.from.block}, to{copy.from.rank, copy.to};
            bool const at_hand = !received.contains(from) && !made.contains(from);
            if (at_hand && in_place.contains(to))
                early_[to].push_back(std::move(copy));
            else
                late_.push_back(std::move(copy));
        }
    }
    void put_into(Holding const& block) {
        auto const found = early_.find({block.rank, block.block});
        if (found == early_.end()) return;
        put(found->second);
        early_.erase(found);
    }
    void put_others() const { put(late_); }

private:
    using Place = std::pair<Rank, BlockId>;
    void put(std::vector<LocalCopy> const& copies) const {
        for (LocalCopy const& copy : copies) mover_.copy(copy.value, copy.from, copy.to, copy.region);
    }

    BlockMover& mover_;
    std::map<Place, std::vector<LocalCopy>> early_;
    std::vector<LocalCopy> late_;
};

void Exchange::emit() {
    std::vector<LocalCopy> copies = std::exchange(copies_, {});
    if (transfers_.empty()) {
        for (LocalCopy const& copy : copies) mover_.copy(copy.value, copy.from, copy.to, copy.region);
        return;
    }
    std::vector<ExpectedRegion> regions;
    regions.reserve(transfers_.size());
    for (Transfer const& transfer : transfers_)
        regions.push_back({transfer.to.rank, transfer.to.block, transfer.messages.size(), transfer.from.rank});
    Arrivals arrivals(mover_, rule_.window);
    OwnPieces own(mover_, std::move(copies), transfers_);
    for (Round const& round : message_rounds(regions)) {
        for (MessageNumber const& next : round) own.put_into(transfers_[next.region].to);
        for (MessageNumber const& next : round) {
            Transfer const& transfer = transfers_[next.region];
            send(transfer, transfer.messages[next.message], arrivals);
        }
    }
    transfers_.clear();
    arrivals.put_all();
    own.put_others();
}

void Exchange::send(Transfer const& transfer, Box const& message, Arrivals& arrivals) {
    ValueId const value = transfer.value;
    Holding const &from = transfer.from, &to = transfer.to;
    bool const as_it_lies = is_one_run(message, from.box), in_place = is_one_run(message, to.box);
    BlockId const sent = as_it_lies ? from.block : mover_.cut_out(value, from, message);
    BlockId const received = in_place ? to.block : mover_.add_block(value, message, to.rank);
    auto const part_of = [&](Holding const& end, bool is_inside) {
        return is_inside && message != end.box ? std::optional(view(message)) : std::nullopt;
    };
    mover_.message(value, {from.rank, sent, part_of(from, as_it_lies)}, {to.rank, received, part_of(to, in_place)});
    if (!in_place) arrivals.add({value, {to.rank, received, message}, to.block, message});
}

}  // namespace ein::scheduler
