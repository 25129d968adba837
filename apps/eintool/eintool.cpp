// eintool: everything around planning and running a graph.
#include "apps/command_line.hpp"
#include "apps/eintool/commands.hpp"
#include "apps/report_errors.hpp"

int main(int argc, char** argv) {
    using namespace ein::apps;
    return report_errors("eintool", [&] {
        CLI::App app{"Checks, shows, makes, imports, evaluates and compares what einplan and einrun work with."};
        app.set_version_flag("--version", version("eintool"));
        app.require_subcommand(1);
        tool::Action chosen;
        tool::add_validate(app, chosen);
        tool::add_show(app, chosen);
        tool::add_eval(app, chosen);
        tool::add_diff(app, chosen);
        tool::add_report(app, chosen);
        tool::add_trace(app, chosen);
        tool::add_make(app, chosen);
        tool::add_import(app, chosen);
        tool::add_preflight(app, chosen);
        tool::add_run(app, chosen);
        if (auto const code = parse(app, argc, argv)) return *code;
        return chosen();
    });
}
