#include "apps/einrun/durations.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "lib/base/error.hpp"

namespace ein::apps {

namespace {

struct Unit {
    char const* name;
    double seconds;
};
constexpr Unit units[] = {{"", 1}, {"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600}, {"d", 86400}};

/// What a command prints; "" when it fails.
std::string output_of(std::string const& command) {
    std::unique_ptr<FILE, int (*)(FILE*)> const pipe(popen(command.c_str(), "r"), pclose);
    if (!pipe) return "";
    std::string out;
    char part[256];
    while (std::fgets(part, sizeof part, pipe.get()) != nullptr) out += part;
    return out;
}

std::string slurm_job() {
    char const* const job = std::getenv("SLURM_JOB_ID");
    return job == nullptr ? "" : job;
}

/// When the Slurm job ends, in seconds since 1970; nothing where nobody says so.
std::optional<double> job_end(std::string const& job) {
    if (char const* const end = std::getenv("SLURM_JOB_END_TIME"); end != nullptr && *end != 0) return std::atof(end);
    if (job.find_first_not_of("0123456789_") != std::string::npos) return std::nullopt;
    std::string const text = output_of("squeue -h -j " + job + " -o %e 2>/dev/null");
    std::tm parts{};
    if (strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return std::nullopt;
    parts.tm_isdst = -1;
    return static_cast<double>(std::mktime(&parts));
}

}  // namespace

double seconds_from(std::string const& text, std::string const& option) {
    double value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && value > 0 && value < 1e9)
        for (Unit const& unit : units)
            if (std::string_view(end, static_cast<std::size_t>(text.data() + text.size() - end)) == unit.name)
                return value * unit.seconds;
    throw UsageError(option + ": expected a time above 0 such as 90s, 10min or 2h, found '" + text + "'");
}

void require_slurm_job() {
    if (!slurm_job().empty()) return;
    throw UsageError(
        "--stop-at auto: expected to run in a Slurm job, found none (SLURM_JOB_ID is not set); give "
        "the time, as --stop-at 55min");
}

std::optional<double> seconds_to_job_end() {
    std::optional<double> const end = job_end(slurm_job());
    if (!end) return std::nullopt;
    return std::max(1.0, *end - static_cast<double>(std::time(nullptr)));
}

}  // namespace ein::apps
