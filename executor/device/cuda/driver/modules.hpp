// Kernels' texts compiled for the GPU at hand, each once: in the background, several at a time, while the run is
// prepared. Who launches waits for it.
// Leaves what is kept from run to run to code_cache.hpp.
// Example: code = modules.ask(kernel); ... cuLaunchKernel(code.get(), ...).
#pragma once

#include <deque>
#include <future>
#include <optional>
#include <thread>
#include <unordered_map>

#include "executor/device/cuda/driver/code_cache.hpp"
#include "executor/device/cuda/driver/context.hpp"
#include "lib/base/threads/mutex.hpp"

namespace ein::executor::cuda {

/// get() waits until it is compiled. @throws InternalError with the compiler's messages, or what else failed
using Code = std::shared_future<CUfunction>;

class Modules {
public:
    /// @param threads  that may compile at once
    Modules(Context const& context, int threads);
    ~Modules();
    Modules(Modules const&) = delete;
    Modules& operator=(Modules const&) = delete;

    Code ask(Kernel const& kernel);
    /// Waits for all that was asked for. @throws as get()
    void finish();

private:
    using Job = std::packaged_task<CUfunction()>;
    void serve();
    std::optional<Job> next_job();  // nothing when there will be none
    CUfunction make(Kernel const& kernel);

    Context const& context_;
    CodeCache const cache_;
    std::size_t const most_threads_;
    Mutex mutex_;
    Condition changed_;
    std::unordered_map<std::string, Code> known_ EIN_GUARDED_BY(mutex_);  // by the kernel's name
    std::deque<Job> jobs_ EIN_GUARDED_BY(mutex_);
    std::vector<CUmodule> loaded_ EIN_GUARDED_BY(mutex_);
    std::vector<std::thread> threads_ EIN_GUARDED_BY(mutex_);
    std::size_t idle_ EIN_GUARDED_BY(mutex_) = 0;
    bool closing_ EIN_GUARDED_BY(mutex_) = false;
};

}  // namespace ein::executor::cuda
