// The one screen that einplan prints: what was decided and what it will cost.
#pragma once

#include <string>

#include "lib/relation/plan.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::apps {

std::string plan_summary(schedule::Schedule const& schedule, relation::Plan const& plan, std::string const& file);

}  // namespace ein::apps
