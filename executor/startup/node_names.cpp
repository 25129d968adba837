#include "executor/startup/node_names.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "lib/base/files/temporary_name.hpp"
#include "lib/base/json.hpp"

namespace ein::executor {

namespace {

/// The first of these variables that is set.
template <std::size_t Count>
std::string first_set(Environment const& environment, std::array<char const*, Count> const& names) {
    for (char const* name : names)
        if (char const* const value = environment(name)) return value;
    return "";
}

/// Whether a setting such as "self,tcp" or "^vader" leaves shared memory out.
bool leaves_out_shared_memory(std::string_view transports) {
    bool const excludes = transports.starts_with('^');
    if (excludes) transports.remove_prefix(1);
    bool named = false;
    while (!transports.empty()) {
        std::string_view const name = transports.substr(0, transports.find(','));
        transports.remove_prefix(std::min(transports.size(), name.size() + 1));
        named = named || name == "vader" || name == "sm";
    }
    return named == excludes;
}

}  // namespace

NodeName this_node(Environment const& environment) {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    struct stat memory {};
    bool const known = ::stat("/dev/shm", &memory) == 0;
    return {std::string(host) + " " + this_boot() + " " + (known ? std::to_string(memory.st_dev) : "none"),
            first_set(environment, std::array{"SLURMD_NODENAME"}),
            first_set(environment, std::array{"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"})};
}

std::vector<NodeName> all_nodes(Transport& transport, Environment const& environment) {
    NodeName const mine = this_node(environment);
    std::vector<NodeName> out;
    Json const said{mine.memory, mine.node, mine.number};
    for (std::string const& text : transport.all_gather(said.dump(-1, ' ', true, Json::error_handler_t::replace))) {
        Json const name = Json::parse(text);
        out.push_back({name.at(0), name.at(1), name.at(2)});
    }
    return out;
}

std::string one_host_warning(std::vector<NodeName> const& nodes, char const* transports) {
    if (transports != nullptr && leaves_out_shared_memory(transports)) return "";
    std::map<std::pair<std::string, std::string>, std::string> seen;  // by memory and number: the node
    for (NodeName const& node : nodes) {
        if (node.number.empty()) continue;
        auto const [at, fresh] = seen.try_emplace({node.memory, node.number}, node.node);
        if (fresh) continue;
        std::string const host = node.memory.substr(0, node.memory.find(' '));
        bool const named = !node.node.empty() && node.node != at->second;
        return (named ? "nodes " + at->second + " and " + node.node + " are"
                      : std::string("two nodes of the job are")) +
               " one host, " + host +
               ", where their ranks take the same names for shared memory: runs crash or spin; set "
               "OMPI_MCA_btl=self,tcp";
    }
    return "";
}

bool has_several_nodes(Environment const& environment) {
    std::string const nodes =
        first_set(environment, std::array{"OMPI_MCA_orte_num_nodes", "SLURM_STEP_NUM_NODES", "SLURM_JOB_NUM_NODES"});
    return std::atoi(nodes.c_str()) > 1;
}

std::string cut_link_settings() {
    return "set OMPI_MCA_oob_tcp_keepalive_time=10 OMPI_MCA_oob_tcp_keepalive_intvl=2 "
           "OMPI_MCA_oob_tcp_keepalive_probes=3 for mpirun";
}

std::string silent_host_hint(Environment const& environment) {
    bool const by_mpirun = environment("OMPI_MCA_orte_num_nodes") != nullptr;
    if (!by_mpirun || !has_several_nodes(environment) || environment("OMPI_MCA_oob_tcp_keepalive_time") != nullptr)
        return "";
    return "; if mpirun stays though its ranks have left, press Ctrl-C twice, and next time " + cut_link_settings();
}

}  // namespace ein::executor
