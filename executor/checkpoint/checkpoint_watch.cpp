#include "executor/checkpoint/checkpoint_watch.hpp"

#include <algorithm>
#include <sstream>

namespace ein::executor {

namespace {

std::string const wish = "checkpoint wanted", question = "checkpoint? ", answer_verb = "checkpoint! ",
                  decision = "checkpoint at ", nowhere = "checkpoint off";

}  // namespace

std::string to_text(std::optional<schedule::Point> const& point) {
    if (!point) return "";
    std::string out = std::to_string(point->moment.value());
    for (std::int64_t iteration : point->iterations) out += " " + std::to_string(iteration);
    return out;
}

schedule::Point point_from(std::string const& text) {
    std::istringstream in(text);
    std::int32_t moment = 0;
    in >> moment;
    schedule::Point out{schedule::MomentId{moment}, {}};
    for (std::int64_t iteration = 0; in >> iteration;) out.iterations.push_back(iteration);
    return out;
}

std::optional<schedule::Point> latest_point(schedule::Header const& header, std::vector<std::string> const& by_rank) {
    std::optional<schedule::Point> latest;
    for (std::string const& text : by_rank) {
        if (text.empty()) return std::nullopt;
        schedule::Point const point = point_from(text);
        if (!latest || comes_before(header, *latest, point)) latest = point;
    }
    return latest;
}

CheckpointWatch::CheckpointWatch(schedule::Header const& header, Rank self, int ranks, Tasks tasks)
    : header_(header), self_(self), tasks_(std::move(tasks)), answers_(static_cast<std::size_t>(ranks)) {}

bool CheckpointWatch::hear(Note const& note) {
    std::string const& text = note.text;
    if (text == wish) {
        asked_for_ = true;
    } else if (text.starts_with(question)) {
        if (int const number = std::stoi(text.substr(question.size())); number > settled_) to_answer_ = number;
    } else if (text.starts_with(answer_verb)) {
        auto const space = text.find(' ', answer_verb.size());
        if (std::stoi(text.substr(answer_verb.size())) == question_) answers_[at(note.peer)] = text.substr(space + 1);
    } else if (text.starts_with(decision) || text == nowhere) {
        obey(text);
    } else {
        return false;
    }
    return true;
}

void CheckpointWatch::obey(std::string const& text) {
    if (state_ != State::asked) return;  // it comes too late
    if (text != nowhere) {
        state_ = State::stopping;
        return tasks_.stop_at(point_from(text.substr(decision.size())));
    }
    state_ = State::idle;
    said_ = false;
    tasks_.go_on();
}

void CheckpointWatch::tick(bool wanted, std::vector<Note>& out) {
    if (to_answer_) answer(out);
    if (self_ != Rank{0}) {
        if (wanted && !said_ && state_ == State::idle) out.push_back({Rank{0}, wish}), said_ = true;
        return;
    }
    if (state_ == State::idle && (wanted || asked_for_)) {
        asked_for_ = false;
        state_ = State::asked;
        ++question_;
        std::fill(answers_.begin(), answers_.end(), std::nullopt);
        for (int rank = 1; rank < static_cast<int>(answers_.size()); ++rank)
            out.push_back({Rank{rank}, question + std::to_string(question_)});
        to_answer_ = question_;
        answer(out);
    }
    if (state_ == State::asked) settle(out);
}

void CheckpointWatch::answer(std::vector<Note>& out) {
    state_ = State::asked;
    std::string const text = to_text(tasks_.hold());
    if (self_ == Rank{0})
        answers_[0] = text;
    else
        out.push_back({Rank{0}, answer_verb + std::to_string(*to_answer_) + " " + text});
    to_answer_.reset();
}

/// When all have answered.
void CheckpointWatch::settle(std::vector<Note>& out) {
    std::vector<std::string> points;
    for (std::optional<std::string> const& each : answers_) {
        if (!each) return;
        points.push_back(*each);
    }
    auto const latest = latest_point(header_, points);
    std::string const text = latest ? decision + to_text(latest) : nowhere;
    for (int rank = 1; rank < static_cast<int>(answers_.size()); ++rank) out.push_back({Rank{rank}, text});
    obey(text);
}

void CheckpointWatch::stops_elsewhere() {
    state_ = State::stopping;
    to_answer_.reset();
}

void CheckpointWatch::arrived(int settled) {
    state_ = State::idle;
    said_ = asked_for_ = false;
    to_answer_.reset();
    settled_ = settled;
}

}  // namespace ein::executor
