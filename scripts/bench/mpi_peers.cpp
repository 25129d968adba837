// What bare MPI does, under mpirun: an exchange of everybody with everybody, and a program that begins and ends. Rank 0
// prints median seconds.
// Usage: bench_mpi_peers alltoall BYTES [REPEATS]   BYTES from each rank to each rank
//        bench_mpi_peers nothing                    prints nothing
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

double alltoall(std::size_t bytes, int repeats) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<double> from(bytes / sizeof(double) * static_cast<std::size_t>(ranks), 1.0), to(from.size());
    int const count = static_cast<int>(bytes / sizeof(double));
    std::vector<double> seconds;
    for (int repeat = 0; repeat <= repeats; ++repeat) {  // the first one warms up
        MPI_Barrier(MPI_COMM_WORLD);
        double const begin = MPI_Wtime();
        MPI_Alltoall(from.data(), count, MPI_DOUBLE, to.data(), count, MPI_DOUBLE, MPI_COMM_WORLD);
        double const mine = MPI_Wtime() - begin;
        double slowest = 0;
        MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (repeat > 0) seconds.push_back(slowest);
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::string const what = argc > 1 ? argv[1] : "";
    int exit_code = 0;
    if (what == "alltoall" && argc > 2) {
        double const median = alltoall(std::strtoull(argv[2], nullptr, 10), argc > 3 ? std::atoi(argv[3]) : 5);
        if (rank == 0) std::printf("%.6f\n", median);
    } else if (what == "nothing") {
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        if (rank == 0) std::fputs("usage: bench_mpi_peers alltoall BYTES [REPEATS] | nothing\n", stderr);
        exit_code = 2;
    }
    MPI_Finalize();
    return exit_code;
}
