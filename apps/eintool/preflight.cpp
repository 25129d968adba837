// One screen before a job is submitted: what this machine has and how the job would be laid on it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "apps/command_line.hpp"
#include "apps/eintool/commands.hpp"
#include "apps/eintool/measure/measure_cluster.hpp"
#include "apps/written_places.hpp"
#include "executor/startup/core_sets.hpp"
#include "executor/startup/node_names.hpp"
#include "lib/base/text/sizes.hpp"

namespace ein::apps::tool {
namespace {

void line(std::string const& key, std::string const& value) { std::printf("  %-10s %s\n", key.c_str(), value.c_str()); }

std::string environment(char const* name) {
    char const* value = std::getenv(name);
    return value ? std::string(name) + "=" + value : "";
}

/// The launcher whose variables are set, with the size of its job.
std::string launcher() {
    for (char const* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"})
        if (std::string const found = environment(name); !found.empty()) return found;
    return "none (one rank; use mpirun -n RANKS or srun --mpi=pmix)";
}

std::string memory() {
    std::ifstream in("/proc/meminfo");
    for (std::string key, unit; in >> key;) {
        double kib = 0;
        in >> kib >> unit;
        if (key == "MemAvailable:") return format_bytes(kib * 1024) + " available";
    }
    return "unknown";
}

std::string devices() {
    executor::DeviceChoice const choice;  // automatic
    auto const device = executor::make_device(choice);
    if (device->accelerator() != nullptr)
        return std::string(device->name()) + " (" + device->description() + "), cpu, reference";
    if (std::string const why = why_gpu_is_idle(choice); !why.empty())
        return "cpu, reference; a GPU is here, but " + why;
    if (std::filesystem::exists("/dev/nvidiactl"))
        return "cpu, reference; an NVIDIA driver is here, but this build has no CUDA";
    return "cpu, reference";
}

std::string disk() {
    std::error_code error;
    auto const space = std::filesystem::space(std::filesystem::current_path(), error);
    if (error) return error.message();
    return format_bytes(static_cast<double>(space.available)) + " available in " +
           std::filesystem::current_path().string();
}

std::string threads_of(executor::ThreadChoice const& choice) {
    return std::to_string(choice.threads) + " a rank (from " + choice.from + ")" +
           (choice.oversubscribed ? ", which is too many: " + choice.warning : "");
}

std::string cores_of(executor::Seat const& seat) {
    unsigned const online = std::thread::hardware_concurrency();
    return executor::list_of_cores(seat.cores) + " of " + std::to_string(online) +
           (seat.cores.size() < online ? " (bound)" : " (not bound)");
}

/// What there is in one place, as [key, value] in the order of lines.
using Findings = std::vector<std::pair<std::string, std::string>>;

/// Ranks of one host: a line for what all found alike, else one for each finding.
void tell_host(std::vector<int> const& ranks, std::vector<Findings> const& of_ranks) {
    auto const of = [&](int rank) -> Findings const& { return of_ranks[static_cast<std::size_t>(rank)]; };
    for (std::size_t k = 0; k < of(ranks.front()).size(); ++k) {
        std::vector<std::pair<std::string, std::vector<int>>> found;
        for (int rank : ranks) {
            std::string const& value = of(rank)[k].second;
            auto const same =
                std::find_if(found.begin(), found.end(), [&](auto const& at) { return at.first == value; });
            if (same == found.end())
                found.push_back({value, {rank}});
            else
                same->second.push_back(rank);
        }
        for (auto const& [value, by] : found)
            line(of(ranks.front())[k].first,
                 (found.size() > 1 ? (by.size() == 1 ? "rank " : "ranks ") + executor::list_of_cores(by) + ": " : "") +
                     value);
    }
}

/// What was set before this program chose for itself.
struct MpiSettings {
    std::optional<std::string> transports;  // OMPI_MCA_btl
    bool notices_cut_links = false, trusts_exit_codes = false;
};

MpiSettings mpi_settings() {
    char const* const transports = std::getenv("OMPI_MCA_btl");
    return {transports == nullptr ? std::nullopt : std::optional<std::string>(transports),
            std::getenv("OMPI_MCA_oob_tcp_keepalive_time") != nullptr,
            std::getenv("OMPI_MCA_orte_allowed_exit_without_sync") != nullptr};
}

/// What may go wrong with this launcher, in a job of several nodes above all, and the settings that help.
void warn_of_settings(std::vector<executor::NodeName> const& nodes, std::size_t hosts, MpiSettings const& set) {
    char const* const transports = set.transports ? set.transports->c_str() : nullptr;
    if (std::string const warning = one_host_warning(nodes, transports); !warning.empty()) line("warning", warning);
    if (!launcher().starts_with("OMPI")) return;
    if (!set.trusts_exit_codes)
        line("hint", "mpirun may take a job that is done for failed; set OMPI_MCA_orte_allowed_exit_without_sync=1");
    if (hosts > 1 && !set.notices_cut_links)
        line("hint", "mpirun waits 8 minutes before it takes a host for lost; " + executor::cut_link_settings());
}

/// Collective; rank 0 prints. What is the host's is the first rank's to say: it changes while others look.
void tell_findings(executor::Transport& transport, std::vector<executor::Seat> const& seats, MpiSettings const& set) {
    std::vector<executor::NodeName> const nodes = executor::all_nodes(transport, std::getenv);
    executor::Seat const& mine = seats[static_cast<std::size_t>(transport.rank().value())];
    bool const first_here = std::find_if(seats.begin(), seats.end(), [&](auto const& seat) {
                                return seat.host == mine.host;
                            }) == seats.begin() + transport.rank().value();
    Findings findings{{"cores", cores_of(mine)},
                      {"threads", threads_of(choose_threads(std::nullopt, std::getenv, seats, transport.rank()))},
                      {"devices", devices()}};
    Findings of_host;
    if (first_here) of_host = {{"memory", memory()}, {"disk", disk()}};
    std::vector<Findings> of_ranks, of_hosts;
    for (std::string const& text :
         transport.all_gather(Json(std::pair(findings, of_host)).dump(-1, ' ', true, Json::error_handler_t::replace))) {
        auto [of_rank, of_its_host] = Json::parse(text).get<std::pair<Findings, Findings>>();
        of_ranks.push_back(std::move(of_rank));
        of_hosts.push_back(std::move(of_its_host));
    }
    if (transport.rank() != Rank{0}) return;
    std::printf("eintool preflight: %d %s\n", transport.size(), transport.size() == 1 ? "rank" : "ranks");
    line("launcher", launcher());
    line("mpi", executor::mpi_library());
    std::set<std::string> hosts;
    for (executor::Seat const& seat : seats) hosts.insert(seat.host);
    warn_of_settings(nodes, hosts.size(), set);
    for (std::size_t rank = 0; rank < seats.size(); ++rank) {
        if (of_hosts[rank].empty()) continue;
        std::vector<int> here;
        for (std::size_t other = rank; other < seats.size(); ++other)
            if (seats[other].host == seats[rank].host) here.push_back(static_cast<int>(other));
        std::printf("%s, %s %s\n", seats[rank].host.c_str(), here.size() == 1 ? "rank" : "ranks",
                    executor::list_of_cores(here).c_str());
        tell_host(here, of_ranks);
        for (auto const& [key, value] : of_hosts[rank]) line(key, value);
    }
    std::fflush(stdout);
}

/// Every rank measures, the first one writes.
void write_cluster(executor::Transport& transport, std::vector<executor::Seat> const& seats, std::string const& file) {
    int const threads = choose_threads(std::nullopt, std::getenv, seats, transport.rank()).threads;
    auto const device = executor::make_device({executor::DeviceKind::cpu});
    scheduler::Cluster const cluster = measure_cluster(transport, *device, seats, threads);
    if (transport.rank() != Rank{0}) return;
    Json document = to_json(cluster);
    document["x-about"] = "measured by eintool preflight on " + std::to_string(transport.size()) +
                          (transport.size() == 1 ? " rank: links were not measured" : " ranks");
    write_text(file, document.dump(1) + "\n");
    std::printf("measured: %s, for einplan --cluster\n", file.c_str());
}

/// @param file  for what is measured; "" where nothing is
int preflight(std::string const& file) {
    refuse_to_replace("--cluster-out", file, FileUse::cluster, "a cluster's file");
    MpiSettings const set = mpi_settings();
    // Nodes that are one host crash one another by shared memory: this program talks without it, to say so, unless it
    // is to measure.
    constexpr int keep_what_is_set = 0;
    if (file.empty() && executor::has_several_nodes(std::getenv)) setenv("OMPI_MCA_btl", "self,tcp", keep_what_is_set);
    executor::Connection const connection(std::getenv);
    executor::Transport& transport = connection.transport();
    std::vector<executor::Seat> const seats = executor::all_seats(transport);
    tell_findings(transport, seats, set);
    if (!file.empty()) write_cluster(transport, seats, file);
    return 0;
}

}  // namespace

void add_preflight(CLI::App& app, Action& chosen) {
    CLI::App* command = app.add_subcommand(
        "preflight", "Show what this machine has: launcher, cores, threads, memory, disk, devices; and measure it");
    auto const file = std::make_shared<std::string>();
    command->add_option("--cluster-out", *file,
                        "also measure the ranks' speed and links and write a cluster file for einplan --cluster: "
                        "mpirun -n RANKS eintool preflight --cluster-out FILE");
    command->callback([file, &chosen] { chosen = [file] { return preflight(*file); }; });
}

}  // namespace ein::apps::tool
