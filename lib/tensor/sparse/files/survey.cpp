#include "lib/tensor/sparse/files/survey.hpp"

#include <algorithm>

#include "lib/tensor/tuning.hpp"

namespace ein::tensor {
namespace {

/// Fewer cells for few entries.
std::int64_t cells_for(std::optional<Extent> entries) {
    return std::clamp<std::int64_t>(entries.value_or(tuning::histogram_cells), 1, tuning::histogram_cells);
}

}  // namespace

SurveyMaker::SurveyMaker(Shape const& shape, Mirrored mirrored, std::optional<Extent> entries)
    : order_(shape.size()), mirrored_(mirrored), counter_(shape, cells_for(entries)) {}

void SurveyMaker::look_at_order(ListedElements const& written) {
    std::size_t const count = order_ == 0 ? 0 : written.coords.front().size();
    if (count == 0) return;
    for (std::size_t e = before_.empty() ? 1 : 0; e < count && (by_rows_ || by_columns_); ++e) {
        int rows = 0, columns = 0;  // how it compares with the one before
        for (std::size_t axis = 0; axis < order_; ++axis) {
            Extent const now = written.coords[axis][e];
            Extent const then = e > 0 ? written.coords[axis][e - 1] : before_[axis];
            int const sign = (now > then) - (now < then);
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
