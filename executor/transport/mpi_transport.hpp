// The transport between processes: MPI, nonblocking and two-sided, used by one thread at a time
// (MPI_THREAD_SERIALIZED). A block larger than `chunk` bytes travels as several messages of one tag, so that no count
// comes near 2^31. Example: MpiSession session; MpiTransport transport(session); transport.barrier();
#pragma once

#include <memory>

#include "executor/transport/transport.hpp"
#include "executor/transport/tuning.hpp"

namespace ein::executor {

/// MPI from start to end, in one place. @throws RunError when MPI cannot start or lacks MPI_THREAD_SERIALIZED
class MpiSession {
public:
    /// All ranks that the launcher started; a process that ends early ends them too.
    MpiSession();
    /// Of a program that has started MPI and ends it later. @param communicator  MPI_Comm_c2f of its ranks
    explicit MpiSession(int communicator);
    ~MpiSession();
    MpiSession(MpiSession const&) = delete;
    MpiSession& operator=(MpiSession const&) = delete;

    int communicator() const { return communicator_; }  // as MPI_Comm_c2f

private:
    int communicator_ = 0;
    bool owns_mpi_;
};

class MpiTransport final : public Transport {
public:
    /// @param chunk  bytes of the largest single MPI message, 1 to 2^31 - 1
    explicit MpiTransport(MpiSession const& session, std::size_t chunk = tuning::largest_message);
    /// Collective: what is left of the notes is taken off the wire.
    ~MpiTransport() override;

    Rank rank() const override;
    int size() const override;

    /// @throws RunError for a tag above what this MPI offers, and when MPI reports a failure
    void start_send(std::span<std::byte const> bytes, Rank to, int tag, Ticket ticket, SendEnds ends) override;
    void start_receive(std::span<std::byte> into, Rank from, int tag, Ticket ticket) override;
    void start_send_up_to(std::size_t most, std::span<std::byte const> bytes, Rank to, int tag, Ticket ticket,
                          SendEnds ends) override;
    void start_receive_up_to(std::span<std::byte> into, Rank from, int tag, Ticket ticket) override;
    void poll(std::vector<Ticket>& done) override;

    void start_barrier() override;
    bool test_barrier() override;
    std::vector<std::string> all_gather(std::string const& mine) override;

    void post_note(Rank to, std::string const& note) override;
    bool take_note(Rank& from, std::string& note) override;

    bool reaches_devices() const override;
    TransferCounts counts() const override;
    [[noreturn]] void abort(ExitCode code) override;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ein::executor
