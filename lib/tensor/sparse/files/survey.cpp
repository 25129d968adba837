#include "lib/tensor/sparse/files/survey.hpp"

#include <algorithm>

#include "lib/tensor/tuning.hpp"

namespace ein::tensor {
namespace {

/// Fewer cells for few entries.
std::int64_t cells_for(std::optional<Extent> entries) {
    return std::clamp<std::int64_t>(entries.value_or(tuning::histogram_cells), 1, tuning::histogram_cells);
}

/// 1 where the second is larger.
int compared(Extent then, Extent now) { return (now > then) - (now < then); }

}  // namespace

SurveyMaker::SurveyMaker(Shape const& shape, Mirrored mirrored, std::optional<Extent> entries)
    : order_(shape.size()), mirrored_(mirrored), counter_(shape, cells_for(entries)) {}

void SurveyMaker::look_at_pair(std::vector<Extent> const& then, std::vector<Extent> const& now) {
    int rows = 0, columns = 0;
    for (std::size_t axis = 0; axis < order_; ++axis) {
        int const sign = compared(then[axis], now[axis]);
        if (rows == 0) rows = sign;
        if (sign != 0) columns = sign;
    }
    by_rows_ = by_rows_ && rows > 0;
    by_columns_ = by_columns_ && columns > 0;
}

void SurveyMaker::append(SurveyMaker const& next) {
    survey_.entries += next.survey_.entries;
    counter_.add(next.counter_);
    if (next.first_.empty()) return;
    if (first_.empty())
        first_ = next.first_;
    else
        look_at_pair(before_, next.first_);
    before_ = next.before_;
    by_rows_ = by_rows_ && next.by_rows_;
    by_columns_ = by_columns_ && next.by_columns_;
    below_ = below_ && next.below_;
    above_ = above_ && next.above_;
}

void SurveyMaker::look_at_order(ListedElements const& written) {
    std::size_t const count = order_ == 0 ? 0 : written.coords.front().size();
    if (count == 0) return;
    std::vector<Extent> now;
    for (std::vector<Extent> const& axis : written.coords) now.push_back(axis.front());
    if (first_.empty())
        first_ = now;
    else
        look_at_pair(before_, now);
    for (std::size_t e = 1; e < count && (by_rows_ || by_columns_); ++e) {
        int rows = 0, columns = 0;  // how it compares with the one before
        for (std::size_t axis = 0; axis < order_; ++axis) {
            int const sign = compared(written.coords[axis][e - 1], written.coords[axis][e]);
            if (rows == 0) rows = sign;
            if (sign != 0) columns = sign;
        }
        by_rows_ = by_rows_ && rows > 0;
        by_columns_ = by_columns_ && columns > 0;
    }
    before_.clear();
    for (std::vector<Extent> const& axis : written.coords) before_.push_back(axis.back());
    if (mirrored_ == Mirrored::no) return;
    for (std::size_t e = 0; e < count; ++e) {
        below_ = below_ && written.coords[0][e] >= written.coords[1][e];
        above_ = above_ && written.coords[0][e] <= written.coords[1][e];
    }
}

void SurveyMaker::add(ListedElements const& written, ListedElements const& all, Extent count) {
    look_at_order(written);
    if (order_ == 0)
        for (Extent e = 0; e < count; ++e) counter_.add(std::span<Extent const>());
    else
        counter_.add(all);
    survey_.entries += count;
}

Survey SurveyMaker::finish() {
    bool const one_side = mirrored_ == Mirrored::no || below_ || above_;
    survey_.distinct = order_ == 0 ? survey_.entries <= 1 : (by_rows_ || by_columns_) && one_side;
    survey_.histogram = counter_.take();
    return std::move(survey_);
}

}  // namespace ein::tensor
