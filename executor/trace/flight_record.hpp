// What a rank did last, for whoever asks why a run ended abnormally: the last thousand tasks and transfers, and all
// that had begun and not ended, in the format of a trace. In a folder of its own beside the results, so that a failed
// run leaves nothing among them. Example: --out results: rank 3 writes results.flight/rank-3.json.
#pragma once

#include <filesystem>

#include "executor/trace/record.hpp"
#include "lib/base/json_fwd.hpp"

namespace ein::executor {

/// The folder that belongs to an output folder. Example: "results/" gives "results.flight".
std::filesystem::path flight_folder(std::filesystem::path const& out);

/// Removes the records of the run before. Never throws.
void sweep_flight_records(std::filesystem::path const& folder) noexcept;

struct FlightRecord {
    std::filesystem::path file;
    bool first = false;  // no other was there: of all ranks that share a file system with locks, one has this
};

/// Times are on the machine's steady clock, which its ranks share.
/// @param about  what else to say, in "otherData"
/// @throws RunError when it cannot be written
FlightRecord write_flight_record(std::filesystem::path const& folder, Rank rank, schedule::Header const& header,
                                 schedule::Section const& section, Record const& record, Json const& about);

}  // namespace ein::executor
