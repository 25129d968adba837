#include "planner/optimizer/compare.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace ein::planner::optimizer {
namespace {

constexpr double any_time = std::numeric_limits<double>::infinity();
constexpr std::int64_t any_bytes = std::numeric_limits<std::int64_t>::max();

auto beyond(Cost const& cost, AlikeUpTo const& alike) {
    return std::tuple(std::max(cost.seconds, alike.seconds), std::max(cost.busiest_bytes, alike.busiest_bytes),
                      std::max(cost.bytes, alike.bytes), std::max(cost.peak, alike.peak));
}

}  // namespace

bool better(Cost const& a, Cost const& b, AlikeUpTo const& alike) { return beyond(a, alike) < beyond(b, alike); }

AlikeUpTo beside(Cost const& incumbent) {
    return {.seconds = (1 + simulation_error) * incumbent.seconds, .bytes = any_bytes, .peak = any_bytes};
}

AlikeUpTo alike_up_to(double least_seconds, double least_named) {
    double const seconds = std::min((1 + simulation_error) * least_seconds, (1 + alike_seconds) * least_named);
    return {.seconds = std::max((1 + alike_seconds) * least_seconds, seconds)};
}

AlikeUpTo that_fit() { return {.seconds = any_time, .busiest_bytes = any_bytes, .peak = any_bytes}; }

AlikeUpTo that_spill() { return {.busiest_bytes = any_bytes, .bytes = any_bytes, .peak = any_bytes}; }

}  // namespace ein::planner::optimizer
