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

/// "01:30:00", as Slurm writes times: "90min".
std::string mend_clock(std::string const& text) {
    int parts[3] = {}, count = 0;
    char const *at = text.data(), *const end = text.data() + text.size();
    while (count < 3) {
        auto const [next, error] = std::from_chars(at, end, parts[count]);
        if (error != std::errc{} || parts[count] < 0 || parts[count] > 1'000'000) return "";
        ++count;
        if (next == end) break;
        if (*next != ':') return "";
        at = next + 1;
        if (count == 3) return "";
    }
    if (count < 2) return "";
    std::int64_t const seconds = count == 3 ? std::int64_t{3600} * parts[0] + std::int64_t{60} * parts[1] + parts[2]
                                            : std::int64_t{60} * parts[0] + parts[1];
    if (seconds == 0) return "";
    return seconds % 60 == 0 ? std::to_string(seconds / 60) + "min" : std::to_string(seconds) + "s";
}

constexpr double shortest_doubted = 1, longest_doubted = 300;  // seconds without a unit, which may be minutes

}  // namespace

double seconds_from(std::string const& text, std::string const& option) {
    double value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && value > 0 && value < 1e9)
        for (Unit const& unit : units)
            if (std::string_view(end, static_cast<std::size_t>(text.data() + text.size() - end)) == unit.name)
                return value * unit.seconds;
    std::string const mend = mend_clock(text);
    throw UsageError(option + ": expected a time above 0 such as 90s, 10min or 2h, found '" + text + "'" +
                     (mend.empty() ? "" : "; write " + mend));
}

std::string note_of_short(std::string const& text, std::string const& option) {
    bool const plain = !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
    double const value = plain ? std::atof(text.c_str()) : 0;
    if (value < shortest_doubted || value >= longest_doubted) return "";
    return option + ": " + text + " without a unit is " + text + " s: write " + text + "min if minutes are meant, or " +
           text + "s";
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
