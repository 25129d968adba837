// The labels of an operand that holds positions, and how far each moves in every operand and the output.
#pragma once

#include <algorithm>
#include <vector>

#include "executor/device/kernel/tuning.hpp"
#include "lib/base/dtype.hpp"

namespace ein::executor {

/// Steps in bytes; 0 in what lacks the label.
struct PositionLabel {
    Extent length, positions, data, output;
};

struct PositionOffsets {
    Extent positions = 0, data = 0, output = 0;
};

/// Into how many pieces rows are cut for a team.
inline std::int64_t pieces_of(Extent rows, Extent row_bytes) {
    return std::max<std::int64_t>(
        1, std::min<std::int64_t>({tuning::most_row_pieces, rows, rows * row_bytes / tuning::bytes_of_a_row_piece}));
}

/// How many positions there are.
inline Extent count_of(std::vector<PositionLabel> const& labels) {
    Extent count = 1;
    for (PositionLabel const& label : labels) count *= label.length;
    return count;
}

/// Where the number-th position is, counted in C order, in bytes from the first.
inline PositionOffsets offsets_of(std::vector<PositionLabel> const& labels, Extent number) {
    PositionOffsets at;
    for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
        Extent const index = number % label->length;
        number /= label->length;
        at.positions += index * label->positions;
        at.data += index * label->data;
        at.output += index * label->output;
    }
    return at;
}

}  // namespace ein::executor
