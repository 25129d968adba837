#include "executor/watch.hpp"

#include <sstream>

namespace ein::executor {

Watch::Watch(Rank self, int ranks, double stall, double now)
    : self_(self), stall_(stall), done_(static_cast<std::size_t>(ranks)), changed_(now), heard_(now) {}

void Watch::hear(Note const& note, double now) {
    std::istringstream words(note.text);
    std::string verb;
    words >> verb;
    if (verb == "done") {
        Done& done = done_[static_cast<std::size_t>(note.peer.value())];
        words >> done.tasks >> done.flops;
    }
    if (verb == "explain") asked_ = true;
    heard_ = now;
}

Watch::Advice Watch::tick(double now, Done mine, std::vector<Note>& out) {
    done_[static_cast<std::size_t>(self_.value())] = mine;
    if (Done const all = sum(); !(all == last_)) {
        last_ = all;
        changed_ = now;
        explained_ = false;
    }
    return self_ == Rank{0} ? tick_first(now, out) : tick_other(now, out);
}

Watch::Advice Watch::tick_first(double now, std::vector<Note>& out) {
    bool const stalled = now - changed_ > stall_;
    if (stalled && explained_) return Advice::give_up;
    for (int rank = 1; rank < static_cast<int>(done_.size()); ++rank)
        out.push_back({Rank{rank}, stalled ? "explain" : "alive"});
    explained_ = stalled;
    return stalled ? Advice::explain : Advice::go_on;
}

Watch::Advice Watch::tick_other(double now, std::vector<Note>& out) {
    Done const& mine = done_[static_cast<std::size_t>(self_.value())];
    std::ostringstream text;
    text.precision(17);
    text << "done " << mine.tasks << ' ' << mine.flops;
    out.push_back({Rank{0}, text.str()});
    if (asked_) {
        asked_ = false;
        return Advice::explain;
    }
    return now - heard_ > 2 * stall_ && now - changed_ > 2 * stall_ ? Advice::give_up : Advice::go_on;
}

Done Watch::sum() const {
    Done all;
    for (Done const& done : done_) {
        all.tasks += done.tasks;
        all.flops += done.flops;
    }
    return all;
}

}  // namespace ein::executor
