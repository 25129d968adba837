#include "apps/einplan/screen/search_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "apps/explain/columns.hpp"
#include "lib/base/text/counted.hpp"
#include "lib/base/text/quantities.hpp"
#include "lib/base/text/sizes.hpp"
#include "planner/tuning.hpp"

namespace ein::apps {
namespace {

constexpr std::size_t page = 100;  // columns

using planner::optimizer::SearchReport;

std::string calls_of(std::int64_t calls) { return counted(calls, "call") + " a node"; }

constexpr double most_said = 0.5;  // a bound that is far says nothing

/// "no plan would be more than 12 % faster", as far as computing alone tells.
std::string bound_text(SearchReport const& report) {
    if (!report.fits || report.bound <= 0 || report.seconds <= 0) return "";
    double const faster = std::max(0.0, 1 - report.bound / report.seconds);
    if (faster > most_said) return "";
    return "; even if nothing had to move, no plan would be more than " +
           std::to_string(std::lround(std::ceil(100 * faster))) + " % faster";
}

}  // namespace

std::string search_line(SearchReport const& report) {
    if (report.taken.empty()) return "";
    std::string out = report.taken + ", of " + counted(report.looked_at.size(), "plan") + " scheduled";
    if (!report.left_out.empty()) out += " and " + std::to_string(report.left_out.size()) + " ruled out";
    if (!report.fits) out += ", none of which fits";
    if (report.not_reached > 0) out += ", " + std::to_string(report.not_reached) + " beyond the budget";
    if (std::size_t const all = report.variations + report.variations_left_out; all > 0)
        out += ", " + std::to_string(report.variations) + " of " + counted(all, "variation") + " tried and " +
               std::to_string(report.steps) + " taken";
    return out + bound_text(report);
}

std::optional<FewerRanks> fewer_ranks(Planned const& planned, scheduler::SimulationOf const& simulated) {
    SearchReport const& report = planned.report;
    int const used = planned.busy_ranks(), all = planned.made.schedule.header.ranks;
    if (!report.fits || report.used == 0 || used >= all) return std::nullopt;
    auto const ranks = [](int number) { return counted(static_cast<std::size_t>(number), "rank"); };
    std::string const use = "; use -n " + std::to_string(used);
    if (report.taken.empty())  // one plan was scheduled, without a prediction
        return FewerRanks{"better grid", ranks(used) + " move clearly less than " + std::to_string(all) + use};
    SearchReport::Plan const* more = nullptr;  // the fastest that uses more ranks
    for (SearchReport::Plan const& plan : report.looked_at)
        if (plan.fits && plan.used > used && (!more || plan.seconds < more->seconds)) more = &plan;
    double const seconds = simulated().all_iterations;
    std::string out = ranks(used) + ": " + format_seconds(seconds);
    if (more && more->seconds > seconds) out += ", " + ranks(more->used) + ": " + format_seconds(more->seconds);
    out += " predicted";
    if (more && more->seconds <= seconds) out += ", which " + ranks(more->used) + " hardly improve and move more";
    // Nearly all are used where their number fits a grid, a few where the graph is small.
    bool const nearly_all = used * planner::tuning::little_imbalance >= all;
    return FewerRanks{nearly_all ? "better grid" : "too small", out + use};
}

std::string search_text(SearchReport const& report) {
    if (report.taken.empty()) return "";
    std::string out = "plans, with one placement each\n";
    auto const row = [&](SearchReport::Plan const& plan, std::string const& seconds, std::string const& rest) {
        char text[160];
        std::snprintf(text, sizeof text, "  %-14s %-18s %12s  ", plan.name.c_str(), calls_of(plan.calls).c_str(),
                      seconds.c_str());
        out += text + rest + "\n";
    };
    for (SearchReport::Plan const& plan : report.looked_at)
        row(plan, format_seconds(plan.seconds),
            "moves " + format_bytes(static_cast<double>(plan.bytes)) + (plan.fits ? "" : ", does not fit"));
    for (SearchReport::Plan const& plan : report.left_out) row(plan, "> " + format_seconds(plan.seconds), "ruled out");
    return out + explain::wrapped("  taken: ", search_line(report), page);
}

Json search_json(SearchReport const& report) {
    Json out{{"not_reached", report.not_reached},
             {"taken", report.taken},
             {"fits", report.fits},
             {"seconds", report.seconds},
             {"bound_seconds", report.bound},
             {"ranks_used", report.used},
             {"variations", report.variations},
             {"variations_ruled_out", report.variations_left_out},
             {"variations_taken", report.steps}};
    auto const list = [](std::vector<SearchReport::Plan> const& plans, char const* seconds) {
        Json rows = Json::array();
        for (SearchReport::Plan const& plan : plans)
            rows.push_back({{"name", plan.name}, {"calls", plan.calls}, {seconds, plan.seconds}});
        return rows;
    };
    out["looked_at"] = list(report.looked_at, "seconds");
    out["ruled_out"] = list(report.left_out, "bound_seconds");
    return out;
}

}  // namespace ein::apps
