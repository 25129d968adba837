#include "executor/trace/clock_line.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <thread>

#include "executor/report/clock.hpp"
#include "executor/trace/tuning.hpp"
#include "lib/base/files/temporary_name.hpp"

namespace ein::executor {

namespace {

// A run's own notes may still be under way: these differ from them in their first word.
std::string const your_turn = "clock!", question = "clock?", answer = "clock=", enough = "clock.";

/// The next note from `peer` that begins with one of ours.
std::string next_note(Transport& transport, Rank peer) {
    Rank from;
    std::string note;
    while (true) {
        while (!transport.take_note(from, note)) std::this_thread::yield();
        if (from == peer && note.starts_with("clock")) return note;
    }
}

std::string exact(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%a", value);
    return text;
}

/// Rank 0's part: `peer` is asked to ask, until it has asked enough.
void answer_questions(Transport& transport, Rank peer, LocalClock const& clock) {
    transport.post_note(peer, your_turn);
    while (next_note(transport, peer) != enough) transport.post_note(peer, answer + exact(clock.now()));
}

ClockReading ask_questions(Transport& transport, LocalClock const& clock) {
    next_note(transport, Rank{0});  // its turn has come
    ClockReading best;
    for (int i = 0; i < tuning::clock_questions; ++i) {
        double const asked = clock.now();
        transport.post_note(Rank{0}, question);
        double const theirs = std::strtod(next_note(transport, Rank{0}).c_str() + answer.size(), nullptr);
        double const answered = clock.now();
        double const middle = asked + (answered - asked) / 2;
        ClockReading const reading{middle, theirs - middle, (answered - asked) / 2};
        if (i == 0 || reading.error < best.error) best = reading;
    }
    transport.post_note(Rank{0}, enough);
    return best;
}

std::string to_text(ClockReading const& reading) {
    return exact(reading.at) + " " + exact(reading.offset) + " " + exact(reading.error);
}

ClockReading from_text(std::string const& text) {
    ClockReading out;
    char* rest = nullptr;
    out.at = std::strtod(text.c_str(), &rest);
    out.offset = std::strtod(rest, &rest);
    out.error = std::strtod(rest, &rest);
    return out;
}

}  // namespace

LocalClock clock_of_this_machine() {
    char space[64] = "";  // containers of one boot may have clocks of their own
    [[maybe_unused]] auto const length = ::readlink("/proc/self/ns/time", space, sizeof space - 1);
    std::string const boot = this_boot();
    return {seconds_now, boot.empty() ? "" : boot + " " + space};
}

ClockReading read_clock_of_rank_0(Transport& transport, LocalClock const& clock) {
    std::string const unlike_any = "of rank " + std::to_string(transport.rank().value());
    std::vector<std::string> const names = transport.all_gather(clock.name.empty() ? unlike_any : clock.name);
    ClockReading mine{clock.now(), 0, 0};
    auto first_with = [&](std::string const& name) { return std::find(names.begin(), names.end(), name); };
    for (int rank = 1; rank < transport.size(); ++rank) {  // one after another: who asks alone is answered at once
        auto const at = names.begin() + rank;
        if (first_with(*at) != at) continue;
        if (transport.rank() == Rank{0}) answer_questions(transport, Rank{rank}, clock);
        if (transport.rank() == Rank{rank}) mine = ask_questions(transport, clock);
    }
    std::vector<std::string> const readings = transport.all_gather(to_text(mine));
    std::string const& name = names[static_cast<std::size_t>(transport.rank().value())];
    auto const asker = static_cast<std::size_t>(first_with(name) - names.begin());
    return asker == 0 ? mine : from_text(readings[asker]);
}

double ClockLine::operator()(double mine) const {
    double const span = last_.at - first_.at;
    double const share = span > 0 ? (mine - first_.at) / span : 0;
    return mine + first_.offset + share * (last_.offset - first_.offset);
}

double ClockLine::error() const { return std::max(first_.error, last_.error); }

}  // namespace ein::executor
