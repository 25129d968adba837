#include "executor/storage/host_buffers.hpp"

#include <algorithm>

#include "executor/storage/tuning.hpp"
#include "lib/base/error.hpp"
#include "lib/schedule/device/device_memory.hpp"

namespace ein::executor {

HostBuffers::~HostBuffers() {
    for (Piece const& piece : pieces_) device_.free_host(piece.memory, piece.bytes);
}

std::int64_t HostBuffers::rounded(std::int64_t bytes) { return schedule::DeviceMemory::rounded(bytes); }

std::byte* HostBuffers::take(std::int64_t bytes) {
    std::int64_t const size = rounded(bytes);
    free_what_is_done();
    if (std::byte* const found = take_from_pieces(size)) return found;
    std::int64_t const next =
        pieces_.empty() ? tuning::first_pinned : std::min(tuning::largest_pinned, 2 * pieces_.back().bytes);
    std::int64_t const fresh = std::max(size, next);
    add_piece(fresh);
    return take_from_pieces(size);
}

void HostBuffers::reserve(std::int64_t bytes, std::int64_t largest) {
    if (bytes == 0) return;
    std::int64_t const most = std::max(tuning::pinned_slab, rounded(largest));
    std::int64_t const slabs = (bytes + most - 1) / most;
    std::int64_t const each = std::max(rounded((bytes + slabs - 1) / slabs), rounded(largest));
    for (std::int64_t slab = 0; slab < slabs; ++slab) add_piece(each);
}

void HostBuffers::add_piece(std::int64_t bytes) {
    pieces_.push_back({device_.allocate_host(bytes), bytes, schedule::AddressGaps(bytes)});
}

std::byte* HostBuffers::take_from_pieces(std::int64_t bytes) {
    for (Piece& piece : pieces_)
        if (auto const place = piece.places.take(bytes)) return piece.memory + *place;
    return nullptr;
}

void HostBuffers::give(std::byte* buffer, std::int64_t bytes, Accelerator::Mark in, Accelerator::Mark out) {
    given_.push_back({buffer, rounded(bytes), in, out});
}

void HostBuffers::free_what_is_done() {
    std::erase_if(given_, [&](Given const& given) {
        bool const done = device_.passed(Stream::in, given.in) && device_.passed(Stream::out, given.out);
        if (done) free(given);
        return done;
    });
}

void HostBuffers::free(Given const& given) {
    for (Piece& piece : pieces_)
        if (given.buffer >= piece.memory && given.buffer < piece.memory + piece.bytes)
            return piece.places.give(given.buffer - piece.memory, given.bytes);
    throw InternalError("a host buffer is given back that was never taken");
}

}  // namespace ein::executor
