#include "executor/startup/threads.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <sstream>
#include <thread>

#include "lib/base/text/counted.hpp"

namespace ein::executor {

Seat this_seat() {
    Seat seat;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    seat.host = host[0] == '\0' ? "localhost" : host;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        for (int core = 0; core < CPU_SETSIZE; ++core)
            if (CPU_ISSET(core, &set)) seat.cores.push_back(core);
    if (seat.cores.empty())  // a machine too large for cpu_set_t
        for (int core = 0; core < static_cast<int>(std::thread::hardware_concurrency()); ++core)
            seat.cores.push_back(core);
    if (seat.cores.empty()) seat.cores.push_back(0);
    return seat;
}

std::string to_text(Seat const& seat) {
    std::string out = seat.host;
    for (int core : seat.cores) out += " " + std::to_string(core);
    return out;
}

Seat seat_from_text(std::string const& text) {
    std::istringstream words(text);
    Seat seat;
    words >> seat.host;
    for (int core; words >> core;) seat.cores.push_back(core);
    return seat;
}

std::vector<Seat> all_seats(Transport& transport) {
    std::vector<Seat> seats;
    for (std::string const& text : transport.all_gather(to_text(this_seat()))) seats.push_back(seat_from_text(text));
    return seats;
}

namespace {

/// The number that a variable begins with ("4,2" is 4: OpenMP's levels of nesting), or nothing when it is unset or
/// empty.
std::optional<int> number_in(char const* name, Environment const& environment) {
    char const* const text = environment(name);
    if (text == nullptr || *text == '\0') return std::nullopt;
    int value = 0;
    auto const [end, error] = std::from_chars(text, text + std::strlen(text), value);
    if (error != std::errc{} || value < 1 || (*end != '\0' && *end != ','))
        throw UsageError(std::string(name) + ": expected a number of threads, found '" + text +
                         "'; correct it or give --threads");
    return value;
}

/// Ranks on this host that may use some of this rank's cores; at least 1.
int sharers(std::vector<Seat> const& seats, Seat const& mine) {
    return static_cast<int>(std::count_if(seats.begin(), seats.end(), [&](Seat const& other) {
        return other.host == mine.host && std::find_first_of(other.cores.begin(), other.cores.end(), mine.cores.begin(),
                                                             mine.cores.end()) != other.cores.end();
    }));
}

}  // namespace

ThreadChoice choose_threads(std::optional<int> flag, Environment const& environment, std::vector<Seat> const& seats,
                            Rank self) {
    Seat const& mine = seats[static_cast<std::size_t>(self.value())];
    int const ranks = sharers(seats, mine);
    int const cores = static_cast<int>(mine.cores.size());
    ThreadChoice choice;
    if (flag)
        choice = {*flag, "--threads", false, ""};
    else if (auto const omp = number_in("OMP_NUM_THREADS", environment))
        choice = {*omp, "OMP_NUM_THREADS", false, ""};
    else if (auto const slurm = number_in("SLURM_CPUS_PER_TASK", environment))
        choice = {*slurm, "SLURM_CPUS_PER_TASK", false, ""};
    else
        choice = {std::max(1, cores / ranks), "cores", false, ""};
    if (choice.threads * ranks <= cores) return choice;
    choice.oversubscribed = true;
    choice.warning = counted(ranks, "rank") + " x " + counted(choice.threads, "thread") + " (from " + choice.from +
                     ") share " + counted(cores, "core") + " on " + mine.host +
                     "; give fewer --threads or ranks, or bind ranks to more cores (mpirun --bind-to none)";
    return choice;
}

}  // namespace ein::executor
