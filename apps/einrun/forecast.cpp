#include "apps/einrun/forecast.hpp"

#include "lib/schedule/file/file.hpp"
#include "scheduler/simulate/simulate.hpp"

namespace ein::apps {

using executor::Event;
using executor::Forecast;
using scheduler::Cluster;

Cluster forecast_cluster(std::filesystem::path const& file, int threads) {
    if (!file.empty())
        return scheduler::cluster_from_json(parse_json(read_text_file(file), file.string()), file.string());
    Cluster cluster;
    double const share = static_cast<double>(threads) / cluster.threads;
    for (double* rate : {&cluster.flops_f64, &cluster.flops_f32, &cluster.operations}) *rate *= share;
    cluster.threads = threads;
    return cluster;
}

Forecast forecast(std::filesystem::path const& path, Cluster const& cluster) {
    Forecast out;
    out.schedule = schedule::read_file(path);
    scheduler::Simulation const run = scheduler::simulate(out.schedule, cluster);
    for (auto const& spans : run.spans) {
        std::vector<Event>& events = out.tasks.emplace_back();
        for (TaskId t : spans.ids())
            if (spans[t].begin >= 0) events.push_back({t, -1, spans[t].begin, spans[t].end});
    }
    return out;
}

}  // namespace ein::apps
