#include "executor/checkpoint/checkpoint_report.hpp"

#include <cstdio>

#include "lib/base/json.hpp"
#include "lib/base/text/sizes.hpp"

namespace ein::executor {

Json to_json(CheckpointReport const& report) {
    Json out{{"saved", report.saved},
             {"failed", report.failed},
             {"bytes", report.bytes},
             {"seconds", report.seconds},
             {"seconds_all", report.all_seconds},
             {"resumed_from", nullptr},
             {"tasks_done", report.tasks_done},
             {"last", nullptr}};
    if (!report.resumed_from.empty()) out["resumed_from"] = report.resumed_from;
    if (!report.last.empty()) out["last"] = report.last;
    return out;
}

std::string summary_of(CheckpointReport const& report) {
    std::string out = "  checkpoint " + std::to_string(report.saved) + " saved";
    if (report.saved > 0) {
        char seconds[32];
        std::snprintf(seconds, sizeof seconds, "%.2f", report.seconds);
        out += ", the last of " + format_bytes(static_cast<double>(report.bytes)) + " in " + seconds +
               " s: " + report.last;
    }
    if (report.failed > 0) out += ", " + std::to_string(report.failed) + " failed";
    if (!report.resumed_from.empty())
        out += "; went on from " + report.resumed_from + " (" + std::to_string(report.tasks_done) + " tasks done)";
    return out + "\n";
}

}  // namespace ein::executor
