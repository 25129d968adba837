// How the CPU device moves elements without computing: regions of blocks, reshapes, constants.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/cpu/loops/aggregator.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/moves/short_runs.hpp"
#include "executor/device/cpu/past_cache.hpp"
#include "executor/device/reference/element.hpp"
#include "lib/base/partition.hpp"
#include "lib/tensor/reshape_runs.hpp"

namespace ein::executor {
namespace {

/// Runs move(first, last) over [0, count) in pieces worth a thread each.
template <class Move>
void in_pieces(Extent count, std::size_t bytes, WorkerTeam& team, Move const& move) {
    std::int64_t const pieces = std::min<std::int64_t>(
        {machine::most_pieces, static_cast<std::int64_t>(bytes / machine::bytes_of_a_move), count});
    if (pieces < 2) return move(Extent{0}, count);
    team.run(pieces,
             [&](std::int64_t piece) { move(part_begin(count, pieces, piece), part_begin(count, pieces, piece + 1)); });
}

/// One loop of a region copy, outermost first: steps in bytes, negative where the movement runs backwards.
struct CopyLoop {
    Extent length, from, to;
};

/// The loops of a region copy; axes that run through both blocks as one are one loop.
std::vector<CopyLoop> loops_of(CopyCall const& call) {
    std::vector<CopyLoop> inside_first;
    inside_first.reserve(call.region.order() + 1);
    Extent from = static_cast<Extent>(size_of(call.dtype)), to = from;
    for (std::size_t axis = call.region.order(); axis-- > 0;) {
        CopyLoop const loop{call.region.length[axis], from * call.axes[axis].step, to};
        from *= call.from_box.length[axis];
        to *= call.to_box.length[axis];
        if (loop.length == 1) continue;
        bool const adjacent = !inside_first.empty() &&
                              loop.from == inside_first.back().from * inside_first.back().length &&
                              loop.to == inside_first.back().to * inside_first.back().length;
        if (adjacent)
            inside_first.back().length *= loop.length;
        else
            inside_first.push_back(loop);
    }
    std::reverse(inside_first.begin(), inside_first.end());
    return inside_first;
}

template <std::size_t Size>
using Element = std::conditional_t<
    Size == 1, std::uint8_t,
    std::conditional_t<Size == 2, std::uint16_t, std::conditional_t<Size == 4, std::uint32_t, std::uint64_t>>>;

template <std::size_t Size>
using Vector [[gnu::vector_size(16)]] = Element<Size>;

template <std::size_t Size, int... I>
Vector<Size> reversed(Vector<Size> vector, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(vector, vector, (static_cast<int>(sizeof...(I)) - 1 - I)...);
}

/// Adjacent elements, last first. @param from  the last one
template <std::size_t Size>
void reverse_run(std::byte const* from, std::byte* to, Extent count) {
    constexpr Extent width = 16 / Size, size = Size;
    Extent done = 0;
    if constexpr (Size == 1)
        for (; done + 8 <= count; done += 8) {
            std::uint64_t bytes;
            std::memcpy(&bytes, from - (done + 7), sizeof bytes);
            bytes = __builtin_bswap64(bytes);
            std::memcpy(to + done, &bytes, sizeof bytes);
        }
    else if constexpr (width > 1)
        for (; done + width <= count; done += width) {
            Vector<Size> vector;
            std::memcpy(&vector, from - (done + width - 1) * size, sizeof vector);
            vector = reversed<Size>(vector, std::make_integer_sequence<int, static_cast<int>(width)>{});
            std::memcpy(to + done * size, &vector, sizeof vector);
        }
    for (; done < count; ++done) std::memcpy(to + done * size, from - done * size, Size);
}

/// As reverse_run; whole lines of `to` past the cache.
template <std::size_t Size>
void reverse_past_cache(std::byte const* from, std::byte* to, Extent count) {
    constexpr Extent run = machine::stored_vector_tile / Size;
    alignas(64) std::byte turned[machine::stored_vector_tile];
    for (Extent done = 0; done < count; done += run) {
        Extent const some = std::min(run, count - done);
        reverse_run<Size>(from - done * Extent{Size}, turned, some);
        copy_past_cache(to + done * Extent{Size}, turned, static_cast<std::size_t>(some) * Size);
    }
}

/// Of a step that is known when compiling: vectors are shuffled.
template <std::size_t Size, Extent Step>
void take_every(std::byte const* __restrict from, std::byte* __restrict to, Extent count) {
    auto const* const elements = reinterpret_cast<Element<Size> const*>(from);
    auto* const taken = reinterpret_cast<Element<Size>*>(to);
    for (Extent i = 0; i < count; ++i) taken[i] = elements[i * Step];
}

/// Elements that lie a step apart, side by side. @param step  in elements
template <std::size_t Size>
void take_apart(std::byte const* __restrict from, std::byte* __restrict to, Extent step, Extent count) {
    if constexpr (Size <= 8) {
        if (step == 2) return take_every<Size, 2>(from, to, count);
        if (step == 3) return take_every<Size, 3>(from, to, count);
        if (step == 4) return take_every<Size, 4>(from, to, count);
    }
    for (Extent i = 0; i < count; ++i) std::memcpy(to + i * Extent{Size}, from + i * step * Extent{Size}, Size);
}

template <std::size_t Size>
void copy_elements(std::byte const* from, std::byte* to, CopyLoop const& loop, bool past_cache) {
    constexpr Extent size = Size;
    if (loop.from == -size && loop.to == size)
        return past_cache ? reverse_past_cache<Size>(from, to, loop.length) : reverse_run<Size>(from, to, loop.length);
    if (loop.to == size && loop.from > 0) return take_apart<Size>(from, to, loop.from / size, loop.length);
    for (Extent i = 0; i < loop.length; ++i) std::memcpy(to + i * loop.to, from + i * loop.from, Size);
}

bool is_adjacent(CopyLoop const& loop, std::size_t size) {
    return loop.from == static_cast<Extent>(size) && loop.to == loop.from;
}

void copy_run(std::byte const* from, std::byte* to, CopyLoop const& loop, std::size_t size, bool past_cache) {
    if (is_adjacent(loop, size)) {
        std::size_t const bytes = static_cast<std::size_t>(loop.length) * size;
        if (past_cache) return copy_past_cache(to, from, bytes);
        std::memcpy(to, from, bytes);
        return;
    }
    switch (size) {
        case 1: return copy_elements<1>(from, to, loop, past_cache);
        case 2: return copy_elements<2>(from, to, loop, past_cache);
        case 4: return copy_elements<4>(from, to, loop, past_cache);
        case 8: return copy_elements<8>(from, to, loop, past_cache);
        default: return copy_elements<16>(from, to, loop, past_cache);
    }
}

/// Of the innermost loop, whose elements are adjacent.
Extent bytes_of_run(std::span<CopyLoop const> loops, std::size_t size) {
    return loops.back().length * static_cast<Extent>(size);
}

void copy_short_runs(std::byte const* from, std::byte* to, CopyLoop const& runs, std::size_t bytes) {
    with_run_copy(bytes, [&](auto const& copy) {
        for (Extent i = 0; i < runs.length; ++i) copy(to + i * runs.to, from + i * runs.from);
    });
}

void copy_loops(std::byte const* from, std::byte* to, std::span<CopyLoop const> loops, std::size_t size,
                bool past_cache) {
    if (loops.size() == 1) return copy_run(from, to, loops[0], size, past_cache);
    if (loops.size() == 2 && is_adjacent(loops[1], size) && bytes_of_run(loops, size) < machine::shortest_copied_row)
        return copy_short_runs(from, to, loops[0], static_cast<std::size_t>(bytes_of_run(loops, size)));
    for (Extent i = 0; i < loops[0].length; ++i)
        copy_loops(from + i * loops[0].from, to + i * loops[0].to, loops.subspan(1), size, past_cache);
}

}  // namespace

void CpuDevice::copy(CopyCall const& call, WorkerTeam& team) {
    if (call.region.empty()) return;
    Extent from_offset = 0, to_offset = 0;
    for (std::size_t axis = 0; axis < call.region.order(); ++axis) {
        graph::AxisMap const& map = call.axes[axis];
        Extent const from = map.start + map.step * call.region.begin[axis] - call.from_box.begin[axis];
        from_offset = from_offset * call.from_box.length[axis] + from;
        to_offset = to_offset * call.to_box.length[axis] + call.region.begin[axis] - call.to_box.begin[axis];
    }
    std::size_t const size = size_of(call.dtype);
    auto const* const from = static_cast<std::byte const*>(call.from) + from_offset * static_cast<Extent>(size);
    auto* const to = static_cast<std::byte*>(call.to) + to_offset * static_cast<Extent>(size);
    std::vector<CopyLoop> loops = loops_of(call);
    if (loops.empty()) loops.push_back({1, 0, 0});
    auto const outermost = std::max_element(loops.begin(), loops.end(), [](CopyLoop const& a, CopyLoop const& b) {
        return a.length < b.length && a.length < machine::most_pieces;
    });
    std::size_t const cut = static_cast<std::size_t>(outermost - loops.begin());
    bool const in_short_runs = is_adjacent(loops.back(), size) && bytes_of_run(loops, size) < machine::run_past_cache;
    bool const past_cache =
        !in_short_runs && call.region.elements() * static_cast<Extent>(size) >= machine::output_past_cache;
    in_pieces(loops[cut].length, static_cast<std::size_t>(call.region.elements()) * size, team,
              [&](Extent first, Extent last) {
                  std::vector<CopyLoop> mine = loops;
                  mine[cut].length = last - first;
                  copy_loops(from + first * loops[cut].from, to + first * loops[cut].to, mine, size, past_cache);
                  if (past_cache) finish_past_cache();
              });
}

void CpuDevice::reshape(ReshapeCall const& call, WorkerTeam& team) {
    std::size_t const size = size_of(call.dtype);
    auto const* const from = static_cast<std::byte const*>(call.from);
    auto* const to = static_cast<std::byte*>(call.to);
    Extent packed = 0;
    auto const move = [&](Extent from_at, Extent to_at, Extent count) {
        if (call.form == ReshapeCall::Form::unpack) from_at = packed;
        if (call.form == ReshapeCall::Form::pack) to_at = packed;
        packed += count;
        std::size_t const bytes = static_cast<std::size_t>(count) * size;
        std::byte const* const source = from + static_cast<std::size_t>(from_at) * size;
        std::byte* const target = to + static_cast<std::size_t>(to_at) * size;
        in_pieces(static_cast<Extent>(bytes), bytes, team, [&](Extent first, Extent last) {
            std::memcpy(target + first, source + first, static_cast<std::size_t>(last - first));
        });
    };
    tensor::for_each_shared_run(call.spec->from, call.from_box, call.spec->to, call.to_box, move);
}

void CpuDevice::fill(void* to, Extent elements, DType dtype, scalar::Scalar value, WorkerTeam& team) {
    alignas(16) std::byte element[16] = {};
    store_element(scalar::convert(value, value.is_integer ? DType::i64 : DType::c128, dtype), element, dtype);
    std::size_t const size = size_of(dtype);
    in_pieces(elements, static_cast<std::size_t>(elements) * size, team, [&](Extent first, Extent last) {
        repeat_element(static_cast<std::byte*>(to) + static_cast<std::size_t>(first) * size, element, size,
                       static_cast<std::size_t>(last - first));
    });
}

}  // namespace ein::executor
