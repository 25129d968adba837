#include "executor/device/cpu/narrow/narrow_choice.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>

#include "executor/device/cpu/gemm/pair_product.hpp"
#include "executor/device/cpu/instruction_set.hpp"
#include "executor/device/kernel/gemm_match.hpp"

#if defined(EIN_X86_NARROW) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#define EIN_MAY_HAVE_AMX
#endif

namespace ein::executor {
namespace {

constexpr std::array<std::string_view, narrow_sets> set_names{"baseline",   "avx2",       "avx512",
                                                              "avx512vnni", "avx512bf16", "amx"};

/// Whether the processor multiplies tiles, and the system lets this process: it must be asked, since a thread's state
/// becomes larger by 8 KiB.
bool may_use_amx() {
#ifdef EIN_MAY_HAVE_AMX
    constexpr unsigned bf16 = 1u << 22, tile = 1u << 24, int8 = 1u << 25, all = bf16 | tile | int8;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & all) != all) return false;
    constexpr long request_permission = 0x1023, tile_data = 18;
    return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
    return false;
#endif
}

NarrowSet set_of_processor() {
#ifdef EIN_X86_NARROW
    InstructionSet const usual = instruction_set();
    if (usual == InstructionSet::baseline) return NarrowSet::baseline;
    if (usual == InstructionSet::avx2) return NarrowSet::avx2;
    if (!__builtin_cpu_supports("avx512vnni")) return NarrowSet::avx512;
    if (!__builtin_cpu_supports("avx512bf16")) return NarrowSet::avx512vnni;
    return may_use_amx() ? NarrowSet::amx : NarrowSet::avx512bf16;
#else
    return NarrowSet::baseline;
#endif
}

NarrowSet processor() {
    static NarrowSet const set = set_of_processor();
    return set;
}

NarrowSet set_of_environment() {
    char const* const wanted = std::getenv("EINLOOM_NARROW");
    auto const found = std::find(set_names.begin(), set_names.end(), wanted == nullptr ? "amx" : wanted);
    return found == set_names.end() ? NarrowSet::amx : static_cast<NarrowSet>(found - set_names.begin());
}

std::atomic<NarrowSet>& limit() {
    static std::atomic<NarrowSet> most{set_of_environment()};
    return most;
}

NarrowLoops loops_of(NarrowSet set, NarrowFormat format) {
    switch (set) {
#ifdef EIN_X86_NARROW
        case NarrowSet::amx: return amx::narrow_loops(format);
        case NarrowSet::avx512bf16: return avx512bf16::narrow_loops(format);
        case NarrowSet::avx512vnni: return avx512vnni::narrow_loops(format);
        case NarrowSet::avx512: return avx512::narrow_loops(format);
        case NarrowSet::avx2: return avx2::narrow_loops(format);
#else
        case NarrowSet::amx:
        case NarrowSet::avx512bf16:
        case NarrowSet::avx512vnni:
        case NarrowSet::avx512:
        case NarrowSet::avx2: return {};
#endif
        case NarrowSet::baseline: return baseline::narrow_loops(format);
    }
    return {};
}

/// Of the largest set that has the format.
NarrowLoops best_loops(NarrowFormat format) {
    for (int set = static_cast<int>(narrow_set()); set >= 0; --set)
        if (NarrowLoops const loops = loops_of(static_cast<NarrowSet>(set), format); loops.rows > 0) return loops;
    return {};
}

std::optional<NarrowType> narrow_type(DType type) {
    switch (type) {
        case DType::f16: return NarrowType::f16;
        case DType::bf16: return NarrowType::bf16;
        case DType::f32: return NarrowType::f32;
        case DType::i8: return NarrowType::i8;
        case DType::u8: return NarrowType::u8;
        case DType::i16: return NarrowType::i16;
        case DType::i32: return NarrowType::i32;
        case DType::i64: return NarrowType::i64;
        case DType::boolean: return NarrowType::boolean;
        case DType::f64:
        case DType::c64:
        case DType::c128: break;
    }
    return std::nullopt;
}

/// The join's two operands, and what it computes of them.
struct Match {
    std::array<std::size_t, 2> operands{};
    double factor = 1;
    bool inverted = false;
};

std::optional<Match> match_sum(graph::EinSum const& einsum, KernelTypes const& types, scalar::Params const& params) {
    if (einsum.agg != scalar::Agg::sum) return std::nullopt;
    if (types.compute == DType::f32) {
        auto const product = scaled_product(einsum.join, types, params);
        if (!product) return std::nullopt;
        return Match{{product->left, product->right}, product->factor, false};
    }
    auto const pair = pair_operation(einsum.join);
    if (!pair || pair->join != PairJoin::multiply) return std::nullopt;
    return Match{{pair->left, pair->right}, 1, false};
}

/// Truth values: sums are any, and products all.
std::optional<Match> match_truths(graph::EinSum const& einsum) {
    using scalar::Agg;
    using scalar::Op;
    bool const any = einsum.agg == Agg::any || einsum.agg == Agg::sum || einsum.agg == Agg::max;
    bool const all = einsum.agg == Agg::all || einsum.agg == Agg::prod || einsum.agg == Agg::min;
    Op const op = einsum.join.op();
    bool const both = op == Op::logical_and || op == Op::mul || op == Op::min,
               either = op == Op::logical_or || op == Op::max;
    if (!(any && both) && !(all && either)) return std::nullopt;
    auto const& args = einsum.join.args();
    if (args.size() != 2 || args[0].op() != Op::operand || args[1].op() != Op::operand) return std::nullopt;
    auto const left = static_cast<std::size_t>(args[0].node().slot),
               right = static_cast<std::size_t>(args[1].node().slot);
    return left == right ? std::nullopt : std::optional(Match{{left, right}, 1, all});
}

bool bytes_alone(std::array<NarrowType, 2> const& types) {
    return std::all_of(types.begin(), types.end(), [](NarrowType type) {
        return type == NarrowType::i8 || type == NarrowType::u8 || type == NarrowType::boolean;
    });
}

/// Formats that give what the types ask for, best first.
std::vector<NarrowFormat> formats_for(DType compute, std::array<NarrowType, 2> const& types) {
    using enum NarrowFormat;
    bool const bytes = bytes_alone(types);
    bool const short_ones = std::none_of(types.begin(), types.end(), [](NarrowType t) { return t == NarrowType::i32; });
    switch (compute) {
        case DType::f32:
            if (types[0] == NarrowType::bf16 && types[1] == NarrowType::bf16) return {bf16_pairs, floats};
            return types[0] == NarrowType::f32 && types[1] == NarrowType::f32 ? std::vector<NarrowFormat>{}
                                                                              : std::vector{floats};
        case DType::i8:
        case DType::u8: return {i8_quads, i16_pairs, words};
        case DType::i16: return {i16_pairs, words};
        case DType::i32: return short_ones ? std::vector{i8_quads, i16_pairs, words} : std::vector{i32_halves, words};
        case DType::i64: return bytes ? std::vector{i8_quads, i16_pairs} : std::vector<NarrowFormat>{};
        case DType::boolean: return {bits};
        case DType::f16:
        case DType::bf16:
        case DType::f64:
        case DType::c64:
        case DType::c128: break;
    }
    return {};
}

constexpr Extent exact_terms = Extent{1} << 15;  // of which sums of products of bytes fit 32 bits, with a sign

}  // namespace

std::string_view name(NarrowSet set) { return set_names[static_cast<std::size_t>(set)]; }

NarrowSet narrow_set() { return std::min(processor(), limit().load(std::memory_order_relaxed)); }

bool limit_narrow_set(NarrowSet most) {
    limit().store(most, std::memory_order_relaxed);
    return processor() >= most;
}

std::ptrdiff_t (*small_loop(NarrowFormat format))(NarrowSmall const&) {
    for (int set = static_cast<int>(narrow_set()); set >= 0; --set)
        if (NarrowLoops const loops = loops_of(static_cast<NarrowSet>(set), format); loops.small != nullptr)
            return loops.small;
    return nullptr;
}

NarrowLoops careful_loops() { return best_loops(NarrowFormat::floats); }

std::optional<NarrowChoice> choose_narrow(KernelShape const& shape, KernelTypes const& types,
                                          scalar::Params const& params) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    DType const compute = types.compute, output = shape.output_dtype;
    if (types.join != compute || types.accumulate != compute) return std::nullopt;
    bool const truths = compute == DType::boolean;
    std::optional<Match> const match = truths ? match_truths(einsum) : match_sum(einsum, types, params);
    if (!match) return std::nullopt;
    auto const left = narrow_type(shape.operand_dtypes[match->operands[0]]),
               right = narrow_type(shape.operand_dtypes[match->operands[1]]), to = narrow_type(output);
    if (!left || !right || !to) return std::nullopt;
    if (is_integer(compute) && (!is_integer(output) || size_of(output) > size_of(compute))) return std::nullopt;
    NarrowChoice choice;
    choice.operands = match->operands;
    choice.types = {*left, *right};
    choice.output = *to;
    choice.factor = match->factor;
    choice.inverted = match->inverted;
    if (compute == DType::i64) choice.most_terms = exact_terms;
    for (NarrowFormat const format : formats_for(compute, choice.types)) {
        choice.format = format;
        choice.loops = best_loops(format);
        NarrowLoops const& loops = choice.loops;
        if (loops.rows == 0 || loops.store(*to) == nullptr) continue;
        if (loops.pack_a(*left) == nullptr || loops.pack_b(*right) == nullptr) continue;
        bool const in_bytes = format == NarrowFormat::i8_quads && !loops.has_signs;
        if (in_bytes && size_of(output) > 1) continue;
        return choice;
    }
    return std::nullopt;
}

}  // namespace ein::executor
