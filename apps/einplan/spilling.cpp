#include "apps/einplan/spilling.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/base/sizes.hpp"
#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/memory/spill.hpp"
#include "lib/schedule/verify/verify.hpp"
#include "scheduler/simulate/simulate.hpp"

namespace ein::apps {

void CheapestSpill::consider(Planned const& way, std::string const& what) {
    std::int64_t const smallest = schedule::smallest_budget(way.made.schedule);
    smallest_ = smallest_ == 0 ? smallest : std::min(smallest_, smallest);
    if (smallest > *options_.memory) return;
    Planned spilled = way;
    spilled.made.schedule = schedule::with_spills(std::move(spilled.made.schedule), *options_.memory);
    schedule::DiskUse const use = schedule::disk_use(spilled.made.schedule);
    scheduler::Cluster const& cluster = options_.scheduler.cluster;
    double const seconds = static_cast<double>(way.moved()) / cluster.between.bandwidth +
                           static_cast<double>(use.written + use.read) / cluster.disk;
    if (best_ && seconds_ <= seconds) return;
    best_ = std::move(spilled);
    what_ = what;
    seconds_ = seconds;
}

std::optional<Planned> CheapestSpill::take() {
    if (!best_) return std::nullopt;
    schedule::Schedule const& schedule = best_->made.schedule;
    auto const faults = schedule::faults_of(schedule);
    promise(faults.empty(), "spilling made an unsound schedule: " + (faults.empty() ? "" : faults.front()));
    if (best_->made.makespan > 0) best_->made.makespan = simulate(schedule, options_.scheduler.cluster).all_turns;
    schedule::DiskUse const use = schedule::disk_use(schedule);
    best_->notes.push_back("to fit in " + format_bytes(static_cast<double>(*options_.memory)) +
                           " a rank: " + (what_.empty() ? "" : what_ + ", and ") + "blocks spill to disk; writes " +
                           format_bytes(static_cast<double>(use.written)) + " and reads " +
                           format_bytes(static_cast<double>(use.read)) + " there; einrun wants --spill-dir");
    return std::move(best_);
}

}  // namespace ein::apps
