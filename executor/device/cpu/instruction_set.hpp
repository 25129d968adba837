// Which of the compiled loops this processor runs best.
#pragma once

namespace ein::executor {

enum class InstructionSet { baseline, avx2, avx512 };

inline InstructionSet instruction_set() {
#ifdef EIN_X86_LOOPS
    __builtin_cpu_init();
    bool const wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (wide) return InstructionSet::avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return InstructionSet::avx2;
#endif
    return InstructionSet::baseline;
}

}  // namespace ein::executor
