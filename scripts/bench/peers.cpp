// What a user would run instead, on one thread unless asked otherwise: OpenBLAS called directly, and copies of memory.
// One line: median seconds.
// Usage: bench_peers gemm f64|f32|c128|c64 N [REPEATS [THREADS]] | copy BYTES [REPEATS [THREADS]]
#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

extern "C" void openblas_set_num_threads(int threads);

namespace {

double median_seconds(int repeats, std::function<void()> const& work) {
    std::vector<double> seconds;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        auto const begin = std::chrono::steady_clock::now();
        work();
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
}

template <class Number>
double gemm(int n, int repeats) {
    std::size_t const elements = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    std::vector<Number> a(elements, Number(0.5)), b(elements, Number(0.25)), c(elements);
    [[maybe_unused]] static constexpr Number one(1), zero(0);
    auto multiply = [&](int m) {
        if constexpr (std::is_same_v<Number, std::complex<double>>)
            cblas_zgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, n, &one, a.data(), n, b.data(), n, &zero,
                        c.data(), n);
        else if constexpr (std::is_same_v<Number, std::complex<float>>)
            cblas_cgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, n, &one, a.data(), n, b.data(), n, &zero,
                        c.data(), n);
        else if constexpr (std::is_same_v<Number, double>)
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, n, 1, a.data(), n, b.data(), n, 0, c.data(),
                        n);
        else
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, n, 1, a.data(), n, b.data(), n, 0, c.data(),
                        n);
    };
    multiply((n + 7) / 8);  // wakes threads and clocks
    return median_seconds(repeats, [&] { multiply(n); });
}

/// memcpy, which is what a compiler makes of a loop that copies: it writes past the cache.
double copy(std::size_t bytes, int repeats, int threads) {
    std::vector<char> from(bytes, 1), to(bytes);
    auto part = [&](int k) {
        std::size_t const of = static_cast<std::size_t>(threads), at = static_cast<std::size_t>(k);
        std::size_t const begin = bytes * at / of, end = bytes * (at + 1) / of;
        std::memcpy(to.data() + begin, from.data() + begin, end - begin);
    };
    auto work = [&] {
        std::vector<std::thread> team;
        for (int k = 1; k < threads; ++k) team.emplace_back(part, k);
        part(0);
        for (std::thread& member : team) member.join();
    };
    work();  // wakes clocks
    return median_seconds(repeats, work);
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> const words(argv + 1, argv + argc);
    auto number = [&](std::size_t at, int otherwise) {
        return at < words.size() ? std::atoi(words[at].c_str()) : otherwise;
    };
    if (words.size() > 2 && words[0] == "gemm") {
        int const n = number(2, 0), repeats = number(3, 5);
        openblas_set_num_threads(number(4, 1));
        double const seconds = words[1] == "f64"    ? gemm<double>(n, repeats)
                               : words[1] == "c128" ? gemm<std::complex<double>>(n, repeats)
                               : words[1] == "c64"  ? gemm<std::complex<float>>(n, repeats)
                                                    : gemm<float>(n, repeats);
        std::printf("%.6f\n", seconds);
        return 0;
    }
    if (words.size() > 1 && words[0] == "copy") {
        std::printf("%.6f\n", copy(std::stoull(words[1]), number(2, 7), number(3, 1)));
        return 0;
    }
    std::fputs("usage: bench_peers gemm f64|f32|c128|c64 N [REPEATS [THREADS]] | copy BYTES [REPEATS [THREADS]]\n",
               stderr);
    return 2;
}
