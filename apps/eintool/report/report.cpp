#include <cstdio>
#include <memory>

#include "apps/eintool/commands.hpp"
#include "apps/eintool/report/report_screen.hpp"
#include "lib/base/files/file_kind.hpp"

namespace ein::apps::tool {
namespace {

int report(std::vector<std::string> const& files) {
    std::vector<NamedReport> reports;
    for (std::string const& file : files) {
        reports.push_back({file, read_json_of(FileUse::report, "a run report", file)});
    }
    return std::fputs(report_screen(reports).c_str(), stdout) < 0 ? 1 : 0;
}

}  // namespace

void add_report(CLI::App& app, Action& chosen) {
    CLI::App* command = app.add_subcommand("report", "Show a run report on one screen, or two side by side");
    auto const files = std::make_shared<std::vector<std::string>>();
    command->add_option("FILE", *files, "written by einrun --report; at most two")->required()->expected(1, 2);
    command->callback([files, &chosen] { chosen = [files] { return report(*files); }; });
}

}  // namespace ein::apps::tool
