#include <cstdio>
#include <fstream>
#include <memory>

#include "apps/eintool/commands.hpp"
#include "lib/base/error.hpp"
#include "lib/base/json.hpp"
#include "lib/schedule/file/file.hpp"
#include "lib/schedule/print.hpp"

namespace ein::apps::tool {
namespace {

struct ShowOptions {
    std::string path;
    bool json = false, dot = false;
};

bool is_schedule(std::string const& path) {
    std::ifstream in(path, std::ios::binary);
    std::string magic(8, '\0');
    in.read(magic.data(), 8);
    return magic == "EINSCHED";
}

int show_plan(ShowOptions const& options) {
    Json const plan = parse_json(read_text_file(options.path), options.path);
    if (!plan.is_object() || !plan.contains("einplan"))
        throw InputError(Fault{options.path, "", "a schedule or a plan", "something else",
                               "give a file that einplan wrote with -o or --plan-out"});
    if (options.dot) throw UsageError("show --dot: expected a schedule, found a plan");
    if (options.json) return std::puts(plan.dump(1).c_str()) < 0 ? 1 : 0;
    std::printf("plan for %s ranks\n", plan.value("ranks", Json()).dump().c_str());
    Json const decided = plan.value("parts", Json::object());  // named: items() refers to it
    for (auto const& [node, parts] : decided.items()) std::printf("  %-24s %s\n", node.c_str(), parts.dump().c_str());
    return 0;
}

int show(ShowOptions const& options) {
    if (!is_schedule(options.path)) return show_plan(options);
    schedule::Schedule const schedule = schedule::read_file(options.path);
    std::string const text = options.json  ? schedule::to_json(schedule).dump(1) + "\n"
                             : options.dot ? schedule::to_dot(schedule)
                                           : schedule::to_text(schedule);
    return std::fputs(text.c_str(), stdout) < 0 ? 1 : 0;
}

}  // namespace

void add_show(CLI::App& app, Action& chosen) {
    CLI::App* command = app.add_subcommand("show", "Print a schedule or a plan");
    auto const options = std::make_shared<ShowOptions>();
    command->add_option("FILE", options->path, "schedule or plan")->required();
    auto* json = command->add_flag("--json", options->json, "as JSON");
    command->add_flag("--dot", options->dot, "as Graphviz (schedules)")->excludes(json);
    command->callback([options, &chosen] { chosen = [options] { return show(*options); }; });
}

}  // namespace ein::apps::tool
