// How a fused group is cut in pieces: along labels of its last output that run through all of it, outermost first,
// until a piece fits the cache; where whole rows do not, along a label that is reduced inside, if what is reduced can
// be carried (lib/schedule/fusion/carry.hpp). Leaves finding groups to fused_groups.hpp. Example: attention over 65536
// positions: 128 queries of one head are a piece, run in 256 pieces of 256 keys.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "scheduler/fusion/fused_groups.hpp"

namespace ein::scheduler {

class PieceCuts {
public:
    PieceCuts(schedule::Header const& header, schedule::Section const& section, schedule::TaskLinks const& links,
              FusionLimits const& limits, AlikeKernels const& alike)
        : header_(header), section_(section), links_(links), limits_(limits), alike_(alike) {}

    /// Gives a group of tasks its axes and parts. One piece alone: it is not worth cutting.
    void choose(FusedGroup& group) const;

private:
    schedule::Block const& block(BlockId id) const { return section_.blocks[id]; }
    BlockId result(TaskId id) const { return *section_.tasks[id].result(); }
    graph::EinSum const& einsum(TaskId id) const;
    BoxView region(TaskId id) const { return section_.region_of(section_.tasks[id]); }
    Extent begin_of(TaskId id, std::size_t label) const { return region(id).begin[label]; }
    Extent length_of(TaskId id, std::size_t label) const { return region(id).length[label]; }

    /// All that a choice depends on: groups of layers that are alike have the same one.
    using Key = std::vector<std::int64_t>;
    struct Hash {
        std::size_t operator()(Key const& key) const;
    };
    struct Cuts {
        std::vector<FusedGroup::Axis> axes;
        std::optional<FusedGroup::Carry> carry;
    };
    Key key_of(FusedGroup const& group) const;
    Cuts chosen(FusedGroup group) const;

    std::optional<FusedGroup::Axis> axis_along(FusedGroup const& group, std::size_t label) const;
    bool is_clipped(FusedGroup const& group, std::size_t axis) const;
    void choose_parts(FusedGroup& group) const;
    void choose_carry(FusedGroup& group) const;
    std::optional<FusedGroup::Carry> carry_along(FusedGroup const& group, schedule::FusionSpec const& spec,
                                                 std::size_t member, int label) const;
    Extent least_in_runs(FusedGroup const& group, std::size_t axis) const {
        return run_of(group, axis, limits_.least_run);
    }
    Extent run_of(FusedGroup const& group, std::size_t axis, Extent bytes) const;
    bool packs(TaskId id) const;
    bool cuts_rows(FusedGroup const& group, std::size_t axis) const;
    double bytes_along(FusedGroup const& group) const;
    bool stays_in_cache(FusedGroup const& group) const;
    bool is_best_search(FusedGroup const& group) const;
    void choose_parts_of_one_reading(FusedGroup& group) const;

    schedule::Header const& header_;
    schedule::Section const& section_;
    schedule::TaskLinks const& links_;
    FusionLimits const& limits_;
    AlikeKernels const& alike_;
    mutable std::unordered_map<Key, Cuts, Hash> known_;  // chosen before
};

}  // namespace ein::scheduler
