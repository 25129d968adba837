#include "apps/launch_settings.hpp"

namespace ein::apps {

Variables launch_variables() {
    return {{"OMPI_MCA_orte_allowed_exit_without_sync", "1"},
            {"OMPI_MCA_oob_tcp_keepalive_time", "10"},
            {"OMPI_MCA_oob_tcp_keepalive_intvl", "2"},
            {"OMPI_MCA_oob_tcp_keepalive_probes", "3"}};
}

std::vector<std::string> srun_options() { return {"--mpi=pmix", "--kill-on-bad-exit=0", "--wait=10"}; }

}  // namespace ein::apps
