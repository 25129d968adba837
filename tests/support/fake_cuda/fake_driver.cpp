// The functions of libcuda.so.1 that we load.
#include <cstdio>
#include <cstring>
#include <vector>

#include "tests/support/fake_cuda/fake_gpu.hpp"
#include "tests/support/fake_cuda/host_module.hpp"

using namespace fake_cuda;

namespace {

thread_local CUcontext current = nullptr;
char the_context;  // its address is the context

/// What a call that needs a context begins with.
CUresult enter(char const* function) {
    if (CUresult const error = gpu().enter(function); error != CUDA_SUCCESS) return error;
    return current == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

Event& event_of(CUevent event) { return *reinterpret_cast<Event*>(event); }

/// Objects are counted: tests ask whether all were given back.
template <class Handle>
CUresult made(Handle* handle, void* object) {
    *handle = reinterpret_cast<Handle>(object);
    gpu().count_object(1);
    return CUDA_SUCCESS;
}
CUresult given_back() {
    gpu().count_object(-1);
    return CUDA_SUCCESS;
}

void copy_on(CUstream stream, void* to, void const* from, std::size_t bytes) {
    stream_of(stream)->ask([=] {
        if (gpu().begin("copy")) std::memcpy(to, from, bytes);
    });
}

}  // namespace

#define ENTER(name) \
    if (CUresult const error = enter(name); error != CUDA_SUCCESS) return error

extern "C" {

CUresult cuInit(unsigned) {
    gpu().start();
    if (CUresult const error = gpu().enter("cuInit"); error != CUDA_SUCCESS) return error;
    return gpu().settings().visible.empty() ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int* version) {
    char const* const set = std::getenv("FAKE_CUDA_DRIVER");
    *version = set == nullptr ? 13000 : std::atoi(set);
    return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, char const** name) {
    *name = error == CUDA_ERROR_OUT_OF_MEMORY     ? "CUDA_ERROR_OUT_OF_MEMORY"
            : error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : error == CUDA_ERROR_INVALID_VALUE   ? "CUDA_ERROR_INVALID_VALUE"
            : error == CUDA_ERROR_LAUNCH_FAILED   ? "CUDA_ERROR_LAUNCH_FAILED"
                                                  : "CUDA_ERROR_UNKNOWN";
    return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, char const** text) {
    *text = error == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : "as it was told to, or misused";
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
    *count = static_cast<int>(gpu().settings().visible.size());
    return gpu().enter("cuDeviceGetCount");
}
CUresult cuDeviceGet(CUdevice* device, int number) {
    std::vector<int> const visible = gpu().settings().visible;
    if (number < 0 || number >= static_cast<int>(visible.size())) return CUDA_ERROR_INVALID_DEVICE;
    *device = visible[static_cast<std::size_t>(number)];
    return gpu().enter("cuDeviceGet");
}
CUresult cuDeviceGetUuid(CUuuid* id, CUdevice device) {
    std::snprintf(id->bytes, sizeof id->bytes, "fake GPU %d", device);
    return gpu().enter("cuDeviceGetUuid");
}
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
    std::strncpy(name, "Fake GPU", static_cast<std::size_t>(length));
    return gpu().enter("cuDeviceGetName");
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
    int const architecture = gpu().settings().architecture;
    *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR         ? architecture / 10
             : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR       ? architecture % 10
             : attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT           ? 1
             : attribute == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR ? 512
                                                                               : 0;
    return gpu().enter("cuDeviceGetAttribute");
}
CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
    *bytes = static_cast<std::size_t>(gpu().settings().memory);
    return gpu().enter("cuDeviceTotalMem");
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
    if (CUresult const error = gpu().enter("cuDevicePrimaryCtxRetain"); error != CUDA_SUCCESS) return error;
    return made(context, &the_context);
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return given_back(); }
CUresult cuCtxSetCurrent(CUcontext context) {
    if (CUresult const error = gpu().enter("cuCtxSetCurrent"); error != CUDA_SUCCESS) return error;
    current = context;
    return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
    ENTER("cuMemGetInfo");
    *free = static_cast<std::size_t>(gpu().free_bytes());
    *total = static_cast<std::size_t>(gpu().settings().memory);
    return CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
    ENTER("cuMemAlloc");
    void* const memory = bytes == 0 ? nullptr : gpu().allocate(static_cast<std::int64_t>(bytes), true);
    *address = reinterpret_cast<CUdeviceptr>(memory);
    return bytes == 0 ? CUDA_ERROR_INVALID_VALUE : memory == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr address) {
    return gpu().free(reinterpret_cast<void*>(address), true) ? gpu().failure() : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemAllocHost(void** memory, std::size_t bytes) {
    ENTER("cuMemAllocHost");
    *memory = gpu().allocate(static_cast<std::int64_t>(bytes), false);
    return *memory == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
CUresult cuMemFreeHost(void* memory) { return gpu().free(memory, false) ? gpu().failure() : CUDA_ERROR_INVALID_VALUE; }
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream) {
    ENTER("cuMemsetD8Async");
    void* const memory = reinterpret_cast<void*>(to);
    if (!gpu().has(memory, static_cast<std::int64_t>(bytes), true)) return CUDA_ERROR_INVALID_VALUE;
    stream_of(stream)->ask([=] { std::memset(memory, value, bytes); });
    return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, void const* from, std::size_t bytes, CUstream stream) {
    ENTER("cuMemcpyHtoDAsync");
    void* const memory = reinterpret_cast<void*>(to);
    auto const count = static_cast<std::int64_t>(bytes);
    if (!gpu().has(memory, count, true) || !gpu().has(from, count, false)) return CUDA_ERROR_INVALID_VALUE;
    copy_on(stream, memory, from, bytes);
    return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    ENTER("cuMemcpyDtoHAsync");
    void const* const memory = reinterpret_cast<void const*>(from);
    auto const count = static_cast<std::int64_t>(bytes);
    if (!gpu().has(memory, count, true) || !gpu().has(to, count, false)) return CUDA_ERROR_INVALID_VALUE;
    copy_on(stream, to, memory, bytes);
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* stream, unsigned) {
    ENTER("cuStreamCreate");
    return made(stream, new std::shared_ptr<Stream>(std::make_shared<Stream>()));
}
CUresult cuStreamDestroy(CUstream stream) {
    delete &stream_of(stream);
    return given_back();
}
CUresult cuStreamSynchronize(CUstream stream) {
    stream_of(stream)->wait(stream_of(stream)->asked());  // also after a failure: what runs must not outlive its memory
    ENTER("cuStreamSynchronize");
    return gpu().failure();
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
    ENTER("cuStreamWaitEvent");
    Event const point = event_of(event);
    if (point.of != nullptr) stream_of(stream)->ask([point] { point.of->wait(point.count); });
    return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* event, unsigned) {
    ENTER("cuEventCreate");
    return made(event, new Event);
}
CUresult cuEventDestroy(CUevent event) {
    delete &event_of(event);
    return given_back();
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
    ENTER("cuEventRecord");
    event_of(event) = {stream_of(stream), stream_of(stream)->asked()};
    return CUDA_SUCCESS;
}
CUresult cuEventQuery(CUevent event) {
    ENTER("cuEventQuery");
    Event const& point = event_of(event);
    if (point.of != nullptr && !point.of->done(point.count)) return CUDA_ERROR_NOT_READY;
    return gpu().failure();
}
CUresult cuEventSynchronize(CUevent event) {
    ENTER("cuEventSynchronize");
    Event const point = event_of(event);
    if (point.of != nullptr) point.of->wait(point.count);
    return gpu().failure();
}

CUresult cuModuleLoadData(CUmodule* module, void const* image) {
    ENTER("cuModuleLoadData");
    HostModule const* const loaded = load_module(static_cast<char const*>(image));
    if (loaded == nullptr) return CUDA_ERROR_INVALID_IMAGE;
    return made(module, const_cast<HostModule*>(loaded));
}
CUresult cuModuleUnload(CUmodule) { return given_back(); }  // its code stays: others may have it too
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, char const* name) {
    ENTER("cuModuleGetFunction");
    HostFunction const* const found = reinterpret_cast<HostModule const*>(module)->function(name);
    *function = reinterpret_cast<CUfunction>(const_cast<HostFunction*>(found));
    return found == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** arguments,
                        void**) {
    ENTER("cuLaunchKernel");
    if (gpu().settings().delay == -2) return CUDA_SUCCESS;
    HostFunction const& kernel = *reinterpret_cast<HostFunction const*>(function);
    std::vector<std::uint64_t> words(kernel.argument_bytes() / 8);
    std::memcpy(words.data(), arguments[0], words.size() * 8);
    for (std::uint64_t const word : words)  // a host address where one of the device belongs
        if (gpu().has(reinterpret_cast<void const*>(word), 1, false)) return CUDA_ERROR_INVALID_VALUE;
    if (grid_x == 0 || grid_y == 0 || grid_z == 0 || block_x * block_y * block_z > 1024)
        return CUDA_ERROR_INVALID_VALUE;
    stream_of(stream)->ask([=, words = std::move(words)]() mutable {
        if (!gpu().begin("kernel")) return;
        unsigned const grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
        void* argument[] = {words.data()};
        if (kernel.run(argument, grid, block, shared) != 0) gpu().fail(CUDA_ERROR_LAUNCH_FAILED);
    });
    return CUDA_SUCCESS;
}

// For tests: whether a library that is given this address now could use it, as MPI does.
int fake_cuda_may_use(void const* memory) { return current != nullptr || !gpu().has(memory, 1, true) ? 1 : 0; }

// For tests: what was not given back, and how often a function was called since the first device was made.
std::int64_t fake_cuda_objects() { return gpu().objects(); }
std::int64_t fake_cuda_calls(char const* function) { return gpu().calls(function); }
}
