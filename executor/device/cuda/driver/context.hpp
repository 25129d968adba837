// The context of the chosen GPU: what memory, streams and modules belong to. Every thread that calls CUDA makes it its
// own first. Example: context.enter(); driver().cuMemAlloc(...): the first call of a thread sets its context, later
// ones compare a number.
#pragma once

#include "executor/device/cuda/driver/gpu.hpp"

namespace ein::executor::cuda {

class Context {
public:
    explicit Context(ChosenGpu gpu);
    ~Context();
    Context(Context const&) = delete;
    Context& operator=(Context const&) = delete;

    ChosenGpu const& gpu() const { return gpu_; }
    /// @throws RunError
    void enter() const;
    /// Where nothing can be done about a failure.
    void enter_quietly() const noexcept;

private:
    ChosenGpu gpu_;
    CUcontext context_ = nullptr;
    std::int64_t number_;  // of this object in the process: a context's address may come again
};

}  // namespace ein::executor::cuda
