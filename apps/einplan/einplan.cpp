// einplan GRAPH -n RANKS: reads a graph, decides how every tensor is cut and where each block lives, and writes the
// schedule.
#include <algorithm>
#include <filesystem>

#include "apps/command_line.hpp"
#include "apps/einplan/einplan_options.hpp"
#include "apps/einplan/heap.hpp"
#include "apps/einplan/planning.hpp"
#include "apps/einplan/planning_request.hpp"
#include "apps/einplan/prepare_graph.hpp"
#include "apps/einplan/screen/dense_notes.hpp"
#include "apps/einplan/screen/plan_report.hpp"
#include "apps/einplan/sweep.hpp"
#include "apps/graph_file.hpp"
#include "apps/report_errors.hpp"
#include "apps/started_by.hpp"
#include "apps/written_places.hpp"
#include "executor/checkpoint/folder/checkpoint_folder.hpp"
#include "executor/checkpoint/folder/finished_run.hpp"
#include "lib/base/files/missing_path.hpp"
#include "lib/base/text/hex.hpp"
#include "lib/relation/plan_json.hpp"
#include "lib/schedule/file/file.hpp"
#include "lib/schedule/file/origin.hpp"

namespace {

using namespace ein;
namespace fs = std::filesystem;

/// Data files are named relative to the graph; the schedule says where that is from its own folder.
/// Of one that is printed that is this folder.
void set_origin(schedule::Header& header, apps::GraphFile const& graph, fs::path const& schedule) {
    header.graph_text = graph.text;
    header.graph_file = fs::path(graph.name).filename().string();
    header.folder = apps::folder_seen_from(graph.folder, schedule);
}

/// The schedule, and the decisions where --plan-out asks for them.
void write(apps::EinplanOptions const& options, apps::GraphFile const& file, graph::EinGraph const& graph,
           apps::Planned& planned) {
    if (options.writes) {
        set_origin(planned.made.schedule.header, file, apps::is_standard_output(options.out) ? "-" : options.out);
        for (std::string const& unread : schedule::note_input_files(planned.made.schedule.header, file.folder))
            apps::say("einplan", "warning: " + unread);
        schedule::write_file(planned.made.schedule, options.out);
    }
    if (!options.plan_out.empty() && !options.dry_run)
        apps::write_text(options.plan_out, relation::write_plan(graph, planned.plan, text_hash(file.text)));
}

/// The graph of what the newest checkpoint of a folder leaves to do. @throws InputError when there is none, or it is
/// damaged
fs::path rest_of(fs::path const& folder) {
    if (fs::is_regular_file(folder / "manifest.json"))
        throw InputError(Fault{folder.string(), "", "a folder of checkpoints", "one checkpoint",
                               "give the folder that it lies in: --resume " +
                                   fs::absolute(folder).parent_path().string() + "; the newest one there is taken"});
    if (fs::is_regular_file(folder))
        throw InputError(Fault{folder.string(), "", "a folder of checkpoints", "a file",
                               "give the folder that checkpoints lie in: --resume " +
                                   fs::absolute(folder).parent_path().parent_path().string()});
    if (!fs::exists(folder))
        throw InputError(
            Fault{folder.string(), "", "a folder of checkpoints", "none", mend_missing(folder, PathIs::folder)});
    auto const found = executor::newest_checkpoint(folder);
    auto const finished = executor::finished_run(folder);
    std::string const results =
        finished ? "was finished at " + finished->time + ", with results in " + finished->folder : "";
    if (!found && finished)
        throw InputError(Fault{folder.string(), "", "a checkpoint of einrun --checkpoint",
                               "none of a run that " + results,
                               "nothing is left to do; to run it again, plan the graph itself: einplan GRAPH"});
    if (finished)
        apps::say("einplan", "note: a run with " + folder.string() + " " + results +
                                 "; planned is what came after its last checkpoint, " + found->path.string());
    if (!found)
        throw InputError(Fault{folder.string(), "", "a checkpoint of einrun --checkpoint", "none",
                               "plan the graph itself: einplan GRAPH"});
    executor::verify_with_bases(*found, 0, 1);
    for (fs::path const& stray : executor::strays_of(*found))
        apps::say("einplan",
                  "note: " + stray.string() +
                      " is no file of the checkpoint that it lies in, and goes when that is removed; keep it "
                      "elsewhere");
    if (executor::read_rest(*found).empty())
        throw InputError(Fault{(found->path / "rest.json").string(), "", "the graph of what is left to do", "none",
                               "go on with the same schedule"});
    return found->path / "rest.json";
}

/// By mpirun or srun, each of whose ranks would plan.
void tell_if_many() {
    auto const by = apps::started_by(std::getenv);
    if (!by || !by->is_first) return;
    apps::say("einplan", "warning: " + by->launcher + " started this program " + std::to_string(by->times) +
                             " times, which plans alone, and each writes the same file; run it without " +
                             by->launcher + ": -n says how many ranks there will be");
}

/// @throws UsageError for files that would be lost for what is written
void check_kept(apps::EinplanOptions const& options, graph::EinGraph const& graph, fs::path const& folder) {
    apps::check_written(apps::places_written(options), apps::files_read(graph, folder));
    if (options.writes) apps::refuse_to_replace("-o", options.out, FileUse::schedule, "a schedule's file");
    if (!options.dry_run) apps::refuse_to_replace("--plan-out", options.plan_out, FileUse::plan, "a plan's file");
}

double most_calls_a_node(apps::EinplanOptions const& options) {
    int ranks = options.ranks;
    for (int each : options.sweep) ranks = std::max(ranks, each);
    return static_cast<double>(std::max<std::int64_t>(ranks, options.parts));
}

int run(apps::EinplanOptions const& options) {
    for (std::string const& warning : options.warnings) apps::say("einplan", "warning: " + warning);
    apps::GraphFile file = apps::read_graph_file(options.resume.empty() ? options.graph : rest_of(options.resume));
    apps::Machines const machines = apps::read_machines(options);
    apps::GraphPreparation preparation(options, file, machines);
    check_kept(options, preparation.graph(), file.folder);
    apps::PreparedGraph prepared = preparation.prepare();
    graph::EinGraph const& graph = prepared.graph;
    apps::give_back_blocks_of(static_cast<double>(graph.nodes.size()) * most_calls_a_node(options));
    for (std::string const& warning : prepared.listed.warnings) apps::say("einplan", "warning: " + warning);
    tell_if_many();
    for (std::string const& note : file.notes) apps::say("einplan", "note: " + note);
    if (!options.quiet)
        for (std::string const& note : apps::dense_notes(graph)) apps::say("einplan", "note: " + note);
    apps::PlanReport report(options, machines);
    if (!options.sweep.empty()) report.sweep(apps::sweep(options, prepared, machines));
    if (options.ranks > 0) {
        apps::Planned planned = apps::plan_file(options, machines, file, preparation, prepared);
        write(options, file, graph, planned);
        report.plan(prepared, planned);
        report.simulation(planned.made.schedule);
    }
    report.end();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return apps::report_errors("einplan", [&] {
        auto const options = apps::einplan_options(argc, argv);
        return options ? run(*options) : 0;
    });
}
