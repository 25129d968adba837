// What einplan prints on stdout: texts as they come, or, when --simulate=json or --explain=json was given, one JSON
// object at the end; with --batch or -o - that alone, and the summary on stderr.
#pragma once

#include <optional>

#include "apps/einplan/batch/batch_lines.hpp"
#include "apps/einplan/planning_request.hpp"
#include "apps/einplan/prepare_graph.hpp"
#include "apps/einplan/screen/simulation_text.hpp"
#include "lib/base/json.hpp"
#include "scheduler/simulate/simulate.hpp"

namespace ein::apps {

class PlanReport {
public:
    PlanReport(EinplanOptions const& options, Machines const& machines);

    void sweep(std::vector<SweepRow> const& rows);
    void plan(PreparedGraph const& prepared, Planned const& planned);
    void batch(schedule::Schedule const& schedule) const;
    void simulation(schedule::Schedule const& schedule);
    void end() const;

private:
    /// The script of --batch, or the schedule of -o -: the summary is no part of it.
    bool prints_another() const;
    BatchResources const& resources_of(schedule::Schedule const& schedule) const;
    std::string summary_of(PreparedGraph const& prepared, Planned const& planned) const;
    /// Made once, whoever asks.
    scheduler::Simulation const& simulated(schedule::Schedule const& schedule) const;
    void page(std::string const& text, std::string const& summary) const;

    EinplanOptions const& options_;
    Machines const& machines_;
    bool json_;
    mutable std::optional<scheduler::Simulation> simulated_;  // of the one schedule that this is about
    mutable std::optional<BatchResources> resources_;         // for it, asked of Slurm once
    Json document_ = Json::object();
};

}  // namespace ein::apps
