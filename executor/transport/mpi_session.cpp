#include <mpi.h>

#include <exception>

#include "executor/transport/mpi_transport.hpp"

namespace ein::executor {

MpiSession::MpiSession() {
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
        throw RunError(
            "MPI could not be started (MPI_Init_thread failed); run `eintool preflight` or start einrun without "
            "mpirun");
    if (provided < MPI_THREAD_SERIALIZED) {
        MPI_Finalize();
        throw RunError("this MPI was built without thread support: expected MPI_THREAD_SERIALIZED, found level " +
                       std::to_string(provided) + "; use an MPI built with threads");
    }
}

MpiSession::~MpiSession() { MPI_Finalize(); }

}  // namespace ein::executor
