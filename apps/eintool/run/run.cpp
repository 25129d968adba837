#include <memory>

#include "apps/eintool/commands.hpp"
#include "apps/eintool/run/job.hpp"

namespace ein::apps::tool {

namespace {

int plan_and_run(Words const& words) {
    auto request = run_request(words);
    return request ? Job(std::move(*request)).run() : 0;
}

}  // namespace

/// Words are taken as they are: most belong to other programs.
void add_run(CLI::App& app, Action& chosen) {
    CLI::App* command = app.add_subcommand(
        "run", "Plan a graph and run it with mpirun or srun; with --checkpoint again when a rank or host is lost");
    command->prefix_command()->set_help_flag("");
    command->callback([command, &chosen] { chosen = [words = command->remaining()] { return plan_and_run(words); }; });
}

}  // namespace ein::apps::tool
