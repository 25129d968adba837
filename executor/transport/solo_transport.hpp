// The transport of a run with one rank: nobody to talk to. Needs no launcher and no MPI.
// Example: SoloTransport{}.all_gather("a") is {"a"}.
#pragma once

#include "executor/transport/transport.hpp"

namespace ein::executor {

class SoloTransport final : public Transport {
public:
    Rank rank() const override { return Rank{0}; }
    int size() const override { return 1; }

    /// @throws InternalError always: a schedule for one rank moves nothing
    void start_send(std::span<std::byte const> bytes, Rank to, int tag, Ticket ticket, SendEnds ends) override;
    void start_receive(std::span<std::byte> into, Rank from, int tag, Ticket ticket) override;
    void start_send_up_to(std::size_t most, std::span<std::byte const> bytes, Rank to, int tag, Ticket ticket,
                          SendEnds ends) override;
    void start_receive_up_to(std::span<std::byte> into, Rank from, int tag, Ticket ticket) override;
    void poll(std::vector<Ticket>&) override {}

    void start_barrier() override {}
    bool test_barrier() override { return true; }
    std::vector<std::string> all_gather(std::string const& mine) override { return {mine}; }

    void post_note(Rank, std::string const&) override {}
    bool take_note(Rank&, std::string&) override { return false; }

    TransferCounts counts() const override { return {}; }
    /// Flushes what was printed and ends the process with the code.
    [[noreturn]] void abort(ExitCode code) override;
};

}  // namespace ein::executor
