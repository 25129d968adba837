#include "executor/startup/memory_fit.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>

#include "executor/engine/dispatcher.hpp"
#include "executor/startup/agreement.hpp"
#include "lib/base/text/sizes.hpp"
#include "lib/schedule/memory/room.hpp"
#include "lib/schedule/memory/spill.hpp"
#include "lib/schedule/memory/take_over.hpp"

namespace ein::executor {

namespace {

/// What one rank needs, in bytes.
struct Need {
    std::int64_t peak = 0;      // of one round, or with inputs that stay where there are several
    std::int64_t smallest = 0;  // with all spills that help
    std::int64_t spilled = 0;   // that the schedule has already
    std::int64_t loops = 0;     // whose blocks do not spill
};

Need need_of(schedule::Section const& section, int repeat) {
    std::int64_t const spilled = schedule::disk_use(section).written;
    bool const keeps = repeat > 1 && spilled == 0;
    return {keeps ? replay_keeping_inputs(section).peak : schedule::replay(section).peak,
            schedule::smallest_budget(section), spilled, static_cast<std::int64_t>(section.loops.size())};
}

std::vector<Need> needs_of_all(Transport& transport, Need const& mine) {
    std::vector<Need> out;
    for (std::string const& text :
         transport.all_gather(std::to_string(mine.peak) + " " + std::to_string(mine.smallest) + " " +
                              std::to_string(mine.spilled) + " " + std::to_string(mine.loops))) {
        Need& need = out.emplace_back();
        std::istringstream(text) >> need.peak >> need.smallest >> need.spilled >> need.loops;
    }
    return out;
}

auto fullest(std::vector<Need> const& needs, std::int64_t Need::*what) {
    return std::max_element(needs.begin(), needs.end(),
                            [&](Need const& a, Need const& b) { return a.*what < b.*what; });
}

void check(std::vector<Need> const& needs, MemoryLimits const& limits) {
    std::int64_t const planned = std::accumulate(needs.begin(), needs.end(), std::int64_t{0},
                                                 [](std::int64_t sum, Need const& n) { return sum + n.spilled; });
    if (planned > 0 && limits.spill_dir.empty())
        throw MemoryError(limits.schedule + ": expected --spill-dir, since the schedule was planned to write " +
                          format_exact_bytes(planned) +
                          " of blocks to disk, found none; give --spill-dir a folder on a disk of each host, or plan "
                          "with more --memory or for more ranks");
    if (!limits.budget) return;
    auto const largest = fullest(needs, &Need::peak);
    auto const hardest = fullest(needs, &Need::smallest);
    if (largest->peak <= *limits.budget) return;
    auto const rank = [&](auto need) { return std::to_string(need - needs.begin()); };
    std::string const budget = format_bytes(static_cast<double>(*limits.budget));
    std::string const command = "einplan " + limits.graph + " -n " + std::to_string(needs.size()) + " --memory " +
                                std::to_string(*limits.budget) + "B";
    std::string const again = ", or plan it for so much, which tries other plans and says how many ranks it takes" +
                              (limits.graph.empty() ? "" : ": " + command);
    if (limits.spill_dir.empty())
        throw MemoryError("--memory: expected a schedule that fits in " + budget + " a rank, found that rank " +
                          rank(largest) + " needs " + format_exact_bytes(largest->peak) + " of blocks; give more" +
                          (hardest->smallest < largest->peak ? ", or --spill-dir a folder on a disk (then " +
                                                                   format_exact_bytes(hardest->smallest) + " would do)"
                                                             : "") +
                          again);
    if (hardest->smallest > *limits.budget)
        throw MemoryError(
            (hardest->loops > 0 ? "--memory: expected room for all blocks of a rank, since those of loops do not spill"
                                : "--memory: expected room for the blocks of each single task") +
            (", found " + budget + " a rank, and " +
             (hardest->loops > 0 ? "rank " + rank(hardest) : "a task of rank " + rank(hardest)) + " that needs ") +
            format_exact_bytes(hardest->smallest) + "; give --memory " + std::to_string(hardest->smallest) +
            "B or more" + again);
}

}  // namespace

MemoryFit fit_memory(Transport& transport, schedule::Section& section, MemoryLimits const& limits) {
    Need mine = need_of(section, limits.repeat);
    if (limits.budget) mine.peak = schedule::leave_room_within(section, mine.peak, *limits.budget);
    std::vector<Need> needs = needs_of_all(transport, mine);
    agree(transport, [&] { check(needs, limits); });
    MemoryFit fit;
    bool const tight = limits.budget && fullest(needs, &Need::peak)->peak > *limits.budget;
    fit.load_each_round =
        limits.repeat > 1 &&
        (tight || std::any_of(needs.begin(), needs.end(), [](Need const& need) { return need.spilled > 0; }));
    int const rounds_kept = fit.load_each_round ? 1 : limits.repeat;
    if (rounds_kept > 1) schedule::keep_inputs(section);
    if (tight && need_of(section, 1).peak > *limits.budget) section = schedule::with_spills(section, *limits.budget);
    for (Need const& need : needs_of_all(transport, need_of(section, rounds_kept))) {
        fit.peaks.push_back(need.peak);
        fit.spills = fit.spills || need.spilled > 0;
    }
    return fit;
}

}  // namespace ein::executor
