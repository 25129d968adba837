// The CUDA device over a fake of CUDA: streams, marks, errors. Whether kernels are right is seen elsewhere.
#include <chrono>
#include <filesystem>

#include "executor/device/cuda/driver/gpu.hpp"
#include "executor/device/cuda/make_cuda_device.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "tests/executor/device/cuda/on_accelerator.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/fake_cuda/fake_cuda.hpp"

using namespace ein;
using namespace ein::executor;
using test::FakeCuda;

namespace {

/// A product, a sum and something else, on a device of its own. @return "" or how the output differs
std::string run_some_kernels() {
    auto const device = cuda::make_cuda_device({});
    OnAccelerator on(*device, 1 << 20);
    std::mt19937 random(1);
    SoloWorkerTeam solo;
    for (auto const& [form, join] : {std::pair{"ij,jk->ik", "x*y/2"}, {"ij,j->ij", "exp(x)-y"}}) {
        KernelCase test(einsum(form, std::string(form) == "ij,j->ij" ? Shape{20, 30} : Shape{20, 30, 10}, join),
                        {DType::f32, DType::f32}, DType::f32, DType::f32);
        test.fill(random);
        auto const found = test.elements(test.run(on, solo));
        ReferenceDevice reference;
        std::string const wrong = difference(found, test.elements(test.run(reference, solo)), 1e-5);
        if (!wrong.empty()) return form + (": " + wrong);
    }
    return "";
}

}  // namespace

TEST_CASE("kernels run on the fake, at once and with delays, and everything is given back", "[executor][cuda]") {
    std::string const delay = GENERATE("-1", "0", "200");
    FakeCuda const fake({{"FAKE_CUDA_DELAY", delay}});
    CHECK(run_some_kernels() == "");
    CHECK(FakeCuda::objects() == 0);
}

TEST_CASE("whatever call of CUDA fails, the run ends with its name", "[executor][cuda]") {
    std::string const name =
        GENERATE("cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceGetAttribute",
                 "cuDeviceTotalMem", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuMemAlloc", "cuMemAllocHost",
                 "cuMemsetD8Async", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuStreamCreate", "cuStreamWaitEvent",
                 "cuEventCreate", "cuEventRecord", "cuEventQuery", "cuModuleLoadData", "cuModuleGetFunction",
                 "cuLaunchKernel", "nvrtcCreateProgram", "nvrtcCompileProgram", "nvrtcGetCUBINSize", "nvrtcGetCUBIN",
                 "cublasCreate", "cublasSetStream", "cublasSetWorkspace", "cublasGemmStridedBatchedEx");
    for (std::string const at : {":1", ":2"}) {
        CAPTURE(name, at);
        FakeCuda const fake({{"FAKE_CUDA_FAIL", name + at}, {"FAKE_CUDA_DELAY", "20"}});
        try {
            std::string const result = run_some_kernels();
            CHECK(at == ":2");  // not called twice
            CHECK(result == "");
        } catch (Error const& error) {
            CHECK(error.code() == ExitCode::failure);
            CHECK_THAT(error.what(), Catch::Contains(name == "nvrtcCompileProgram" ? "does not compile" : name) ||
                                         Catch::Contains("CUDA_ERROR_UNKNOWN"));
        }
        CHECK(FakeCuda::objects() == 0);
    }
}

TEST_CASE("what fails on the GPU comes with a later call, and nobody waits for ever", "[executor][cuda]") {
    std::string const what = GENERATE("kernel:1", "kernel:2", "copy:1", "copy:4");
    FakeCuda const fake({{"FAKE_CUDA_FAIL", what}, {"FAKE_CUDA_DELAY", "100"}});
    CHECK_THROWS_WITH(run_some_kernels(), Catch::Contains("CUDA_ERROR_ILLEGAL_ADDRESS"));
    CHECK(FakeCuda::objects() == 0);
}

TEST_CASE("streams wait for marks of one another, and marks show what has passed", "[executor][cuda]") {
    FakeCuda const fake({{"FAKE_CUDA_DELAY", "300"}});
    auto const device = cuda::make_cuda_device({});
    constexpr std::int64_t bytes = 4096;
    std::byte* const on_device = device->reserve(bytes);
    std::byte *const from = device->allocate_host(bytes), *const to = device->allocate_host(bytes);
    CHECK(device->mark(Stream::in) == 0);
    CHECK(device->passed(Stream::in, 0));
    for (int iteration = 1; iteration <= 50; ++iteration) {
        std::fill_n(from, bytes, static_cast<std::byte>(iteration));
        device->copy_in(on_device, from, bytes);
        auto const in = device->mark(Stream::in);
        CHECK(device->mark(Stream::in) == in);
        device->wait(Stream::out, Stream::in, in);
        device->copy_out(to, on_device, bytes);
        auto const out = device->mark(Stream::out);
        device->sync(Stream::out, out);
        CHECK(device->passed(Stream::in, in));
        CHECK(device->passed(Stream::out, out));
        CHECK(std::all_of(to, to + bytes, [&](std::byte byte) { return byte == static_cast<std::byte>(iteration); }));
    }
    device->free_host(from, bytes);
    device->free_host(to, bytes);
}

TEST_CASE("memory that a GPU has not is reported with the numbers", "[executor][cuda]") {
    FakeCuda const fake({{"FAKE_CUDA_MEMORY", "1000000"}});
    auto const device = cuda::make_cuda_device({});
    CHECK(device->free_memory() < 1000000);
    CHECK(device->free_memory() > 0);
    CHECK_THROWS_WITH(device->reserve(2000000), Catch::Contains("for blocks on Fake GPU, 977 KiB, GPU 0 of 1") &&
                                                    Catch::Contains("2000000 bytes") &&
                                                    Catch::Contains("--device-memory"));
    CHECK_THROWS_AS(device->reserve(2000000), MemoryError);
}

TEST_CASE("ranks of a host take turns among its GPUs", "[executor][cuda]") {
    auto const place = [](std::map<std::string, std::string> const& set) {
        auto const local = cuda::local_rank([&](char const* name) -> char const* {
            auto const found = set.find(name);
            return found == set.end() ? nullptr : found->second.c_str();
        });
        return std::pair(local.rank, local.ranks);
    };
    CHECK(place({}) == std::pair(0, 1));
    CHECK(place({{"OMPI_COMM_WORLD_LOCAL_RANK", "3"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}}) == std::pair(3, 4));
    CHECK(place({{"SLURM_LOCALID", "1"}, {"SLURM_TASKS_PER_NODE", "4(x2)"}}) == std::pair(1, 4));
    CHECK(place({{"PMI_LOCAL_RANK", "2"}}) == std::pair(2, 3));
    CHECK(place({{"MPI_LOCALRANKID", "x"}}) == std::pair(0, 1));
    FakeCuda const fake({{"FAKE_CUDA_DEVICES", "2"}});
    CHECK(cuda::choose_gpu({3, 5}).number == 1);
    CHECK(cuda::choose_gpu({3, 5}).sharers == 2);
    CHECK(cuda::choose_gpu({2, 5}).sharers == 3);
    CHECK(cuda::choose_gpu({2, 5}).text() == "Fake GPU, 1 GiB, GPU 0 of 2, 3 ranks on it");
}

TEST_CASE("an index out of range that a kernel finds is bad input", "[executor][cuda]") {
    FakeCuda const fake({{"FAKE_CUDA_DELAY", "10"}});
    auto const device = cuda::make_cuda_device({});
    OnAccelerator on(*device, 1 << 20);
    KernelCase test(einsum("i->i", {8}, "position(x, 3)"), {DType::i64}, DType::i64, DType::i64);
    std::mt19937 random(1);
    test.fill(random);
    SoloWorkerTeam solo;
    CHECK_THROWS_AS(test.run(on, solo), InputError);
}

TEST_CASE("moves that are expected are compiled before the run", "[executor][cuda]") {
    FakeCuda const fake;
    auto const device = cuda::make_cuda_device({});
    CopyCall copy;
    copy.from_box = Box::whole({6, 8}), copy.to_box = Box::whole({3, 8}), copy.region = copy.to_box;
    std::vector<graph::AxisMap> const axes{{5, -2}, {0, 1}};
    copy.axes = axes;
    device->expect_copy(copy);
    device->expect_fill(100, DType::f64, scalar::Scalar::of(std::int64_t{3}));
    std::byte* const memory = device->reserve(4096);
    std::int64_t const loaded = FakeCuda::calls("cuModuleLoadData");
    CHECK(loaded > 0);
    SoloWorkerTeam solo;
    copy.from = memory, copy.to = memory + 2048;
    device->copy(copy, solo);
    device->fill(memory, 100, DType::f64, scalar::Scalar::of(std::int64_t{3}), solo);
    device->sync(Stream::compute, device->mark(Stream::compute));
    CHECK(FakeCuda::calls("cuModuleLoadData") == loaded);
}

TEST_CASE("compiled kernels are kept on disk, and damaged ones are as if they were not there", "[executor][cuda]") {
    std::filesystem::path const folder = std::filesystem::temp_directory_path() / "einloom_cuda_cache_test";
    std::filesystem::remove_all(folder);
    for (int run = 0; run < 3; ++run) {
        CAPTURE(run);
        // The second run must not compile; before the third, every file is damaged.
        FakeCuda const fake(
            {{"EINLOOM_CACHE", folder.string()}, {"FAKE_CUDA_FAIL", run == 1 ? "nvrtcCompileProgram:1" : ":0"}});
        CHECK(run_some_kernels() == "");
        int files = 0;
        for (auto const& entry : std::filesystem::directory_iterator(folder)) {
            ++files;
            CHECK(entry.path().extension() == ".cubin");
            if (run == 1) std::filesystem::resize_file(entry.path(), std::filesystem::file_size(entry.path()) - 1);
        }
        CHECK(files == 1);
    }
    std::filesystem::remove_all(folder);
}
