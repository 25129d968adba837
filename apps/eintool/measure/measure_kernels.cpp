#include <algorithm>
#include <barrier>
#include <cmath>
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

/// Calls a second of an EinSum of two operands; all shapes are dense. @param sets  of arrays, used one after another
double kernel_rate(Device& device, int threads, graph::EinSum einsum, DType type, std::size_t sets = 1) {
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
    Arrays arrays(threads, largest, 3 * sets);
    std::vector<Extent> const begin(kernel.einsum.labels.size(), 0);
    constexpr std::size_t apart = 64 / sizeof(std::size_t);                        // workers do not share a cache line
    std::vector<std::size_t> calls(static_cast<std::size_t>(threads) * apart, 0);  // of each worker
    return rate(threads, [&](int worker) {
        std::size_t const first = 3 * (calls[static_cast<std::size_t>(worker) * apart]++ % sets);
        executor::SoloWorkerTeam team;
        void const* const operands[] = {arrays.of(worker, first), arrays.of(worker, first + 1)};
        prepared->launch({operands, arrays.of(worker, first + 2), begin}, team);
    });
}

graph::EinSum product_of_matrices(Extent n) {
    return {{"i", "j", "k"}, {n, n, n}, {{0, 1}, {1, 2}}, {0, 2}, scalar::product(2), scalar::Agg::sum};
}

graph::EinSum matrix_by_vector(Extent n) {
    return {{"i", "j"}, {n, n}, {{0, 1}, {1}}, {0}, scalar::product(2), scalar::Agg::sum};
}

using scalar::Expr;

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

/// Bytes a second of sums of two arrays, and how much the cache that cores share holds for a rank.
struct MemoryRates {
    double near, far;  // far: with those of results' lines, which are read before they are written
    double shared_cache;
};

/// Twice as many arrays in turn each time: the cache ends where the time for a byte is midway from the least to the
/// most.
MemoryRates measure_memory(Device& device, int threads) {
    constexpr Extent array = 1 << 17;     // of f64: three of them are more than a core's cache
    constexpr std::size_t sets = 1 << 6;  // in the end: 192 MiB a thread, more than a core's share of any cache
    constexpr double bytes = 3 * 8 * array;
    std::vector<double> seconds;  // a byte
    for (std::size_t count = 1; count <= sets; count *= 2)
        seconds.push_back(1 /
                          (bytes * kernel_rate(device, threads, elementwise(Expr::operand(0) + Expr::operand(1), array),
                                               DType::f64, count)));
    double const least = *std::min_element(seconds.begin(), seconds.end()), most = seconds.back();
    double const middle = (least + most) / 2, farthest = 4.0 / 3 / most;
    if (most < 1.2 * least) return {1 / least, farthest, bytes * threads * sets};
    std::size_t last = seconds.size() - 1;  // of those behind the middle, the first after one before it
    while (last > 0 && seconds[last - 1] > middle) --last;
    double const before = last > 0 ? seconds[last - 1] : least;
    double const part = last > 0 ? (middle - before) / (seconds[last] - before) : 0;
    double const held = bytes * threads * std::exp2(static_cast<double>(last) - 1 + part);
    return {1 / least, farthest, held};
}

KernelRates measured_once(Device& device, int threads) {
    Expr const x = Expr::operand(0), y = Expr::operand(1), exponential = Expr::call(scalar::Op::exp, {x - y});
    // Matrices that are together more than a core's cache, as those of graphs are. Three arrays of 128 KiB: in the
    // second-level cache, as the pieces of fused tasks are.
    constexpr double n = 512, matrix = 1 << 20, copied_array = 1 << 21, cached_array = 1 << 14, short_array = 1 << 12;
    KernelRates rates;
    rates.flops_f64 = 2 * n * n * n * kernel_rate(device, threads, product_of_matrices(512), DType::f64);
    rates.flops_f32 = 2 * n * n * n * kernel_rate(device, threads, product_of_matrices(512), DType::f32);
    rates.operations = scalar::work_of(exponential, DType::f32) * short_array *
                       kernel_rate(device, threads, elementwise(exponential, 1 << 12), DType::f32);
    // A core that only reads may get less than one that writes, too: the lower rate, as most kernels read more than
    // they write.
    MemoryRates const memory = measure_memory(device, threads);
    rates.bytes =
        std::min(memory.near, 8 * matrix * kernel_rate(device, threads, matrix_by_vector(1 << 10), DType::f64));
    rates.memory = memory.far;
    rates.shared_cache = memory.shared_cache;
    rates.cached = 3 * 8 * cached_array * kernel_rate(device, threads, elementwise(x + y, 1 << 14), DType::f64);
    rates.listed = listed_a_second(device, threads);
    rates.copied = 8 * copied_array * copies_a_second(device, threads, 1 << 11, 1 << 10);
    return rates;
}

}  // namespace

/// Twice, some seconds apart: where another machine of the host had the cores, or two ranks were on one, every rate of
/// a time is too low, and a rank may seem slow.
KernelRates measure_kernels(Device& device, int threads) {
    KernelRates best = measured_once(device, threads);
    KernelRates const again = measured_once(device, threads);
    for (auto const rate : {&KernelRates::flops_f64, &KernelRates::flops_f32, &KernelRates::operations,
                            &KernelRates::bytes, &KernelRates::cached, &KernelRates::memory, &KernelRates::shared_cache,
                            &KernelRates::listed, &KernelRates::copied})
        best.*rate = std::max(best.*rate, again.*rate);
    return best;
}

}  // namespace ein::apps::tool
