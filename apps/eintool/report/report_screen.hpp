// A run report, or two side by side, on one screen; below one report the hints that its figures give.
// Example: two runs of the same graph, on 4 and 8 ranks: execute 2.10 s, 1.30 s, 0.62; moved 4 GiB, 9 GiB, 2.25.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json.hpp"

namespace ein::apps::tool {

struct NamedReport {
    std::string name;  // of its file
    Json report;
};

/// @param reports  one or two  @throws InputError for what is no run report
std::string report_screen(std::vector<NamedReport> const& reports);

/// Sentences on what to look at: uneven work, waiting for messages, loading, spilling; none where nothing stands out.
std::vector<std::string> hints_of(Json const& report);

}  // namespace ein::apps::tool
