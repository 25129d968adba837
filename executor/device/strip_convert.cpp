#include "executor/device/strip_convert.hpp"

#include "executor/device/instruction_set.hpp"
#include "lib/tensor/convert.hpp"

namespace ein::executor {
namespace {

HalfLoops best_loops() {
#ifdef EIN_X86_LOOPS
    if (instruction_set() == InstructionSet::avx512) return avx512::half_loops();
    if (instruction_set() == InstructionSet::avx2) return avx2::half_loops();
#endif
    return baseline::half_loops();
}

HalfLoops::Loop loop_for(DType from, DType to) {
    static HalfLoops const loops = best_loops();
    if (to == DType::f32)
        return from == DType::f16 ? loops.from_half : from == DType::bf16 ? loops.from_bfloat : nullptr;
    if (from == DType::f32) return to == DType::f16 ? loops.to_half : to == DType::bf16 ? loops.to_bfloat : nullptr;
    return nullptr;
}

}  // namespace

void strip_convert(DType from_type, void const* from, std::ptrdiff_t from_stride, DType to_type, void* to,
                   std::size_t count) {
    HalfLoops::Loop const loop = from_stride == 1 ? loop_for(from_type, to_type) : nullptr;
    if (loop != nullptr)
        loop(from, to, count);
    else
        tensor::convert(from_type, from, from_stride, to_type, to, count);
}

}  // namespace ein::executor
