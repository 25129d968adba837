// einplan GRAPH -n RANKS: reads a graph, decides how every tensor is cut and where each block lives, and writes the
// schedule.
#include <filesystem>

#include "apps/command_line.hpp"
#include "apps/einplan/einplan_options.hpp"
#include "apps/einplan/plan_report.hpp"
#include "apps/einplan/planning.hpp"
#include "apps/einplan/planning_request.hpp"
#include "apps/einplan/sweep.hpp"
#include "apps/report_errors.hpp"
#include "lib/base/hash.hpp"
#include "lib/base/hex.hpp"
#include "lib/base/json.hpp"
#include "lib/graph/contract.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/relation/plan_json.hpp"
#include "lib/schedule/file/file.hpp"

namespace {

using namespace ein;
namespace fs = std::filesystem;

std::string hash_of(std::string const& text) {
    return hex(hash_bytes({reinterpret_cast<std::uint8_t const*>(text.data()), text.size()}));
}

/// Data files are named relative to the graph; the schedule says where that is from its own folder.
void set_origin(schedule::Header& header, fs::path const& graph, std::string text, fs::path const& schedule) {
    header.graph_text = std::move(text);
    header.graph_file = graph.filename().string();
    fs::path const from = fs::absolute(schedule).lexically_normal().parent_path();
    header.folder = fs::absolute(graph).lexically_normal().parent_path().lexically_relative(from).string();
}

int run(apps::EinplanOptions const& options) {
    std::string const text = read_text_file(options.graph);
    graph::EinGraph const graph = graph::lower_contractions(graph::read_graph(text, options.graph.string()));
    apps::Machines const machines = apps::read_machines(options);
    apps::PlanReport report(options, machines);
    if (!options.sweep.empty()) report.sweep(apps::sweep(options, graph, machines));
    if (options.ranks > 0) {
        apps::check_mesh(graph, options.ranks, options.graph.string());
        std::string const graph_hash = hash_of(text);
        apps::Planned planned = plan_and_schedule(graph, planning_options(options, machines, options.ranks),
                                                  given_plan(options, graph, graph_hash));
        schedule::Schedule& schedule = planned.made.schedule;
        set_origin(schedule.header, options.graph, text, options.out);
        schedule::write_file(schedule, options.out);
        if (!options.plan_out.empty())
            apps::write_text(options.plan_out, relation::write_plan(graph, planned.plan, graph_hash));
        report.plan(graph, planned);
        report.simulation(schedule);
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
