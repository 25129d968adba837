#include "scheduler/move/turns.hpp"

#include <algorithm>
#include <numeric>

#include "scheduler/tuning.hpp"

namespace ein::scheduler {
namespace {

/// Messages, their ranks numbered anew, those alone that have any: what is kept by rank grows with them.
struct Among {
    std::vector<Route> messages;
    int ranks = 0;

    explicit Among(std::span<Route const> of) {
        std::vector<Rank> there;
        for (Route const& route : of) there.insert(there.end(), {route.from, route.to});
        std::sort(there.begin(), there.end());
        there.erase(std::unique(there.begin(), there.end()), there.end());
        auto const number = [&](Rank rank) {
            return Rank{static_cast<int>(std::lower_bound(there.begin(), there.end(), rank) - there.begin())};
        };
        messages.reserve(of.size());
        for (Route const& route : of) messages.push_back({number(route.from), number(route.to)});
        ranks = static_cast<int>(there.size());
    }
};

/// Rank r gets from rank r first, then r + 1, and so on.
std::vector<std::int32_t> rotated(std::span<Route const> messages, int ranks) {
    std::vector<std::int32_t> out;
    out.reserve(messages.size());
    for (Route const& message : messages) out.push_back((message.from.value() - message.to.value() + ranks) % ranks);
    return out;
}

/// Messages of the rank that sends or receives most.
std::size_t most_of_a_rank(std::span<Route const> messages, int ranks) {
    std::vector<std::size_t> sends(static_cast<std::size_t>(ranks), 0), receives(sends);
    std::size_t most = 0;
    for (Route const& message : messages)
        most = std::max({most, ++sends[static_cast<std::size_t>(message.from.value())],
                         ++receives[static_cast<std::size_t>(message.to.value())]});
    return most;
}

bool has_at_most(std::size_t most, std::vector<std::int32_t> turns) {
    std::sort(turns.begin(), turns.end());
    return static_cast<std::size_t>(std::unique(turns.begin(), turns.end()) - turns.begin()) <= most;
}

class Colouring {
public:
    Colouring(std::span<Route const> messages, int ranks, std::size_t turns)
        : messages_(messages), turns_(turns), of_(messages.size()) {
        for (auto& taken : taken_) taken.assign(static_cast<std::size_t>(ranks) * turns, nobody);
    }

    std::vector<std::int32_t> run() {
        for (std::size_t k = 0; k < messages_.size(); ++k) colour(static_cast<std::int32_t>(k));
        return std::move(of_);
    }

private:
    static constexpr std::int32_t nobody = -1;
    enum End { sender, receiver };

    Rank rank(std::int32_t message, End end) const {
        Route const& route = messages_[static_cast<std::size_t>(message)];
        return end == sender ? route.from : route.to;
    }
    std::int32_t& taken(End end, Rank rank, std::size_t turn) {
        return taken_[end][static_cast<std::size_t>(rank.value()) * turns_ + turn];
    }
    std::size_t first_free(End end, Rank rank) {
        std::size_t turn = 0;
        while (taken(end, rank, turn) != nobody) ++turn;  // a rank has no more messages than there are turns
        return turn;
    }
    void put(std::int32_t message, std::size_t turn) {
        of_[static_cast<std::size_t>(message)] = static_cast<std::int32_t>(turn);
        for (End end : {sender, receiver}) taken(end, rank(message, end), turn) = message;
    }

    /// The first turn that is free at both ends; where there is none, the first one of the sender, which is made free
    /// at the receiver: its message there goes in the turn that is free there, what that one meets in the first turn,
    /// and so on. The chain ends, and never comes to the sender: it comes to senders by the first turn, which is free
    /// there.
    void colour(std::int32_t message) {
        Rank const from = rank(message, sender), to = rank(message, receiver);
        std::size_t const first = first_free(sender, from), other = first_free(receiver, to);
        for (std::size_t turn = std::max(first, other); turn < turns_; ++turn)
            if (taken(sender, from, turn) == nobody && taken(receiver, to, turn) == nobody) return put(message, turn);
        chain_.clear();
        End end = receiver;
        std::size_t turn = first;
        for (Rank at = to; taken(end, at, turn) != nobody; turn = first + other - turn) {
            chain_.push_back(taken(end, at, turn));
            end = end == sender ? receiver : sender;
            at = rank(chain_.back(), end);
        }
        for (std::int32_t changed : chain_)
            for (End of : {sender, receiver}) taken(of, rank(changed, of), at_turn(changed)) = nobody;
        for (std::int32_t changed : chain_) put(changed, first + other - at_turn(changed));
        put(message, first);
    }
    std::size_t at_turn(std::int32_t message) const {
        return static_cast<std::size_t>(of_[static_cast<std::size_t>(message)]);
    }

    std::span<Route const> messages_;
    std::size_t turns_;
    std::vector<std::int32_t> of_;        // of each message its turn
    std::vector<std::int32_t> taken_[2];  // of senders and receivers, rank by rank, the message of each turn
    std::vector<std::int32_t> chain_;
};

/// The messages of one turn, by sender: in a rotation a sender may have several, for one receiver.
class Turn {
public:
    Turn(std::span<Route const> messages, int ranks)
        : messages_(messages), of_sender_(at(Rank{ranks})), receives_(of_sender_.size(), 0) {}

    void add(std::uint32_t message) {
        Route const& route = messages_[message];
        if (of_sender_[at(route.from)].empty()) senders_.push_back(route.from);
        of_sender_[at(route.from)].push_back(message);
        receives_[at(route.to)] = 1;
        receivers_.push_back(route.to);
    }
    /// Takes all: paths from the ranks that receive nothing, then cycles.
    void take(std::vector<std::uint32_t>& out) {
        for (Rank sender : senders_)
            if (receives_[at(sender)] == 0) follow(sender, out);
        for (Rank sender : senders_) follow(sender, out);
        for (Rank receiver : receivers_) receives_[at(receiver)] = 0;
        senders_.clear();
        receivers_.clear();
    }

private:
    static std::size_t at(Rank rank) { return static_cast<std::size_t>(rank.value()); }
    void follow(Rank sender, std::vector<std::uint32_t>& out) {
        while (!of_sender_[at(sender)].empty()) {
            std::vector<std::uint32_t>& next = of_sender_[at(sender)];
            out.insert(out.end(), next.begin(), next.end());
            sender = messages_[next.front()].to;
            next.clear();
        }
    }

    std::span<Route const> messages_;
    std::vector<std::vector<std::uint32_t>> of_sender_;
    std::vector<std::uint8_t> receives_;  // by rank
    std::vector<Rank> senders_, receivers_;
};

std::vector<std::int32_t> turns_among(Among const& among, std::span<Route const> messages, int ranks) {
    std::vector<std::int32_t> turns = rotated(messages, ranks);
    std::size_t const most = most_of_a_rank(among.messages, among.ranks);
    std::size_t const table = static_cast<std::size_t>(ranks) * most;
    if (has_at_most(most, turns) || std::max(table, messages.size() * most) > tuning::most_turns_searched) return turns;
    return Colouring(among.messages, among.ranks, most).run();
}

}  // namespace

std::vector<std::int32_t> turns_of(std::span<Route const> messages, int ranks) {
    return turns_among(Among(messages), messages, ranks);
}

std::vector<std::uint32_t> in_turns(std::span<Route const> messages, int ranks) {
    Among const among(messages);
    std::vector<std::int32_t> const turns = turns_among(among, messages, ranks);
    std::vector<std::uint32_t> by_turn(messages.size()), out;
    std::iota(by_turn.begin(), by_turn.end(), 0U);
    std::stable_sort(by_turn.begin(), by_turn.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return turns[a] < turns[b]; });
    out.reserve(messages.size());
    Turn turn(among.messages, among.ranks);
    for (std::size_t k = 0; k < by_turn.size(); ++k) {
        turn.add(by_turn[k]);
        if (k + 1 == by_turn.size() || turns[by_turn[k + 1]] != turns[by_turn[k]]) turn.take(out);
    }
    return out;
}

}  // namespace ein::scheduler
