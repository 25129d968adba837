#include "executor/device/cpu/moves/turned_tile.hpp"

#include "executor/device/cpu/instruction_set.hpp"

namespace ein::executor {

TurnLoop turn_loop(std::size_t size) { return EIN_OF_BEST_SET(turn_loop(size)); }

}  // namespace ein::executor
