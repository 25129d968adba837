// Which of the compiled loops this processor runs best.
#pragma once

namespace ein::executor {

enum class InstructionSet { baseline, avx2, avx512 };

inline InstructionSet find_instruction_set() {
#ifdef EIN_X86_LOOPS
    __builtin_cpu_init();
    bool const wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (wide) return InstructionSet::avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return InstructionSet::avx2;
#endif
    return InstructionSet::baseline;
}
inline InstructionSet instruction_set() {
    static InstructionSet const best = find_instruction_set();
    return best;
}

/// What a call gives that every set has of its own: EIN_OF_BEST_SET(turn_loop(size)) is avx512::turn_loop(size) where
/// the processor has that.
#ifdef EIN_X86_LOOPS
#define EIN_OF_BEST_SET(...)                                           \
    (instruction_set() == InstructionSet::avx512 ? avx512::__VA_ARGS__ \
     : instruction_set() == InstructionSet::avx2 ? avx2::__VA_ARGS__   \
                                                 : baseline::__VA_ARGS__)
#else
#define EIN_OF_BEST_SET(...) baseline::__VA_ARGS__
#endif

}  // namespace ein::executor
