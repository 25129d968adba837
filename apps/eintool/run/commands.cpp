#include "apps/eintool/run/commands.hpp"

#include <algorithm>

#include "apps/launch_settings.hpp"
#include "lib/base/error.hpp"

namespace ein::apps::tool {
namespace {

std::vector<std::string> const hostfile_options{"--hostfile", "-hostfile", "--machinefile", "-machinefile"};
std::vector<std::string> const host_options{"--host", "-host", "-H"};
std::vector<std::string> const node_options{"--nodelist", "-w", "--nodes", "-N", "--exclude", "-x"};
/// Options of mpirun that take two words and say how daemons are started and connected.
std::vector<std::string> const settings{"--mca", "-mca", "--gmca", "-gmca"};

bool names(std::vector<std::string> const& options, std::string const& word) {
    return std::find(options.begin(), options.end(), word) != options.end();
}

Words operator+(Words left, Words const& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

std::optional<std::string> value_in(Words const& words, std::vector<std::string> const& options) {
    std::string const value = value_of(words, options, "");
    return value.empty() ? std::nullopt : std::optional(value);
}

Words settings_in(Words const& words) {
    Words out;
    for (std::size_t at = 0; at + 2 < words.size(); ++at)
        if (names(settings, words[at]))
            out.insert(out.end(), words.begin() + static_cast<std::ptrdiff_t>(at),
                       words.begin() + static_cast<std::ptrdiff_t>(at) + 3);
    return out;
}

}  // namespace

Words launch_command(Launcher const& launcher, int ranks, Words const& program) {
    std::string const number = std::to_string(ranks);
    Words const head = launcher.kind == LauncherKind::srun
                           ? Words{"srun"} + srun_options() + Words{"--ntasks=" + number}
                           : Words{"mpirun", "-n", number};
    return head + launcher.words + program;
}

Launcher on_hosts(Launcher const& launcher, Hosts const& hosts, std::string const& hostfile) {
    if (launcher.kind == LauncherKind::mpirun)
        return {launcher.kind,
                without(without(launcher.words, hostfile_options), host_options) + Words{"--hostfile", hostfile}};
    std::vector<std::string> nodes;
    for (Host const& host : hosts.all) nodes.push_back(host.name);
    return {launcher.kind, without(launcher.words, node_options) +
                               Words{"--nodelist=" + joined(nodes, ","), "--nodes=" + std::to_string(nodes.size())}};
}

Words host_check(Launcher const& launcher, std::string const& host) {
    if (launcher.kind == LauncherKind::srun)
        return {"srun", "--mpi=none", "--overlap", "--nodes=1", "--ntasks=1", "--nodelist=" + host, "true"};
    return Words{"mpirun", "-n", "1", "--host", host} + settings_in(launcher.words) + Words{"true"};
}

std::optional<std::string> hostfile_of(Launcher const& launcher) { return value_in(launcher.words, hostfile_options); }
std::optional<std::string> host_list_of(Launcher const& launcher) { return value_in(launcher.words, host_options); }

Words plan_command(PlanCommand const& command) {
    Words out{command.program};
    if (command.resumes) out.emplace_back("--resume");
    out.push_back(command.graph);
    Words const options = command.as_asked ? command.options : without(command.options, {"--plan-in", "--plan-out"});
    return out + Words{"-n", std::to_string(command.ranks), "-o", command.schedule, "--quiet"} + options;
}

}  // namespace ein::apps::tool
