// Lists of an EinSum's labels (EinSum::inputs, EinSum::output), as those ask who have one label in hand.
// Example: has_label({0, 2}, 2) is true.
#pragma once

#include <algorithm>
#include <vector>

namespace ein::graph {

inline bool has_label(std::vector<int> const& labels, int label) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// Whether `of` has each of the labels.
inline bool has_labels(std::vector<int> const& of, std::vector<int> const& labels) {
    return std::all_of(labels.begin(), labels.end(), [&](int label) { return has_label(of, label); });
}

}  // namespace ein::graph
