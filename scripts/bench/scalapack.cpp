// What ScaLAPACK does with the same products on the same ranks, under mpirun: A x B, or (A x B) + (C x (D x E)). Rank 0
// prints median seconds.
// Usage: bench_scalapack f64|f32 matmul|square|skewed SIZE [REPEATS [BLOCK [GRID_ROWS]]]
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, char const* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
int numroc_(int const* n, int const* block, int const* at, int const* first, int const* count);
void descinit_(int* desc, int const* m, int const* n, int const* mb, int const* nb, int const* row, int const* column,
               int const* context, int const* leading, int* info);
void pdgemm_(char const* ta, char const* tb, int const* m, int const* n, int const* k, double const* alpha,
             double const* a, int const* ia, int const* ja, int const* desca, double const* b, int const* ib,
             int const* jb, int const* descb, double const* beta, double* c, int const* ic, int const* jc,
             int const* descc);
void psgemm_(char const* ta, char const* tb, int const* m, int const* n, int const* k, float const* alpha,
             float const* a, int const* ia, int const* ja, int const* desca, float const* b, int const* ib,
             int const* jb, int const* descb, float const* beta, float* c, int const* ic, int const* jc,
             int const* descc);
}

namespace {

struct Grid {
    int context = 0, block, rows, columns, row = 0, column = 0;

    Grid(int ranks, int block_size, int grid_rows) : block(block_size), rows(grid_rows), columns(ranks / grid_rows) {
        Cblacs_get(-1, 0, &context);
        Cblacs_gridinit(&context, "Row", rows, columns);
        Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    }
};

/// An m x n matrix of ones in block-cyclic distribution; this rank's part.
template <class Real>
struct Matrix {
    int m, n;
    std::array<int, 9> desc{};
    std::vector<Real> part;

    Matrix(Grid const& grid, int m_, int n_) : m(m_), n(n_) {
        int const zero = 0;
        int const rows = numroc_(&m, &grid.block, &grid.row, &zero, &grid.rows),
                  columns = numroc_(&n, &grid.block, &grid.column, &zero, &grid.columns);
        int const leading = std::max(1, rows);
        int info = 0;
        descinit_(desc.data(), &m, &n, &grid.block, &grid.block, &zero, &zero, &grid.context, &leading, &info);
        part.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), Real(1));
    }
};

/// c = a b + beta c
template <class Real>
void multiply(Matrix<Real> const& a, Matrix<Real> const& b, Real beta, Matrix<Real>& c) {
    int const one = 1;
    Real const alpha = 1;
    auto const gemm = [] {
        if constexpr (std::is_same_v<Real, double>)
            return pdgemm_;
        else
            return psgemm_;
    }();
    gemm("N", "N", &c.m, &c.n, &a.n, &alpha, a.part.data(), &one, &one, a.desc.data(), b.part.data(), &one, &one,
         b.desc.data(), &beta, c.part.data(), &one, &one, c.desc.data());
}

template <class Work>
double median_seconds(int repeats, Work const& work) {
    std::vector<double> seconds;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        MPI_Barrier(MPI_COMM_WORLD);
        double const begin = MPI_Wtime();
        work();
        double const mine = MPI_Wtime() - begin;
        double slowest = 0;
        MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        seconds.push_back(slowest);
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
}

template <class Real>
void check(Matrix<Real> const& z, double expected) {
    for (Real const value : z.part)
        if (!(std::abs(value - expected) <= 1e-5 * expected)) {
            std::fprintf(stderr, "bench_scalapack: expected %g everywhere, found %g\n", expected,
                         static_cast<double>(value));
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
}

template <class Real>
double measure(Grid const& grid, std::string const& work, int s, int repeats) {
    // A x B is m by k by n; D x E is q by r by n, of which C takes m by q.
    int const thin = s / 10, wide = work == "skewed" ? 10 * s : s;
    bool const skewed = work == "skewed";
    Matrix<Real> a(grid, s, skewed ? thin : s), b(grid, a.n, s), z(grid, s, s);
    multiply(a, b, Real(0), z);  // wakes connections and clocks
    if (work == "matmul") {
        double const seconds = median_seconds(repeats, [&] { multiply(a, b, Real(0), z); });
        check(z, a.n);
        return seconds;
    }
    Matrix<Real> c(grid, s, skewed ? thin : s), d(grid, c.n, wide), e(grid, wide, s), de(grid, c.n, s);
    double const seconds = median_seconds(repeats, [&] {
        multiply(a, b, Real(0), z);
        multiply(d, e, Real(0), de);
        multiply(c, de, Real(1), z);
    });
    check(z, a.n + static_cast<double>(c.n) * d.n);
    return seconds;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::string const dtype = argc < 4 ? "" : argv[1];
    if (dtype != "f64" && dtype != "f32") {
        if (rank == 0)
            std::fputs("usage: bench_scalapack f64|f32 matmul|square|skewed SIZE [REPEATS [BLOCK [GRID_ROWS]]]\n",
                       stderr);
        MPI_Finalize();
        return 2;
    }
    auto number = [&](int at, int otherwise) { return at < argc ? std::atoi(argv[at]) : otherwise; };
    Grid const grid(ranks, number(5, 128), number(6, 1));
    std::string const work = argv[2];
    double const seconds = dtype == "f64" ? measure<double>(grid, work, number(3, 0), number(4, 3))
                                          : measure<float>(grid, work, number(3, 0), number(4, 3));
    if (rank == 0) std::printf("%.6f\n", seconds);
    MPI_Finalize();
}
