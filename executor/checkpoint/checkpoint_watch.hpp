// How ranks come to stand still at one point of the run while it goes on: rank 0 asks all; each holds at the next point
// that it has not passed and answers which; the latest of them is where all stop. A rank that has no point left answers
// so, and all go on. Notes may come late: what was settled meanwhile, when ranks met, is not obeyed any more. A
// protocol of notes without threads or clock, as FiniteWatch. Used by one thread at a time. Example: rank 1 wants a
// checkpoint: it says so, rank 0 asks, ranks hold at moments 3 and 5, and stop before moment 5.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/schedule/dispatch/points.hpp"

namespace ein::executor {

class CheckpointWatch {
public:
    struct Note {
        Rank peer;  // to or from
        std::string text;
    };
    /// What is done with this rank's tasks.
    struct Tasks {
        /// No task behind the next point starts. @return the point; nothing when there is none
        std::function<std::optional<schedule::Point>()> hold;
        std::function<void(schedule::Point const&)> stop_at;  // the phase ends there
        std::function<void()> go_on;
    };

    CheckpointWatch(schedule::Header const& header, Rank self, int ranks, Tasks tasks);

    /// @return whether the note is one of this
    bool hear(Note const& note);
    /// After all notes that are there were heard. Appends what to send. @param wanted  this rank wants a checkpoint
    void tick(bool wanted, std::vector<Note>& out);
    /// The number of the last question, at rank 0.
    int last_question() const { return question_; }
    /// It was settled in another way where this rank stops: a decision that is still to come is not obeyed.
    void stops_elsewhere();
    /// Ranks have met, and go on now: the next wish is another one.
    /// @param settled  last_question() of rank 0 as they met: none up to it is answered any more
    void arrived(int settled);
    /// Whether ranks are being asked, or are on their way to a point.
    bool under_way() const { return state_ != State::idle; }

private:
    enum class State { idle, asked, stopping };
    void answer(std::vector<Note>& out);
    void settle(std::vector<Note>& out);
    void obey(std::string const& text);

    schedule::Header const& header_;
    Rank self_;
    Tasks tasks_;
    State state_ = State::idle;
    bool said_ = false;                                // to rank 0 that a checkpoint is wanted
    bool asked_for_ = false;                           // at rank 0: by another rank
    int question_ = 0, settled_ = 0;                   // numbers of questions tell late notes apart
    std::optional<int> to_answer_;                     // elsewhere: which question
    std::vector<std::optional<std::string>> answers_;  // at rank 0, by rank
};

/// "3 7 2": moment and iterations; "" for none.
std::string to_text(std::optional<schedule::Point> const& point);
schedule::Point point_from(std::string const& text);
/// The latest of the points of all ranks; nothing where one has none.
std::optional<schedule::Point> latest_point(schedule::Header const& header, std::vector<std::string> const& by_rank);

}  // namespace ein::executor
