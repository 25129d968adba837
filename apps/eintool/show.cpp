#include <charconv>
#include <cstdio>
#include <fstream>
#include <limits>
#include <memory>

#include "apps/eintool/checkpoint_screen.hpp"
#include "apps/eintool/commands.hpp"
#include "lib/base/error.hpp"
#include "lib/base/files/file_kind.hpp"
#include "lib/base/files/missing_path.hpp"
#include "lib/base/json.hpp"
#include "lib/schedule/file/file.hpp"
#include "lib/schedule/print/overview.hpp"
#include "lib/schedule/print/print.hpp"

namespace ein::apps::tool {
namespace {

constexpr std::size_t most_rows = 40;

struct ShowOptions {
    std::string path, tasks;
    bool json = false, dot = false, check = false;
};

/// What --tasks says: "2" all tasks of rank 2, "2:100:20" twenty of them from the hundredth on.
struct TaskRange {
    int rank = 0;
    std::size_t first = 0, count = std::numeric_limits<std::size_t>::max();
};

TaskRange task_range(std::string const& text, schedule::Schedule const& schedule) {
    auto const wrong = [&](std::string const& expected) {
        return UsageError("show --tasks: expected " + expected + ", found '" + text + "'");
    };
    std::vector<std::uint64_t> numbers;
    for (std::string_view rest = text; numbers.size() < 3;) {
        std::uint64_t number = 0;
        auto const [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        if (error != std::errc()) throw wrong("RANK or RANK:FIRST:COUNT, as 0:100:20");
        numbers.push_back(number);
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        if (rest.empty()) break;
        if (rest.front() != ':' || numbers.size() == 3) throw wrong("RANK or RANK:FIRST:COUNT, as 0:100:20");
        rest.remove_prefix(1);
    }
    auto const ranks = static_cast<std::uint64_t>(schedule.header.ranks);
    if (numbers[0] >= ranks) throw wrong("a rank from 0 to " + std::to_string(ranks - 1));
    TaskRange out{.rank = static_cast<int>(numbers[0])};
    std::size_t const tasks = schedule.sections[Rank{out.rank}].tasks.size();
    if (numbers.size() > 1) out.first = numbers[1];
    if (numbers.size() > 2) out.count = numbers[2];
    if (out.first > tasks) throw wrong("a first task from 0 to " + std::to_string(tasks));
    return out;
}

/// @param found  what is shown, which is no schedule
void refuse_other_than(ShowOptions const& options, std::string const& found) {
    if (options.dot || !options.tasks.empty())
        throw UsageError(std::string("show ") + (options.dot ? "--dot" : "--tasks") + ": expected a schedule, found " +
                         found);
}

int show_checkpoint(ShowOptions const& options) {
    refuse_other_kind(options.path, FileUse::checkpoint, "a schedule, a plan or a checkpoint");
    refuse_other_than(options, "a folder");
    if (options.json) return std::fputs(checkpoint_json(options.path).c_str(), stdout) < 0 ? 1 : 0;
    CheckpointScreen const screen = checkpoint_screen(options.path, options.check ? Check::every_byte : Check::sizes);
    std::fputs(screen.text.c_str(), stdout);
    return screen.whole ? 0 : static_cast<int>(ExitCode::bad_input);
}

int show_plan(ShowOptions const& options) {
    Json const plan = read_json_of(FileUse::plan, "a schedule, a plan or a checkpoint", options.path);
    if (!plan.is_object() || !plan.contains("einplan"))
        throw InputError(Fault{options.path, "", "a schedule or a plan", "something else",
                               "give a file that einplan wrote with -o or --plan-out"});
    refuse_other_than(options, "a plan");
    if (options.json) return std::puts(plan.dump(1).c_str()) < 0 ? 1 : 0;
    Json const ranks = plan.value("ranks", Json());
    std::printf("plan for %s rank%s\n", ranks.dump().c_str(), ranks == 1 ? "" : "s");
    Json const decided = plan.value("parts", Json::object());  // named: items() refers to it
    std::size_t row = 0;
    for (auto const& [node, parts] : decided.items())
        if (row++ < most_rows) std::printf("  %-24s %s\n", node.c_str(), parts.dump().c_str());
    if (row > most_rows) std::printf("  and %zu more; --json shows all\n", row - most_rows);
    return 0;
}

std::string text_of(ShowOptions const& options, schedule::Schedule const& schedule) {
    if (options.json) return schedule::to_json(schedule).dump(1) + "\n";
    if (options.dot) return schedule::to_dot(schedule);
    if (options.tasks.empty()) return to_text(overview_of(schedule), schedule.header);
    TaskRange const range = task_range(options.tasks, schedule);
    return schedule::tasks_text(schedule, Rank{range.rank}, range.first, range.count);
}

int show(ShowOptions const& options) {
    if (!fs::exists(options.path))
        throw InputError(Fault{options.path, "", "a schedule, a plan or a checkpoint", "none",
                               mend_missing(options.path, PathIs::either)});
    if (is_checkpoint_folder(options.path)) return show_checkpoint(options);
    if (options.check) throw UsageError("show --check: expected a checkpoint, found a file; leave it out");
    if (!schedule::is_schedule_file(options.path)) return show_plan(options);
    return std::fputs(text_of(options, schedule::read_file(options.path)).c_str(), stdout) < 0 ? 1 : 0;
}

}  // namespace

void add_show(CLI::App& app, Action& chosen) {
    CLI::App* command = app.add_subcommand("show", "Show a schedule, a plan or a checkpoint on one screen, or whole");
    auto const options = std::make_shared<ShowOptions>();
    command->add_option("FILE", options->path, "schedule, plan, checkpoint or folder of checkpoints")->required();
    auto* json = command->add_flag("--json", options->json, "as JSON");
    auto* dot = command->add_flag("--dot", options->dot, "as Graphviz (schedules)")->excludes(json);
    command->add_option("--tasks", options->tasks, "RANK or RANK:FIRST:COUNT: its tasks, a line each")
        ->excludes(json)
        ->excludes(dot);
    command->add_flag("--check", options->check, "read every byte of a checkpoint");
    command->callback([options, &chosen] { chosen = [options] { return show(*options); }; });
}

}  // namespace ein::apps::tool
