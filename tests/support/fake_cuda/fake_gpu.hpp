// A GPU that is none: what the functions of fake_driver.cpp, fake_compiler.cpp and fake_blas.cpp share. Memory is the
// host's, streams are threads (or nothing, when what is asked is done at once), kernels are compiled by the C++
// compiler. It is stricter than a GPU: copies want device memory on one side and pinned memory on the other, and what
// was never written is no number. These variables of the environment are read by cuInit:
//     FAKE_CUDA_DEVICES=2  FAKE_CUDA_DRIVER=12040  FAKE_CUDA_MEMORY=1000000   what there is
//     FAKE_CUDA_DELAY=50        streams are threads, which sleep up to so many microseconds before each thing they do
//     FAKE_CUDA_FAIL=cuMemAlloc:3   the third call fails; "kernel:3" and "copy:3": what the third has begun fails, and
//     all after it
// Example: LD_LIBRARY_PATH or EINLOOM_CUDA_LIBRARIES names the folder with libcuda.so.1, libnvrtc.so.13 and
// libcublas.so.13, which are this library.
#pragma once

#include <cuda.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>

namespace fake_cuda {

struct Settings {
    int devices = 1, driver = 13000;
    std::int64_t memory = std::int64_t{1} << 30;
    int delay = -1;     // microseconds; -1: no threads
    std::string fails;  // the name of a function, "kernel" or "copy"
    std::int64_t fails_at = 0;
};

/// What was asked of a stream, done in order.
class Stream {
public:
    Stream();
    ~Stream();
    void ask(std::function<void()> work);
    std::int64_t asked();
    bool done(std::int64_t count);
    void wait(std::int64_t count);

private:
    void serve();
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> jobs_;
    std::int64_t asked_ = 0, done_ = 0;
    bool closing_ = false;
    std::mt19937 random_;
    std::thread thread_;
};

struct Event {
    std::shared_ptr<Stream> of;
    std::int64_t count = 0;
};

class Gpu {
public:
    /// Reads the settings anew.
    void start();
    Settings const& settings() const { return settings_; }

    /// At the beginning of every call: the error that it is to return, if any.
    CUresult enter(char const* function);
    /// In a stream, before a kernel or copy: counts it. @return false when it must not be done
    bool begin(char const* kind);
    void fail(CUresult error);
    CUresult failure();

    void* allocate(std::int64_t bytes, bool on_device);  // nullptr: there is no more
    bool free(void* memory, bool on_device);
    bool has(void const* memory, std::int64_t bytes, bool on_device);
    std::int64_t free_bytes();

    /// Since the start.
    std::int64_t calls(std::string const& function);

    /// Objects that somebody must give back: memory, streams, events, modules, handles, contexts.
    void count_object(int change);
    std::int64_t objects();

private:
    std::recursive_mutex mutex_;
    Settings settings_;
    CUresult failure_ = CUDA_SUCCESS;
    std::map<std::string, std::int64_t> calls_;
    std::map<char const*, std::int64_t> device_memory_, host_memory_;
    std::int64_t used_ = 0, objects_ = 0;
};
Gpu& gpu();

/// A stream of the API. The pointer that callers hold is to the shared one.
inline std::shared_ptr<Stream>& stream_of(CUstream stream) {
    return *reinterpret_cast<std::shared_ptr<Stream>*>(stream);
}

}  // namespace fake_cuda
