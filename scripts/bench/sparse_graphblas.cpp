// What SuiteSparse:GraphBLAS takes for works of sparse_graphs.py, in f64: sparse_graphblas THREADS WORK prints the work
// and milliseconds, the best of three after one that warms up. Exit code 1 for a work that it has no operation for.
extern "C" {
#include <GraphBLAS.h>
}

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

void check(GrB_Info info) {
    if (info == GrB_SUCCESS) return;
    std::fprintf(stderr, "sparse_graphblas: GraphBLAS says %d\n", static_cast<int>(info));
    std::exit(2);
}

/// About rows x columns x density elements, at places drawn one by one.
GrB_Matrix matrix(GrB_Index rows, GrB_Index columns, double density, unsigned seed = 1) {
    std::mt19937_64 random(seed);
    auto const count = static_cast<std::size_t>(static_cast<double>(rows) * static_cast<double>(columns) * density);
    std::vector<GrB_Index> i(count), j(count);
    std::vector<double> values(count);
    for (std::size_t k = 0; k < count; ++k) {
        i[k] = random() % rows;
        j[k] = random() % columns;
        values[k] = static_cast<double>(random() >> 11) * 0x1p-53;
    }
    GrB_Matrix out = nullptr;
    check(GrB_Matrix_new(&out, GrB_FP64, rows, columns));
    check(GrB_Matrix_build_FP64(out, i.data(), j.data(), values.data(), count, GrB_PLUS_FP64));
    check(GrB_Matrix_wait(out, GrB_MATERIALIZE));
    return out;
}

/// All elements listed, which GraphBLAS keeps as full: their values differ, as it keeps equal ones as a single one.
GrB_Matrix dense(GrB_Index rows, GrB_Index columns) {
    std::vector<GrB_Index> i, j;
    std::vector<double> values;
    for (GrB_Index row = 0; row < rows; ++row)
        for (GrB_Index column = 0; column < columns; ++column) {
            i.push_back(row);
            j.push_back(column);
            values.push_back(1.0 / static_cast<double>(1 + row + column));
        }
    GrB_Matrix out = nullptr;
    check(GrB_Matrix_new(&out, GrB_FP64, rows, columns));
    check(GrB_Matrix_build_FP64(out, i.data(), j.data(), values.data(), values.size(), GrB_PLUS_FP64));
    check(GrB_Matrix_wait(out, GrB_MATERIALIZE));
    return out;
}

GrB_Vector dense(GrB_Index size) {
    std::vector<GrB_Index> i(size);
    std::vector<double> values(size);
    for (GrB_Index k = 0; k < size; ++k) {
        i[k] = k;
        values[k] = 1.0 / static_cast<double>(1 + k);
    }
    GrB_Vector out = nullptr;
    check(GrB_Vector_new(&out, GrB_FP64, size));
    check(GrB_Vector_build_FP64(out, i.data(), values.data(), size, GrB_PLUS_FP64));
    check(GrB_Vector_wait(out, GrB_MATERIALIZE));
    return out;
}

using Work = std::function<void()>;

GrB_Semiring const& plus_times() { return GrB_PLUS_TIMES_SEMIRING_FP64; }

/// C = make(C), and everything that was put off is done.
Work fresh_matrix(GrB_Index rows, GrB_Index columns, std::function<GrB_Info(GrB_Matrix)> make) {
    return [=] {
        GrB_Matrix c = nullptr;
        check(GrB_Matrix_new(&c, GrB_FP64, rows, columns));
        check(make(c));
        check(GrB_Matrix_wait(c, GrB_MATERIALIZE));
        check(GrB_Matrix_free(&c));
    };
}

Work product(GrB_Index n, double density) {
    GrB_Matrix const a = matrix(n, n, density), b = matrix(n, n, density, 2);
    return fresh_matrix(n, n, [=](GrB_Matrix c) { return GrB_mxm(c, nullptr, nullptr, plus_times(), a, b, nullptr); });
}

Work spmm() {
    GrB_Matrix const a = matrix(20000, 20000, 0.01), x = dense(20000, 64);
    return fresh_matrix(20000, 64,
                        [=](GrB_Matrix c) { return GrB_mxm(c, nullptr, nullptr, plus_times(), a, x, nullptr); });
}

Work spmv() {
    GrB_Matrix const a = matrix(20000, 20000, 0.01);
    GrB_Vector const x = dense(20000), y = dense(20000);
    return [=] {
        check(GrB_mxv(y, nullptr, nullptr, plus_times(), a, x, nullptr));
        check(GrB_Vector_wait(y, GrB_MATERIALIZE));
    };
}

/// U V^T where A lists something, then times A.
Work sddmm() {
    GrB_Matrix const a = matrix(10000, 10000, 0.01), u = dense(10000, 64), v = dense(10000, 64);
    return fresh_matrix(10000, 10000, [=](GrB_Matrix c) {
        check(GrB_mxm(c, a, nullptr, plus_times(), u, v, GrB_DESC_ST1));
        return GrB_Matrix_eWiseMult_BinaryOp(c, nullptr, nullptr, GrB_TIMES_FP64, a, c, nullptr);
    });
}

Work both(bool sum) {
    GrB_Matrix const a = matrix(20000, 20000, 0.01), b = matrix(20000, 20000, 0.01, 2);
    return fresh_matrix(20000, 20000, [=](GrB_Matrix c) {
        return sum ? GrB_Matrix_eWiseAdd_BinaryOp(c, nullptr, nullptr, GrB_PLUS_FP64, a, b, nullptr)
                   : GrB_Matrix_eWiseMult_BinaryOp(c, nullptr, nullptr, GrB_TIMES_FP64, a, b, nullptr);
    });
}

Work pagerank(GrB_Index nodes, double density) {
    GrB_Matrix const links = matrix(nodes, nodes, density);
    GrB_Vector const begins = dense(nodes);
    return [=] {
        GrB_Vector score = nullptr, spread = nullptr;
        check(GrB_Vector_dup(&score, begins));
        check(GrB_Vector_dup(&spread, begins));
        for (int iteration = 0; iteration < 10; ++iteration) {
            check(GrB_mxv(spread, nullptr, nullptr, plus_times(), links, score, nullptr));
            check(GrB_Vector_apply_BinaryOp1st_FP64(spread, nullptr, nullptr, GrB_TIMES_FP64, 0.85, spread, nullptr));
            check(GrB_Vector_apply_BinaryOp2nd_FP64(score, nullptr, nullptr, GrB_PLUS_FP64, spread,
                                                    0.15 / static_cast<double>(nodes), nullptr));
        }
        check(GrB_Vector_wait(score, GrB_MATERIALIZE));
        check(GrB_Vector_free(&score));
        check(GrB_Vector_free(&spread));
    };
}

}  // namespace

int main(int argc, char** argv) {
    std::map<std::string, std::function<Work()>> const works = {
        {"pagerank", [] { return pagerank(10'000, 0.01); }},
        {"pagerank-large", [] { return pagerank(1'000'000, 1.6e-5); }},
        {"spmv", spmv},
        {"spmm", spmm},
        {"spgemm", [] { return product(8000, 0.01); }},
        {"spgemm-thin", [] { return product(200'000, 5e-5); }},
        {"sddmm", sddmm},
        {"add", [] { return both(true); }},
        {"multiply", [] { return both(false); }},
    };
    if (argc != 3 || !works.contains(argv[2])) {
        std::fprintf(stderr, "usage: sparse_graphblas THREADS WORK\n");
        return 1;
    }
    check(GrB_init(GrB_NONBLOCKING));
    check(GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, std::atoi(argv[1])));
    Work const work = works.at(argv[2])();
    work();
    double best = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 3; ++k) {
        auto const begin = std::chrono::steady_clock::now();
        work();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::printf("%s %.3f\n", argv[2], best * 1e3);
    return 0;
}
