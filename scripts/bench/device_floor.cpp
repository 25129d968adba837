// What the cpu device reaches on one thread (x2: streams on two) beside what the machine gives in the same process:
// GEMM beside OpenBLAS called directly, elementwise joins and reductions beside a plain copy, and the cost of launching
// tiny kernels.
// Usage: device_floor [x2] [gemm|small|stream|stream-f32|stream-f64|transpose|crossed|tiny]...
// Prints a line each: name, reached, floor, ratio.
#include <cblas.h>

#include <time.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>

#include "executor/device/cpu/cpu_device.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "scripts/bench/bench_threads.hpp"
#include "tests/executor/device/kernel_case.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

int threads = 1;  // of streams

/// Processor time of this thread: other processes do not count. Of several threads the time that passes.
double now() {
    timespec time{};
    clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of(std::function<void()> const& work, int repeats) {
    double best = 1e30;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        double const start = now();
        work();
        best = std::min(best, now() - start);
    }
    return best;
}

struct Bench {
    schedule::Kernel kernel;
    KernelShape shape;
    std::vector<Extent> begin;
    std::unique_ptr<PreparedKernel const> prepared;

    Bench(std::vector<std::vector<int>> inputs, std::vector<int> output, Shape extents, std::string const& join,
          scalar::Agg agg, DType type) {
        graph::EinSum& einsum = kernel.einsum;
        for (std::size_t l = 0; l < extents.size(); ++l)
            einsum.labels.push_back(std::string(1, static_cast<char>('i' + l)));
        einsum.extents = extents;
        einsum.inputs = std::move(inputs);
        einsum.output = std::move(output);
        einsum.join = scalar::parse(join, {static_cast<int>(einsum.inputs.size()), einsum.labels, {}}).expr;
        einsum.agg = agg;
        kernel.node = "bench";
        kernel.compute = type;
        shape = whole_shape(kernel, std::vector(einsum.inputs.size(), type), type);
        begin.assign(extents.size(), 0);
        prepared = CpuDevice().prepare(shape, {});
    }
    void run(std::vector<void const*> const& operands, void* output) const {
        SoloWorkerTeam solo;
        BenchThreads many{threads};
        prepared->launch({operands, output, begin}, threads == 1 ? static_cast<WorkerTeam&>(solo) : many);
    }
};

void report(std::string const& name, double reached, double floor, char const* unit) {
    std::printf("%-34s %9.2f %9.2f %-8s ratio %.3f\n", name.c_str(), reached, floor, unit, reached / floor);
}

template <class T>
std::vector<T> noise(std::size_t count) {
    std::vector<T> values(count);
    std::uint64_t state = 1;
    for (T& value : values) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        value = static_cast<T>(static_cast<double>(state >> 40) * 0x1p-24);
    }
    return values;
}

template <class T, class Call>
void gemm(std::string const& name, DType type, Extent n, Call const& call) {
    auto const size = static_cast<std::size_t>(n * n);
    std::vector<T> const a = noise<T>(size), b = noise<T>(size);
    std::vector<T> c(size);
    Bench const bench({{0, 1}, {1, 2}}, {0, 2}, {n, n, n}, "x*y", scalar::Agg::sum, type);
    double direct = 1e30, ours = 1e30;
    for (int repeat = 0; repeat < 4; ++repeat) {
        direct = std::min(direct, seconds_of([&] { call(static_cast<int>(n), a.data(), b.data(), c.data()); }, 1));
        ours = std::min(ours, seconds_of([&] { bench.run({a.data(), b.data()}, c.data()); }, 1));
    }
    double const flops = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) * 1e-9;
    report(name + " " + std::to_string(n), flops / ours, flops / direct, "GFLOP/s");
}

void gemms(Extent n) {
    gemm<double>("matmul f64", DType::f64, n, [](int m, double const* a, double const* b, double* c) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, m, m, 1, a, m, b, m, 0, c, m);
    });
    gemm<float>("matmul f32", DType::f32, n, [](int m, float const* a, float const* b, float* c) {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, m, m, 1, a, m, b, m, 0, c, m);
    });
}

constexpr std::size_t stream_bytes = std::size_t{256} << 20;

/// Aligned as blocks are.
using Memory = std::unique_ptr<std::byte, decltype(&std::free)>;
Memory memory() {
    Memory made(static_cast<std::byte*>(std::aligned_alloc(4096, stream_bytes)), &std::free);
    std::memset(made.get(), 1, stream_bytes);
    return made;
}

void copy_streams(Memory const& from, Memory const& to) {
    auto const part = stream_bytes / static_cast<std::size_t>(threads);
    auto const copy = [&](std::int64_t t) {
        std::size_t const at = static_cast<std::size_t>(t) * part;
        std::memcpy(to.get() + at, from.get() + at, part);
    };
    if (threads == 1) return copy(0);
    BenchThreads(threads).run(threads, copy);
}

/// Joins and reductions over arrays of 256 MiB beside memcpy in turns with them.
template <class T>
void streams(DType type) {
    constexpr Extent n = 8192, rows = static_cast<Extent>(stream_bytes / sizeof(T)) / n;
    Memory const x = memory(), y = memory(), z = memory();
    for (Memory const* to : {&x, &y}) {
        std::vector<T> const values = noise<T>(stream_bytes / sizeof(T));
        std::memcpy(to->get(), values.data(), stream_bytes);
    }
    auto const measure = [&](std::string const& name, std::vector<std::vector<int>> inputs, std::vector<int> output,
                             std::string const& join, double arrays, scalar::Agg agg = scalar::Agg::sum,
                             Extent columns = 8192) {
        Bench const bench(std::move(inputs), std::move(output), {rows * n / columns, columns}, join, agg, type);
        std::vector<void const*> operands{x.get(), y.get()};
        operands.resize(bench.kernel.einsum.operands());
        double copy = 1e30, ours = 1e30;
        for (int repeat = 0; repeat < 8; ++repeat) {
            copy = std::min(copy, seconds_of([&] { copy_streams(x, z); }, 1));
            ours = std::min(ours, seconds_of([&] { bench.run(operands, z.get()); }, 1));
        }
        report(std::string(ein::name(type)) + " " + name, arrays * 1e-9 * stream_bytes / ours,
               2e-9 * stream_bytes / copy, "GB/s");
    };
    using scalar::Agg;
    std::vector<int> const ij{0, 1}, i{0}, j{1}, none;
    measure("x+y", {ij, ij}, ij, "x+y", 3);
    for (char const* join : {"x", "relu(x)", "exp(x)", "log(x)", "tanh(x)", "gelu(x)", "erf(x)", "x*sigmoid(x)"})
        measure(join, {ij}, ij, join, 2);
    measure("x - y[i]", {ij, i}, ij, "x-y", 2);
    measure("x * y[j]", {ij, j}, ij, "x*y", 2);
    measure("exp(x - y[i])", {ij, i}, ij, "exp(x-y)", 2);
    measure("x - y[i], rows of 64", {ij, i}, ij, "x-y", 2, Agg::sum, 64);
    measure("sum of all", {ij}, none, "x", 1);
    measure("sum over rows (ij->j)", {ij}, j, "x", 1);
    measure("sum over columns (ij->i)", {ij}, i, "x", 1);
    measure("sum of rows of 64", {ij}, i, "x", 1, Agg::sum, 64);
    measure("sum over rows of 64 (ij->j)", {ij}, j, "x", 1, Agg::sum, 64);
    measure("max of all", {ij}, none, "x", 1, Agg::max);
    measure("max over rows (ij->j)", {ij}, j, "x", 1, Agg::max);
    measure("max over columns (ij->i)", {ij}, i, "x", 1, Agg::max);
    measure("sum of x*y", {ij, ij}, none, "x*y", 2);
    measure("sum of x*x (ij->i)", {ij}, i, "x*x", 1);
    measure("sum of exp(x - y[i]) (ij->i)", {ij, i}, i, "exp(x-y)", 1);
    measure("matrix vector (ij,j->i)", {ij, j}, i, "x*y", 1);
    measure("logsumexp (ij->i)", {ij}, i, "x", 1, Agg::logsumexp);
}

/// Permutations of axes beside memcpy of the same bytes.
void transposes() {
    constexpr std::size_t bytes = stream_bytes;
    Memory const x = memory(), z = memory();
    double const floor = 2e-9 * bytes / seconds_of([&] { std::memcpy(z.get(), x.get(), bytes); }, 5);
    auto const measure = [&](std::string const& name, std::vector<int> output, Shape const& extents, DType type) {
        std::vector<int> input(extents.size());
        for (std::size_t l = 0; l < input.size(); ++l) input[l] = static_cast<int>(l);
        Bench const bench({input}, std::move(output), extents, "x", scalar::Agg::sum, type);
        double const moved = 2e-9 * static_cast<double>(element_count(extents)) * static_cast<double>(size_of(type));
        report(name, moved / seconds_of([&] { bench.run({x.get()}, z.get()); }, 4), floor, "GB/s");
    };
    measure("ij->ji u8", {1, 0}, {16384, 16384}, DType::u8);
    measure("ij->ji f16", {1, 0}, {8192, 16384}, DType::f16);
    measure("ij->ji f32", {1, 0}, {8192, 8192}, DType::f32);
    measure("ij->ji f32, odd", {1, 0}, {8191, 8193}, DType::f32);
    measure("ij->ji f64", {1, 0}, {4096, 8192}, DType::f64);
    measure("ij->ji c128", {1, 0}, {4096, 4096}, DType::c128);
    measure("ijk->kji f32", {2, 1, 0}, {256, 1024, 256}, DType::f32);
    measure("ijk->jik f32", {1, 0, 2}, {256, 1024, 256}, DType::f32);
    measure("bhij->bhji f32, heads of 64", {0, 1, 3, 2}, {16, 32, 2048, 64}, DType::f32);
}

void crossed() {
    constexpr Extent n = 512;
    std::vector<float> const x = noise<float>(n * n), y = noise<float>(n * n);
    std::vector<float> z(n * n);
    for (bool const transposed : {false, true}) {
        Bench const bench({{0, 1}, transposed ? std::vector<int>{2, 1} : std::vector<int>{1, 2}}, {0, 2}, {n, n, n},
                          "x+y", scalar::Agg::min, DType::f32);
        double const seconds = seconds_of([&] { bench.run({x.data(), y.data()}, z.data()); }, 3);
        std::printf("%-34s %9.2f elements/ns\n", transposed ? "min-plus ij,kj->ik 512" : "min-plus ij,jk->ik 512",
                    static_cast<double>(n * n * n) * 1e-9 / seconds);
    }
}

void tiny() {
    std::vector<float> const x = noise<float>(64), y = noise<float>(64);
    std::vector<float> z(64);
    struct Case {
        char const* name;
        Bench bench;
    };
    using scalar::Agg;
    Case const cases[]{{"tiny x+y of 4x4", Bench({{0, 1}, {0, 1}}, {0, 1}, {4, 4}, "x+y", Agg::sum, DType::f32)},
                       {"tiny product of 4x4", Bench({{0, 1}, {1, 2}}, {0, 2}, {4, 4, 4}, "x*y", Agg::sum, DType::f32)},
                       {"tiny sum of 4x4", Bench({{0, 1}}, {0}, {4, 4}, "x", Agg::sum, DType::f32)}};
    for (Case const& at : cases) {
        std::vector<void const*> operands{x.data(), y.data()};
        operands.resize(at.bench.kernel.einsum.operands());
        constexpr int launches = 200000;
        double const seconds = seconds_of(
            [&] {
                for (int i = 0; i < launches; ++i) at.bench.run(operands, z.data());
            },
            3);
        std::printf("%-34s %9.3f us a launch\n", at.name, seconds / launches * 1e6);
    }
}

}  // namespace

int main(int argc, char** argv) {
    auto const wants = [&](char const* part) {
        return argc == 1 ||
               std::any_of(argv + 1, argv + argc, [&](char const* word) { return std::strcmp(word, part) == 0; });
    };
    if (wants("x2") && argc > 1) threads = 2;
    CpuDevice const one_blas_thread;
    if (wants("gemm")) gemms(4096);
    if (wants("small")) gemms(1024);
    if (wants("stream") || wants("stream-f32")) streams<float>(DType::f32);
    if (wants("stream") || wants("stream-f64")) streams<double>(DType::f64);
    if (wants("transpose")) transposes();
    if (wants("crossed")) crossed();
    if (wants("tiny")) tiny();
}
