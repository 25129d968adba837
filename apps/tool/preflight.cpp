// One screen before a job is submitted: what this machine has and how the job would be laid on it.
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "apps/command_line.hpp"
#include "apps/tool/commands.hpp"
#include "apps/tool/measure_cluster.hpp"
#include "lib/base/sizes.hpp"

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

std::string allowed_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    int const allowed = ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    return std::to_string(allowed) + " allowed of " + std::to_string(std::thread::hardware_concurrency());
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

int preflight() {
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    std::printf("eintool preflight on %s\n", host);
    line("launcher", launcher());
    line("cores", allowed_cores());
    std::string threads;
    for (char const* name : {"OMP_NUM_THREADS", "SLURM_CPUS_PER_TASK"})
        if (std::string const found = environment(name); !found.empty())
            threads += (threads.empty() ? "" : ", ") + found;
    line("threads", threads.empty() ? "allowed cores / ranks on the node, or --threads" : threads);
    line("memory", memory());
    std::error_code error;
    auto const space = std::filesystem::space(std::filesystem::current_path(), error);
    line("disk", error ? error.message()
                       : format_bytes(static_cast<double>(space.available)) + " available in " +
                             std::filesystem::current_path().string());
    line("devices", devices());
    return 0;
}

/// With mpirun: every rank measures, the first one writes.
int write_cluster(std::string const& file) {
    executor::Connection const connection(std::getenv);
    executor::Transport& transport = connection.transport();
    std::vector<executor::Seat> seats;
    for (std::string const& text : transport.all_gather(to_text(executor::this_seat())))
        seats.push_back(executor::seat_from_text(text));
    int const threads = choose_threads(std::nullopt, std::getenv, seats, transport.rank()).threads;
    auto const device = executor::make_device({executor::DeviceKind::cpu});
    scheduler::Cluster const cluster = measure_cluster(transport, *device, seats, threads);
    if (transport.rank() != Rank{0}) return 0;
    Json document = to_json(cluster);
    document["x-about"] = "measured by eintool preflight on " + std::to_string(transport.size()) +
                          (transport.size() == 1 ? " rank: links were not measured" : " ranks");
    write_text(file, document.dump(1) + "\n");
    std::printf("%s\n", file.c_str());
    return 0;
}

}  // namespace

void add_preflight(CLI::App& app, Action& chosen) {
    CLI::App* command = app.add_subcommand(
        "preflight", "Show what this machine has: launcher, cores, threads, memory, disk, devices; or measure it");
    auto const file = std::make_shared<std::string>();
    command->add_option("--cluster-out", *file,
                        "measure the ranks' speed and links and write a cluster file for einplan --cluster: "
                        "mpirun -n RANKS eintool preflight --cluster-out FILE");
    command->callback(
        [file, &chosen] { chosen = [file] { return file->empty() ? preflight() : write_cluster(*file); }; });
}

}  // namespace ein::apps::tool
