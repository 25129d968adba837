// What every transport must do, as functions that one rank calls; each returns what went wrong ("" when nothing),
// because assertions that fail on one rank alone would leave the others waiting.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "executor/transport/transport.hpp"

namespace ein::test {

inline std::vector<std::byte> pattern(int from, int to, int tag, std::size_t size) {
    std::vector<std::byte> out(size);
    for (std::size_t i = 0; i < size; ++i)
        out[i] = static_cast<std::byte>((static_cast<std::size_t>(from) * 31 + static_cast<std::size_t>(to) * 17 +
                                         static_cast<std::size_t>(tag) * 7 + i * i) &
                                        255u);
    return out;
}

inline void poll_until(executor::Transport& transport, std::size_t count) {
    std::vector<executor::Transport::Ticket> done;
    while (done.size() < count) transport.poll(done);
}

/// Every rank sends blocks of several sizes to every other; receives are posted in the reverse order of tags.
inline std::string exchange_all(executor::Transport& transport, std::vector<std::size_t> const& sizes) {
    int const self = transport.rank().value();
    std::vector<std::vector<std::byte>> outgoing, incoming, expected;
    auto const before = transport.counts();
    std::int64_t bytes = 0;
    std::size_t const total = sizes.size() * static_cast<std::size_t>(transport.size() - 1);
    outgoing.reserve(total), incoming.reserve(total), expected.reserve(total);
    executor::Transport::Ticket ticket = 0;
    for (int peer = 0; peer < transport.size(); ++peer) {
        if (peer == self) continue;
        for (std::size_t i = sizes.size(); i-- > 0;) {
            int const tag = static_cast<int>(i);
            expected.push_back(pattern(peer, self, tag, sizes[i]));
            incoming.emplace_back(sizes[i]);
            transport.start_receive(incoming.back(), Rank{peer}, tag, ticket++);
        }
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            outgoing.push_back(pattern(self, peer, static_cast<int>(i), sizes[i]));
            bytes += static_cast<std::int64_t>(sizes[i]);
            transport.start_send(outgoing.back(), Rank{peer}, static_cast<int>(i), ticket++,
                                 i % 2 == 0 ? executor::SendEnds::when_free : executor::SendEnds::when_taken);
        }
    }
    poll_until(transport, 2 * total);
    if (incoming != expected) return "rank " + std::to_string(self) + " received other bytes than were sent";
    if (transport.counts().bytes_sent - before.bytes_sent != bytes) return "bytes are miscounted";
    if (transport.counts().messages_sent - before.messages_sent != static_cast<std::int64_t>(total))
        return "a cut block is not counted as one message";
    return "";
}

/// Every rank sends the next one messages of which that knows only the most that they have.
inline std::string exchange_shorter(executor::Transport& transport, std::size_t most) {
    int const self = transport.rank().value(), ranks = transport.size();
    if (ranks == 1) return "";
    int const next = (self + 1) % ranks, before = (self + ranks - 1) % ranks;
    std::vector<std::size_t> const lengths{0, 1, most / 2, most - 1, most};
    std::vector<std::vector<std::byte>> outgoing,
        incoming(lengths.size(), std::vector<std::byte>(most, std::byte{170}));
    auto const counts = transport.counts();
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        int const tag = static_cast<int>(i);
        outgoing.push_back(pattern(self, next, tag, lengths[i]));
        bytes += static_cast<std::int64_t>(lengths[i]);
        transport.start_receive_up_to(incoming[i], Rank{before}, tag, 2 * tag);
    }
    for (std::size_t i = 0; i < lengths.size(); ++i)
        transport.start_send_up_to(most, outgoing[i], Rank{next}, static_cast<int>(i),
                                   2 * static_cast<std::int64_t>(i) + 1, executor::SendEnds::when_free);
    poll_until(transport, 2 * lengths.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        std::vector<std::byte> expected = pattern(before, self, static_cast<int>(i), lengths[i]);
        expected.resize(most, std::byte{170});  // what did not come is as it was
        if (incoming[i] != expected) return "a shorter message is received otherwise than it was sent";
    }
    if (transport.counts().bytes_sent - counts.bytes_sent != bytes) return "bytes of shorter messages are miscounted";
    return "";
}

inline std::string gather_texts(executor::Transport& transport) {
    auto text = [](int rank, int round) {
        return std::string(static_cast<std::size_t>(rank * 3 + round), 'a') + std::to_string(rank);
    };
    for (int round = 0; round < 3; ++round) {
        std::vector<std::string> expected;
        for (int rank = 0; rank < transport.size(); ++rank) expected.push_back(text(rank, round));
        if (transport.all_gather(text(transport.rank().value(), round)) != expected) return "gathered texts differ";
        transport.barrier();
    }
    return "";
}

/// Notes from every rank to rank 0 arrive once each.
inline std::string send_notes(executor::Transport& transport) {
    int const self = transport.rank().value();
    if (self != 0) transport.post_note(Rank{0}, "from " + std::to_string(self));
    std::string fault;
    if (self == 0) {
        std::vector<bool> heard(static_cast<std::size_t>(transport.size()), false);
        for (int count = 1; count < transport.size();) {
            Rank from;
            std::string note;
            if (!transport.take_note(from, note)) continue;
            ++count;
            auto const index = static_cast<std::size_t>(from.value());
            if (heard[index] || note != "from " + std::to_string(from.value())) fault = "wrong note '" + note + "'";
            heard[index] = true;
        }
    }
    transport.barrier();
    return fault;
}

}  // namespace ein::test
