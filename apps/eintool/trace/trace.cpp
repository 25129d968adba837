#include <cstdio>
#include <memory>

#include "apps/eintool/commands.hpp"
#include "apps/eintool/trace/trace_summary.hpp"

namespace ein::apps::tool {

void add_trace(CLI::App& app, Action& chosen) {
    CLI::App* command = app.add_subcommand("trace", "Sum up a trace on one screen: who waited for what");
    auto const file = std::make_shared<std::string>();
    command->add_option("FILE", *file, "written by einrun --trace")->required();
    command->callback([file, &chosen] {
        chosen = [file] {
            TraceFile const trace = read_trace(*file);
            return std::fputs(to_text(trace, summary_of(trace)).c_str(), stdout) < 0 ? 1 : 0;
        };
    });
}

}  // namespace ein::apps::tool
