#include "executor/trace/record.hpp"

namespace ein::executor {

std::vector<Event> TransferLog::latest() const {
    std::vector<Event> out = log_.latest();
    for (std::size_t i = 0; i < since_.size(); ++i)
        if (double const begin = since_[i].load(std::memory_order_relaxed); begin != not_open)
            out.push_back({TaskId{static_cast<std::int32_t>(i)}, -1, begin, Event::still_open});
    return out;
}

}  // namespace ein::executor
