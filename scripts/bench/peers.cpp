// What a user would run instead, on one thread unless told otherwise: OpenBLAS called directly, and plain loops over memory. One line: median seconds.
// Usage: bench_peers gemm f64|f32 N [TURNS [THREADS]] | copy BYTES [TURNS]
#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

extern "C" void openblas_set_num_threads(int threads);

namespace {

double median_seconds(int turns, std::function<void()> const& work) {
    work();   // first touch, clocks, caches
    std::vector<double> seconds;
    for (int turn = 0; turn < turns; ++turn) {
        auto const begin = std::chrono::steady_clock::now();
        work();
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
}

template <class Real>
double gemm(int n, int turns) {
    std::size_t const elements = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    std::vector<Real> a(elements, Real(0.5)), b(elements, Real(0.25)), c(elements);
    return median_seconds(turns, [&] {
        if constexpr (std::is_same_v<Real, double>)
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n);
        else
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n);
    });
}

double copy(std::size_t bytes, int turns) {
    std::vector<float> from(bytes / sizeof(float), 1.0F), to(bytes / sizeof(float));
    return median_seconds(turns, [&] {
        float const* __restrict in = from.data();
        float* __restrict out = to.data();
        for (std::size_t k = 0; k < from.size(); ++k) out[k] = in[k] * 2.0F;   // a product, so that it stays a loop of loads and stores
        __asm__ volatile("" ::"r"(out) : "memory");
    });
}

}  // namespace

int main(int argc, char** argv) {
    openblas_set_num_threads(argc > 5 ? std::atoi(argv[5]) : 1);
    std::string const what = argc > 1 ? argv[1] : "";
    if (what == "gemm" && argc > 3) {
        int const n = std::atoi(argv[3]), turns = argc > 4 ? std::atoi(argv[4]) : 5;
        std::printf("%.6f\n", std::string(argv[2]) == "f64" ? gemm<double>(n, turns) : gemm<float>(n, turns));
        return 0;
    }
    if (what == "copy" && argc > 2) {
        std::printf("%.6f\n", copy(std::strtoull(argv[2], nullptr, 10), argc > 3 ? std::atoi(argv[3]) : 7));
        return 0;
    }
    std::fputs("usage: bench_peers gemm f64|f32 N [TURNS [THREADS]] | copy BYTES [TURNS]\n", stderr);
    return 2;
}
