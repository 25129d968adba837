#include "scheduler/simulate/fair_link.hpp"

#include <algorithm>

namespace ein::scheduler {

void FairLink::advance(double now) {
    if (users_.empty()) {
        given_ = 0;  // a fresh start keeps the sums small
        credit_ = std::min(burst_, credit_ + (now - now_) * rate_);
    } else {
        given_ += (now - now_) * rate_ / static_cast<double>(users_.size());
    }
    now_ = now;
}

double FairLink::add(double now, double bytes, std::int32_t user) {
    advance(now);
    double const at_once = std::min(bytes, credit_);
    credit_ -= at_once;
    bytes -= at_once;
    users_.push({given_ + bytes, arrivals_++, user});
    return given_ + bytes;
}

double FairLink::left(double now, double mark) const {
    double const given = (now - now_) * rate_ / static_cast<double>(std::max<std::size_t>(1, users_.size()));
    return std::max(0.0, mark - given_ - given);
}

double FairLink::next_end() const {
    if (users_.empty()) return never;
    return now_ + std::max(0.0, users_.top().ends_at - given_) * static_cast<double>(users_.size()) / rate_;
}

std::int32_t FairLink::take(double now) {
    advance(now);
    User const user = users_.top();
    given_ = std::max(given_, user.ends_at);
    users_.pop();
    return user.id;
}

}  // namespace ein::scheduler
