// What kernels take on a GPU, for the costs that choose between them (executor/device/cuda/tuning.hpp).
// Usage: gpu_kernels FILE [f32|f64|f16|bf16|i8|i32]...     FILE: lines of name|einsum|shapes, as transposing.txt has
// them. Prints a line each: name, dtype, microseconds of what is chosen, of cuBLAS and of a generated kernel, and
// how long cuBLAS takes at most for the terms, and a copy for the bytes (tuning.hpp's speeds).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "executor/device/cuda/make_cuda_device.hpp"
#include "executor/device/cuda/tuning.hpp"
#include "lib/base/error.hpp"
#include "scripts/bench/contraction_line.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

constexpr std::int64_t piece = std::int64_t{64} << 20;
constexpr int rounds = 12, launches = 4;

/// An EinSum over whole blocks in C order.
struct Work {
    std::string name;
    DType dtype;
    schedule::Kernel kernel;
    KernelShape shape;
    std::vector<Extent> begin;
    std::vector<std::int64_t> places;  // of the operands and the output in the arena
    std::int64_t end = 0;              // of them
    double terms = 1, bytes = 0;

    Work(std::string const& line, DType type) : dtype(type) {
        ContractionLine read = read_contraction(line);
        name = read.name;
        graph::EinSum const& einsum = kernel.einsum = std::move(read.einsum);
        std::vector<DType> const types(einsum.operands(), type);
        kernel.node = name;
        kernel.compute = compute_dtype(types, type);
        shape = whole_shape(kernel, types, type);
        begin.assign(einsum.extents.size(), 0);
        for (auto const& axes : einsum.inputs) place(axes);
        place(einsum.output);
        for (Extent extent : einsum.extents) terms *= static_cast<double>(extent);
    }
    Work(Work const&) = delete;

private:
    void place(std::vector<int> const& axes) {
        std::int64_t size = static_cast<Extent>(size_of(dtype));
        for (int axis : axes) size *= kernel.einsum.extents[at(axis)];
        places.push_back(end);
        end += (size + 255) / 256 * 256;
        bytes += static_cast<double>(size);
    }
};

/// One device with all work prepared.
class Bench {
public:
    Bench(std::vector<std::unique_ptr<Work>> const& works, cuda::Products products)
        : device_(cuda::make_cuda_device({.products = products})) {
        for (auto const& work : works) {
            try {
                kernels_.push_back(device_->prepare(work->shape, {}));
            } catch (Error const&) {
                kernels_.push_back(nullptr);
            }
        }
        std::int64_t arena = piece;
        for (auto const& work : works) arena = std::max(arena, (work->end + piece - 1) / piece * piece);
        base_ = device_->reserve(arena);
        std::byte* const noise = device_->allocate_host(piece);
        for (std::int64_t at = 0; at < piece; ++at)  // small numbers of every type
            noise[at] = std::byte(at % 2 == 0 ? at * 2654435761 >> 7 : 0x38 + (at >> 3) % 8);
        for (std::int64_t at = 0; at < arena; at += piece) device_->copy_in(base_ + at, noise, piece);
        device_->drain();
        device_->free_host(noise, piece);
    }

    /// Microseconds; 0 where it cannot be done.
    double time(Work const& work, std::size_t number) {
        if (kernels_[number] == nullptr) return 0;
        SoloWorkerTeam solo;
        std::vector<void const*> operands;
        for (std::size_t k = 0; k + 1 < work.places.size(); ++k) operands.push_back(base_ + work.places[k]);
        std::vector<double> seconds;
        for (int round = 0; round < rounds; ++round) {
            auto const begin = std::chrono::steady_clock::now();
            for (int launch = 0; launch < launches; ++launch)
                kernels_[number]->launch({operands, base_ + work.places.back(), work.begin}, solo);
            device_->sync(Stream::compute, device_->mark(Stream::compute));
            seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        }
        std::nth_element(seconds.begin(), seconds.begin() + rounds / 2, seconds.end());
        return seconds[rounds / 2] / launches * 1e6;
    }

private:
    std::unique_ptr<Accelerator> device_;
    std::vector<std::unique_ptr<PreparedKernel const>> kernels_;
    std::byte* base_ = nullptr;
};

double flops_of(DType dtype) {
    bool const half = dtype == DType::f16 || dtype == DType::bf16;
    return half                  ? cuda::tuning::half_flops
           : dtype == DType::f64 ? cuda::tuning::double_flops
                                 : cuda::tuning::single_flops;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 2) {
        std::fprintf(stderr, "usage: gpu_kernels FILE [DTYPE]...\n");
        return 2;
    }
    std::vector<DType> dtypes;
    for (int k = 2; k < argc; ++k) dtypes.push_back(dtype_from_name(argv[k]).value());
    if (dtypes.empty()) dtypes = {DType::f32, DType::f64};
    std::vector<std::unique_ptr<Work>> works;
    std::ifstream file(argv[1]);
    for (std::string line; std::getline(file, line);)
        for (DType dtype : dtypes)
            if (!line.empty() && line[0] != '#') works.push_back(std::make_unique<Work>(line, dtype));
    Bench chosen(works, cuda::Products::by_cost), cublas(works, cuda::Products::by_cublas),
        generated(works, cuda::Products::by_generated_kernels);
    for (std::size_t k = 0; k < works.size(); ++k) {
        Work const& work = *works[k];
        std::printf("%-8s %-5s %10.1f %10.1f %10.1f %10.1f %10.1f\n", work.name.c_str(),
                    std::string(name(work.dtype)).c_str(), chosen.time(work, k), cublas.time(work, k),
                    generated.time(work, k), 2 * work.terms / flops_of(work.dtype) * 1e6,
                    work.bytes / cuda::tuning::bytes_a_second * 1e6);
        std::fflush(stdout);
    }
    return 0;
} catch (std::exception const& error) {
    std::fprintf(stderr, "gpu_kernels: %s\n", error.what());
    return 1;
}
