#include "executor/device/cpu/loops/tile_convert.hpp"

#include <cstdint>

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

ConvertLoop best_key_loop(HalfKey const& key) {
#ifdef EIN_X86_LOOPS
    static InstructionSet const set = instruction_set();
    if (set == InstructionSet::avx512) return avx512::key_loop(key);
    if (set == InstructionSet::avx2) return avx2::key_loop(key);
#endif
    return baseline::key_loop(key);
}

ConvertLoop best_half_loop(HalfKey const& key) {
#ifdef EIN_X86_LOOPS
    static InstructionSet const set = instruction_set();
    if (set == InstructionSet::avx512) return avx512::half_loop(key);
    if (set == InstructionSet::avx2) return avx2::half_loop(key);
#endif
    return baseline::half_loop(key);
}

}  // namespace

void keys_of(HalfKey const& key, void const* halves, std::ptrdiff_t stride, void* keys, std::size_t count) {
    ConvertLoop const loop = best_key_loop(key);
    if (stride == 1) return loop(halves, keys, count);
    for (std::size_t i = 0; i < count; ++i)
        loop(static_cast<std::uint16_t const*>(halves) + static_cast<std::ptrdiff_t>(i) * stride,
             static_cast<std::int16_t*>(keys) + i, 1);
}

void halves_of(HalfKey const& key, void const* keys, void* halves, std::size_t count) {
    best_half_loop(key)(keys, halves, count);
}

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
