#include "executor/device/cuda/driver/memory.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/base/text/sizes.hpp"

namespace ein::executor::cuda {

DeviceBytes::DeviceBytes(Context const& context, std::int64_t bytes, char const* purpose) : context_(&context) {
    context.enter();
    CUdeviceptr address = 0;
    CUresult const result =
        driver().cuMemAlloc.status(&address, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        throw MemoryError("--device cuda: expected " + format_exact_bytes(bytes) + " for " + purpose + " on " +
                          context.gpu().text() + ", found " + format_exact_bytes(free_bytes(context)) +
                          " free; give a smaller --device-memory, or see with nvidia-smi who else uses the GPU");
    if (result != CUDA_SUCCESS) throw_failed(driver().cuMemAlloc.name(), text_of(result));
    data_ = reinterpret_cast<std::byte*>(address);
    bytes_ = bytes;
}

DeviceBytes::~DeviceBytes() {
    if (data_ == nullptr) return;
    context_->enter_quietly();
    driver().cuMemFree.status(reinterpret_cast<CUdeviceptr>(data_));
}

std::int64_t free_bytes(Context const& context) {
    context.enter();
    std::size_t free = 0, all = 0;
    driver().cuMemGetInfo(&free, &all);
    return static_cast<std::int64_t>(free);
}

std::byte* allocate_pinned(Context const& context, std::int64_t bytes) {
    context.enter();
    void* memory = nullptr;
    CUresult const result =
        driver().cuMemAllocHost.status(&memory, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        throw MemoryError("--device cuda: expected " + format_exact_bytes(bytes) +
                          " of pinned memory in the host, found less; run with more ranks on other hosts, or raise the "
                          "host's limits (ulimit -l)");
    if (result != CUDA_SUCCESS) throw_failed(driver().cuMemAllocHost.name(), text_of(result));
    return static_cast<std::byte*>(memory);
}

void free_pinned(Context const& context, std::byte* memory) noexcept {
    context.enter_quietly();
    driver().cuMemFreeHost.status(memory);
}

std::byte* Scratch::at_least(std::int64_t bytes, CUstream stream) {
    if (bytes > memory_.bytes()) {
        context_.enter();
        driver().cuStreamSynchronize(stream);
        memory_ = {};
        memory_ = DeviceBytes(context_, std::max(bytes, expected_), "kernels' scratch");
    }
    return memory_.data();
}

}  // namespace ein::executor::cuda
