#include "executor/storage/device_messages.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "executor/storage/host_buffers.hpp"
#include "executor/storage/tuning.hpp"
#include "lib/base/error.hpp"

namespace ein::executor {

namespace {

std::byte pattern(int rank, std::int64_t at) {
    return static_cast<std::byte>((at * 131 + rank * 31 + (at >> 8)) & 0xff);
}

/// Sends `out` to the next rank and receives from the one before.
void pass_round(Transport& transport, std::span<std::byte const> out, std::span<std::byte> in) {
    int const ranks = transport.size(), self = transport.rank().value();
    transport.start_receive(in, Rank{(self + ranks - 1) % ranks}, 0, 0);
    transport.start_send(out, Rank{(self + 1) % ranks}, 0, 1, SendEnds::when_free);
    std::vector<Transport::Ticket> done;
    while (done.size() < 2) transport.poll(done);
}

/// A device's memory, filled and read through a buffer of the host; or the buffer itself.
class Probe {
public:
    Probe(Accelerator* device, std::byte* memory, std::int64_t bytes)
        : device_(device), memory_(memory), host_(static_cast<std::size_t>(2 * bytes)), bytes_(bytes) {
        if (device == nullptr) memory_ = host_.data();
    }

    bool passes(Transport& transport) {
        auto const size = static_cast<std::size_t>(bytes_);
        int const ranks = transport.size(), self = transport.rank().value();
        std::vector<std::byte> wanted(size), found(size);
        for (std::int64_t at = 0; at < bytes_; ++at) {
            found[static_cast<std::size_t>(at)] = pattern(self, at);
            wanted[static_cast<std::size_t>(at)] = pattern((self + ranks - 1) % ranks, at);
        }
        write(found);
        pass_round(transport, {memory_, size}, {memory_ + bytes_, size});
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

}  // namespace

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
    std::int64_t shared = tuning::probe_bytes;
    for (std::string const& each :
         transport.all_gather(std::to_string(device == nullptr ? tuning::probe_bytes : bytes / 512 * 256)))
        shared = std::min(shared, static_cast<std::int64_t>(std::stoll(each)));
    bool const passed = on_all(transport, shared > 0 && Probe(device, memory, shared).passes(transport));
    if (!passed && wanted == DeviceMessages::on)
        throw RunError(
            "--gpu-aware on: expected a pattern sent from device to device to arrive as it was, found that it does not "
            "on some "
            "rank; use --gpu-aware off");
    return passed;
}

}  // namespace ein::executor
