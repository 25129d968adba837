// Messages of blocks that are on a device: by way of the host's buffers, or straight from its memory.
#include "executor/storage/device_cache.hpp"
#include "lib/base/error.hpp"

namespace ein::executor {

std::optional<std::span<std::byte>> DeviceCache::message(TaskId id) try {
    MutexLock const lock(mutex_);
    rethrow();
    return message_here(id);
} catch (...) {
    rethrow_late();
}

std::optional<std::span<std::byte>> DeviceCache::message_here(TaskId id) {
    schedule::Message const message = section_.message(task(id));
    BlockId const block = message.block;
    schedule::ByteRange const part = section_.range_of(message);
    auto const bytes = static_cast<std::size_t>(part.bytes);
    if (direct_ && (message.is_send ? memory_.is_here(block) && !memory_.host_has(block) : memory_.is_made_here(block)))
        return message_on_device(id, block, part);
    if (!message.is_send && memory_.is_made_here(block))
        return std::span(arriving_[id] = buffers_.take(part.bytes), bytes);
    if (message.is_send) {
        if (!memory_.host_has(block) && is_far_ahead(Stream::out)) return std::nullopt;
        write_back(block);
        if (!device_.passed(Stream::out, mark_at_host(block, part.offset + part.bytes))) return std::nullopt;
    }
    return std::span(host_buffer(block) + part.offset, bytes);
}

/// Nothing while streams are busy with its place: for a send, while they write it.
std::optional<std::span<std::byte>> DeviceCache::message_on_device(TaskId id, BlockId block,
                                                                   schedule::ByteRange const& part) {
    if (task(id).is<schedule::Receive>()) bring_blocks(id);
    StreamUses const& uses = of(block).uses;
    bool const reads = task(id).is<schedule::Send>();  // beside others that do
    std::int64_t const kernel = reads ? uses.written : uses.kernel;
    bool const idle = (kernel <= done_ || device_.passed(Stream::compute, mark_of_kernel(kernel))) &&
                      device_.passed(Stream::in, uses.in) && (reads || device_.passed(Stream::out, uses.out));
    if (!idle) return std::nullopt;
    return std::span(base_ + memory_.place(block) + part.offset, static_cast<std::size_t>(part.bytes));
}

bool DeviceCache::exchange_directly() {
    MutexLock const lock(mutex_);
    if (memory_.is_tight()) return false;
    memory_.exchange_directly();
    return direct_ = true;
}

void DeviceCache::received(TaskId id) try {
    MutexLock const lock(mutex_);
    rethrow();
    take_received(id);
} catch (...) {
    rethrow_late();
}

void DeviceCache::take_received(TaskId id) {
    schedule::Message const message = section_.message(task(id));
    BlockId const block = message.block;
    schedule::ByteRange const part = section_.range_of(message);
    if (!memory_.is_made_here(block)) {
        memory_.written_by_host(block);
        --of(block).writers;
        return;
    }
    if (direct_) return count_writer(block);
    bring_blocks(id);
    Place& place = of(block);
    std::byte* const from = arriving_.extract(id).mapped();
    wait_for_kernel(Stream::in, place.uses.kernel);
    wait_for(Stream::in, Stream::out, place.uses.out);
    device_.copy_in(base_ + memory_.place(block) + part.offset, from, part.bytes);
    place.uses.in = last_copy_[static_cast<std::size_t>(Stream::in)] = device_.mark(Stream::in);
    buffers_.give(from, part.bytes, place.uses.in, 0);
    count_writer(block);
}

}  // namespace ein::executor
