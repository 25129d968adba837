#include "executor/storage/device_cache.hpp"

#include <utility>

#include "executor/device/index_error.hpp"
#include "executor/storage/tuning.hpp"
#include "lib/base/error.hpp"

namespace ein::executor {

using schedule::DeviceMemory;

namespace {

/// Of a block that is copied to the host.
std::int64_t piece_of(std::int64_t bytes) {
    return std::max(tuning::copied_piece, DeviceMemory::rounded(bytes / tuning::most_pieces));
}

}  // namespace

/// Called in a catch block: what fails on the device is reported by whoever asks next.
void DeviceCache::rethrow_late() const {
    try {
        throw;
    } catch (InternalError const&) {
        throw;
    } catch (MemoryError const&) {
        throw;
    } catch (IndexError const&) {  // says of which task it is
        throw;
    } catch (Error const& error) {
        OptionalId<TaskId> const oldest = oldest_ahead_;
        if (!oldest) throw;
        throw Error(error.code(),
                    "the device, in a task from task " + std::to_string((*oldest).value()) + " on: " + error.what());
    }
}

DeviceCache::DeviceCache(schedule::Section const& section, Accelerator& device, std::int64_t capacity,
                         std::int64_t host_bytes)
    : section_(section),
      device_(device),
      memory_(section, capacity),
      buffers_(device),
      base_(device.reserve(capacity)),
      places_(section.blocks.size()) {
    std::int64_t largest = 0;
    for (BlockId block : section.blocks.ids()) largest = std::max(largest, memory_.bytes(block));
    buffers_.reserve(host_bytes, std::min(largest, host_bytes));
}

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

void DeviceCache::lend(BlockId, BlockId) { promise(false, "a block is taken over on a device with memory of its own"); }

void DeviceCache::expect_stores(bool stores) {
    MutexLock const lock(mutex_);
    memory_.expect_stores(stores);
}

void DeviceCache::run(TaskId id, Operands& operands, std::function<void()> const& launch) {
    let_device_catch_up();
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
    forget_passed();
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
    of(output).uses.kernel = of(output).uses.written = launched_;
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
    place.uses.in = place.read_from_host = last_copy_[static_cast<std::size_t>(Stream::in)] = device_.mark(Stream::in);
}

void DeviceCache::leave(BlockId block, std::int64_t place) {
    left_.left(place, DeviceMemory::rounded(memory_.bytes(block)), std::exchange(of(block).uses, {}));
}

/// From its place on the device, where it is or was until this step.
void DeviceCache::copy_out(BlockId block, std::int64_t from) {
    Place& place = of(block);
    std::byte* const to = host_buffer(block);
    wait_for_kernel(Stream::out, place.uses.written);
    wait_for(Stream::out, Stream::in, std::max(place.uses.in, place.read_from_host));
    std::int64_t const bytes = memory_.bytes(block);
    place.pieces_to_host.clear();
    std::int64_t const piece = piece_of(bytes);
    for (std::int64_t at = 0; bytes - at > 2 * piece; at += piece) {
        device_.copy_out(to + at, base_ + from + at, piece);
        place.pieces_to_host.push_back(device_.mark(Stream::out));
    }
    auto const rest = static_cast<std::int64_t>(place.pieces_to_host.size()) * piece;
    device_.copy_out(to + rest, base_ + from + rest, bytes - rest);
    place.uses.out = place.written_to_host = last_copy_[static_cast<std::size_t>(Stream::out)] =
        device_.mark(Stream::out);
}

/// When the first so many bytes of a block are in the host.
Accelerator::Mark DeviceCache::mark_at_host(BlockId block, std::int64_t bytes) {
    Place const& place = of(block);
    auto const piece = static_cast<std::size_t>(std::max<std::int64_t>(0, bytes - 1) / piece_of(memory_.bytes(block)));
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
    let_device_catch_up();
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
    marks_.push_back({launched_, device_.launches(), device_.mark(Stream::compute)});
    return marks_.back().mark;
}

/// Whether so much is asked of a stream of copies that asking for more may have to wait.
bool DeviceCache::is_far_ahead(Stream stream) {
    Mark const last = last_copy_[static_cast<std::size_t>(stream)];
    return last > tuning::most_copies_ahead && !device_.passed(stream, last - tuning::most_copies_ahead);
}

/// Before the lock is taken: where the host is far ahead of the device, a driver lets whoever asks for more wait, and
/// with it whoever wants the lock. Nobody holds it meanwhile.
void DeviceCache::let_device_catch_up() try {
    for (Stream const stream : {Stream::in, Stream::out})
        if (is_far_ahead(stream))
            device_.sync(stream, last_copy_[static_cast<std::size_t>(stream)] - tuning::most_copies_ahead / 2);
    while (device_.launches() - launches_done_ >= tuning::most_launches_ahead) let_kernels_catch_up();
} catch (...) {
    rethrow_late();
}

/// Waits for half of what is ahead.
void DeviceCache::let_kernels_catch_up() {
    Mark until = 0;
    {
        MutexLock const lock(mutex_);
        rethrow();
        forget_passed();
        std::int64_t const ahead = device_.launches() - launches_done_;
        if (ahead < tuning::most_launches_ahead) return;
        std::int64_t const half = launches_done_ + ahead / 2;
        auto const middle =
            std::find_if(marks_.begin(), marks_.end(), [&](Launched const& each) { return each.launches >= half; });
        until = middle == marks_.end() ? mark_of_kernel(launched_) : middle->mark;
    }
    device_.sync(Stream::compute, until);
}

void DeviceCache::forget_passed() {
    while (!marks_.empty() && device_.passed(Stream::compute, marks_.front().mark)) {
        for (; done_ < marks_.front().kernel; ++done_) ahead_.pop_front();
        launches_done_ = marks_.front().launches;
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
