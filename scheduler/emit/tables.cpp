#include "scheduler/emit/tables.hpp"

namespace ein::scheduler {

schedule::MovementId Tables::identity_movement(std::string const& node, std::size_t order) {
    auto const [at, added] = identities_.try_emplace({node, order});
    if (added) at->second = movement({node, std::vector<graph::AxisMap>(order)});
    return at->second;
}

}  // namespace ein::scheduler
