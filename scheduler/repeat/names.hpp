// What a schedule without the rounds that were left out names - values, and entries of the header's tables - in the
// schedule of all: in front of the rounds that are left out (the one that is repeated included), in each of those, and
// behind them. Example: layers 4 to 30 of 32 are left out: weights that layer 3 loads are its own, then those of 4 to
// 30; the layer behind it loads those of 31.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "lib/schedule/model/schedule.hpp"
#include "scheduler/repeat/left_out_rounds.hpp"
#include "scheduler/repeat/rounds.hpp"

namespace ein::scheduler {

/// A list for each table whose entries tasks and blocks name.
template <class Value>
class ByTable {
public:
    template <class IdType>
    std::vector<Value>& of() {
        return lists_[schedule::detail::place_in<IdType>(schedule::NamedTables())];
    }
    template <class IdType>
    std::vector<Value> const& of() const {
        return lists_[schedule::detail::place_in<IdType>(schedule::NamedTables())];
    }

private:
    std::array<std::vector<Value>, schedule::Succession::tables> lists_;
};

/// Where sections name an entry, by its id.
struct EntryUse {
    bool before = false, repeated = false, behind = false;  // what is repeated is before, too
};

/// Ids of that schedule as those of the whole one's; -1 where there is none.
struct WholeIds {
    ByTable<std::int32_t> before, behind;
};

/// Enters kernels, movements, reshapes, fills and fused groups of the whole graph into its header, and what follows
/// what.
/// @param whole  has the whole graph's tensors, inputs and outputs
/// @return nothing where what a round names is not in the same places in the next one
std::optional<WholeIds> enter_whole(schedule::Header& whole, schedule::Header const& of_lowered,
                                    graph::EinGraph const& graph, Period const& period, LeftOutRounds const& left_out,
                                    Partners partners, ByTable<EntryUse> use);

}  // namespace ein::scheduler
