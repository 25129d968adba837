#include <algorithm>
#include <barrier>
#include <thread>

#include "apps/eintool/measure/measure_cluster.hpp"
#include "executor/report/clock.hpp"
#include "executor/storage/block_memory.hpp"
#include "lib/scalar/program/work.hpp"

namespace ein::apps::tool {

using executor::Device;
using executor::seconds_now;

namespace {

/// Calls of one(worker) a second, all workers together: each thread calls it for many short slices. The median counts,
/// which runs see too: the best ones are of moments in which other cores, and other machines on the same host, rest.
double rate(int threads, std::function<void(int)> const& one) {
    constexpr double slice = 2e-3;            // shorter than an operating system's: most have the core alone
    constexpr int slices = 150, fewest = 30;  // long calls make long slices: fewer will do
    constexpr double long_enough = 0.3;
    std::vector<std::vector<double>> rates(static_cast<std::size_t>(threads));
    std::barrier together(threads);
    auto const work = [&](int worker) {
        one(worker);
        together.arrive_and_wait();
        double const start = seconds_now();
        for (int i = 0; i < slices && (i < fewest || seconds_now() - start < long_enough); ++i) {
            double const begin = seconds_now();
            double calls = 0, passed = 0;
            for (; passed < slice; passed = seconds_now() - begin) one(worker), ++calls;
            rates[static_cast<std::size_t>(worker)].push_back(calls / passed);
        }
    };
    std::vector<std::thread> others;
    for (int worker = 1; worker < threads; ++worker) others.emplace_back(work, worker);
    work(0);
    for (std::thread& thread : others) thread.join();
    double sum = 0;
    for (std::vector<double> const& each : rates) sum += median(each);
    return sum;
}

/// Arrays of small numbers, one set a worker, in the memory that blocks have: what its pages cost counts.
class Arrays {
public:
    Arrays(int threads, std::size_t bytes, std::size_t arrays)
        : memory_(static_cast<std::int64_t>(bytes * arrays) * threads), bytes_(static_cast<std::int64_t>(bytes)) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(threads) * arrays; ++i) {
            data_.push_back(memory_.take(bytes_));
            std::fill_n(reinterpret_cast<double*>(data_.back()), bytes / sizeof(double), 1e-3);
        }
        arrays_ = arrays;
    }
    ~Arrays() {
        for (std::byte* data : data_) memory_.give(data, bytes_);
    }
    Arrays(Arrays const&) = delete;
    Arrays& operator=(Arrays const&) = delete;
    void* of(int worker, std::size_t array) { return data_[static_cast<std::size_t>(worker) * arrays_ + array]; }

private:
    executor::BlockMemory memory_;
    std::int64_t bytes_;
    std::vector<std::byte*> data_;
    std::size_t arrays_ = 1;
};

/// Calls a second of an EinSum of two operands; all shapes are dense.
double kernel_rate(Device& device, int threads, graph::EinSum einsum, DType type) {
    schedule::Kernel const kernel{"measured", std::move(einsum), type};
    executor::KernelShape shape{&kernel, kernel.einsum.extents, {}, {}, {type, type}, type, false};
    std::size_t largest = 0;
    auto const strides = [&](std::vector<int> const& labels) {
        Shape lengths;
        for (int label : labels) lengths.push_back(kernel.einsum.extents[static_cast<std::size_t>(label)]);
        largest = std::max(largest, static_cast<std::size_t>(element_count(lengths)) * size_of(type));
        return row_major_strides(lengths);
    };
    for (auto const& labels : kernel.einsum.inputs) shape.operand_strides.push_back(strides(labels));
    shape.output_strides = strides(kernel.einsum.output);
    auto const prepared = device.prepare(shape, {});
    Arrays arrays(threads, largest, 3);
    std::vector<Extent> const begin(kernel.einsum.labels.size(), 0);
    return rate(threads, [&](int worker) {
        executor::SoloWorkerTeam team;
        void const* const operands[] = {arrays.of(worker, 0), arrays.of(worker, 1)};
        prepared->launch({operands, arrays.of(worker, 2), begin}, team);
    });
}

graph::EinSum product_of_matrices(Extent n) {
    return {{"i", "j", "k"}, {n, n, n}, {{0, 1}, {1, 2}}, {0, 2}, scalar::product(2), scalar::Agg::sum};
}

graph::EinSum matrix_by_vector(Extent n) {
    return {{"i", "j"}, {n, n}, {{0, 1}, {1}}, {0}, scalar::product(2), scalar::Agg::sum};
}

graph::EinSum elementwise(scalar::Expr join, Extent n) {
    return {{"i"}, {n}, {{0}, {0}}, {0}, std::move(join), scalar::Agg::sum};
}

/// Listed elements a second that are multiplied by elements of a vector, which are anywhere in it. All workers read the
/// same matrix.
double listed_a_second(Device& device, int threads) {
    constexpr Extent rows = 1 << 14, columns = 1 << 18, in_a_row = 64;
    Box const box = Box::whole({rows, columns});
    tensor::SparseLayout const layout = tensor::in_order(2);
    tensor::ListedElements elements{{{}, {}}, std::vector<std::byte>(rows * in_a_row * sizeof(float))};
    for (Extent row = 0; row < rows; ++row)
        for (Extent k = 0; k < in_a_row; ++k) {
            Extent const somewhere = (row * 40503 + k * 2654435761) % (columns / in_a_row);
            elements.coords[0].push_back(row);
            elements.coords[1].push_back(k * (columns / in_a_row) + somewhere);
        }
    std::vector<std::byte> matrix(
        static_cast<std::size_t>(tensor::sparse_bytes(layout, box.length, DType::f32, rows * in_a_row)));
    tensor::write_sparse_block(elements, DType::f32, box, layout, matrix);

    schedule::Kernel const kernel{
        "measured",
        {{"i", "j"}, {rows, columns}, {{0, 1}, {1}}, {0}, scalar::product(2), scalar::Agg::sum},
        DType::f32};
    executor::KernelShape shape{&kernel, {rows, columns}, {{}, {1}}, {1}, {DType::f32, DType::f32}, DType::f32, false};
    shape.sparse = executor::SparseOperands{
        {executor::SparseOperand{layout, box.length, {0, 0}, scalar::Scalar::of(std::complex<double>(0))},
         std::nullopt},
        {},
        {{0}}};
    auto const prepared = device.prepare(shape, {});
    Arrays arrays(threads, columns * sizeof(float), 2);
    std::vector<Extent> const begin(2, 0);
    return rows * in_a_row * rate(threads, [&](int worker) {
               executor::SoloWorkerTeam team;
               void const* const operands[] = {matrix.data(), arrays.of(worker, 0)};
               prepared->launch({operands, arrays.of(worker, 1), begin}, team);
           });
}

double copies_a_second(Device& device, int threads, Extent rows, Extent columns) {
    Arrays arrays(threads, static_cast<std::size_t>(rows * columns * 2) * sizeof(double), 2);
    std::vector<graph::AxisMap> const same(2);
    Box const whole = Box::whole({rows, 2 * columns}), half = Box::whole({rows, columns});
    return rate(threads, [&](int worker) {
        executor::SoloWorkerTeam team;
        device.copy({arrays.of(worker, 0), whole, arrays.of(worker, 1), half, half, same, DType::f64}, team);
    });
}

}  // namespace

KernelRates measure_kernels(Device& device, int threads) {
    using scalar::Expr;
    Expr const x = Expr::operand(0), y = Expr::operand(1), exponential = Expr::call(scalar::Op::exp, {x - y});
    // 32 MiB: beyond the caches, as the blocks of large tensors are. Three of 128 KiB: in the second-level cache, as
    // the pieces of fused tasks are.
    constexpr double n = 512, long_array = 1 << 22, cached_array = 1 << 14, short_array = 1 << 12;
    KernelRates rates;
    rates.flops_f64 = 2 * n * n * n * kernel_rate(device, threads, product_of_matrices(512), DType::f64);
    rates.flops_f32 = 2 * n * n * n * kernel_rate(device, threads, product_of_matrices(512), DType::f32);
    rates.operations = scalar::work_of(exponential, DType::f32) * short_array *
                       kernel_rate(device, threads, elementwise(exponential, 1 << 12), DType::f32);
    // A core that reads alone gets less than one that also writes past its caches: the lower rate, as most kernels read
    // more than they write.
    rates.bytes = 8 * std::min(3 * long_array * kernel_rate(device, threads, elementwise(x + y, 1 << 22), DType::f64),
                               long_array * kernel_rate(device, threads, matrix_by_vector(1 << 11), DType::f64));
    rates.cached = 3 * 8 * cached_array * kernel_rate(device, threads, elementwise(x + y, 1 << 14), DType::f64);
    rates.listed = listed_a_second(device, threads);
    rates.copied = 8 * long_array / 2 * copies_a_second(device, threads, 1 << 11, 1 << 10);
    return rates;
}

}  // namespace ein::apps::tool
