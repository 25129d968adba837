// Which GPU each rank computes on. Ranks tell one another which GPUs they see, so nothing depends on a launcher:
// whether it gives each rank one GPU of its own, all of them, or a mask. In the order of ranks each takes, of those
// that it sees, one that the fewest ranks before it took, the first of several. Example: of 4 ranks that see the same
// two GPUs, ranks 0 and 2 take the first and ranks 1 and 3 the second; of 2 ranks that see one each, neither shares.
#pragma once

#include <string>
#include <vector>

#include "executor/device/gpu_seat.hpp"
#include "executor/transport/transport.hpp"

namespace ein::executor {

/// @param seen  by rank, names of the GPUs that it sees; "" for one that will not do
/// @return by rank; that of a rank that sees none says nothing
std::vector<GpuSeat> seats_on_gpus(std::vector<std::vector<std::string>> const& seen);

/// Collective. @param host  where this rank runs
GpuSeat seat_on_gpu(Transport& transport, std::string const& host, DeviceChoice const& choice);

}  // namespace ein::executor
