// What is true of every task of a kind. Each kind declares its own (tasks.hpp); nothing else says it again.
#pragma once

#include <cstdint>
#include <string_view>

namespace ein::schedule {

/// Who runs a task.
enum class Site : std::uint8_t {
    files,      // a worker: reads data that the graph names, writes outputs
    device,     // a kernel of the device, started by a worker
    transport,  // the messages between ranks
    disk,       // a worker: this rank's spill file
    host,       // a worker, on blocks in this process's memory
    dispatcher  // nobody: it is done when the tasks before it are
};

/// Where in a section tasks of a kind may stand.
struct Stands {
    bool among_loads = false;   // in the first phase
    bool among_stores = false;  // in the last phase
    bool in_between = true;     // in the second phase
};

struct TaskTraits {
    std::string_view name;  // in messages, reports and traces
    Site runs_on;
    Stands stands = {};
    bool repeats = true;        // may be in a loop
    bool counts_bytes = false;  // its bytes cross ranks: predicted, counted and compared

    constexpr bool is_transfer() const { return runs_on == Site::transport; }
    constexpr bool is_on_device() const { return runs_on == Site::device; }
    /// Its blocks are wanted in this process's memory, not in a device's.
    constexpr bool wants_host() const {
        return runs_on == Site::files || runs_on == Site::transport || runs_on == Site::disk || runs_on == Site::host;
    }
};

}  // namespace ein::schedule
