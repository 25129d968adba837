#include "planner/optimizer/compare.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace ein::planner::optimizer {
namespace {

constexpr double any_time = std::numeric_limits<double>::infinity();
constexpr std::int64_t any_bytes = std::numeric_limits<std::int64_t>::max();

auto beyond(Cost const& cost, AlikeUpTo const& alike) {
    return std::tuple(is_as_fast(cost, alike) ? alike.seconds : cost.seconds,
                      std::max(cost.busiest_bytes, alike.busiest_bytes), std::max(cost.bytes, alike.bytes),
                      std::max(cost.peak, alike.peak));
}

}  // namespace

bool is_as_fast(Cost const& cost, AlikeUpTo const& alike) {
    bool const lean = alike.lean_bytes > 0 && cost.busiest_bytes <= alike.lean_bytes;
    return cost.seconds <= (lean ? std::max(alike.seconds, alike.lean_seconds) : alike.seconds);
}

bool better(Cost const& a, Cost const& b, AlikeUpTo const& alike) { return beyond(a, alike) < beyond(b, alike); }

AlikeUpTo beside(Cost const& incumbent) {
    return {.seconds = (1 + simulation_error) * incumbent.seconds, .bytes = any_bytes, .peak = any_bytes};
}

AlikeUpTo alike_up_to(double least_seconds, Cost const& fastest_named) {
    double const cannot_tell = (1 + simulation_error) * least_seconds;
    double const seconds = std::min(cannot_tell, (1 + alike_seconds) * fastest_named.seconds);
    AlikeUpTo out{.seconds = std::max((1 + alike_seconds) * least_seconds, seconds), .lean_seconds = cannot_tell};
    if (fastest_named.busiest_bytes >= much_moved) out.lean_bytes = fastest_named.busiest_bytes / much_less;
    return out;
}

AlikeUpTo that_fit() { return {.seconds = any_time, .busiest_bytes = any_bytes, .peak = any_bytes}; }

AlikeUpTo that_spill() { return {.busiest_bytes = any_bytes, .bytes = any_bytes, .peak = any_bytes}; }

}  // namespace ein::planner::optimizer
