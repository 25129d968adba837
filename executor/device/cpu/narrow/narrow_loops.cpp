// Products of narrow types for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled once for each, in a
// namespace of its own (ein_instruction_sets in cmake/EinLibrary.cmake). A set has the formats that a smaller one lacks
// or is slower at; which is taken is narrow_choice.cpp's to say.
#include "executor/device/cpu/narrow/narrow_loops.hpp"

#include "executor/device/cpu/narrow/narrow_pack.hpp"
#include "executor/device/cpu/narrow/narrow_store.hpp"
#include "executor/device/cpu/narrow/narrow_tiles.hpp"
#if defined(__AVX2__) && !defined(__AMX_TILE__)
#define EIN_HAS_SMALL
#include "executor/device/cpu/narrow/narrow_small.hpp"
#endif
#if defined(__AVX2__) && !defined(__AVX512VNNI__)
#define EIN_HAS_STREAMS
#include "executor/device/cpu/narrow/narrow_streams.hpp"
#endif

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

using PackLoop = bool (*)(NarrowPacking const&);
using StoreLoop = void (*)(NarrowStore const&);
using StreamLoop = void (*)(NarrowStream const&);

template <NarrowFormat F, int Width, bool ByRow, bool Right>
PackLoop pack_loop(NarrowType type) {
    using enum NarrowType;
    if constexpr (F == NarrowFormat::bf16_pairs) return type == bf16 ? pack<F, bf16, Width, ByRow, Right> : nullptr;
    if constexpr (F == NarrowFormat::bits) return type == boolean ? pack<F, boolean, Width, ByRow, Right> : nullptr;
    if constexpr (F == NarrowFormat::floats) {
        if (type == f32) return pack<F, f32, Width, ByRow, Right>;
        if (type == f16) return pack<F, f16, Width, ByRow, Right>;
        if (type == bf16) return pack<F, bf16, Width, ByRow, Right>;
    }
    if constexpr (F != NarrowFormat::bf16_pairs && F != NarrowFormat::bits) {
        if (type == i8) return pack<F, i8, Width, ByRow, Right>;
        if (type == u8) return pack<F, u8, Width, ByRow, Right>;
        if (type == boolean) return pack<F, boolean, Width, ByRow, Right>;
    }
    if constexpr (F == NarrowFormat::words || F == NarrowFormat::i16_pairs || F == NarrowFormat::i32_halves ||
                  F == NarrowFormat::floats)
        if (type == i16) return pack<F, i16, Width, ByRow, Right>;
    if constexpr (F == NarrowFormat::words || F == NarrowFormat::i32_halves)
        if (type == i32) return pack<F, i32, Width, ByRow, Right>;
    return nullptr;
}

[[maybe_unused]] StoreLoop float_store(NarrowType type) {
    using enum NarrowType;
    if (type == f32) return store<Sums::floats, f32>;
    if (type == f16) return store<Sums::floats, f16>;
    return type == bf16 ? store<Sums::floats, bf16> : nullptr;
}
[[maybe_unused]] StoreLoop integer_store(NarrowType type) {
    using enum NarrowType;
    if (type == i8) return store<Sums::integers, i8>;
    if (type == u8) return store<Sums::integers, u8>;
    if (type == i16) return store<Sums::integers, i16>;
    if (type == i32) return store<Sums::integers, i32>;
    return type == i64 ? store<Sums::integers, i64> : nullptr;
}
[[maybe_unused]] StoreLoop truth_store(NarrowType type) {
    return type == NarrowType::boolean ? store<Sums::truths, NarrowType::boolean> : nullptr;
}

#if defined(EIN_HAS_STREAMS)
[[maybe_unused]] StreamLoop stream_loop(NarrowType type) {
    using enum NarrowType;
    if (type == f32) return stream<f32>;
    if (type == f16) return stream<f16>;
    return type == bf16 ? stream<bf16> : nullptr;
}
#endif

constexpr double clock = 2 * 3e9;  // two operations of a term

template <NarrowFormat F>
constexpr int terms_of =
    F == NarrowFormat::bf16_pairs || F == NarrowFormat::i16_pairs || F == NarrowFormat::i32_halves ? 2
    : F == NarrowFormat::i8_quads                                                                  ? 4
    : F == NarrowFormat::bits                                                                      ? 32
                                                                                                   : 1;

template <NarrowFormat F>
[[maybe_unused]] NarrowLoops loops() {
    NarrowLoops made;
    made.rows = tile_rows;
    made.columns = tile_vectors * lanes;
    made.terms = terms_of<F>;
    made.words = F == NarrowFormat::i32_halves ? 3 : 1;
    made.flushes = F == NarrowFormat::bf16_pairs;
    made.rate = clock * lanes * made.terms / made.words / (F == NarrowFormat::words ? 3 : 1);
    made.pack_a = pack_loop<F, tile_rows, false, false>;
    made.pack_b = pack_loop<F, tile_vectors * lanes, false, true>;
    made.multiply = multiply<F>;
#if defined(EIN_HAS_SMALL)
    if constexpr (Step<F>::of_floats) made.small = small<F>;
#endif
#if defined(EIN_HAS_STREAMS)
    if constexpr (F == NarrowFormat::floats) made.stream = stream_loop;
#endif
    if constexpr (Step<F>::of_floats)
        made.store = float_store;
    else if constexpr (F == NarrowFormat::bits)
        made.store = truth_store;
    else
        made.store = integer_store;
    return made;
}

#if defined(__AMX_TILE__)
template <NarrowFormat F>
NarrowLoops amx_loops() {
    constexpr int width = 2 * static_cast<int>(amx_side);
    NarrowLoops made;
    made.rows = made.columns = width;
    made.terms = terms_of<F> * static_cast<int>(amx_side);
    made.words = static_cast<int>(amx_side);
    made.pack_a = pack_loop<F, width, true, false>;
    made.pack_b = pack_loop<F, width, false, true>;
    made.has_signs = F == NarrowFormat::i8_quads;
    made.flushes = F == NarrowFormat::bf16_pairs;
    made.rate = clock * 128 * terms_of<F>;
    if constexpr (F == NarrowFormat::bf16_pairs) {
        made.multiply = amx_multiply<Signs::floats>;
        made.store = float_store;
    } else {
        made.multiply = amx_integers;
        made.store = integer_store;
    }
    return made;
}
#endif

}  // namespace

NarrowLoops narrow_loops(NarrowFormat format) {
    using enum NarrowFormat;
#if defined(__AMX_TILE__)
    if (format == bf16_pairs) return amx_loops<bf16_pairs>();
    if (format == i8_quads) return amx_loops<i8_quads>();
#elif defined(__AVX512BF16__)
    if (format == bf16_pairs) return loops<bf16_pairs>();
#elif defined(__AVX512VNNI__)
    if (format == i16_pairs) return loops<i16_pairs>();
    if (format == i8_quads) return loops<i8_quads>();
    if (format == i32_halves) return loops<i32_halves>();
#else
    if (format == words) return loops<words>();
    if (format == bits) return loops<bits>();
#if defined(__AVX2__)
    if (format == floats) return loops<floats>();
    if (format == i16_pairs) return loops<i16_pairs>();
#endif
#endif
    return {};
}

}  // namespace ein::executor::EIN_INSTRUCTION_SET
