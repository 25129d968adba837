#include "executor/storage/device_messages.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>
#include <vector>

#include "executor/health/crash_handler.hpp"
#include "executor/startup/threads.hpp"
#include "executor/storage/host_buffers.hpp"
#include "executor/storage/tuning.hpp"
#include "lib/base/error.hpp"

namespace ein::executor {

namespace {

std::byte pattern(int rank, std::int64_t at) {
    return static_cast<std::byte>((at * 131 + rank * 31 + (at >> 8)) & 0xff);
}

/// Sends `out` to the rank so many further on and receives from the one as many before.
/// @throws RunError where it takes too long
void pass_round(Transport& transport, int distance, std::span<std::byte const> out, std::span<std::byte> in) {
    int const ranks = transport.size(), self = transport.rank().value();
    transport.start_receive(in, Rank{(self + ranks - distance) % ranks}, 0, 0);
    transport.start_send(out, Rank{(self + distance) % ranks}, 0, 1, SendEnds::when_free);
    std::vector<Transport::Ticket> done;
    auto const begin = std::chrono::steady_clock::now();
    while (done.size() < 2) {
        transport.poll(done);
        if (std::chrono::steady_clock::now() - begin > tuning::most_probing)
            throw RunError("--gpu-aware: expected a message of " + std::to_string(out.size()) +
                           " bytes from device to device to arrive, found that it does not within a minute; use "
                           "--gpu-aware off");
    }
}

/// How far apart the ranks are that exchange patterns: neighbours, the nearest of one host, the nearest of two.
std::set<int> distances(Transport& transport) {
    std::vector<std::string> const hosts = transport.all_gather(this_seat().host);
    int const ranks = transport.size();
    std::set<int> found{1};
    for (bool const same : {true, false})
        for (int distance = 1, seen = 0; distance <= ranks / 2 && seen == 0; ++distance)
            for (int rank = 0; rank < ranks && seen == 0; ++rank) {
                bool const alike =
                    hosts[static_cast<std::size_t>(rank)] == hosts[static_cast<std::size_t>((rank + distance) % ranks)];
                if (alike == same) found.insert(seen = distance);
            }
    return found;
}

/// A device's memory, filled and read through a buffer of the host; or the buffer itself.
class Probe {
public:
    Probe(Accelerator* device, std::byte* memory, std::int64_t bytes)
        : device_(device), memory_(memory), host_(static_cast<std::size_t>(2 * bytes)), bytes_(bytes) {
        if (device == nullptr) memory_ = host_.data();
    }

    bool passes(Transport& transport, int distance) {
        auto const size = static_cast<std::size_t>(bytes_);
        int const ranks = transport.size(), self = transport.rank().value();
        std::vector<std::byte> wanted(size), found(size);
        for (std::int64_t at = 0; at < bytes_; ++at) {
            found[static_cast<std::size_t>(at)] = pattern(self, at);
            wanted[static_cast<std::size_t>(at)] = pattern((self + ranks - distance) % ranks, at);
        }
        write(found);
        if (device_ != nullptr) device_->enter();
        pass_round(transport, distance, {memory_, size}, {memory_ + bytes_, size});
        read(found);
        return found == wanted;
    }

private:
    void write(std::vector<std::byte> const& pattern) {
        if (device_ == nullptr) return static_cast<void>(std::memcpy(memory_, pattern.data(), pattern.size()));
        HostBuffers buffers(*device_);
        std::byte* const staged = buffers.take(bytes_);
        std::memcpy(staged, pattern.data(), pattern.size());
        device_->copy_in(memory_, staged, bytes_);
        device_->sync(Stream::in, device_->mark(Stream::in));
    }
    void read(std::vector<std::byte>& into) {
        if (device_ == nullptr) return static_cast<void>(std::memcpy(into.data(), memory_ + bytes_, into.size()));
        HostBuffers buffers(*device_);
        std::byte* const staged = buffers.take(bytes_);
        device_->copy_out(staged, memory_ + bytes_, bytes_);
        device_->sync(Stream::out, device_->mark(Stream::out));
        std::memcpy(into.data(), staged, into.size());
    }

    Accelerator* device_;
    std::byte* memory_;
    std::vector<std::byte> host_;
    std::int64_t bytes_;
};

bool on_all(Transport& transport, bool mine) {
    auto const all = transport.all_gather(mine ? "1" : "0");
    return std::all_of(all.begin(), all.end(), [](std::string const& each) { return each == "1"; });
}

/// Of ranks that were asked for different things: off and on contradict each other, and each outweighs auto.
DeviceMessages wanted_by_all(Transport& transport, DeviceMessages mine) {
    std::vector<std::string> const all = transport.all_gather(std::to_string(static_cast<int>(mine)));
    auto const some = [&](DeviceMessages wanted) {
        return std::find(all.begin(), all.end(), std::to_string(static_cast<int>(wanted))) != all.end();
    };
    if (some(DeviceMessages::on) && some(DeviceMessages::off))
        throw UsageError(
            "--gpu-aware: expected on or off for all ranks, found on for some and off for others; "
            "give one of them, or auto");
    return some(DeviceMessages::off)  ? DeviceMessages::off
           : some(DeviceMessages::on) ? DeviceMessages::on
                                      : DeviceMessages::automatic;
}

/// Collective.
bool patterns_arrive(Transport& transport, Accelerator* device, std::byte* memory, std::int64_t bytes) {
    std::int64_t shared = tuning::large_probe;
    for (std::string const& each :
         transport.all_gather(std::to_string(device == nullptr ? tuning::large_probe : bytes / 512 * 256)))
        shared = std::min(shared, static_cast<std::int64_t>(std::stoll(each)));
    bool passed = shared > 0;
    for (int const distance : distances(transport))
        for (std::int64_t const size : {std::min(shared, tuning::small_probe), shared})
            passed = on_all(transport, passed && Probe(device, memory, size).passes(transport, distance));
    return passed;
}

}  // namespace

char const* const direct_message_hint =
    ", while MPI sent from a device's memory, which it says that it can: run again with --gpu-aware off";

DeviceMessages device_messages_from_name(std::string_view name) {
    if (name == "auto") return DeviceMessages::automatic;
    if (name == "on") return DeviceMessages::on;
    if (name == "off") return DeviceMessages::off;
    throw UsageError("--gpu-aware: expected auto, on or off, found '" + std::string(name) + "'; correct the option");
}

bool messages_reach_devices(Transport& transport, DeviceMessages mine, Accelerator* device, std::byte* memory,
                            std::int64_t bytes) {
    DeviceMessages const wanted = wanted_by_all(transport, mine);
    bool const some = !on_all(transport, device == nullptr);
    if (wanted == DeviceMessages::off || transport.size() == 1 || !some) return false;
    bool const able = on_all(transport, transport.reaches_devices());
    if (!able && wanted == DeviceMessages::on)
        throw RunError(
            "--gpu-aware on: expected an MPI that sends from device memory, found one that says it does not (Open MPI: "
            "ompi_info | grep cuda); use --gpu-aware off, or an MPI that was built with CUDA");
    if (!able) return false;
    CrashHint const hint(direct_message_hint);
    bool const passed = patterns_arrive(transport, device, memory, bytes);
    if (!passed && wanted == DeviceMessages::on)
        throw RunError(
            "--gpu-aware on: expected a pattern sent from device to device to arrive as it was, found that it does not "
            "on some "
            "rank; use --gpu-aware off");
    return passed;
}

}  // namespace ein::executor
