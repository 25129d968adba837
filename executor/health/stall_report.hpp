// What one rank waits for when a run stands still, in words.
// Example: "waits for task 5 (receive from rank 1, message 0, block Z[0:6, 0:6]), which task 6 (reduce of node 'AB',
// block ...) reads".
#pragma once

#include <span>
#include <string>

#include "executor/engine/dispatcher.hpp"
#include "executor/storage/block_storage.hpp"

namespace ein::executor {

/// @param running  what each worker runs; none for nothing  @param ahead  of a device
std::string standstill_text(schedule::Header const& header, schedule::Section const& section,
                            Dispatcher const& dispatcher, std::span<OptionalId<TaskId> const> running,
                            BlockStorage::UnderWay const& ahead = {});

}  // namespace ein::executor
