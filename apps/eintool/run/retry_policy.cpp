#include "apps/eintool/run/retry_policy.hpp"

#include "apps/launch_settings.hpp"

#include "apps/eintool/run/ends.hpp"

namespace ein::apps::tool {

NextStep RetryPolicy::after(int code, std::string const& newest) {
    if (verdict_of(code) != Verdict::failed) return {NextStep::Kind::end, code, ""};
    if (here_ != newest) here_ = newest, tries_here_ = 0, first_code_ = code;
    if (retries_ && tried_again_ >= *retries_)
        return {NextStep::Kind::give_up, first_code_, std::to_string(*retries_) + " retries are used up"};
    if (tries_here_ >= most_tries_without_progress)
        return {NextStep::Kind::give_up, first_code_,
                std::to_string(tries_here_) + " retries made no progress " +
                    (newest.empty() ? "up to a first checkpoint" : "beyond checkpoint " + newest)};
    ++tries_here_, ++tried_again_;
    return {NextStep::Kind::again, 0, ""};
}

}  // namespace ein::apps::tool
