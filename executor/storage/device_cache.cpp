#include "executor/storage/device_cache.hpp"

#include <utility>

#include "executor/storage/tuning.hpp"
#include "lib/base/error.hpp"

namespace ein::executor {

using schedule::DeviceMemory;

/// Called in a catch block: what fails on the device is reported by whoever asks next.
void DeviceCache::rethrow_late() const {
    try {
        throw;
    } catch (InternalError const&) {
        throw;
    } catch (MemoryError const&) {
        throw;
    } catch (Error const& error) {
        OptionalId<TaskId> const oldest = oldest_ahead_;
        if (!oldest) throw;
        throw Error(error.code(),
                    "the device, in a task from task " + std::to_string((*oldest).value()) + " on: " + error.what());
    }
}

DeviceCache::DeviceCache(schedule::Section const& section, Accelerator& device, std::int64_t capacity)
    : section_(section),
      device_(device),
      memory_(section, capacity),
      buffers_(device),
      base_(device.reserve(capacity)),
      places_(section.blocks.size()) {}

DeviceCache::~DeviceCache() { device_.drain(); }

void DeviceCache::make(BlockId block) {
    MutexLock const lock(mutex_);
    of(block).writers = section_.blocks[block].writers;
}

void DeviceCache::remove(BlockId block) {
    MutexLock const lock(mutex_);
    Place& place = of(block);
    if (memory_.is_here(block)) leave(block, memory_.place(block));
    if (place.host != nullptr)
        buffers_.give(place.host, memory_.bytes(block), place.read_from_host, place.written_to_host);
    memory_.remove(block);
    place = {};
}

void DeviceCache::move(BlockId from, BlockId to) {
    MutexLock const lock(mutex_);
    memory_.move(from, to);
    of(to) = std::exchange(of(from), {});
    of(to).writers = 0;
}

void DeviceCache::run(TaskId id, Operands& operands, std::function<void()> const& launch) {
    MutexLock const lock(mutex_);
    bring(id, operands);
    try {
        launch();
    } catch (...) {
        count_launch(id);
        throw;
    }
    count_launch(id);
}

void DeviceCache::bring(TaskId id, Operands& operands) try {
    rethrow();
    keep_within_reach();
    bring_blocks(id);
    give_operands(id, operands);
} catch (...) {
    rethrow_late();
}

void DeviceCache::give_operands(TaskId id, Operands& operands) {
    std::span<BlockId const> const inputs = section_.reads(id);
    operands.inputs.resize(inputs.size());
    for (std::size_t k = 0; k < inputs.size(); ++k) operands.inputs[k] = operand(inputs[k]);
    OptionalId<BlockId> const result = task(id).result();
    operands.output = result ? operand(*result) : nullptr;
}

/// Where it is on the device, where the next kernel comes after what was copied there.
std::byte* DeviceCache::operand(BlockId block) {
    StreamUses const& uses = of(block).uses;
    wait_for(Stream::compute, Stream::in, uses.in);
    wait_for(Stream::compute, Stream::out, uses.out);
    return base_ + memory_.place(block);
}

/// The task's kernel was launched, or failed to be.
void DeviceCache::count_launch(TaskId id) noexcept {
    ++launched_;
    for (BlockId input : section_.reads(id)) of(input).uses.kernel = launched_;
    BlockId const output = *task(id).result();
    of(output).uses.kernel = launched_;
    try {
        ahead_.push_back(id);
        tell_ahead();
        if (memory_.is_tight() || launched_ % tuning::marked_kernels == 0) mark_of_kernel(launched_);
        count_writer(output);
    } catch (...) {
        failure_ = std::current_exception();
    }
}

/// The last writer of what the host wants sends it there at once.
void DeviceCache::count_writer(BlockId block) {
    if (--of(block).writers == 0 && memory_.is_wanted_by_host(block)) write_back(block);
}

void DeviceCache::bring_blocks(TaskId id) {
    memory_.bring(id, steps_);
    for (DeviceMemory::Step const& step : steps_) take(step);
}

void DeviceCache::take(DeviceMemory::Step const& step) {
    Place& place = of(step.block);
    switch (step.kind) {
        case DeviceMemory::Step::Kind::copy_out: copy_out(step.block, step.place); [[fallthrough]];
        case DeviceMemory::Step::Kind::drop: return leave(step.block, step.place);
        case DeviceMemory::Step::Kind::room:
        case DeviceMemory::Step::Kind::copy_in: break;
    }
    place.uses = left_.taken(step.place, DeviceMemory::rounded(memory_.bytes(step.block)));
    if (step.kind == DeviceMemory::Step::Kind::room) return;
    wait_for_kernel(Stream::in, place.uses.kernel);
    wait_for(Stream::in, Stream::out, std::max(place.uses.out, place.written_to_host));
    device_.copy_in(base_ + step.place, host_buffer(step.block), memory_.bytes(step.block));
    place.uses.in = place.read_from_host = device_.mark(Stream::in);
}

void DeviceCache::leave(BlockId block, std::int64_t place) {
    left_.left(place, DeviceMemory::rounded(memory_.bytes(block)), std::exchange(of(block).uses, {}));
}

/// From its place on the device, where it is or was until this step.
void DeviceCache::copy_out(BlockId block, std::int64_t from) {
    Place& place = of(block);
    std::byte* const to = host_buffer(block);
    wait_for_kernel(Stream::out, place.uses.kernel);
    wait_for(Stream::out, Stream::in, std::max(place.uses.in, place.read_from_host));
    std::int64_t const bytes = memory_.bytes(block);
    place.pieces_to_host.clear();
    for (std::int64_t at = 0; bytes - at > 2 * tuning::copied_piece; at += tuning::copied_piece) {
        device_.copy_out(to + at, base_ + from + at, tuning::copied_piece);
        place.pieces_to_host.push_back(device_.mark(Stream::out));
    }
    auto const rest = static_cast<std::int64_t>(place.pieces_to_host.size()) * tuning::copied_piece;
    device_.copy_out(to + rest, base_ + from + rest, bytes - rest);
    place.uses.out = place.written_to_host = device_.mark(Stream::out);
}

/// When the first so many bytes of a block are in the host.
Accelerator::Mark DeviceCache::mark_at_host(BlockId block, std::int64_t bytes) {
    Place const& place = of(block);
    auto const piece = static_cast<std::size_t>(std::max<std::int64_t>(0, bytes - 1) / tuning::copied_piece);
    return piece < place.pieces_to_host.size() ? place.pieces_to_host[piece] : place.written_to_host;
}

/// For a task of the host.
void DeviceCache::write_back(BlockId block) {
    if (memory_.host_has(block)) return;
    copy_out(block, memory_.place(block));
    memory_.copied_out(block);
}

std::byte* DeviceCache::host_buffer(BlockId block) {
    Place& place = of(block);
    if (place.host == nullptr) place.host = buffers_.take(memory_.bytes(block));
    return place.host;
}

std::span<std::byte> DeviceCache::in_host(BlockId block, HostUse use) try {
    Mark written = 0;
    std::span<std::byte> bytes;
    {
        MutexLock const lock(mutex_);
        rethrow();
        written = use_in_host(block, use);
        bytes = {host_buffer(block), static_cast<std::size_t>(memory_.bytes(block))};
    }
    device_.sync(Stream::out, written);
    return bytes;
} catch (...) {
    rethrow_late();
}

/// @return the mark after which its buffer has its bytes
DeviceCache::Mark DeviceCache::use_in_host(BlockId block, HostUse use) {
    bool const has_bytes = memory_.is_here(block) || memory_.host_has(block);
    if (use != HostUse::write && has_bytes) write_back(block);
    host_buffer(block);
    if (use != HostUse::read) {
        if (memory_.is_here(block)) leave(block, memory_.place(block));
        memory_.written_by_host(block);
        --of(block).writers;
    }
    return of(block).written_to_host;
}

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
        write_back(block);
        if (!device_.passed(Stream::out, mark_at_host(block, part.offset + part.bytes))) return std::nullopt;
    }
    return std::span(host_buffer(block) + part.offset, bytes);
}

/// Nothing while streams are busy with its place.
std::optional<std::span<std::byte>> DeviceCache::message_on_device(TaskId id, BlockId block,
                                                                   schedule::ByteRange const& part) {
    if (task(id).is<schedule::Receive>()) bring_blocks(id);
    StreamUses const& uses = of(block).uses;
    bool const idle = (uses.kernel <= done_ || device_.passed(Stream::compute, mark_of_kernel(uses.kernel))) &&
                      device_.passed(Stream::in, uses.in) && device_.passed(Stream::out, uses.out);
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
    place.uses.in = device_.mark(Stream::in);
    buffers_.give(from, part.bytes, place.uses.in, 0);
    count_writer(block);
}

void DeviceCache::wait_for_kernel(Stream waits, std::int64_t kernel) {
    if (kernel > done_) wait_for(waits, Stream::compute, mark_of_kernel(kernel));
}

void DeviceCache::wait_for(Stream waits, Stream of, Mark mark) {
    Mark& waited = waited_[static_cast<std::size_t>(waits)][static_cast<std::size_t>(of)];
    if (mark <= waited) return;
    device_.wait(waits, of, mark);
    waited = mark;
}

/// The first mark after it.
DeviceCache::Mark DeviceCache::mark_of_kernel(std::int64_t kernel) {
    auto const after = std::lower_bound(marks_.begin(), marks_.end(), kernel,
                                        [](Launched const& each, std::int64_t number) { return each.kernel < number; });
    if (after != marks_.end()) return after->mark;
    marks_.push_back({launched_, device_.mark(Stream::compute)});
    return marks_.back().mark;
}

/// Lets the device catch up where the host is far ahead of it.
void DeviceCache::keep_within_reach() {
    forget_passed();
    bool const far = marks_.size() > tuning::most_marks;
    while (far && marks_.size() > tuning::most_marks / 2) {
        device_.sync(Stream::compute, marks_.front().mark);
        forget_passed();
    }
}

void DeviceCache::forget_passed() {
    while (!marks_.empty() && device_.passed(Stream::compute, marks_.front().mark)) {
        for (; done_ < marks_.front().kernel; ++done_) ahead_.pop_front();
        marks_.pop_front();
    }
    tell_ahead();
}

/// For those who do not wait for the lock.
void DeviceCache::tell_ahead() {
    tasks_ahead_ = static_cast<std::int64_t>(ahead_.size());
    oldest_ahead_ = ahead_.empty() ? OptionalId<TaskId>() : OptionalId(ahead_.front());
}

/// Whoever holds the lock for long keeps the numbers up to date.
BlockStorage::UnderWay DeviceCache::under_way() {
    if (mutex_.try_lock()) {
        MutexLock const lock(mutex_, adopt_held);
        try {
            if (!failure_) forget_passed();
        } catch (...) {
            failure_ = std::current_exception();
        }
    }
    return {tasks_ahead_, oldest_ahead_};
}

void DeviceCache::rethrow() {
    if (failure_) std::rethrow_exception(failure_);
}

void DeviceCache::settle() try {
    Mark all[streams] = {};
    {
        MutexLock const lock(mutex_);
        rethrow();
        mark_of_kernel(launched_);
        for (Stream const stream : {Stream::compute, Stream::in, Stream::out})
            all[static_cast<std::size_t>(stream)] = device_.mark(stream);
    }
    for (Stream const stream : {Stream::compute, Stream::in, Stream::out})
        device_.sync(stream, all[static_cast<std::size_t>(stream)]);
    MutexLock const lock(mutex_);
    forget_passed();
} catch (...) {
    rethrow_late();
}

schedule::DeviceTraffic DeviceCache::traffic() const {
    MutexLock const lock(mutex_);
    return memory_.traffic();
}

}  // namespace ein::executor
