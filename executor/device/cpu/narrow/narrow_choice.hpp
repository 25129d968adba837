// Which products of narrow types there are loops for, and which of them this processor runs best.
// Example: bf16 times bf16 summed into bf16 is bf16_pairs on AMX where there is such, else on AVX-512 with BF16, else
// floats, which operands become while they are packed.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "executor/device/cpu/narrow/narrow_loops.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "lib/base/box.hpp"

namespace ein::executor {

/// Instruction sets, each with the ones before it.
enum class NarrowSet : std::uint8_t { baseline, avx2, avx512, avx512vnni, avx512bf16, amx };
inline constexpr int narrow_sets = 6;

/// The most that this processor, the system and the environment's EINLOOM_NARROW (one of the names above) allow.
/// Sums of bf16 differ in their last bits from set to set, but not among threads.
NarrowSet narrow_set();
/// For tests: takes at most this one from now on. @return whether the processor has it
bool limit_narrow_set(NarrowSet most);
std::string_view name(NarrowSet set);

struct NarrowChoice {
    NarrowFormat format = NarrowFormat::floats;
    NarrowLoops loops;
    std::array<std::size_t, 2> operands{};  // of the kernel, left and right
    std::array<NarrowType, 2> types{};      // theirs
    NarrowType output = NarrowType::f32;
    double factor = 1;
    bool inverted = false;  // of bits: all over or is not any over and of what is not
    Extent most_terms = 0;  // of a sum that is exact; 0: any
};

/// @return nothing for what is no sum of products, or any of ands and the like, of narrow types: f32 alone among them
std::optional<NarrowChoice> choose_narrow(KernelShape const& shape, KernelTypes const& types,
                                          scalar::Params const& params);

/// Loops of products of small matrices in a format: of the largest set that has them, or null.
std::ptrdiff_t (*small_loop(NarrowFormat format))(NarrowSmall const&);

/// The same operands as numbers of 32 bits: exact of every bf16.
NarrowLoops careful_loops();

}  // namespace ein::executor
