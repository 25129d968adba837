// Command lines of what "eintool run" starts: einplan, the launcher with einrun, and a check whether a host answers.
// Pure text; processes.hpp starts them.
// Example: launch_command({Launcher::mpirun, {"--hostfile", "h"}}, 4, {"einrun", "g.sched"}) is
// "mpirun -n 4 --hostfile h einrun g.sched".
#pragma once

#include <optional>

#include "apps/eintool/run/hosts.hpp"
#include "apps/eintool/run/words.hpp"

namespace ein::apps::tool {

enum class LauncherKind { mpirun, srun };

struct Launcher {
    LauncherKind kind = LauncherKind::mpirun;
    Words words;  // the user's own for it
};

Words launch_command(Launcher const& launcher, int ranks, Words const& program);

/// The same launcher on these hosts alone. @param hostfile  where hostfile_text(hosts) is written, for mpirun
Launcher on_hosts(Launcher const& launcher, Hosts const& hosts, std::string const& hostfile);

/// Starts a program that does nothing on one host, with the settings by which the launcher reaches it.
Words host_check(Launcher const& launcher, std::string const& host);

/// Where the user says which hosts there are: a file, or a list in place. Nothing: this host, or what the system says.
std::optional<std::string> hostfile_of(Launcher const& launcher);
std::optional<std::string> host_list_of(Launcher const& launcher);

/// What einplan is told.
struct PlanCommand {
    std::string program, graph;  // the latter a folder of checkpoints where it `resumes`
    bool resumes = false;
    int ranks = 1;
    std::string schedule;  // to write
    Words options;         // the user's
    bool as_asked = true;  // the graph, for as many ranks as the user said: decisions in --plan-in are for these
};
Words plan_command(PlanCommand const& command);

}  // namespace ein::apps::tool
