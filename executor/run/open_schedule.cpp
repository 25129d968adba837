#include "executor/run/open_schedule.hpp"

#include <cstdio>
#include <sstream>

#include "executor/startup/agreement.hpp"
#include "lib/base/text/counted.hpp"
#include "lib/schedule/file/file.hpp"
#include "lib/schedule/file/origin.hpp"

namespace ein::executor {

namespace fs = std::filesystem;

namespace {

std::string hex(std::uint64_t value) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

void check_rank_count(int wanted, int found, Environment const& environment) {
    std::string const is_for = "schedule is for " + counted(wanted, "rank");
    if (std::string const hint = launcher_hint(found, wanted, environment); !hint.empty())
        throw UsageError(is_for + ": " + hint);
    if (wanted == found) return;
    std::string const launcher = launcher_name(environment);
    std::string const started = found == 1 && !launched_by_mpi(environment)
                                    ? "einrun was started alone, without mpirun"
                                    : launcher + " started " + std::to_string(found);
    throw UsageError(is_for + ", " + started + "; run " + launcher + " -n " + std::to_string(wanted) +
                     " or plan again with einplan -n " + std::to_string(found));
}

RankSchedule read_own_part(Transport& transport, fs::path const& path, Environment const& environment) {
    schedule::File const file(path);
    RankSchedule out;
    out.header = file.header();
    check_rank_count(out.header.ranks, transport.size(), environment);
    out.section = file.section(transport.rank(), out.header);
    out.hash = hex(file.hash());
    out.data_folder = fs::absolute(path).parent_path() / out.header.folder;
    return out;
}

/// The first rank whose text is not rank 0's; there is one.
std::size_t first_other(std::vector<std::string> const& by_rank) {
    std::size_t rank = 0;
    while (by_rank[rank] == by_rank[0]) ++rank;
    return rank;
}

std::string different_files(fs::path const& path, std::vector<std::string> const& hashes) {
    std::size_t const other = first_other(hashes);
    return path.string() + ": expected the same schedule on all ranks, found " + hashes[0] + " on rank 0 and " +
           hashes[other] + " on rank " + std::to_string(other) + "; give all ranks one file on a shared file system";
}

std::string different_options(std::vector<std::string> const& by_rank) {
    std::size_t const other = first_other(by_rank);
    std::istringstream first(by_rank[0]), second(by_rank[other]);
    std::string mine, theirs;
    while (mine == theirs && (first || second)) std::getline(first, mine), std::getline(second, theirs);
    return "expected " + mine + " for all ranks as for rank 0, found " + theirs + " for rank " + std::to_string(other) +
           "; give it to every part of the mpirun command alike";
}

}  // namespace

RankSchedule open_schedule(Transport& transport, fs::path const& file, Environment const& environment) {
    RankSchedule out;
    agree(transport, [&] { out = read_own_part(transport, file, environment); });
    agree_on(transport, out.hash, ExitCode::bad_input,
             [&](std::vector<std::string> const& hashes) { return different_files(file, hashes); });
    return out;
}

void compare_with_planning(Transport& transport, RankSchedule& schedule, OnChange what, Messages const& messages) {
    agree(transport, [&] {
        if (transport.rank() != Rank{0}) return;
        std::vector<Fault> faults = schedule::changes_since_planning(schedule.header, schedule.data_folder);
        for (Fault const& fault : faults) schedule.changed.push_back(fault.text());
        if (what == OnChange::refuse && !faults.empty()) throw InputError(std::move(faults));
    });
    for (std::string const& change : schedule.changed) messages.warn(change);
}

void check_reproducible(schedule::Header const& header, fs::path const& file) {
    if (header.reproducible) return;
    throw UsageError("--reproducible: expected a schedule that was planned with it, found " + file.string() +
                     ", which was not; plan it again: einplan " +
                     (header.graph_file.empty() ? "GRAPH" : header.graph_file) + " -n " + std::to_string(header.ranks) +
                     " --reproducible");
}

void agree_on_options(Transport& transport, std::string const& options) {
    agree_on(transport, options, ExitCode::usage, different_options);
}

}  // namespace ein::executor
