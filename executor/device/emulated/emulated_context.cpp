#include "executor/device/emulated/emulated_context.hpp"

#include <functional>
#include <map>

#include "lib/base/error.hpp"
#include "lib/base/threads/mutex.hpp"

namespace ein::executor {
namespace {

struct Range {
    std::byte const* begin = nullptr;
    std::int64_t bytes = 0;
};

struct Contexts {
    Mutex mutex;
    std::int64_t made EIN_GUARDED_BY(mutex) = 0;
    std::map<std::int64_t, Range> memory EIN_GUARDED_BY(mutex);  // by number
};
Contexts& contexts() {
    static Contexts all;
    return all;
}
thread_local std::int64_t entered = 0;

std::int64_t next_number() {
    Contexts& all = contexts();
    MutexLock const lock(all.mutex);
    return ++all.made;
}

}  // namespace

EmulatedContext::EmulatedContext() : number_(next_number()) {}

EmulatedContext::~EmulatedContext() {
    Contexts& all = contexts();
    MutexLock const lock(all.mutex);
    all.memory.erase(number_);
}

void EmulatedContext::own(std::byte const* memory, std::int64_t bytes) const {
    Contexts& all = contexts();
    MutexLock const lock(all.mutex);
    all.memory[number_] = {memory, bytes};
}

void EmulatedContext::enter() const { entered = number_; }

void check_emulated_access(void const* memory) {
    auto const* const at = static_cast<std::byte const*>(memory);
    std::less<> const before;
    Contexts& all = contexts();
    MutexLock const lock(all.mutex);
    for (auto const& [number, range] : all.memory)
        promise(before(at, range.begin) || !before(at, range.begin + range.bytes) || number == entered,
                "a message is given a device's memory by a thread that has not entered the device");
}

}  // namespace ein::executor
