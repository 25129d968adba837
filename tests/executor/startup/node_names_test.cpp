#include "executor/startup/node_names.hpp"

#include <unistd.h>

#include "tests/executor/run/said.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/left_ranks.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

std::string const vm = "vm 1a2b3c4d 25", other = "other 1a2b3c4d 26";
std::vector<NodeName> const pretended{{vm, "node1", "0"}, {vm, "node1", "1"}, {vm, "node2", "0"}, {vm, "node2", "1"}};

}  // namespace

TEST_CASE("nodes that are one host are reported, with their names and the setting", "[executor][startup][nodes]") {
    CHECK(one_host_warning(pretended, nullptr) ==
          "nodes node1 and node2 are one host, vm, where their ranks take the same names for shared memory: runs crash "
          "or spin; set OMPI_MCA_btl=self,tcp");
    CHECK(one_host_warning({{vm, "", "0"}, {vm, "", "0"}}, nullptr).find("two nodes of the job are one host, vm") == 0);
}

TEST_CASE("hosts of their own, one node, and jobs without shared memory are in order", "[executor][startup][nodes]") {
    CHECK(one_host_warning({{vm, "node1", "0"}, {other, "node2", "0"}}, nullptr).empty());
    CHECK(one_host_warning({{vm, "node1", "0"}, {vm, "node1", "1"}}, nullptr).empty());
    CHECK(one_host_warning({{vm, "", ""}, {vm, "", ""}}, nullptr).empty());  // no launcher says how ranks are numbered
    for (char const* transports : {"self,tcp", "tcp,self", "^vader", "^openib,vader"})
        CHECK(one_host_warning(pretended, transports).empty());
    for (char const* transports : {"self,vader,tcp", "vader", "^tcp", "^openib,tcp"})
        CHECK_FALSE(one_host_warning(pretended, transports).empty());
}

TEST_CASE("ranks tell one another what their nodes are called", "[executor][startup][nodes]") {
    auto const environment = test::with({{"SLURMD_NODENAME", "node 7"}, {"SLURM_LOCALID", "3"}});
    auto const found = test::on_ranks(2, {}, [&](Transport& transport) { return all_nodes(transport, environment); });
    for (auto const& nodes : found) CHECK(nodes == std::vector<NodeName>(2, this_node(environment)));
    CHECK(found[0][0].node == "node 7");
    CHECK(found[0][0].number == "3");
    CHECK_FALSE(found[0][0].memory.empty());
}

TEST_CASE("a job of several nodes is known by its launcher's variables", "[executor][startup][nodes]") {
    CHECK_FALSE(has_several_nodes(test::with({})));
    CHECK_FALSE(has_several_nodes(test::with({{"SLURM_JOB_NUM_NODES", "1"}})));
    CHECK(has_several_nodes(test::with({{"SLURM_JOB_NUM_NODES", "4"}})));
    CHECK(has_several_nodes(test::with({{"OMPI_MCA_orte_num_nodes", "2"}})));
    CHECK_FALSE(has_several_nodes(test::with({{"OMPI_MCA_orte_num_nodes", "1"}, {"SLURM_JOB_NUM_NODES", "4"}})));
}

TEST_CASE("who waits for a silent host is told how to end mpirun, unless it ends itself",
          "[executor][startup][nodes]") {
    CHECK(silent_host_hint(test::with({{"OMPI_MCA_orte_num_nodes", "2"}})) ==
          "; if mpirun stays though its ranks have left, press Ctrl-C twice, and next time set "
          "OMPI_MCA_oob_tcp_keepalive_time=10 OMPI_MCA_oob_tcp_keepalive_intvl=2 "
          "OMPI_MCA_oob_tcp_keepalive_probes=3 for mpirun");
    CHECK(silent_host_hint(test::with({{"OMPI_MCA_orte_num_nodes", "1"}})).empty());
    CHECK(silent_host_hint(test::with({{"SLURM_JOB_NUM_NODES", "2"}})).empty());  // srun
    CHECK(silent_host_hint(test::with({{"OMPI_MCA_orte_num_nodes", "2"}, {"OMPI_MCA_oob_tcp_keepalive_time", "10"}}))
              .empty());
}
