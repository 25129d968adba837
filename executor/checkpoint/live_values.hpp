// What a rank holds when it stands at a moment: boxes of values in memory or on disk, and which rank saves which of
// them. Values that files or generators give are not saved.
// Example: ranks 0 and 1 both hold row 0 of W: rank 0 saves it. Rank 1 also holds its first half: that is in it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

/// One of both is there.
struct LiveBox {
    schedule::TensorId tensor;
    Box box;
    OptionalId<BlockId> block;                        // in memory
    OptionalId<TaskId> spill;                         // on disk: the spill that wrote it
    std::optional<tensor::SparseLayout> layout = {};  // of a sparse one, at the rank that has it
};

/// @param held  of each block whether it is in memory  @param before  the task at which the rank stands
std::vector<LiveBox> live_boxes(schedule::Section const& section, std::vector<bool> const& held, TaskId before);

struct BoxToSave {
    schedule::TensorId tensor;
    Box box;
    Rank rank;  // who saves it
    friend bool operator==(BoxToSave const&, BoxToSave const&) = default;
};

/// Of what all ranks hold, as few boxes as cover it: none lies in another, and of sparse tensors no two overlap. By
/// tensor, then larger ones first.
/// @param by_rank  without given tensors
std::vector<BoxToSave> boxes_to_save(std::vector<std::vector<LiveBox>> const& by_rank,
                                     std::function<bool(schedule::TensorId)> const& is_sparse);

/// What other ranks are told of boxes, and back.
std::string to_text(std::vector<LiveBox> const& boxes);
std::vector<LiveBox> boxes_from(std::string const& text);

}  // namespace ein::executor
