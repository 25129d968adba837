// The hosts of a job as its launcher was told of them, and how many ranks those that are left may have.
// Example: hosts_of_file("n1 slots=2\nn2 slots=2\n"), 4 ranks, n2 lost: 2 ranks on n1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ein::apps::tool {

struct Host {
    std::string name;
    int slots = 1;
    friend bool operator==(Host const&, Host const&) = default;
};

struct Hosts {
    std::vector<Host> all;
    bool counted = true;  // slots are said; else they are shares of equal weight
    friend bool operator==(Hosts const&, Hosts const&) = default;
};

/// Of mpirun's --hostfile: a host a line, "slots=N", comments after '#'. A host that stands there again has more slots.
Hosts hosts_of_file(std::string_view text);
/// Of mpirun's --host: "n1,n2:4".
Hosts hosts_of_list(std::string_view text);
/// Of Slurm: "n[1-3,7]" and "4(x3),2".
Hosts hosts_of_slurm(std::string_view nodes, std::string_view tasks_per_node);

/// "n1 slots=2\n": a hostfile for mpirun.
std::string hostfile_text(Hosts const& hosts);

/// How many of `ranks` can run on `left`. Where there were slots for all of them: as many as there are slots now; else
/// (several ranks a slot, or nobody said how many there are) in proportion. At least one.
int ranks_on(Hosts const& left, Hosts const& whole, int ranks);

}  // namespace ein::apps::tool
