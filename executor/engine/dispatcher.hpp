// The dispatcher of a run: schedule::Dispatcher over blocks with memory.
#pragma once

#include "executor/storage/block_store.hpp"
#include "lib/schedule/dispatch/dispatcher.hpp"

namespace ein::executor {

using schedule::Inputs;
using schedule::Phase;
using schedule::TransferLimits;
using Dispatcher = schedule::Dispatcher<BlockStore>;

/// The profile of a run that keeps its inputs loaded: as if an iteration of a loop around all tasks ended.
schedule::Profile replay_keeping_inputs(schedule::Section const& section);

}  // namespace ein::executor

extern template class ein::schedule::Dispatcher<ein::executor::BlockStore>;
