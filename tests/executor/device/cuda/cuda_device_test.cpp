// The CUDA device over a fake of CUDA: streams, marks, errors. Whether kernels are right is seen elsewhere.
#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <set>

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
    // whichever call is the next one: cuBLAS has a word of its own for it
    CHECK_THROWS_WITH(run_some_kernels(), Catch::Contains("CUDA_ERROR_ILLEGAL_ADDRESS") ||
                                              Catch::Contains("CUBLAS_STATUS_EXECUTION_FAILED"));
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

TEST_CASE("a device is the GPU that it is told, with its share of the memory", "[executor][cuda]") {
    FakeCuda const fake({{"FAKE_CUDA_DEVICES", "2"}});
    CHECK(cuda::choose_gpu({1, 3}).text() == "Fake GPU, 1 GiB, GPU 1 of 2, 3 ranks on it");
    CHECK_THROWS_WITH(cuda::choose_gpu({2, 1}), Catch::Contains("cuDeviceGet"));
    auto const alone = cuda::make_cuda_device({.seat = {1, 1}}), shared = cuda::make_cuda_device({.seat = {1, 4}});
    CHECK(alone->free_memory() > 2 * shared->free_memory());
}

TEST_CASE("GPUs have the same names in processes that see others of them", "[executor][cuda]") {
    auto const seen = [](std::string const& mask) {
        FakeCuda const fake({{"FAKE_CUDA_DEVICES", "3"}, {"CUDA_VISIBLE_DEVICES", mask}});
        return cuda::visible_gpus();
    };
    std::vector<std::string> const all = seen("0,1,2");
    REQUIRE(all.size() == 3);
    CHECK(std::set(all.begin(), all.end()).size() == 3);
    CHECK(seen("2,0") == std::vector{all[2], all[0]});
    CHECK(seen("1") == std::vector{all[1]});
    CHECK(seen("7").empty());
    FakeCuda const old({{"FAKE_CUDA_ARCHITECTURE", "61"}});
    CHECK(cuda::visible_gpus() == std::vector<std::string>{""});
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

TEST_CASE("a fault that is looked for while a kernel writes it down is read whole", "[executor][cuda]") {
    FakeCuda const fake({{"FAKE_CUDA_DELAY", "0"}, {"FAKE_CUDA_SLOW_ATOMICS", "1"}});
    auto const device = cuda::make_cuda_device({});
    KernelCase test(einsum("i->i", {1}, "position(x, 3)"), {DType::i64}, DType::i64, DType::i64);
    auto const kernel = device->prepare(test.shape(), {});
    std::byte *const memory = device->reserve(4096), *const host = device->allocate_host(256);
    std::int64_t const index = 77;
    std::memcpy(host, &index, sizeof index);
    device->copy_in(memory, host, sizeof index);
    device->wait(Stream::compute, Stream::in, device->mark(Stream::in));
    void const* const operand = memory;
    SoloWorkerTeam solo;
    kernel->launch({.operands = {&operand, 1}, .output = memory + 2048, .begin = std::array<Extent, 1>{}}, solo);
    std::string found;
    while (found.empty()) try {
            device->sync(Stream::compute, 0);  // nothing to wait for: looks for faults
        } catch (InputError const& error) {
            found = error.what();
        }
    CHECK_THAT(found, Catch::Contains("77") && Catch::Contains("3"));
    device->drain();
    device->free_host(host, 256);
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

TEST_CASE("a move that was made before is launched without its text", "[executor][cuda]") {
    FakeCuda const fake;
    auto const device = cuda::make_cuda_device({});
    std::byte* const memory = device->reserve(1 << 16);
    SoloWorkerTeam solo;
    CopyCall copy;
    copy.from_box = Box::whole({6, 8}), copy.to_box = Box::whole({3, 8}), copy.region = copy.to_box;
    std::vector<graph::AxisMap> const axes{{5, -2}, {0, 1}};
    copy.axes = axes;
    // Places at other multiples of 16, and one that is not, which has units of its own.
    for (std::int64_t const place : {0, 512, 4096, 4100}) {
        std::vector<float> values(48), found(24);
        for (std::size_t k = 0; k < 48; ++k) values[k] = static_cast<float>(k + static_cast<std::size_t>(place));
        std::byte* const host = device->allocate_host(256);
        std::memcpy(host, values.data(), 192);
        copy.from = memory + place, copy.to = memory + place + 8192;
        device->copy_in(memory + place, host, 192);
        device->wait(Stream::compute, Stream::in, device->mark(Stream::in));
        device->copy(copy, solo);
        device->wait(Stream::out, Stream::compute, device->mark(Stream::compute));
        device->copy_out(host, memory + place + 8192, 96);
        device->sync(Stream::out, device->mark(Stream::out));
        std::memcpy(found.data(), host, 96);
        device->free_host(host, 256);
        for (std::size_t row = 0; row < 3; ++row)
            for (std::size_t column = 0; column < 8; ++column)
                CHECK(found[8 * row + column] == values[8 * (5 - 2 * row) + column]);
    }
}

TEST_CASE("what a launch takes of the host's time", "[.launch_cost]") {  // cuda_device_test "[.launch_cost]" -s
    FakeCuda const fake({{"FAKE_CUDA_DELAY", "-2"}});
    auto const device = cuda::make_cuda_device({});
    std::byte* const memory = device->reserve(1 << 20);
    SoloWorkerTeam solo;
    auto const measure = [&](char const* what, auto const& launch) {
        constexpr int times = 100000;
        launch();
        std::clock_t const begin = std::clock();  // of the processor, whatever else runs on it
        for (int k = 0; k < times; ++k) launch();
        double const took = 1e6 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        std::printf("%-12s %.2f microseconds a launch\n", what, took / times);
    };
    std::array<void const*, 2> const operands{memory, memory + 65536};
    std::array<Extent, 3> const begin{};
    KernelCall const call{.operands = operands, .output = memory + 131072, .begin = begin};
    for (auto const& [form, join] : {std::pair{"ij,jk->ik", "x*y/2"}, {"ij,j->ij", "exp(x)-y"}}) {
        bool const product = std::string(form) == "ij,jk->ik";
        KernelCase test(einsum(form, product ? Shape{20, 30, 10} : Shape{20, 30}, join), {DType::f32, DType::f32},
                        DType::f32, DType::f32);
        auto const kernel = device->prepare(test.shape(), {});
        measure(product ? "product" : "elementwise", [&] { kernel->launch(call, solo); });
    }
    CopyCall copy;
    copy.from_box = Box::whole({6, 8}), copy.to_box = Box::whole({3, 8}), copy.region = copy.to_box;
    std::vector<graph::AxisMap> const axes{{0, 1}, {0, 1}};
    copy.axes = axes, copy.from = memory, copy.to = memory + 65536;
    measure("copy", [&] { device->copy(copy, solo); });
    schedule::ReshapeSpec const spec{"r", {6, 10}, {2, 3, 10}};
    ReshapeCall const reshape{.from = memory,
                              .to = memory + 65536,
                              .from_box = Box::whole(spec.from),
                              .to_box = Box::whole(spec.to),
                              .spec = &spec};
    measure("reshape", [&] { device->reshape(reshape, solo); });
    measure("fill", [&] { device->fill(memory, 100, DType::f32, scalar::Scalar::of(std::complex<double>(1)), solo); });
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
