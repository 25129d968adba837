// What a run says of its checkpoints when it ends.
#pragma once

#include <cstdint>
#include <string>

#include "lib/base/json_fwd.hpp"

namespace ein::executor {

struct CheckpointReport {
    std::int64_t saved = 0, failed = 0;
    std::int64_t bytes = 0;       // of the last one saved
    double seconds = 0;           // that the last one took
    double all_seconds = 0;       // that all took
    std::string resumed_from;     // its folder; "" from the beginning
    std::int64_t tasks_done = 0;  // by runs before, of all ranks
    std::string last;             // folder of the last one, saved or resumed from
};

/// The report's "checkpoint".
Json to_json(CheckpointReport const& report);
/// "  checkpoint 3 saved, the last of 1.2 GiB in 2.1 s: ckpt/000004; went on from ckpt/000001 (1200 tasks done)"
std::string summary_of(CheckpointReport const& report);

}  // namespace ein::executor
