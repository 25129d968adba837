// How many worker threads a rank gets: --threads, else OMP_NUM_THREADS, else SLURM_CPUS_PER_TASK, else its share of the
// cores that it may use. Example: 8 cores, 2 unbound ranks on the node: 4 threads each; the same with each rank bound
// to one core: 1 each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "executor/transport/launcher.hpp"

namespace ein::executor {

/// Where a rank runs.
struct Seat {
    std::string host;
    std::vector<int> cores;  // that it may use, ascending
    friend bool operator==(Seat const&, Seat const&) = default;
};

Seat this_seat();
std::string to_text(Seat const& seat);
Seat seat_from_text(std::string const& text);

/// Of every rank. Collective.
std::vector<Seat> all_seats(Transport& transport);

struct ThreadChoice {
    int threads = 1;
    std::string from;             // "--threads", "OMP_NUM_THREADS", ..., "cores"
    bool oversubscribed = false;  // with the ranks that share its cores, if they choose alike
    std::string warning;          // what to do about it
};

/// @param flag  --threads, if given  @throws UsageError for a variable that is no positive number
ThreadChoice choose_threads(std::optional<int> flag, Environment const& environment, std::vector<Seat> const& seats,
                            Rank self);

}  // namespace ein::executor
