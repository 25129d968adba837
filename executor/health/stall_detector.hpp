// Notices when a run stands still. Ranks send rank 0 how much they have done; when nothing changes anywhere for too
// long, rank 0 asks all to say what they wait for, and ends the run once they have said it (or have had time to). A
// rank that hears nothing from rank 0 for twice as long and gets nowhere itself asks the others in its place. A
// protocol of notes without threads or clock: times are given. Example: StallDetector detector(Rank{0}, 2, 300.0, now);
// each second: detector.tick(now, {tasks, flops}, notes) and send the notes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/ids.hpp"

namespace ein::executor {

/// What a rank, or all together, has done so far.
struct Done {
    std::int64_t tasks = 0;
    double flops = 0;
    friend bool operator==(Done const&, Done const&) = default;
};

class StallDetector {
public:
    struct Note {
        Rank peer;  // to or from
        std::string text;
    };
    enum class Advice { go_on, explain, give_up };

    /// @param stall  seconds without an ended task after which a run counts as stalled
    StallDetector(Rank self, int ranks, double stall, double now);

    void hear(Note const& note, double now);
    /// Called about once a second. Appends what to send.
    Advice tick(double now, Done mine, std::vector<Note>& out);

    Done sum() const;             // of all ranks at rank 0; elsewhere this rank's
    std::int64_t rounds() const;  // at rank 0: how often each rank has said what it has done
    /// The ranks of which nothing has been heard for half of `stall` although they should say something each second: at
    /// rank 0 any other, elsewhere rank 0. "rank 2 has not been heard of for 31 s; is its process stopped or its host
    /// gone?", or "".
    std::string silence(double now) const;

private:
    Advice tick_first(double now, std::vector<Note>& out);
    Advice tick_other(double now, std::vector<Note>& out);
    Advice ask_all(double now, std::vector<Note>& out);
    bool all_have_explained() const;

    Rank self_;
    double stall_;
    std::vector<Done> done_;          // by rank; rank 0 alone knows the others'
    std::vector<std::int64_t> said_;  // by rank: how often it has said that
    Done last_;
    double changed_;                   // when anything was last done
    std::vector<double> heard_;        // by rank: when it was last heard
    std::vector<bool> has_explained_;  // by rank, since all were asked
    std::optional<double> all_asked_;  // when this rank asked all
    std::optional<Rank> asked_by_;     // who waits for an explanation of this rank
};

}  // namespace ein::executor
