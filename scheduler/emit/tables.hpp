// The header's tables while a schedule is made: kernels, movements, reshapes and fills, each entered once.
#pragma once

#include <map>
#include <string>

#include "lib/schedule/model/schedule.hpp"

namespace ein::scheduler {

class Tables {
public:
    explicit Tables(schedule::Header& header) : header_(header) {}

    std::int32_t kernel(schedule::Kernel kernel);
    /// Out = in where indices agree, for tensors of `order` axes.
    std::int32_t identity_movement(std::string const& node, std::size_t order);
    std::int32_t movement(schedule::Movement movement);
    std::int32_t reshape(schedule::ReshapeSpec spec);
    std::int32_t fill(schedule::Fill fill);

private:
    schedule::Header& header_;
    std::map<std::pair<std::string, std::size_t>, std::int32_t> identities_;
};

}  // namespace ein::scheduler
