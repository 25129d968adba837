// Who started this process: an MPI launcher (mpirun, srun) or a shell; and the transport that goes with it.
// Example: started from a shell, launched_by_mpi() is false and einrun is one rank without MPI.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "executor/transport/transport.hpp"

namespace ein::executor {

/// Looks a variable up; nullptr when unset. std::getenv in production.
using Environment = std::function<char const*(char const*)>;

bool launched_by_mpi(Environment const& environment);

/// Why a run that was meant to have several ranks may have found one: empty, or a hint for the message. In a batch
/// script, outside srun, one rank may be what is wanted.
std::string launcher_hint(int ranks_found, int ranks_wanted, Environment const& environment);
/// Who is said to have started it, for messages: "srun", else "mpirun".
std::string launcher_name(Environment const& environment);

/// Which MPI was found, as "Open MPI v4.1.4".
std::string mpi_library();

/// Owns what must live as long as the transport.
class Connection {
public:
    /// Starts MPI only when a launcher did start this process. @throws RunError
    explicit Connection(Environment const& environment);
    /// Of a program that has started MPI. @param communicator  MPI_Comm_c2f of its ranks  @throws RunError, UsageError
    explicit Connection(int communicator);
    ~Connection();
    Transport& transport() const { return *transport_; }

private:
    std::shared_ptr<void> session_;  // outlives the transport
    std::unique_ptr<Transport> transport_;
};

}  // namespace ein::executor
