#include "executor/health/stall_detector.hpp"

#include <algorithm>
#include <sstream>

#include "executor/health/tuning.hpp"

namespace ein::executor {

StallDetector::StallDetector(Rank self, int ranks, double stall, double now)
    : self_(self),
      stall_(stall),
      done_(static_cast<std::size_t>(ranks)),
      said_(static_cast<std::size_t>(ranks), 0),
      changed_(now),
      heard_(static_cast<std::size_t>(ranks), now),
      has_explained_(static_cast<std::size_t>(ranks), false) {}

void StallDetector::hear(Note const& note, double now) {
    auto const peer = static_cast<std::size_t>(note.peer.value());
    std::istringstream words(note.text);
    std::string verb;
    words >> verb;
    if (verb == "done") {
        words >> done_[peer].tasks >> done_[peer].flops;
        ++said_[peer];
    }
    if (verb == "explain") asked_by_ = note.peer;
    if (verb == "explained") has_explained_[peer] = true;
    heard_[peer] = now;
}

StallDetector::Advice StallDetector::tick(double now, Done mine, std::vector<Note>& out) {
    done_[static_cast<std::size_t>(self_.value())] = mine;
    ++said_[static_cast<std::size_t>(self_.value())];
    if (Done const all = sum(); !(all == last_)) {
        last_ = all;
        changed_ = now;
        all_asked_.reset();
    }
    return self_ == Rank{0} ? tick_first(now, out) : tick_other(now, out);
}

StallDetector::Advice StallDetector::tick_first(double now, std::vector<Note>& out) {
    for (int rank = 1; rank < static_cast<int>(done_.size()); ++rank) out.push_back({Rank{rank}, "alive"});
    return now - changed_ > stall_ ? ask_all(now, out) : Advice::go_on;
}

StallDetector::Advice StallDetector::tick_other(double now, std::vector<Note>& out) {
    Done const& mine = done_[static_cast<std::size_t>(self_.value())];
    std::ostringstream text;
    text.precision(17);
    text << "done " << mine.tasks << ' ' << mine.flops;
    out.push_back({Rank{0}, text.str()});
    if (asked_by_) {
        out.push_back({*asked_by_, "explained"});
        asked_by_.reset();
        return Advice::explain;
    }
    return now - heard_[0] > 2 * stall_ && now - changed_ > 2 * stall_ ? ask_all(now, out) : Advice::go_on;
}

/// First everybody is to explain; then, when they have or time is up, the run is given up.
StallDetector::Advice StallDetector::ask_all(double now, std::vector<Note>& out) {
    if (all_asked_) {
        bool const time_is_up = now - *all_asked_ > std::min(stall_, tuning::time_to_explain);
        return time_is_up || all_have_explained() ? Advice::give_up : Advice::go_on;
    }
    all_asked_ = now;
    std::fill(has_explained_.begin(), has_explained_.end(), false);
    for (int rank = 0; rank < static_cast<int>(done_.size()); ++rank)
        if (Rank{rank} != self_) out.push_back({Rank{rank}, "explain"});
    return Advice::explain;
}

std::int64_t StallDetector::rounds() const { return *std::min_element(said_.begin(), said_.end()); }

bool StallDetector::all_have_explained() const {
    for (std::size_t rank = 0; rank < has_explained_.size(); ++rank)
        if (!has_explained_[rank] && static_cast<int>(rank) != self_.value()) return false;
    return true;
}

std::string StallDetector::silence(double now) const {
    std::vector<int> silent;
    double shortest = 0;
    int const end = self_ == Rank{0} ? static_cast<int>(heard_.size()) : 1;
    for (int rank = 0; rank < end; ++rank) {
        double const quiet = now - heard_[static_cast<std::size_t>(rank)];
        if (Rank{rank} == self_ || quiet < stall_ / 2) continue;
        shortest = silent.empty() ? quiet : std::min(shortest, quiet);
        silent.push_back(rank);
    }
    if (silent.empty()) return "";
    std::ostringstream text;
    text.precision(1);
    text << (silent.size() == 1 ? "rank " : "ranks ");
    std::size_t const named = std::min(silent.size(), tuning::most_silent_named);
    for (std::size_t k = 0; k < named; ++k) text << (k > 0 ? ", " : "") << silent[k];
    if (silent.size() > named) text << " and " << silent.size() - named << " more";
    text << (silent.size() == 1 ? " has" : " have") << " not been heard of for " << std::fixed << shortest
         << (silent.size() == 1 ? " s; is its process stopped or its host gone?"
                                : " s; are their processes stopped or their hosts gone?");
    return text.str();
}

Done StallDetector::sum() const {
    Done all;
    for (Done const& done : done_) {
        all.tasks += done.tasks;
        all.flops += done.flops;
    }
    return all;
}

}  // namespace ein::executor
