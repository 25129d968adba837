#include "executor/device/cpu/loops/tile_convert.hpp"

#include "executor/device/cpu/instruction_set.hpp"
#include "lib/tensor/convert.hpp"

namespace ein::executor {
namespace {

ConvertLoop best_loop(DType from, DType to) {
#ifdef EIN_X86_LOOPS
    static InstructionSet const set = instruction_set();
    if (set == InstructionSet::avx512) return avx512::convert_loop(from, to);
    if (set == InstructionSet::avx2) return avx2::convert_loop(from, to);
#endif
    return baseline::convert_loop(from, to);
}

}  // namespace

bool passes_through(DType from, DType between, DType to) {
    if (from == between || between == to) return true;
    return promote(from, between) == between && !(from == DType::i64 && kind(between) >= Kind::real);
}

void tile_convert(DType from_type, void const* from, std::ptrdiff_t from_stride, DType to_type, void* to,
                  std::size_t count) {
    ConvertLoop const loop = from_stride == 1 ? best_loop(from_type, to_type) : nullptr;
    if (loop != nullptr)
        loop(from, to, count);
    else
        tensor::convert(from_type, from, from_stride, to_type, to, count);
}

}  // namespace ein::executor
