// What products of two operands take on the cpu device, without a run around them, and their share of what the machine
// gives: the larger of flops at R (OpenBLAS, a square of 4096, of complex numbers 2048) and bytes, read and written
// once, at the speed of a copy.
// Usage: contraction_kernels FILE [x2] [TYPES]... [conj] [=NAME]... [@GFLOPS,GBYTES]    FILE: lines of
// name|einsum|shapes, as transposing.txt has them, without OPENBLAS_* in the environment; x2: two threads; TYPES: one
// (f32, bf16, i8), or those of both operands (f32*c64), the result being of the greater; conj: the first operand's
// conjugate; NAME: lines of these names alone; @: speeds of R and of a copy, which are then not measured. Prints a line
// each: name, types, milliseconds, the same of the limit, the share; then of each pair of types the geometric mean of
// shares, and the lowest.
#include <cblas.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "executor/device/cpu/cpu_device.hpp"
#include "lib/base/error.hpp"
#include "lib/tensor/convert.hpp"
#include "scripts/bench/bench_threads.hpp"
#include "scripts/bench/contraction_line.hpp"

extern "C" void openblas_set_num_threads(int threads);

using namespace ein;
using namespace ein::executor;

namespace {

constexpr double seconds_of_a_work = 0.12;
constexpr int least_repeats = 3, most_repeats = 2000;
int threads = 1;

double seconds_of(std::function<void()> const& work) {
    auto const begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Of several, the least: others disturb, and never help.
double least_seconds(std::function<void()> const& work) {
    double least = 1e30, all = 0;
    for (int repeat = 0; repeat < most_repeats && (repeat < least_repeats || all < seconds_of_a_work); ++repeat) {
        double const seconds = seconds_of(work);
        least = std::min(least, seconds);
        all += seconds;
    }
    return least;
}

/// In huge pages, as blocks are.
class Memory {
public:
    explicit Memory(std::size_t bytes) : bytes_(rounded(bytes)) {
        at_ = static_cast<std::byte*>(std::aligned_alloc(page, bytes_));
        madvise(at_, bytes_, MADV_HUGEPAGE);
    }
    Memory(Memory const&) = delete;
    ~Memory() { std::free(at_); }
    static std::size_t rounded(std::size_t bytes) { return (bytes + page - 1) / page * page; }
    std::byte* at() const { return at_; }

private:
    static constexpr std::size_t page = std::size_t{2} << 20;
    std::byte* at_;
    std::size_t bytes_;
};

/// Noise of a type from 0 to 1, of integers below 8, the same every 512 Ki elements.
void fill(std::byte* to, std::size_t bytes, DType type) {
    constexpr std::size_t count = std::size_t{1} << 19;
    std::vector<double> noise(count);
    std::uint64_t state = 1;
    double const most = is_integer(type) ? 8 : type == DType::boolean ? 2 : 1;
    for (double& value : noise) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        value = static_cast<double>(state >> 40) * 0x1p-24 * most;
    }
    std::size_t const period = count * size_of(type);
    std::vector<std::byte> made(period);
    bool const pairs = is_complex(type);
    DType const of = type == DType::c64 ? DType::f32 : pairs ? DType::f64 : type == DType::boolean ? DType::u8 : type;
    for (std::size_t part = 0; part < (pairs ? 2u : 1u); ++part)
        tensor::convert(DType::f64, noise.data(), 1, of, made.data() + part * count * size_of(of), count);
    for (std::size_t at = 0; at < bytes; at += period) std::memcpy(to + at, made.data(), std::min(period, bytes - at));
}

/// Which of OpenBLAS's squares says what can be computed: the types that it lacks are compared with f32's.
bool single(DType dtype) { return dtype != DType::f64 && dtype != DType::c128; }

constexpr int square = 4096, complex_square = 2048;

/// Two squares of OpenBLAS's, multiplied. @param parts  numbers of an element
template <class Number, class Gemm>
double seconds_of_a_square(int n, int parts, Gemm const& gemm) {
    std::size_t const size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n * parts);
    std::vector<Number> const a(size, Number(0.5)), b(size, Number(0.25));
    std::vector<Number> c(size);
    return least_seconds([&] { gemm(n, a.data(), b.data(), c.data()); });
}

double seconds_of_a_square(DType dtype) {
    constexpr auto row_major = CblasRowMajor;
    constexpr auto as_it_is = CblasNoTrans;
    static constexpr float one[] = {1, 0}, zero[] = {0, 0};
    static constexpr double wide_one[] = {1, 0}, wide_zero[] = {0, 0};
    switch (dtype) {
        case DType::f32:
            return seconds_of_a_square<float>(square, 1, [](int n, float const* a, float const* b, float* c) {
                cblas_sgemm(row_major, as_it_is, as_it_is, n, n, n, 1, a, n, b, n, 0, c, n);
            });
        case DType::c64:
            return seconds_of_a_square<float>(complex_square, 2, [](int n, float const* a, float const* b, float* c) {
                cblas_cgemm(row_major, as_it_is, as_it_is, n, n, n, one, a, n, b, n, zero, c, n);
            });
        case DType::c128:
            return seconds_of_a_square<double>(
                complex_square, 2, [](int n, double const* a, double const* b, double* c) {
                    cblas_zgemm(row_major, as_it_is, as_it_is, n, n, n, wide_one, a, n, b, n, wide_zero, c, n);
                });
        default:
            if (single(dtype)) return seconds_of_a_square(DType::f32);
            return seconds_of_a_square<double>(square, 1, [](int n, double const* a, double const* b, double* c) {
                cblas_dgemm(row_major, as_it_is, as_it_is, n, n, n, 1, a, n, b, n, 0, c, n);
            });
    }
}

/// Seconds of an operation of real numbers in OpenBLAS; eight of them are a complex multiply-add.
double seconds_of_a_flop(DType dtype) {
    openblas_set_num_threads(threads);
    double const seconds = seconds_of_a_square(dtype);
    openblas_set_num_threads(1);
    double const n = is_complex(dtype) ? complex_square : square;
    return seconds / ((is_complex(dtype) ? 8 : 2) * n * n * n);
}

double seconds_of_a_byte() {
    constexpr std::size_t bytes = std::size_t{256} << 20;
    Memory const from(bytes), to(bytes);
    std::memset(from.at(), 1, bytes);
    std::memset(to.at(), 1, bytes);
    auto const part = bytes / static_cast<std::size_t>(threads);
    auto const copy = [&](std::int64_t t) {
        std::size_t const at = static_cast<std::size_t>(t) * part;
        std::memcpy(to.at() + at, from.at() + at, part);
    };
    BenchThreads team(threads);
    return least_seconds([&] { team.run(threads, copy); }) / (2.0 * bytes);
}

/// Of both operands.
struct Types {
    DType first, second;

    static Types read(std::string const& word) {
        std::size_t const star = word.find('*');
        return {dtype_from_name(word.substr(0, star)).value(),
                dtype_from_name(word.substr(star == std::string::npos ? 0 : star + 1)).value()};
    }
    DType result() const { return is_complex(first) || size_of(first) > size_of(second) ? first : second; }
    std::string name() const {
        std::string const one(ein::name(first));
        return first == second ? one : one + "*" + std::string(ein::name(second));
    }
    /// Operations of real numbers for each term.
    double flops() const { return 2 * (is_complex(first) ? 2 : 1) * (is_complex(second) ? 2 : 1); }
};

/// An EinSum over whole blocks in C order.
struct Work {
    std::string name, form;
    schedule::Kernel kernel;
    KernelShape shape;
    std::vector<std::size_t> bytes;  // of the operands and the output
    double terms = 1;

    Work(std::string const& line, Types const& of, std::string const& join) {
        ContractionLine read = read_contraction(line, join);
        name = read.name;
        form = read.form;
        graph::EinSum const& einsum = kernel.einsum = std::move(read.einsum);
        std::vector<DType> const types{of.first, of.second};
        kernel.node = name;
        kernel.compute = compute_dtype(types, of.result());
        shape = whole_shape(kernel, types, of.result());
        for (std::size_t k = 0; k < types.size(); ++k) bytes.push_back(bytes_of(einsum.inputs.at(k), types[k]));
        bytes.push_back(bytes_of(einsum.output, of.result()));
        for (Extent extent : einsum.extents) terms *= static_cast<double>(extent);
    }
    Work(Work const&) = delete;

    double all_bytes() const {
        double all = 0;
        for (std::size_t of : bytes) all += static_cast<double>(of);
        return all;
    }

    std::size_t arena_bytes() const {
        std::size_t all = 0;
        for (std::size_t of : bytes) all += Memory::rounded(of);
        return all;
    }

private:
    std::size_t bytes_of(std::vector<int> const& axes, DType type) const {
        std::size_t size = size_of(type);
        for (int axis : axes) size *= static_cast<std::size_t>(kernel.einsum.extents[at(axis)]);
        return size;
    }
};

double seconds_of(Work const& work, Types const& types, Memory const& arena) {
    std::byte* place = arena.at();
    std::vector<void const*> operands;
    for (std::size_t const bytes : work.bytes) {
        fill(place, bytes, operands.empty() ? types.first : operands.size() == 1 ? types.second : types.result());
        operands.push_back(place);
        place += Memory::rounded(bytes);
    }
    void* const output = const_cast<void*>(operands.back());
    operands.pop_back();
    std::vector<Extent> const begin(work.kernel.einsum.extents.size(), 0);
    auto const prepared = CpuDevice().prepare(work.shape, {});
    SoloWorkerTeam solo;
    BenchThreads many{threads};
    WorkerTeam& team = threads == 1 ? static_cast<WorkerTeam&>(solo) : many;
    return least_seconds([&] { prepared->launch({operands, output, begin}, team); });
}

/// Of the machine, one operation and one byte, in seconds; 0: to be measured.
struct Speeds {
    double a_flop = 0, a_byte = 0;
};

void measure(std::vector<std::string> const& lines, Types const& types, std::string const& join, Speeds const& given) {
    DType const type = types.result();
    std::string const called = types.name();
    double const a_flop = given.a_flop > 0 ? given.a_flop : seconds_of_a_flop(type);
    double const a_byte = given.a_byte > 0 ? given.a_byte : seconds_of_a_byte();
    std::printf("# %s: R %.0f GFLOP/s, copy %.1f GB/s\n", called.c_str(), 1e-9 / a_flop, 1e-9 / a_byte);
    double logs = 0, lowest = 1e30;
    std::vector<std::unique_ptr<Work>> works;
    std::size_t most = 0;
    for (std::string const& line : lines) {
        works.push_back(std::make_unique<Work>(line, types, join));
        most = std::max(most, works.back()->arena_bytes());
    }
    Memory const arena(most);
    for (auto const& of : works) {
        Work const& work = *of;
        double const flops = types.flops() * work.terms;
        double const limit = std::max(flops * a_flop, work.all_bytes() * a_byte),
                     seconds = seconds_of(work, types, arena);
        std::printf("%-10s %-5s %9.3f %9.3f %6.2f  %s%s\n", work.name.c_str(), called.c_str(), seconds * 1e3,
                    limit * 1e3, limit / seconds, work.form.c_str(),
                    flops * a_flop > work.all_bytes() * a_byte ? "" : "  (bytes)");
        std::fflush(stdout);
        logs += std::log(limit / seconds);
        lowest = std::min(lowest, limit / seconds);
    }
    std::printf("# %s: geometric mean %.3f, lowest %.2f\n", called.c_str(),
                std::exp(logs / static_cast<double>(lines.size())), lowest);
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 2) {
        std::fprintf(stderr, "usage: contraction_kernels FILE [x2] [TYPES]... [conj] [=NAME]... [@GFLOPS,GBYTES]\n");
        return 2;
    }
    std::vector<Types> types;
    std::string join;
    std::set<std::string> names;
    Speeds given;
    for (int k = 2; k < argc; ++k) {
        std::string const word = argv[k];
        if (word == "x2") {
            threads = 2;
        } else if (word.starts_with('@')) {
            given = {1e-9 / std::atof(word.c_str() + 1), 1e-9 / std::atof(word.c_str() + word.find(',') + 1)};
        } else if (word == "conj") {
            join = "conj(x)*y";
        } else if (word.starts_with('=')) {
            names.insert(word.substr(1));
        } else {
            types.push_back(Types::read(word));
        }
    }
    if (types.empty()) types = {Types::read("f32"), Types::read("f64")};
    std::vector<std::string> lines;
    std::ifstream file(argv[1]);
    for (std::string line; std::getline(file, line);)
        if (!line.empty() && line[0] != '#' && (names.empty() || names.contains(line.substr(0, line.find('|')))))
            lines.push_back(line);
    for (Types const& of : types) measure(lines, of, join, given);
    return 0;
} catch (std::exception const& error) {
    std::fprintf(stderr, "contraction_kernels: %s\n", error.what());
    return 1;
}
