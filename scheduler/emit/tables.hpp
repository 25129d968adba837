// The header's tables while a schedule is made: kernels, movements, reshapes and fills, each entered once.
#pragma once

#include <map>
#include <string>

#include "lib/schedule/model/schedule.hpp"

namespace ein::scheduler {

class Tables {
public:
    explicit Tables(schedule::Header& header) : header_(header) {}

    schedule::KernelId kernel(schedule::Kernel kernel) { return header_.kernels.add(std::move(kernel)); }
    /// Out = in where indices agree, for tensors of `order` axes.
    schedule::MovementId identity_movement(std::string const& node, std::size_t order);
    schedule::MovementId movement(schedule::Movement movement) { return header_.movements.add(std::move(movement)); }
    schedule::ReshapeId reshape(schedule::ReshapeSpec spec) { return header_.reshapes.add(std::move(spec)); }
    schedule::FillId fill(schedule::FillSpec fill) { return header_.fills.add(std::move(fill)); }

private:
    schedule::Header& header_;
    std::map<std::pair<std::string, std::size_t>, schedule::MovementId> identities_;
};

}  // namespace ein::scheduler
