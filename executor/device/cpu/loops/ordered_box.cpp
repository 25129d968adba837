#include "executor/device/cpu/loops/ordered_box.hpp"

#include <algorithm>

#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/moves/short_runs.hpp"
#include "executor/device/cpu/moves/turned_tile.hpp"

namespace ein::executor {

OrderedBox::OrderedBox(std::size_t size, std::vector<Label> labels) : labels_(std::move(labels)), run_bytes_(size) {
    take_runs();
    find_turned();
    if (!turned_) list();
}

/// Inner labels along which elements lie side by side become longer elements. The first two stay labels.
void OrderedBox::take_runs() {
    while (labels_.size() > 2 && labels_.back().step == static_cast<Extent>(run_bytes_)) {
        run_bytes_ *= static_cast<std::size_t>(labels_.back().length);
        labels_.pop_back();
    }
}

/// Where both labels make tiles worth turning.
void OrderedBox::find_turned() {
    bool const is_element = run_bytes_ <= 8 && (run_bytes_ & (run_bytes_ - 1)) == 0;
    auto const line = static_cast<Extent>(machine::cache_line / run_bytes_),
               least = std::min(line, machine::least_turned_in_box);
    if (!is_element || labels_.back().length < least) return;
    for (std::size_t l = 0; l + 1 < labels_.size(); ++l)
        if (labels_[l].step == static_cast<Extent>(run_bytes_) && labels_[l].length >= least) turned_ = l;
}

/// As many as stay in the first-level cache beside what they list.
void OrderedBox::list() {
    listed_ = labels_.size() - 1;
    while (listed_ > 1 && inner_ * labels_[listed_].length <= machine::listed_runs) {
        inner_ *= labels_[listed_].length;
        --listed_;
    }
    at_once_ = std::clamp<Extent>(machine::listed_runs / inner_, 1, labels_[listed_].length);
    std::vector<Extent> inside{0};
    auto const add = [&](Extent length, Extent step) {
        std::vector<Extent> all;
        for (Extent i = 0; i < length; ++i)
            for (Extent at : inside) all.push_back(i * step + at);
        inside = std::move(all);
    };
    for (std::size_t label = labels_.size(); --label > listed_;) add(labels_[label].length, labels_[label].step);
    add(at_once_, labels_[listed_].step);
    at_ = std::move(inside);
}

void OrderedBox::bring(std::byte const* from, Extent first, Extent second, std::byte* to) const {
    if (turned_) return turn(from, 0, {first, second}, to);
    for (Extent i = 0; i < first; ++i) to = bring_rows(from + i * labels_[0].step, 1, second, to);
}

Extent OrderedBox::length(std::size_t label, Call const& call) const {
    return label == 0 ? call.first : label == 1 ? call.second : labels_[label].length;
}

/// Of one index of a label, in the result.
Extent OrderedBox::bytes_inside(std::size_t label, Call const& call) const {
    auto bytes = static_cast<Extent>(run_bytes_);
    for (std::size_t l = label + 1; l < labels_.size(); ++l) bytes *= length(l, call);
    return bytes;
}

void OrderedBox::turn(std::byte const* from, std::size_t label, Call const& call, std::byte* to) const {
    Extent const step = labels_[label].step, count = length(label, call);
    if (label + 1 == labels_.size())
        return turn_loop(run_bytes_)({from, step, to, bytes_inside(*turned_, call), count, length(*turned_, call), 0});
    if (label == *turned_) return turn(from, label + 1, call, to);
    Extent const inside = bytes_inside(label, call);
    for (Extent i = 0; i < count; ++i) turn(from + i * step, label + 1, call, to + i * inside);
}

std::byte* OrderedBox::bring_rows(std::byte const* from, std::size_t label, Extent length, std::byte* to) const {
    Extent const step = labels_[label].step;
    if (label == listed_) {
        for (Extent i = 0; i < length; i += at_once_)
            to = bring_listed(from + i * step, std::min(at_once_, length - i) * inner_, to);
        return to;
    }
    for (Extent i = 0; i < length; ++i) to = bring_rows(from + i * step, label + 1, labels_[label + 1].length, to);
    return to;
}

std::byte* OrderedBox::bring_listed(std::byte const* from, Extent units, std::byte* to) const {
    Extent const* const __restrict at = at_.data();
    Extent const ahead = at_once_ * labels_[listed_].step;  // what is listed next
    with_run_copy(run_bytes_, [&](auto const& copy) {
        std::size_t const bytes = copy.bytes();
        std::byte* __restrict place = to;
        Extent k = 0;
        for (; k + 8 <= units; k += 8, place += 8 * bytes) {
            __builtin_prefetch(from + at[k] + ahead, 0, 2);
            for (std::size_t next = 0; next < 8; ++next) copy(place + next * bytes, from + at[k + next]);
        }
        for (; k < units; ++k, place += bytes) copy(place, from + at[k]);
    });
    return to + static_cast<std::size_t>(units) * run_bytes_;
}

}  // namespace ein::executor
