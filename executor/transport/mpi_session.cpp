#include <mpi.h>

#include <array>
#include <cstdlib>
#include <exception>

#include "executor/transport/launcher.hpp"
#include "executor/transport/mpi_transport.hpp"
#include "executor/transport/tuning.hpp"
#include "lib/base/terminate.hpp"

namespace ein::executor {

namespace {

/// Settings of Open MPI under which a pair of ranks exchanges blocks both ways at once; what the user set, in the
/// environment or on mpirun's command line, stays (but these come before mca-params.conf). Over TCP, the answers that
/// large messages wait for travel behind the data of the other direction: once for each message, with the put protocol
/// also for what is under way. Less of that data stands before them in small parts and in a small send buffer. Without
/// this, exchanges that start unevenly ran one direction after the other, at 100 Mbit/s to 10 Gbit/s
/// (docs/performance.md).
void choose_protocols() {
    constexpr int keep_what_is_set = 0;
    setenv("OMPI_MCA_btl_tcp_flags", "send,inplace,need-ack,need-csum,hetero-rdma", keep_what_is_set);  // no "put"
    setenv("OMPI_MCA_btl_tcp_sndbuf", tuning::send_buffer, keep_what_is_set);
    setenv("OMPI_MCA_btl_tcp_max_send_size", tuning::message_part, keep_what_is_set);
}

}  // namespace

std::string mpi_library() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    std::string const whole(text.data());
    return whole.substr(0, whole.find_first_of(",\n"));
}

MpiSession::MpiSession() : owns_mpi_(true) {
    choose_protocols();
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
    communicator_ = MPI_Comm_c2f(MPI_COMM_WORLD);
    set_terminate_others([](int code) { MPI_Abort(MPI_COMM_WORLD, code); });
}

MpiSession::MpiSession(int communicator) : communicator_(communicator), owns_mpi_(false) {
    int started = 0, provided = 0;
    MPI_Initialized(&started);
    if (started == 0)
        throw UsageError("expected MPI to be started, found it not; call MPI_Init_thread, or let Einloom start it");
    MPI_Query_thread(&provided);
    if (provided < MPI_THREAD_SERIALIZED)
        throw UsageError("expected MPI started with MPI_THREAD_SERIALIZED or more, found level " +
                         std::to_string(provided) + "; call MPI_Init_thread with it in place of MPI_Init");
}

MpiSession::~MpiSession() {
    if (!owns_mpi_) return;
    set_terminate_others(nullptr);
    MPI_Finalize();
}

}  // namespace ein::executor
