// The command line of `eintool make`; the tables of make/ say which kinds there are.
#include <cstdio>
#include <memory>
#include <set>

#include "apps/command_line.hpp"
#include "apps/eintool/commands.hpp"
#include "apps/eintool/make/graph_kind.hpp"
#include "apps/written_places.hpp"
#include "lib/base/error.hpp"
#include "lib/graph/read_graph.hpp"

namespace ein::apps::tool {
namespace {

struct Command {
    std::string kind, out;
    Wanted wanted;
};

/// Sizes may each be right, and a tensor of them too large.
void check_graph(std::string const& text, std::string const& name) {
    try {
        graph::read_graph(text, name);
    } catch (InputError const& error) {
        throw UsageError(error.what());
    }
}

int make(Command const& command) {
    std::string const text = make_graph(kind_named(command.kind), command.wanted);
    check_graph(text, "make " + command.kind);
    if (command.out.empty() || command.out == "-") return std::fputs(text.c_str(), stdout) < 0 ? 1 : 0;
    refuse_to_replace("-o", command.out, FileUse::graph, "a graph's file");
    write_text(command.out, text);
    return 0;
}

/// Options of all kinds, each once; --help lists them under their kinds. Which kind allows what is checked when it is
/// known.
void add_options_of_kinds(CLI::App& app, std::shared_ptr<Command> const& command) {
    std::set<std::string> added;
    for (GraphKind const& kind : graph_kinds())
        for (Option const& option : kind.options) {
            if (!added.insert(option.name).second) continue;
            auto const take = [command, name = option.name](std::string const& text) {
                command->wanted.options[name] = text;
            };
            std::string const names = option.name + (option.old_name.empty() ? "" : "," + option.old_name);
            CLI::Option* const parsed = option.value == OptionValue::flag
                                            ? app.add_flag_callback(
                                                  names, [take] { take(""); }, option.about)
                                            : app.add_option_function<std::string>(names, take, option.about);
            parsed->group("");
        }
}

}  // namespace

void add_make(CLI::App& app, Action& chosen) {
    CLI::App* const make_app = app.add_subcommand("make", "Write a standard graph with random data, of any size");
    auto const command = std::make_shared<Command>();
    make_app->add_option("KIND", command->kind, "one of those below")->required();
    make_app->add_option("SIZES", command->wanted.sizes, "the first ones of the kind's sizes")
        ->check(CLI::Range(Extent{1}, Extent{1} << 40));
    make_app->add_option("--dtype", command->wanted.dtype, "of its tensors (default: f32, where the kind has that)");
    make_app->add_option("-o,--output", command->out, "file to write (default, as with -: standard output)");
    add_options_of_kinds(*make_app, command);
    make_app->footer(kinds_help());
    make_app->callback([command, &chosen] { chosen = [command] { return make(*command); }; });
}

}  // namespace ein::apps::tool
