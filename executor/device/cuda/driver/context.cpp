#include "executor/device/cuda/driver/context.hpp"

#include <atomic>

namespace ein::executor::cuda {
namespace {

std::atomic<std::int64_t> contexts{0};
thread_local std::int64_t entered = 0;

}  // namespace

Context::Context(ChosenGpu gpu) : gpu_(std::move(gpu)), number_(++contexts) {
    driver().cuDevicePrimaryCtxRetain(&context_, gpu_.device);
}

Context::~Context() { driver().cuDevicePrimaryCtxRelease.status(gpu_.device); }

void Context::enter() const {
    if (entered == number_) return;
    driver().cuCtxSetCurrent(context_);
    entered = number_;
}

void Context::enter_quietly() const noexcept {
    if (entered != number_ && driver().cuCtxSetCurrent.status(context_) == CUDA_SUCCESS) entered = number_;
}

}  // namespace ein::executor::cuda
