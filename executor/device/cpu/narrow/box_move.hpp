// A box on its way to words of 32 bits that lie together, or from there: runs of elements that lie side by side are
// converted one after the other. Leaves what does not lie in runs, and results that are added to what is there, to
// loops. Example: of "ij" in C order the box of rows 2 to 5 and columns 0 to 16 is four runs of 17.
#pragma once

#include <memory>
#include <vector>

#include "executor/device/cpu/loops/loop_kernel.hpp"

namespace ein::executor {

class BoxMove {
public:
    /// @param nest  of one operand, simplified: adjacent on one of the two sides, in the order of the other
    /// @param wide  the words' type, in which results are added to what is there
    static std::unique_ptr<BoxMove const> make(Nest nest, DType wide);

    void run(void const* from, void* to) const;

private:
    struct Label {
        Extent length = 1, from_step = 0, to_step = 0;  // in bytes
    };
    void run(std::size_t label, std::byte const* from, std::byte* to) const;

    std::vector<Label> labels_;  // outermost first, around runs
    std::size_t run_ = 1;        // elements
    ConvertLoop convert_ = nullptr;
    std::unique_ptr<LoopKernel const> loops_;  // in place of all that
};

}  // namespace ein::executor
