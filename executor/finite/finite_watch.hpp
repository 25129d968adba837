// Ends a run that goes on for long after NaN or infinities began in it. Ranks tell rank 0 what they see while the run
// lasts; when a node has been at fault for half a minute, rank 0 asks all whether they have seen anything that began
// before, and when they have answered and the node is still at fault, it says what the run fails of. A run that ends
// sooner says so itself, with all that was seen. A protocol of notes without threads or clock: times are given.
// Example: FiniteWatch watch(header, Rank{0}, 2); each second: watch.tick(now, news, notes), and send the notes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "executor/finite/seen_non_finite.hpp"

namespace ein::executor {

class FiniteWatch {
public:
    static constexpr double patience = 30;  // seconds
    struct Note {
        Rank peer;  // to or from
        std::string text;
    };

    FiniteWatch(schedule::Header const& header, Rank self, int ranks);

    /// @return whether the note is one of this
    bool hear(Note const& note);
    /// After all notes that are there were heard. Appends what to send. @param news  what this rank has seen anew
    /// @return at rank 0, what the run fails of; "" while it may go on
    std::string tick(double now, SeenNonFinite const& news, std::vector<Note>& out);

private:
    void hear_answer(Note const& note);
    void add(Rank from, SeenNonFinite const& news);
    std::string tick_first(double now, std::vector<Note>& out);
    void tick_other(SeenNonFinite const& news, std::vector<Note>& out);
    bool all_answered() const;

    schedule::Header const& header_;
    Rank self_;
    std::vector<SeenNonFinite> seen_;   // by rank; rank 0 alone knows of others
    std::string fault_;                 // of what is known; ""
    bool is_news_ = false;              // since fault_ was worked out
    std::optional<double> since_;       // when there was one first
    std::vector<bool> answered_;        // by rank, after all were asked; empty: they were not
    int questions_ = 0;                 // that were asked
    std::optional<std::string> asked_;  // of other ranks: which question is to be answered
};

}  // namespace ein::executor
