#include "apps/einplan/prepare_graph.hpp"
#include "apps/einplan/screen/plan_summary.hpp"
#include "apps/graph_file.hpp"
#include "apps/library/state.hpp"
#include "apps/written_places.hpp"
#include "lib/schedule/file/file.hpp"
#include "lib/schedule/file/origin.hpp"

namespace einloom {

namespace fs = std::filesystem;
using namespace ein;

namespace {

/// As einplan's command line has them.
apps::EinplanOptions einplan_options(PlanOptions const& options) {
    apps::EinplanOptions out;
    out.ranks = options.ranks;
    out.parts = options.parts;
    out.strategy_given = !options.decompose.empty();
    if (out.strategy_given) out.decompose = options.decompose;
    out.place = options.place;
    out.memory = options.memory;
    out.cluster = options.cluster;
    out.reproducible = options.reproducible;
    out.time_limit = options.time_limit;
    return out;
}

}  // namespace

Schedule plan(Graph const& graph, PlanOptions const& options) {
    return public_errors([&] {
        if (options.ranks < 1)
            throw UsageError("ranks: expected 1 or more, found " + std::to_string(options.ranks) + "; give a number");
        Access::GraphState const& state = Access::of(graph);
        std::string const name = state.json.is_object() ? state.json.value("name", "graph") : "graph";
        apps::GraphFile file{graph.json(), name, state.folder};
        apps::EinplanOptions const asked = einplan_options(options);
        apps::Machines const machines = apps::read_machines(asked);
        apps::GraphPreparation preparation(asked, file, machines);
        apps::PreparedGraph prepared = preparation.prepare();
        apps::Planned planned = apps::plan_file(asked, machines, file, preparation, prepared);
        planned.made.schedule.header.graph_text = file.text;
        planned.made.schedule.header.graph_file = name;
        return Access::schedule({std::move(planned.made.schedule), std::move(planned.plan), fs::absolute(file.folder)});
    });
}

Schedule Schedule::read(std::string const& file) {
    return public_errors([&] {
        schedule::Schedule found = schedule::read_file(file);
        fs::path folder = fs::absolute(file).parent_path() / found.header.folder;
        return Access::schedule({std::move(found), std::nullopt, std::move(folder)});
    });
}

void Schedule::write(std::string const& file) const {
    public_errors([&] {
        schedule::Schedule out = state_->schedule;
        out.header.folder = apps::folder_seen_from(state_->folder, file);
        schedule::note_input_files(out.header, state_->folder);
        apps::check_written({{"Schedule::write", file}}, apps::files_read(out.header, state_->folder));
        schedule::write_file(out, file);
    });
}

int Schedule::ranks() const { return state_->schedule.header.ranks; }

std::int64_t Schedule::bytes_moved() const {
    std::int64_t bytes = 0;
    for (std::int64_t sent : state_->schedule.header.prediction.bytes_sent) bytes += sent;
    return bytes;
}

std::vector<std::int64_t> Schedule::peak_bytes() const {
    auto const& peaks = state_->schedule.header.prediction.peak_bytes;
    return {peaks.begin(), peaks.end()};
}

double Schedule::flops() const { return state_->schedule.header.prediction.flops; }

std::string Schedule::summary() const {
    if (!state_->plan) return "";
    std::string const text = apps::plan_summary(state_->schedule, *state_->plan, "");
    return text.substr(0, text.rfind("  written"));  // where it is is the program's business
}

}  // namespace einloom
