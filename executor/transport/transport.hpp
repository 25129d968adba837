// Moves bytes between ranks and lets ranks agree. MpiTransport in production, LoopbackTransport (ranks are threads) in
// tests, SoloTransport when there is one rank. The engine calls it from one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/ids.hpp"

namespace ein::executor {

struct TransferCounts {
    std::int64_t bytes_sent = 0;     // payload to other ranks
    std::int64_t messages_sent = 0;  // a block is one message, however many pieces it is cut into
};

/// Another rank ended the run. Only transports whose ranks are threads throw it; elsewhere the process is gone.
class RunAborted : public Error {
public:
    explicit RunAborted(ExitCode code) : Error(code, "another rank ended the run") {}
};

/// When a send is done: when its bytes may be changed, or only when its receiver has begun to take it up.
/// A sender whose sends end when free may run ahead of its receiver, whose memory then fills with small messages.
enum class SendEnds { when_free, when_taken };

class Transport {
public:
    using Ticket = std::int64_t;  // given by the caller; comes back from poll when the transfer is done

    virtual ~Transport() = default;
    virtual Rank rank() const = 0;
    virtual int size() const = 0;

    /// Starts a transfer; the bytes must stay until its ticket comes back. Messages between two ranks are told apart by
    /// tag, which is unique between them among those that are under way; those of one tag arrive in order. Any size: it
    /// is cut so that no count comes near 2^31.
    virtual void start_send(std::span<std::byte const> bytes, Rank to, int tag, Ticket ticket, SendEnds ends) = 0;
    virtual void start_receive(std::span<std::byte> into, Rank from, int tag, Ticket ticket) = 0;
    /// A message whose length the receiver does not know. Both ends say how long it may be, alike.
    virtual void start_send_up_to(std::size_t most, std::span<std::byte const> bytes, Rank to, int tag, Ticket ticket,
                                  SendEnds ends) = 0;
    virtual void start_receive_up_to(std::span<std::byte> into, Rank from, int tag, Ticket ticket) = 0;
    /// Moves things along and appends the tickets of finished transfers. Never blocks.
    virtual void poll(std::vector<Ticket>& done) = 0;

    /// Collective: every rank calls them in the same order, between runs of tasks only. A barrier is begun and then
    /// tested until it is done, so that notes can be read while waiting for a slow rank.
    virtual void start_barrier() = 0;
    virtual bool test_barrier() = 0;  // true once for each start
    void barrier();
    virtual std::vector<std::string> all_gather(std::string const& mine) = 0;  // small; by rank

    /// Small notes outside the transfers (progress, stalls): sent at once, never waited for.
    virtual void post_note(Rank to, std::string const& note) = 0;
    virtual bool take_note(Rank& from, std::string& note) = 0;

    /// Whether bytes of a transfer may lie in the memory of a device. It may be wrong: see device_messages.hpp.
    virtual bool reaches_devices() const { return false; }

    virtual TransferCounts counts() const = 0;
    /// Ends every rank with this code, now.
    [[noreturn]] virtual void abort(ExitCode code) = 0;
};

}  // namespace ein::executor
