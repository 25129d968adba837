#include "executor/transport/launcher.hpp"

#include <array>
#include <cstdlib>

#include "executor/transport/solo_transport.hpp"
#ifdef EIN_HAVE_MPI
#include "executor/transport/mpi_transport.hpp"
#endif

namespace ein::executor {

bool launched_by_mpi(Environment const& environment) {
    // Open MPI, MPICH and its kin under hydra, PMIx and PMI of any launcher, MVAPICH. SLURM_PROCID alone is also set in
    // a batch script outside srun; MPI then starts as a single process, which is right.
    constexpr std::array names = {"OMPI_COMM_WORLD_SIZE",
                                  "PMIX_RANK",
                                  "PMIX_NAMESPACE",
                                  "PMI_RANK",
                                  "PMI_SIZE",
                                  "PMI_FD",
                                  "PMI_PORT",
                                  "MPI_LOCALNRANKS",
                                  "MV2_COMM_WORLD_SIZE",
                                  "PALS_RANKID",
                                  "SLURM_PROCID"};
    for (char const* name : names)
        if (environment(name) != nullptr) return true;
    return false;
}

std::string launcher_hint(int ranks_found, int ranks_wanted, Environment const& environment) {
    bool const by_srun = environment("SLURM_STEP_NUM_TASKS") != nullptr;
    char const* const name = by_srun ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
    char const* const tasks = environment(name);
    if (ranks_found != 1 || tasks == nullptr || std::atoi(tasks) <= 1) return "";
    if (environment("OMPI_COMM_WORLD_SIZE") != nullptr || (!by_srun && ranks_wanted == 1)) return "";
    return std::string(name) + " is " + tasks +
           ", but MPI sees one rank: use `srun --mpi=pmix einrun ...` (`srun --mpi=list` shows what there is) or "
           "`mpirun einrun ...` inside the job; for one rank alone, `srun -n 1 einrun ...`";
}

std::string launcher_name(Environment const& environment) {
    return environment("SLURM_STEP_NUM_TASKS") != nullptr && environment("OMPI_COMM_WORLD_SIZE") == nullptr ? "srun"
                                                                                                            : "mpirun";
}

#ifdef EIN_HAVE_MPI
Connection::Connection(Environment const& environment) {
    if (launched_by_mpi(environment)) {
        auto session = std::make_shared<MpiSession>();
        transport_ = std::make_unique<MpiTransport>(*session);
        session_ = session;
    } else {
        transport_ = std::make_unique<SoloTransport>();
    }
}

Connection::Connection(int communicator) {
    auto session = std::make_shared<MpiSession>(communicator);
    transport_ = std::make_unique<MpiTransport>(*session);
    session_ = session;
}
#else
std::string mpi_library() { return "none: this build runs one rank"; }
Connection::Connection(Environment const&) : transport_(std::make_unique<SoloTransport>()) {}
Connection::Connection(int) {
    throw RunError("expected a build with MPI, found one that runs one rank; configure with -DEIN_WITH_MPI=ON");
}
#endif

Connection::~Connection() { transport_.reset(); }

}  // namespace ein::executor
