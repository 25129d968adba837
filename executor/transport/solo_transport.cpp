#include "executor/transport/solo_transport.hpp"

#include <cstdio>
#include <cstdlib>

namespace ein::executor {

void SoloTransport::start_send(std::span<std::byte const>, Rank to, int tag, Ticket, SendEnds) {
    throw InternalError("a run of one rank sends message " + std::to_string(tag) + " to rank " +
                        std::to_string(to.value()));
}

void SoloTransport::start_receive(std::span<std::byte>, Rank from, int tag, Ticket) {
    throw InternalError("a run of one rank receives message " + std::to_string(tag) + " from rank " +
                        std::to_string(from.value()));
}

void SoloTransport::start_send_up_to(std::size_t, std::span<std::byte const> bytes, Rank to, int tag, Ticket ticket,
                                     SendEnds ends) {
    start_send(bytes, to, tag, ticket, ends);
}

void SoloTransport::start_receive_up_to(std::span<std::byte> into, Rank from, int tag, Ticket ticket) {
    start_receive(into, from, tag, ticket);
}

void SoloTransport::abort(ExitCode code) {
    std::fflush(nullptr);
    std::_Exit(static_cast<int>(code));  // no destructors: other threads may still be computing
}

}  // namespace ein::executor
