#include "executor/transport/mpi_transport.hpp"

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <list>

#include "executor/transport/launcher.hpp"

namespace ein::executor {

namespace {

void check(int result, char const* call) {
    if (result == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(result, text, &length);
    throw RunError(std::string(call) + " failed: " + std::string(text, static_cast<std::size_t>(length)));
}

MPI_Comm own_communicator(MpiSession const& session) {
    MPI_Comm comm = MPI_COMM_NULL;
    check(MPI_Comm_dup(MPI_Comm_f2c(session.communicator()), &comm), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    return comm;
}

int tag_limit(MPI_Comm comm) {
    int* limit = nullptr;
    int found = 0;
    check(MPI_Comm_get_attr(comm, MPI_TAG_UB, &limit, &found), "MPI_Comm_get_attr");
    return found != 0 ? *limit : 32767;  // what the standard promises
}

/// A transfer in flight: pieces of it that are not done.
struct Transfer {
    Transport::Ticket ticket = 0;
    std::size_t pieces = 0;
};

/// One MPI request and what it must bring.
struct Piece {
    std::size_t transfer = 0;
    int received = -1;  // bytes that a receive must bring, or may at most; -1 for a send
    bool may_be_shorter = false;
};

struct Note {
    std::string text;
    MPI_Request request = MPI_REQUEST_NULL;
};

}  // namespace

struct MpiTransport::State {
    std::size_t chunk = tuning::largest_message;
    int rank = 0, size = 1, largest_tag = 0;
    MPI_Comm blocks = MPI_COMM_NULL, notes = MPI_COMM_NULL;
    std::vector<MPI_Request> requests;  // parallel to pieces
    std::vector<Piece> pieces;
    std::vector<Transfer> transfers;
    std::vector<std::size_t> free_transfers;
    std::vector<int> done_index;
    std::vector<MPI_Status> done_status;
    std::list<Note> posted;  // a list: MPI reads the texts in place
    MPI_Request barrier = MPI_REQUEST_NULL;
    TransferCounts counts;

    void check_tag(int tag) const {
        if (tag < 0 || tag > largest_tag)
            throw RunError("message tag " + std::to_string(tag) + " is outside what this MPI offers (0 to " +
                           std::to_string(largest_tag) + "); plan with fewer, larger blocks (einplan --parts)");
    }

    std::size_t add_transfer(Ticket ticket, std::size_t count) {
        if (free_transfers.empty()) {
            transfers.push_back({ticket, count});
            return transfers.size() - 1;
        }
        std::size_t const index = free_transfers.back();
        free_transfers.pop_back();
        transfers[index] = {ticket, count};
        return index;
    }

    /// A transfer of `bytes` bytes in pieces, in as many as both ends make of `most` bytes: at least one, so that an
    /// empty block is a message too. Calls start(offset, count, request) for each, which gives what is known of it.
    template <class Start>
    void cut(std::size_t most, std::size_t bytes, Ticket ticket, Start&& start) {
        std::size_t const count = std::max<std::size_t>(1, (most + chunk - 1) / chunk);
        std::size_t const transfer = add_transfer(ticket, count);
        for (std::size_t i = 0; i < count; ++i) {
            std::size_t const offset = std::min(i * chunk, bytes);
            int const length = static_cast<int>(std::min(chunk, bytes - offset));
            MPI_Request request = MPI_REQUEST_NULL;
            Piece piece = start(offset, length, request);
            piece.transfer = transfer;
            requests.push_back(request);
            pieces.push_back(piece);
        }
    }

    void receive(std::span<std::byte> into, Rank from, int tag, Ticket ticket, bool may_be_shorter) {
        check_tag(tag);
        cut(into.size(), into.size(), ticket, [&](std::size_t offset, int count, MPI_Request& request) {
            check(MPI_Irecv(into.data() + offset, count, MPI_BYTE, from.value(), tag, blocks, &request), "MPI_Irecv");
            return Piece{.received = count, .may_be_shorter = may_be_shorter};
        });
    }

    void check_length(Piece const& piece, MPI_Status const& status) const {
        if (piece.received < 0) return;
        int found = 0;
        MPI_Get_count(&status, MPI_BYTE, &found);
        if (found != piece.received && !piece.may_be_shorter)
            throw RunError("message " + std::to_string(status.MPI_TAG) + " from rank " +
                           std::to_string(status.MPI_SOURCE) + " brought " + std::to_string(found) +
                           " bytes, expected " + std::to_string(piece.received));
    }

    void finish_piece(std::size_t index, std::vector<Ticket>& done) {
        Transfer& transfer = transfers[pieces[index].transfer];
        if (--transfer.pieces > 0) return;
        done.push_back(transfer.ticket);
        free_transfers.push_back(pieces[index].transfer);
    }

    void drop_finished_requests() {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            if (requests[i] == MPI_REQUEST_NULL) continue;
            requests[kept] = requests[i];
            pieces[kept++] = pieces[i];
        }
        requests.resize(kept);
        pieces.resize(kept);
    }

    void forget_sent_notes() {
        posted.remove_if([](Note& note) {
            int sent = 0;
            MPI_Test(&note.request, &sent, MPI_STATUS_IGNORE);
            return sent != 0;
        });
    }
};

MpiTransport::MpiTransport(MpiSession const& session, std::size_t chunk) : state_(std::make_unique<State>()) {
    promise(chunk >= 1 && chunk <= INT_MAX, "MPI messages are cut into pieces of 1 to 2^31 - 1 bytes");
    state_->chunk = chunk;
    state_->blocks = own_communicator(session);
    state_->notes = own_communicator(session);
    state_->largest_tag = tag_limit(state_->blocks);
    MPI_Comm_rank(state_->blocks, &state_->rank);
    MPI_Comm_size(state_->blocks, &state_->size);
}

MpiTransport::~MpiTransport() {
    // Notes are small: their sends ended when they were posted. After the barrier all of them are on the wire to their
    // readers.
    MPI_Barrier(state_->notes);
    Rank from;
    std::string note;
    while (take_note(from, note)) {
    }
    state_->forget_sent_notes();
    for (Note& note_left : state_->posted) MPI_Request_free(&note_left.request);
    MPI_Comm_free(&state_->notes);
    MPI_Comm_free(&state_->blocks);
}

Rank MpiTransport::rank() const { return Rank{state_->rank}; }
int MpiTransport::size() const { return state_->size; }
/// Open MPI and MPICH have an extension each; Cray's MPICH answers what it was built for, and does it by a variable.
bool MpiTransport::reaches_devices() const {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
    int supported = 0;
    MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported);
    char const* const enabled = std::getenv("MPICH_GPU_SUPPORT_ENABLED");
    bool const is_crays = mpi_library().starts_with("CRAY");
    return supported != 0 && (!is_crays || (enabled != nullptr && std::string_view(enabled) == "1"));
#else
    return false;
#endif
}

TransferCounts MpiTransport::counts() const { return state_->counts; }

void MpiTransport::start_send(std::span<std::byte const> bytes, Rank to, int tag, Ticket ticket, SendEnds ends) {
    start_send_up_to(bytes.size(), bytes, to, tag, ticket, ends);
}

void MpiTransport::start_receive(std::span<std::byte> into, Rank from, int tag, Ticket ticket) {
    state_->receive(into, from, tag, ticket, false);
}

void MpiTransport::start_send_up_to(std::size_t most, std::span<std::byte const> bytes, Rank to, int tag, Ticket ticket,
                                    SendEnds ends) {
    promise(bytes.size() <= most, "a message is longer than its receiver expects");
    state_->check_tag(tag);
    state_->cut(most, bytes.size(), ticket, [&](std::size_t offset, int count, MPI_Request& request) {
        auto const start = ends == SendEnds::when_taken ? MPI_Issend : MPI_Isend;
        check(start(bytes.data() + offset, count, MPI_BYTE, to.value(), tag, state_->blocks, &request), "MPI_Isend");
        return Piece{};
    });
    state_->counts.bytes_sent += static_cast<std::int64_t>(bytes.size());
    ++state_->counts.messages_sent;
}

void MpiTransport::start_receive_up_to(std::span<std::byte> into, Rank from, int tag, Ticket ticket) {
    state_->receive(into, from, tag, ticket, true);
}

void MpiTransport::poll(std::vector<Ticket>& done) {
    State& state = *state_;
    if (state.requests.empty()) return;
    state.done_index.resize(state.requests.size());
    state.done_status.resize(state.requests.size());
    int count = 0;
    int const result = MPI_Testsome(static_cast<int>(state.requests.size()), state.requests.data(), &count,
                                    state.done_index.data(), state.done_status.data());
    if (result == MPI_ERR_IN_STATUS)
        for (int i = 0; i < count; ++i) check(state.done_status[static_cast<std::size_t>(i)].MPI_ERROR, "a transfer");
    check(result, "MPI_Testsome");
    if (count <= 0) return;  // also MPI_UNDEFINED
    for (int i = 0; i < count; ++i) {
        auto const index = static_cast<std::size_t>(state.done_index[static_cast<std::size_t>(i)]);
        state.check_length(state.pieces[index], state.done_status[static_cast<std::size_t>(i)]);
        state.finish_piece(index, done);
    }
    state.drop_finished_requests();
}

void MpiTransport::start_barrier() { check(MPI_Ibarrier(state_->blocks, &state_->barrier), "MPI_Ibarrier"); }

bool MpiTransport::test_barrier() {
    int done = 0;
    check(MPI_Test(&state_->barrier, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
}

std::vector<std::string> MpiTransport::all_gather(std::string const& mine) {
    auto const ranks = static_cast<std::size_t>(state_->size);
    std::vector<int> lengths(ranks), offsets(ranks);
    promise(mine.size() <= INT_MAX / ranks, "a text gathered from all ranks is too long for one MPI message");
    int const length = static_cast<int>(mine.size());
    check(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, state_->blocks), "MPI_Allgather");
    int total = 0;
    for (std::size_t i = 0; i < ranks; ++i) {
        offsets[i] = total;
        total += lengths[i];
    }
    std::string all(static_cast<std::size_t>(total), '\0');
    check(MPI_Allgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR,
                         state_->blocks),
          "MPI_Allgatherv");
    std::vector<std::string> out;
    for (std::size_t i = 0; i < ranks; ++i)
        out.push_back(all.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(lengths[i])));
    return out;
}

void MpiTransport::post_note(Rank to, std::string const& note) {
    state_->forget_sent_notes();
    Note& posted = state_->posted.emplace_back(Note{note, MPI_REQUEST_NULL});
    check(MPI_Isend(posted.text.data(), static_cast<int>(posted.text.size()), MPI_CHAR, to.value(), 0, state_->notes,
                    &posted.request),
          "MPI_Isend");
}

bool MpiTransport::take_note(Rank& from, std::string& note) {
    int there = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, 0, state_->notes, &there, &status), "MPI_Iprobe");
    if (there == 0) return false;
    int length = 0;
    MPI_Get_count(&status, MPI_CHAR, &length);
    note.resize(static_cast<std::size_t>(length));
    check(MPI_Recv(note.data(), length, MPI_CHAR, status.MPI_SOURCE, 0, state_->notes, MPI_STATUS_IGNORE), "MPI_Recv");
    from = Rank{status.MPI_SOURCE};
    return true;
}

void MpiTransport::abort(ExitCode code) {
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
    std::_Exit(static_cast<int>(code));
}

}  // namespace ein::executor
