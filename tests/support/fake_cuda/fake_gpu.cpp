#include "tests/support/fake_cuda/fake_gpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace fake_cuda {
namespace {

std::string set(char const* name, std::string const& otherwise) {
    char const* const value = std::getenv(name);
    return value == nullptr ? otherwise : value;
}

/// Up to the first that is not there, as CUDA has it.
std::vector<int> visible(int devices) {
    std::vector<int> seen;
    std::string all;
    for (int device = 0; device < devices; ++device) all += std::to_string(device) + ",";
    std::istringstream list(set("CUDA_VISIBLE_DEVICES", all));
    for (std::string number; std::getline(list, number, ',');) {
        int const device = std::atoi(number.c_str());
        if (device < 0 || device >= devices) break;
        seen.push_back(device);
    }
    return seen;
}

}  // namespace

Gpu& gpu() {
    static Gpu* const one = new Gpu;  // streams of a careless caller may outlive everything
    return *one;
}

Stream::Stream() : delay_(gpu().settings().delay), queue_(gpu().settings().queue) {
    if (delay_ >= 0) thread_ = std::thread([this] { serve(); });
}

Stream::~Stream() {
    {
        std::lock_guard const lock(mutex_);
        closing_ = true;
    }
    changed_.notify_all();
    if (!thread_.joinable()) return;
    if (thread_.get_id() == std::this_thread::get_id())
        thread_.detach();
    else
        thread_.join();
}

void Stream::ask(std::function<void()> work) {
    if (!thread_.joinable()) {
        if (delay_ == -1) work();
        std::lock_guard const lock(mutex_);
        ++asked_;
        ++done_;
        return;
    }
    {
        std::unique_lock lock(mutex_);
        if (jobs_.size() >= queue_) gpu().count("blocked");
        changed_.wait(lock, [&] { return jobs_.size() < queue_; });
        ++asked_;
        jobs_.push_back(std::move(work));
    }
    changed_.notify_all();
}

std::int64_t Stream::asked() {
    std::lock_guard const lock(mutex_);
    return asked_;
}

bool Stream::done(std::int64_t count) {
    std::lock_guard const lock(mutex_);
    return done_ >= count;
}

void Stream::wait(std::int64_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ >= count; });
}

void Stream::serve() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return closing_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        std::function<void()> const work = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        if (delay_ > 0)
            std::this_thread::sleep_for(std::chrono::microseconds(random_() % static_cast<unsigned>(delay_ + 1)));
        work();
        lock.lock();
        ++done_;
        changed_.notify_all();
    }
}

/// Whole, for ranks of one process start while others make streams.
void Gpu::start() {
    Settings anew;
    anew.visible = visible(std::stoi(set("FAKE_CUDA_DEVICES", "1")));
    anew.architecture = std::stoi(set("FAKE_CUDA_ARCHITECTURE", "90"));
    anew.driver = std::stoi(set("FAKE_CUDA_DRIVER", "13000"));
    anew.memory = std::stoll(set("FAKE_CUDA_MEMORY", "1073741824"));
    anew.delay = std::stoi(set("FAKE_CUDA_DELAY", "-1"));
    anew.queue = static_cast<std::size_t>(std::stoll(set("FAKE_CUDA_QUEUE", "1024")));
    std::string const fail = set("FAKE_CUDA_FAIL", ":0");
    anew.fails = fail.substr(0, fail.find(':'));
    anew.fails_at = std::stoll(fail.substr(fail.find(':') + 1));
    std::lock_guard const lock(mutex_);
    settings_ = std::move(anew);
    if (objects_ > 0) return;  // ranks of one process start one after the other
    failure_ = CUDA_SUCCESS;
    calls_.clear();
}

Settings Gpu::settings() {
    std::lock_guard const lock(mutex_);
    return settings_;
}

CUresult Gpu::enter(char const* function) {
    std::lock_guard const lock(mutex_);
    bool const fails = ++calls_[function] == settings_.fails_at && settings_.fails == function;
    return fails ? (failure_ = CUDA_ERROR_UNKNOWN) : failure_;
}

bool Gpu::begin(char const* kind) {
    std::lock_guard const lock(mutex_);
    if (failure_ == CUDA_SUCCESS && settings_.fails == kind && ++calls_[kind] == settings_.fails_at)
        failure_ = CUDA_ERROR_ILLEGAL_ADDRESS;
    return failure_ == CUDA_SUCCESS;
}

void Gpu::fail(CUresult error) {
    std::lock_guard const lock(mutex_);
    if (failure_ == CUDA_SUCCESS) failure_ = error;
}

CUresult Gpu::failure() {
    std::lock_guard const lock(mutex_);
    return failure_;
}

void* Gpu::allocate(std::int64_t bytes, bool on_device) {
    std::lock_guard const lock(mutex_);
    if (on_device && used_ + bytes > settings_.memory) return nullptr;
    constexpr std::int64_t alignment = 512, most_poisoned = std::int64_t{64} << 20;
    void* const memory =
        std::aligned_alloc(alignment, static_cast<std::size_t>((bytes + alignment - 1) / alignment * alignment));
    if (memory == nullptr) return nullptr;
    std::memset(memory, 0xff, static_cast<std::size_t>(std::min(bytes, most_poisoned)));
    (on_device ? device_memory_ : host_memory_)[static_cast<char const*>(memory)] = bytes;
    if (on_device) used_ += bytes;
    ++objects_;
    return memory;
}

bool Gpu::free(void* memory, bool on_device) {
    std::lock_guard const lock(mutex_);
    auto& known = on_device ? device_memory_ : host_memory_;
    auto const at = known.find(static_cast<char const*>(memory));
    if (at == known.end()) return false;
    if (on_device) used_ -= at->second;
    known.erase(at);
    --objects_;
    std::free(memory);
    return true;
}

bool Gpu::has(void const* memory, std::int64_t bytes, bool on_device) {
    std::lock_guard const lock(mutex_);
    auto const* const begin = static_cast<char const*>(memory);
    auto const& known = on_device ? device_memory_ : host_memory_;
    auto const after = known.upper_bound(begin);
    if (after == known.begin()) return false;
    auto const& [first, size] = *std::prev(after);
    auto const offset = reinterpret_cast<std::uintptr_t>(begin) - reinterpret_cast<std::uintptr_t>(first);
    return offset <= static_cast<std::uintptr_t>(size) && bytes <= size - static_cast<std::int64_t>(offset);
}

std::int64_t Gpu::free_bytes() {
    std::lock_guard const lock(mutex_);
    return settings_.memory - used_;
}

std::int64_t Gpu::calls(std::string const& function) {
    std::lock_guard const lock(mutex_);
    return calls_[function];
}

void Gpu::count(std::string const& what) {
    std::lock_guard const lock(mutex_);
    ++calls_[what];
}

void Gpu::count_object(int change) {
    std::lock_guard const lock(mutex_);
    objects_ += change;
}

std::int64_t Gpu::objects() {
    std::lock_guard const lock(mutex_);
    return objects_;
}

}  // namespace fake_cuda
