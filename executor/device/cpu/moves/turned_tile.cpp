#include "executor/device/cpu/moves/turned_tile.hpp"

#include "executor/device/cpu/instruction_set.hpp"

namespace ein::executor {

TurnLoop turn_loop(std::size_t size) {
#ifdef EIN_X86_LOOPS
    static InstructionSet const set = instruction_set();
    if (set == InstructionSet::avx512) return avx512::turn_loop(size);
    if (set == InstructionSet::avx2) return avx2::turn_loop(size);
#endif
    return baseline::turn_loop(size);
}

}  // namespace ein::executor
