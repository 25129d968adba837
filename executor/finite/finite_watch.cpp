#include "executor/finite/finite_watch.hpp"

#include <algorithm>

#include "executor/finite/origins.hpp"
#include "lib/base/json.hpp"

namespace ein::executor {

namespace {

std::string const seen_verb = "seen ", asked_verb = "seen? ", told_verb = "seen! ";
constexpr std::size_t tensors_a_note = 8;  // notes are small, and so are sent at once

}  // namespace

FiniteWatch::FiniteWatch(schedule::Header const& header, Rank self, int ranks)
    : header_(header), self_(self), seen_(static_cast<std::size_t>(ranks)) {}

bool FiniteWatch::hear(Note const& note) {
    if (note.text.starts_with(asked_verb))
        asked_ = note.text.substr(asked_verb.size());
    else if (note.text.starts_with(told_verb))
        hear_answer(note);
    else if (note.text.starts_with(seen_verb))
        add(note.peer, seen_from_json(Json::parse(note.text.substr(seen_verb.size()))));
    else
        return false;
    return true;
}

/// To a question that is still asked.
void FiniteWatch::hear_answer(Note const& note) {
    if (!answered_.empty() && note.text == told_verb + std::to_string(questions_)) answered_[at(note.peer)] = true;
}

/// What is known of a tensor is replaced.
void FiniteWatch::add(Rank from, SeenNonFinite const& news) {
    SeenNonFinite& known = seen_[at(from)];
    for (SeenTensor const& tensor : news.tensors) {
        std::erase_if(known.tensors, [&](SeenTensor const& each) { return each.tensor == tensor.tensor; });
        known.tensors.push_back(tensor);
    }
    known.carries = news.carries;
    is_news_ = true;
}

std::string FiniteWatch::tick(double now, SeenNonFinite const& news, std::vector<Note>& out) {
    if (self_ != Rank{0}) return tick_other(news, out), "";
    if (!news.tensors.empty()) add(self_, news);
    return tick_first(now, out);
}

std::string FiniteWatch::tick_first(double now, std::vector<Note>& out) {
    if (is_news_) {
        std::vector<Origin> const found = origins(header_, seen_);
        fault_ = first_fault(found) == nullptr ? "" : fault_text(found, header_);
        is_news_ = false;
    }
    if (fault_.empty()) since_.reset(), answered_.clear();
    if (fault_.empty()) return "";
    if (!since_) since_ = now;
    if (now - *since_ < patience) return "";
    if (!answered_.empty()) return all_answered() ? fault_ : "";
    answered_.assign(seen_.size(), false);
    answered_[0] = true;
    ++questions_;
    for (int rank = 1; rank < static_cast<int>(seen_.size()); ++rank)
        out.push_back({Rank{rank}, asked_verb + std::to_string(questions_)});
    return "";
}

void FiniteWatch::tick_other(SeenNonFinite const& news, std::vector<Note>& out) {
    for (std::size_t first = 0; first < news.tensors.size(); first += tensors_a_note) {
        SeenNonFinite some{{}, news.carries};
        for (std::size_t i = first; i < std::min(first + tensors_a_note, news.tensors.size()); ++i)
            some.tensors.push_back(news.tensors[i]);
        out.push_back({Rank{0}, seen_verb + to_json(some).dump()});
    }
    if (asked_) out.push_back({Rank{0}, told_verb + *asked_});
    asked_.reset();
}

bool FiniteWatch::all_answered() const {
    return std::all_of(answered_.begin(), answered_.end(), [](bool answered) { return answered; });
}

}  // namespace ein::executor
