// A GPU that is none: what the functions of fake_driver.cpp, fake_compiler.cpp and fake_blas.cpp share. Memory is the
// host's, streams are threads (or nothing, when what is asked is done at once), kernels are compiled by the C++
// compiler. It is stricter than a GPU: copies want device memory on one side and pinned memory on the other, and what
// was never written is no number. These variables of the environment are read by cuInit:
//     FAKE_CUDA_DEVICES=2  FAKE_CUDA_DRIVER=12040  FAKE_CUDA_MEMORY=1000000  FAKE_CUDA_ARCHITECTURE=70   what there is
//     CUDA_VISIBLE_DEVICES=1    which of them are seen, by number
//     FAKE_CUDA_DELAY=50        streams are threads, which sleep up to so many microseconds before each thing they do
//     FAKE_CUDA_DELAY=-2        what is asked of streams is not done: what is left is the host's part
//     FAKE_CUDA_QUEUE=1024      what a stream holds: whoever asks for more waits, and "blocked" counts as called
//     FAKE_CUDA_FAIL=cuMemAlloc:3   the third call fails; "kernel:3" and "copy:3": what the third has begun fails, and
//     all after it
// Example: LD_LIBRARY_PATH or EINLOOM_CUDA_LIBRARIES names the folder with libcuda.so.1, which is this library, and
// libnvrtc.so.13 and libcublas.so.13, which are built on it.
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
#include <vector>

namespace fake_cuda {

struct Settings {
    std::vector<int> visible{0};  // GPUs, as CUDA_VISIBLE_DEVICES lets them be seen
    int driver = 13000, architecture = 90;
    std::int64_t memory = std::int64_t{1} << 30;
    int delay = -1;            // microseconds; -1: no threads; -2: nothing is done
    std::size_t queue = 1024;  // what a stream holds
    std::string fails;         // the name of a function, "kernel" or "copy"
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
    int const delay_;  // as the settings were when it was made, as is the next
    std::size_t const queue_;
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
    Settings settings();

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
    void count(std::string const& what);

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
