// Sparse kernels of the cpu device: milliseconds and billions of operations a second, a line each. sparse.sh prints
// them beside SciPy's. Usage: sparse_kernels [x2] [spmv|spmm|...]...
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <string>

#include "executor/device/cpu/cpu_device.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "scripts/bench/bench_threads.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

int threads = 1;

/// Processor time of this thread: other processes do not count. Of several threads the time that passes.
double now() {
    timespec time{};
    clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

using Bytes = std::vector<std::byte>;

struct Operand {
    Shape shape;
    double density = 0;  // 0: dense
};

/// A block in C order with ascending places, about `density` of all.
Bytes draw_sparse(Shape const& shape, double density, std::mt19937_64& random) {
    std::geometric_distribution<Extent> gap(density);
    std::uniform_real_distribution<double> value(0.5, 1.5);
    tensor::ListedElements all;
    Extent const count = element_count(shape);
    std::vector<Extent> places;
    for (Extent at = gap(random); at < count; at += 1 + gap(random)) places.push_back(at);
    tensor::SparseLayout layout{{}, true};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) layout.axes.push_back(static_cast<int>(axis));
    auto const listed = static_cast<Extent>(places.size());
    tensor::SparseOffsets const at = tensor::sparse_offsets(layout, shape, DType::f64, listed);
    Bytes out(at.end);
    tensor::set_listed(out, listed);
    auto* const offsets = reinterpret_cast<std::uint64_t*>(out.data() + at.offsets);
    for (std::size_t e = 0; e < places.size(); ++e) {
        Extent rest = places[e];
        for (std::size_t axis = shape.size(); axis-- > 1; rest /= shape[axis])
            reinterpret_cast<std::uint32_t*>(out.data() + at.coords[axis])[e] =
                static_cast<std::uint32_t>(rest % shape[axis]);
        ++offsets[rest + 1];
        reinterpret_cast<double*>(out.data() + at.values)[e] = value(random);
    }
    for (Extent row = 0; row < shape[0]; ++row) offsets[row + 1] += offsets[row];
    return out;
}

struct Case {
    std::string name, subscripts;
    std::vector<Operand> operands;
    Extent columns = 1;  // operations for each listed element, halved; 0: a product of two sparse matrices
    bool sparse_output = false;
    std::vector<std::vector<int>> idle_sets = {{0}};
    std::string join = "";
    scalar::Agg agg = scalar::Agg::sum;
};

graph::EinSum einsum_of(Case const& test) {
    graph::EinSum made;
    std::vector<int> axes;
    std::size_t operand = 0, axis = 0;
    bool inputs_done = false;
    for (char c : test.subscripts + ";") {
        if (c == '>') continue;
        if (c == ',' || c == '-' || c == ';') {
            (inputs_done ? made.output : made.inputs.emplace_back()) = axes;
            axes.clear();
            ++operand;
            axis = 0;
            inputs_done = inputs_done || c == '-';
            continue;
        }
        std::string const name(1, c);
        auto const known = std::find(made.labels.begin(), made.labels.end(), name);
        axes.push_back(static_cast<int>(known - made.labels.begin()));
        if (known == made.labels.end()) {
            made.labels.push_back(name);
            made.extents.push_back(test.operands[operand].shape[axis]);
        }
        ++axis;
    }
    made.agg = test.agg;
    int const operands = static_cast<int>(made.inputs.size());
    made.join =
        test.join.empty() ? scalar::product(operands) : scalar::parse(test.join, {operands, made.labels, {}}).expr;
    return made;
}

void run(Case const& test) {
    std::mt19937_64 random(1);
    schedule::Kernel const kernel{"bench", einsum_of(test), DType::f64};
    graph::EinSum const& einsum = kernel.einsum;
    KernelShape shape;
    shape.kernel = &kernel;
    shape.lengths = einsum.extents;
    shape.operand_dtypes.assign(einsum.operands(), DType::f64);
    shape.output_dtype = DType::f64;
    shape.sparse.emplace().idle_sets = test.idle_sets;
    scalar::Scalar const zero = scalar::Scalar::of(std::complex<double>(0));
    auto const sparse = [&](Shape const& lengths) {
        SparseOperand out{{{}, true}, lengths, std::vector<Extent>(lengths.size(), 0), zero};
        for (std::size_t axis = 0; axis < lengths.size(); ++axis) out.layout.axes.push_back(static_cast<int>(axis));
        return out;
    };
    std::vector<Bytes> blocks;
    std::vector<void const*> operands;
    Extent listed = 0;
    double operations = 0;
    for (Operand const& operand : test.operands) {
        auto& made = shape.sparse->operands.emplace_back();
        auto& strides = shape.operand_strides.emplace_back();
        if (operand.density > 0) {
            blocks.push_back(draw_sparse(operand.shape, operand.density, random));
            made = sparse(operand.shape);
            Extent const count = tensor::listed_in(blocks.back());
            listed += count;
            if (operations == 0) operations = 2.0 * static_cast<double>(count * test.columns);
            if (test.columns == 0)
                operations = 2.0 * static_cast<double>(count) * static_cast<double>(count) /
                             static_cast<double>(operand.shape[0]);
        } else {
            strides = row_major_strides(operand.shape);
            std::uniform_real_distribution<double> value(0.5, 1.5);
            Bytes& block = blocks.emplace_back(static_cast<std::size_t>(element_count(operand.shape)) * 8);
            for (std::size_t at = 0; at < block.size(); at += 8) {
                double const drawn = value(random);
                std::memcpy(&block[at], &drawn, 8);
            }
        }
    }
    for (Bytes const& block : blocks) operands.push_back(block.data());
    Shape lengths;
    for (int label : einsum.output) lengths.push_back(shape.lengths[static_cast<std::size_t>(label)]);
    Bytes output;
    if (test.sparse_output) {
        shape.sparse->output = sparse(lengths);
        Extent const most =
            test.columns == 0 ? std::min(element_count(lengths), static_cast<Extent>(operations)) : listed;
        output.resize(
            static_cast<std::size_t>(tensor::sparse_bytes(shape.sparse->output->layout, lengths, DType::f64, most)));
    } else {
        shape.output_strides = row_major_strides(lengths);
        output.resize(static_cast<std::size_t>(element_count(lengths)) * 8);
    }
    CpuDevice device;
    BenchThreads team{threads};
    std::vector<Extent> const begin(shape.lengths.size(), 0);
    auto const prepared = device.prepare(shape, {});
    double best = 1e30;
    for (int repeat = 0; repeat < 5; ++repeat) {
        double const start = now();
        prepared->launch({operands, output.data(), begin, {}, output.size()}, team);
        best = std::min(best, now() - start);
        if (best > 5) break;
    }
    std::printf("%-12s %10.2f ms %8.2f Gop/s\n", test.name.c_str(), best * 1e3, operations / best / 1e9);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> wanted(argv + 1, argv + argc);
    if (!wanted.empty() && wanted.front() == "x2") {
        threads = 2;
        wanted.erase(wanted.begin());
    }
    std::vector<Case> const cases{
        {"spmv", "ij,j->i", {{{20000, 20000}, 0.01}, {{20000}}}},
        {"spmv-min", "ij,j->i", {{{20000, 20000}, 0.01}, {{20000}}}, 1, false, {{0}}, "x+y", scalar::Agg::min},
        {"spmv-turned", "ij,i->j", {{{20000, 20000}, 0.01}, {{20000}}}},
        {"spmm", "ij,jk->ik", {{{20000, 20000}, 0.01}, {{20000, 64}}}, 64},
        {"spmm-min", "ij,jk->ik", {{{20000, 20000}, 0.01}, {{20000, 64}}}, 64, false, {{0}}, "x+y", scalar::Agg::min},
        {"sddmm", "ij,ik,jk->ij", {{{10000, 10000}, 0.01}, {{10000, 64}}, {{10000, 64}}}, 64, true},
        {"loss", "ij,ik,jk->", {{{10000, 10000}, 0.01}, {{10000, 64}}, {{10000, 64}}}, 64},
        {"mttkrp", "ijk,jr,kr->ir", {{{10000, 2000, 5000}, 1e-4}, {{2000, 32}}, {{5000, 32}}}, 32},
        {"mttkrp-1", "ijk,ir,kr->jr", {{{10000, 2000, 5000}, 1e-4}, {{10000, 32}}, {{5000, 32}}}, 32},
        {"ttm", "ijk,kr->ijr", {{{300, 400, 5000}, 1e-2}, {{5000, 32}}}, 32},
        {"spgemm", "ij,jk->ik", {{{8000, 8000}, 0.01}, {{8000, 8000}, 0.01}}, 0, true, {{0}, {1}}},
        {"spgemm-dense", "ij,jk->ik", {{{8000, 8000}, 0.01}, {{8000, 8000}, 0.01}}, 0, false, {{0}, {1}}},
        {"spgemm-thin", "ij,jk->ik", {{{200000, 200000}, 5e-5}, {{200000, 200000}, 5e-5}}, 0, true, {{0}, {1}}},
        {"add", "ij,ij->ij", {{{20000, 20000}, 0.01}, {{20000, 20000}, 0.01}}, 1, true, {{0, 1}}, "x+y"},
        {"multiply", "ij,ij->ij", {{{20000, 20000}, 0.01}, {{20000, 20000}, 0.01}}, 1, true, {{0}, {1}}},
        {"scale-rows", "ij,i->ij", {{{20000, 20000}, 0.01}, {{20000}}}, 1, true},
        {"exp", "ij->ij", {{{20000, 20000}, 0.01}}, 1, true, {{0}}, "exp(x)-1"},
        {"sum-rows", "ij->i", {{{20000, 20000}, 0.01}}, 1, false, {{0}}, "x"},
    };
    for (Case const& test : cases)
        if (wanted.empty() || std::find(wanted.begin(), wanted.end(), test.name) != wanted.end()) run(test);
    return 0;
}
