// Strided copies: the loops that region copies and most reshapes come down to, simplified, in the widest units that
// addresses and steps allow. Few different kernels do them: their text knows the number of axes and the unit only.
// Example: 3 rows of 8 f32 out of rows of 12, all at multiples of 16 bytes, are 3 x 2 units of 16 bytes.
#pragma once

#include <vector>

#include "executor/device/cuda/source/program.hpp"

namespace ein::executor::cuda {

/// Steps in bytes; negative where the copy runs backwards.
struct MoveLoop {
    Extent length, from, to;
};

struct StridedMove {
    void const* from = nullptr;  // the blocks' addresses
    void* to = nullptr;
    Extent from_offset = 0, to_offset = 0;  // of the first element, in bytes
    std::vector<MoveLoop> loops;            // from the outermost
    Extent element_bytes = 1;
};

Program move_program(StridedMove move, Gpu const& gpu);

/// Blocks of 256 threads for so many units, each of which a thread handles by itself.
unsigned move_blocks(Extent units, Gpu const& gpu);

/// "ein_copy_0123": a kernel of kernels/move.cuh. @param arguments  the type of its argument, A in the call
Launch move_launch(std::string const& stem, std::string const& arguments, std::string const& call);

}  // namespace ein::executor::cuda
