// Whether a job that failed is tried again: a state machine without processes, files or clocks.
// Tries that get no further than the one before are what counts (most_tries_without_progress of launch_settings.hpp):
// two for each checkpoint. A new checkpoint begins anew.
// Example: failures with codes 137, 1, 1 at the same newest checkpoint: again, again, give up with code 137.
#pragma once

#include <optional>
#include <string>

namespace ein::apps::tool {

/// What to do after a job's end.
struct NextStep {
    enum class Kind { end, again, give_up } kind = Kind::end;
    int code = 0;     // of the program, unless it tries again
    std::string why;  // for giving up
    friend bool operator==(NextStep const&, NextStep const&) = default;
};

class RetryPolicy {
public:
    /// @param retries  in all; nothing: as many as there is progress for
    explicit RetryPolicy(std::optional<int> retries) : retries_(retries) {}

    /// @param code  that the job ended with
    /// @param newest  name of the newest complete checkpoint; "" for none
    NextStep after(int code, std::string const& newest);
    int tried_again() const { return tried_again_; }

private:
    std::optional<int> retries_;
    int tried_again_ = 0;
    int tries_here_ = 0;               // since the newest checkpoint is the newest
    std::optional<std::string> here_;  // that checkpoint
    int first_code_ = 0;               // of the failures here
};

}  // namespace ein::apps::tool
