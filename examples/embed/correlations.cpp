// A program with an MPI job of its own, which leaves one computation to Einloom: the correlations of the columns of a
// table whose rows are made by the ranks themselves. No file is read or written.
//   mpirun -n 4 build/correlations [ROWS] [COLUMNS]
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <einloom.hpp>

namespace {

/// What stands in the table: column j follows column j - 1, so that neighbours correlate.
double element(std::int64_t row, std::int64_t column) {
    double const slow = std::sin(0.37 * static_cast<double>(row) + 0.5 * static_cast<double>(column));
    double const quick = std::cos(12.9898 * static_cast<double>(row * 31 + column * 17));
    return slow + 0.5 * quick;
}

/// Einloom asks for the region that this rank loads.
void read_table(einloom::Region const& region, std::span<std::byte> out) {
    std::size_t at = 0;
    for (std::int64_t i = 0; i < region.length[0]; ++i)
        for (std::int64_t j = 0; j < region.length[1]; ++j, at += sizeof(double)) {
            double const value = element(region.begin[0] + i, region.begin[1] + j);
            std::memcpy(out.data() + at, &value, sizeof value);
        }
}

einloom::Graph correlations(std::int64_t rows, std::int64_t columns) {
    einloom::Graph graph("correlations", "f64");
    graph.input("X", {rows, columns})
        .einsum("mean", "ij->j", {"X"}, {.agg = "mean"})
        .einsum("C", "ij,j->ij", {"X", "mean"}, {.join = "x - y"})
        .einsum("V", "ij->j", {"C"}, {.join = "x^2"})
        .einsum("G", "ij,ik->jk", {"C", "C"})
        .einsum("R", "jk,j,k->jk", {"G", "V", "V"}, {.join = "x / sqrt(y * z)"})
        .output("R");
    return graph;
}

int work(std::int64_t rows, std::int64_t columns) {
    einloom::Ranks ranks(MPI_Comm_c2f(MPI_COMM_WORLD));
    einloom::Schedule const schedule = einloom::plan(correlations(rows, columns), {.ranks = ranks.size()});
    if (ranks.rank() == 0) std::fputs(schedule.summary().c_str(), stdout);

    // Each rank sees the blocks of R that it has; here they are summed up, and the diagonal looked at.
    double mine[2] = {0, 0};
    auto const take = [&](einloom::Block const& block) {
        auto const values = block.as<double>();
        for (std::int64_t j = 0; j < block.region.length[0]; ++j)
            for (std::int64_t k = 0; k < block.region.length[1]; ++k) {
                double const value = values[static_cast<std::size_t>(j * block.region.length[1] + k)];
                mine[0] += value * value;
                if (block.region.begin[0] + j == block.region.begin[1] + k) mine[1] += value;
            }
    };
    einloom::Ran const ran = einloom::run(ranks, schedule, {.inputs = {{"X", read_table}}, .output = take});

    // MPI is the program's own again.
    double all[2] = {0, 0};
    MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (ranks.rank() != 0) return 0;
    std::printf("%d ranks, %.3g s, rank 0 sent %lld bytes\n", ranks.size(), ran.seconds,
                static_cast<long long>(ran.bytes_sent));
    std::printf("sum of squares %.9f, of the diagonal %.9f\n", all[0], all[1]);
    return std::abs(all[1] - static_cast<double>(columns)) < 1e-6 * static_cast<double>(columns) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    int code = 0;
    try {
        code = work(argc > 1 ? std::atoll(argv[1]) : 20000, argc > 2 ? std::atoll(argv[2]) : 64);
    } catch (einloom::Error const& error) {  // on all ranks alike: rank 0 has the message
        std::fputs(error.what(), stderr);
        code = error.code();
    }
    MPI_Finalize();
    return code;
}
