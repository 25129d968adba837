// What is known of a file that lists elements once all of it was looked through: how many there are, roughly where, and
// whether their order shows that no place comes twice.
// Example: entries (0, 1), (0, 3), (2, 0) ascend by rows, so they are distinct; (0, 1), (2, 0), (0, 3) may not be.
#pragma once

#include <optional>
#include <vector>

#include "lib/tensor/sparse/histogram.hpp"

namespace ein::tensor {

struct Survey {
    Extent entries = 0;
    bool distinct = false;  // false also where their order does not show it
    Histogram histogram;
};

/// Which entries are written, of pairs at (i, j) and (j, i).
enum class Mirrored : std::uint8_t { no, yes };

class SurveyMaker {
public:
    /// @param entries  how many there will be, where that is known
    SurveyMaker(Shape const& shape, Mirrored mirrored, std::optional<Extent> entries);

    /// @param written  entries as they stand in the file  @param all  with those that are mirrored
    /// @param count  of `all`
    void add(ListedElements const& written, ListedElements const& all, Extent count);
    /// What comes behind, counted alone.
    void append(SurveyMaker const& next);
    Survey finish();

private:
    void look_at_order(ListedElements const& written);
    void look_at_pair(std::vector<Extent> const& then, std::vector<Extent> const& now);

    std::size_t order_;
    Mirrored mirrored_;
    Survey survey_;
    HistogramCounter counter_;
    std::vector<Extent> first_;                // coordinates of the first entry; empty without any
    std::vector<Extent> before_;               // coordinates of the entry before; empty for the first
    bool by_rows_ = true, by_columns_ = true;  // each entry after the one before: the first axis slowest, or fastest
    bool below_ = true, above_ = true;         // rows >= columns, rows <= columns
};

}  // namespace ein::tensor
