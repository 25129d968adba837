#include "apps/einplan/screen/plan_report.hpp"

#include <cstdio>
#include <filesystem>

#include "apps/command_line.hpp"
#include "apps/einplan/batch/batch_script.hpp"
#include "apps/einplan/batch/checkpoint_line.hpp"
#include "apps/einplan/batch/slurm_partitions.hpp"
#include "apps/einplan/faster_choice.hpp"
#include "apps/einplan/prepare_graph.hpp"
#include "apps/einplan/screen/plan_summary.hpp"
#include "apps/einplan/screen/search_text.hpp"
#include "apps/explain/columns.hpp"
#include "apps/explain/print.hpp"
#include "apps/machines_text.hpp"
#include "apps/report_errors.hpp"
#include "lib/base/text/quantities.hpp"
#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/repeat/unrolled.hpp"
#include "scheduler/simulate/simulate.hpp"

namespace ein::apps {
namespace {

namespace fs = std::filesystem;

void print(std::string const& text) { std::fputs(text.c_str(), stdout); }

}  // namespace

PlanReport::PlanReport(EinplanOptions const& options, Machines const& machines)
    : options_(options), machines_(machines), json_(options.simulate == "json" || options.explain == "json") {}

void PlanReport::sweep(std::vector<SweepRow> const& rows) {
    if (json_)
        document_["sweep"] = sweep_json(rows);
    else
        print(sweep_text(rows, machines_text(machines_.name, machines_.cluster.threads)));
}

void PlanReport::plan(PreparedGraph const& prepared, Planned const& planned) {
    graph::EinGraph const& graph = prepared.graph;
    for (std::string const& note : planned.notes) std::fprintf(stderr, "einplan: %s\n", note.c_str());
    if (options_.explain.empty()) {
        if (!options_.quiet && !json_)
            std::fputs(summary_of(prepared, planned).c_str(), prints_another() ? stderr : stdout);
        return batch(planned.made.schedule);
    }
    auto explanation = explain::explain(graph, planned.plan, planned.made);
    if (auto const memory = device_memory_of(options_))
        explanation.device = explain::device_report(planned.made.schedule, *memory);
    if (options_.explain != "text") {
        schedule::Schedule const& schedule = planned.made.schedule;
        explanation.timing =
            explain::timing_of(graph, schedule, simulated(schedule), machines_.cluster, machines_.name);
    }
    auto const simulation = [&]() -> scheduler::Simulation const& { return simulated(planned.made.schedule); };
    if (options_.explain == "json") {
        document_.update(explain::to_json(explanation));
        document_["contractions"] = orders_json(planned.orders);
        document_["checkpoint"] = checkpoint_json(planned.made.schedule, simulation);
        if (!planned.report.taken.empty()) document_["search"] = search_json(planned.report);
    }
    std::string orders;
    for (std::string const& line : order_lines(planned.orders)) orders += "contraction: " + line + "\n";
    if (options_.explain == "text")
        print(explain::to_text(explanation) + orders + search_text(planned.report) +
              "checkpoint: " + checkpoint_line(planned.made.schedule, machines_.cluster, simulation) + "\n");
    if (options_.explain == "html") page(explain::to_html(explanation), summary_of(prepared, planned));
}

bool PlanReport::prints_another() const {
    return !options_.batch.empty() || (options_.writes && is_standard_output(options_.out));
}

void PlanReport::simulation(schedule::Schedule const& schedule) {
    if (options_.simulate.empty()) return;
    scheduler::Simulation const& run = simulated(schedule);
    if (!json_) return print(simulation_text(schedule, run, machines_text(machines_.name, machines_.cluster.threads)));
    Json simulation = simulation_json(schedule, run);
    simulation["cluster"] = machines_.name;
    if (options_.explain == "json")
        document_["simulation"] = std::move(simulation);
    else
        document_.update(simulation);
}

void PlanReport::end() const {
    if (json_) print(document_.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

BatchResources const& PlanReport::resources_of(schedule::Schedule const& schedule) const {
    if (resources_) return *resources_;
    bool const on_gpus = device_memory_of(options_).has_value();
    schedule::Header const& header = schedule.header;
    if (options_.cluster.empty()) {
        resources_ = resources_on(partitions_at_hand(), this_machine(), header, machines_.cluster, on_gpus);
        if (resources_->machine.empty())
            resources_->machine = "the machine that planned it, as there was no --cluster and no sinfo";
    } else {
        resources_ = batch_resources(header, machines_.cluster, std::nullopt, on_gpus);
        resources_->machine = "the cluster " + options_.cluster.string();
        if (options_.batch == "slurm") resources_->warning = room_warning(*resources_, partitions_at_hand());
    }
    return *resources_;
}

void PlanReport::batch(schedule::Schedule const& schedule) const {
    if (options_.batch.empty()) return;
    std::string const& name = schedule.header.name;
    BatchJob const job{.name = name.empty() ? options_.out.stem().string() : name,
                       .schedule = options_.out,
                       .resources = resources_of(schedule),
                       .device_memory = options_.device_memory,
                       .spills = schedule::disk_use(schedule).blocks > 0};
    if (options_.batch == "slurm" && !job.resources.warning.empty())
        say("einplan", "warning: " + job.resources.warning);
    print(options_.batch == "slurm" ? slurm_script(job) : mpirun_command(job));
}

std::string PlanReport::summary_of(PreparedGraph const& prepared, Planned const& planned) const {
    schedule::Schedule const& schedule = planned.made.schedule;
    auto const simulation = [&]() -> scheduler::Simulation const& { return simulated(schedule); };
    std::string text = plan_summary(schedule, planned.plan, options_.writes ? options_.out.string() : "");
    if (auto const memory = device_memory_of(options_))
        text += "  device          " + explain::device_text(explain::device_report(schedule, *memory)) + "\n";
    for (std::string const& line : order_lines(planned.orders)) text += "  contraction     " + line + "\n";
    text += "  checkpoint      " + checkpoint_line(schedule, machines_.cluster, simulation) + "\n";
    text += "  batch           " + batch_line(resources_of(schedule)) + "\n";
    if (options_.batch == "slurm")
        text += "                  for " + resources_of(schedule).machine +
                (options_.cluster.empty() ? "; --cluster FILE says what another one has" : "") + "\n";
    if (std::string const found = search_line(planned.report); !found.empty())
        text += explain::wrapped("  search          ", found, 100);
    if (auto const fewer = fewer_ranks(planned, simulation))
        text +=
            explain::wrapped("  " + fewer->heading + std::string(16 - fewer->heading.size(), ' '), fewer->text, 100);
    if (auto const choice = faster_choice(prepared, options_, machines_, planned, simulation))
        text += explain::wrapped("  faster          ", to_text(*choice), 100);
    return text;
}

scheduler::Simulation const& PlanReport::simulated(schedule::Schedule const& schedule) const {
    if (!simulated_)
        simulated_ = simulate(schedule.repeats() ? schedule::unrolled(schedule) : schedule, machines_.cluster);
    return *simulated_;
}

/// A page goes beside a schedule that was given a place.
void PlanReport::page(std::string const& text, std::string const& summary) const {
    if (!options_.writes) return print(text);
    fs::path const file = fs::path(options_.out).replace_extension(".html");
    write_text(file, text);
    if (!options_.quiet && !json_) print(summary + "  explained       " + file.string() + "\n");
}

}  // namespace ein::apps
