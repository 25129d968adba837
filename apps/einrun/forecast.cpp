#include "apps/einrun/forecast.hpp"

#include <memory>

#include "lib/base/files/file_kind.hpp"
#include "lib/schedule/file/file.hpp"
#include "scheduler/simulate/simulate.hpp"
#include "scheduler/simulate/task_costs.hpp"

namespace ein::apps {

using executor::Event;
using executor::Forecast;
using scheduler::Cluster;

Cluster forecast_cluster(std::filesystem::path const& file, int threads) {
    if (!file.empty())
        return scheduler::cluster_from_json(read_json_of(FileUse::cluster, "a cluster file", file), file.string());
    Cluster cluster;
    double const share = static_cast<double>(threads) / cluster.threads;
    for (double* rate : {&cluster.flops_f64, &cluster.flops_f32, &cluster.operations, &cluster.cached, &cluster.listed})
        *rate *= share;
    cluster.threads = threads;
    return cluster;
}

namespace {

/// Rates are those of all threads of a rank together; tasks are timed by worker.
struct LeastSeconds {
    LeastSeconds(schedule::Header const& of, Cluster const& on) : header(of), cluster(on), costs(header, cluster) {}
    schedule::Header const header;
    Cluster const cluster;
    scheduler::TaskCosts const costs;
};

}  // namespace

Forecast forecast(std::filesystem::path const& path, Cluster const& cluster, std::string const& machines) {
    Forecast out;
    out.schedule = schedule::read_file(path);
    out.machines = machines;
    auto const run = std::make_shared<scheduler::Simulation const>(scheduler::simulate(out.schedule, cluster));
    auto const simulated = std::make_shared<schedule::Schedule const>(out.schedule);
    out.seconds = [run, simulated](auto const& iterations) {
        return scheduler::seconds_with(*simulated, *run, iterations);
    };
    for (auto const& spans : run->spans) {
        std::vector<Event>& events = out.tasks.emplace_back();
        for (TaskId t : spans.ids())
            if (spans[t].begin >= 0) events.push_back({t, -1, spans[t].begin, spans[t].end});
    }
    auto const least = std::make_shared<LeastSeconds const>(out.schedule.header, cluster);
    out.least_seconds = [least](schedule::Section const& section, schedule::Task const& task) {
        return least->costs.seconds(section, task) * least->cluster.threads;
    };
    return out;
}

}  // namespace ein::apps
