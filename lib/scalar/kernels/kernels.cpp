#include "lib/scalar/kernels/kernels.hpp"

#include "lib/base/error.hpp"
#include "lib/scalar/kernels/plain_kernels.hpp"

namespace ein::scalar {

void fill_kernels_baseline(Kernels& table);
#ifdef EIN_KERNELS_X86
void fill_kernels_avx2(Kernels& table);
void fill_kernels_avx512(Kernels& table);
#endif

namespace {

Kernels made(InstructionSet set) {
    Kernels table;
    fill_plain_kernels(table);
    fill_kernels_baseline(table);
#ifdef EIN_KERNELS_X86
    if (set == InstructionSet::avx2) fill_kernels_avx2(table);
    if (set == InstructionSet::avx512) fill_kernels_avx512(table);
#else
    static_cast<void>(set);
#endif
    return table;
}

InstructionSet best() {
    for (InstructionSet const set : {InstructionSet::avx512, InstructionSet::avx2}) {
        if (supported(set)) return set;
    }
    return InstructionSet::baseline;
}

}  // namespace

bool supported(InstructionSet set) {
    if (set == InstructionSet::baseline) return true;
#ifdef EIN_KERNELS_X86
    if (set == InstructionSet::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

Kernels const& kernels(InstructionSet set) {
    promise(supported(set), "kernels of an instruction set that this processor lacks");
    static Kernels const baseline = made(InstructionSet::baseline);
    if (set == InstructionSet::baseline) return baseline;
    static Kernels const avx2 = made(InstructionSet::avx2);
    if (set == InstructionSet::avx2) return avx2;
    static Kernels const avx512 = made(InstructionSet::avx512);
    return avx512;
}

Kernels const& kernels() {
    static Kernels const& chosen = kernels(best());
    return chosen;
}

}  // namespace ein::scalar
