#include "executor/device/cuda/source/moves/move_source.hpp"

#include <algorithm>
#include <cstring>

#include "executor/device/cuda/source/text.hpp"
#include "executor/device/cuda/tuning.hpp"
#include "executor/device/reference/element.hpp"

namespace ein::executor::cuda {
namespace {

constexpr unsigned move_threads = 256;  // as in kernels/move.cuh

Extent address(void const* at) { return static_cast<Extent>(reinterpret_cast<std::uintptr_t>(at)); }

/// Drops loops of length one and fuses those that run through both blocks as one.
void simplify(std::vector<MoveLoop>& loops) {
    std::vector<MoveLoop> simple;
    for (MoveLoop const& loop : loops) {
        if (loop.length == 1) continue;
        bool const adjacent = !simple.empty() && simple.back().from == loop.from * loop.length &&
                              simple.back().to == loop.to * loop.length;
        if (adjacent)
            simple.back() = {simple.back().length * loop.length, loop.from, loop.to};
        else
            simple.push_back(loop);
    }
    loops = std::move(simple);
}

/// The widest unit in which runs can be moved, but for the ends of runs that it does not divide.
Extent unit_of(StridedMove const& move) {
    if (move.loops.empty() || move.loops.back().from != move.element_bytes ||
        move.loops.back().to != move.element_bytes)
        return move.element_bytes;
    Extent const run = move.loops.back().length * move.element_bytes;
    for (Extent unit = 16; unit > move.element_bytes; unit /= 2) {
        bool fits = run >= unit && (address(move.from) + move.from_offset) % unit == 0 &&
                    (address(move.to) + move.to_offset) % unit == 0 && address(move.from) % unit == 0 &&
                    address(move.to) % unit == 0;
        for (std::size_t loop = 0; fits && loop + 1 < move.loops.size(); ++loop)
            fits = move.loops[loop].from % unit == 0 && move.loops[loop].to % unit == 0;
        if (fits) return unit;
    }
    return move.element_bytes;
}

bool fits(StridedMove const& move, Extent most) {
    Extent count = 1, from = 0, to = 0;
    for (MoveLoop const& loop : move.loops) {
        count *= loop.length;
        from += std::abs(loop.from) * loop.length;
        to += std::abs(loop.to) * loop.length;
    }
    return count < most && from < most && to < most;
}

/// @param move  its runs are whole numbers of units
Launch copy_launch(StridedMove const& move, Extent unit, Gpu const& gpu) {
    std::string const arguments = "MoveArguments<" + std::to_string(move.loops.size()) + ">";
    Launch launch = move_launch(
        "copy", arguments,
        "copy<A, Unit<" + std::to_string(unit) + ">, " + (fits(move, gpu.wide_from) ? "i32" : "i64") + ">(a)");
    Words words;
    Extent count = 1;
    for (MoveLoop const& loop : move.loops) {
        words.length(loop.length);
        count *= loop.length;
    }
    words.length(1);
    for (MoveLoop const& loop : move.loops) words.add(loop.from);
    words.add(0);
    for (MoveLoop const& loop : move.loops) words.add(loop.to);
    launch.constants = words.add(0).add(move.from_offset).add(move.to_offset).add(count).take();
    launch.grid_x = move_blocks(count, gpu);
    return launch;
}

/// All lengths, steps and offsets in units.
StridedMove in_units(StridedMove move, Extent unit) {
    if (!move.loops.empty() && unit > move.element_bytes)
        move.loops.back() = {move.loops.back().length * move.element_bytes / unit, unit, unit};
    for (MoveLoop& loop : move.loops) {
        loop.from /= unit;
        loop.to /= unit;
    }
    move.from_offset /= unit;
    move.to_offset /= unit;
    return move;
}

}  // namespace

unsigned move_blocks(Extent units, Gpu const& gpu) {
    return static_cast<unsigned>(std::clamp<Extent>((units + move_threads - 1) / move_threads, 1,
                                                    tuning::blocks_of_moves * gpu.multiprocessors));
}

Launch move_launch(std::string const& stem, std::string const& arguments, std::string const& call) {
    return {named(stem, "namespace ein {\nnamespace @_ {\nusing A = " + arguments + ";\nEIN_ENTRY(@, " +
                            std::to_string(move_threads) + ", A) { " + call + "; }\n}\n}\n"),
            1,
            1,
            move_threads,
            {0},
            {},
            {}};
}

Program move_program(StridedMove move, Gpu const& gpu) {
    simplify(move.loops);
    Extent const unit = unit_of(move);
    Program program;
    if (unit > move.element_bytes) {
        Extent const elements = unit / move.element_bytes, rest = move.loops.back().length % elements;
        if (rest != 0) {  // the ends of the runs
            StridedMove ends = move;
            Extent const moved = (move.loops.back().length - rest) * move.element_bytes;
            ends.loops.back().length = rest;
            ends.from_offset += moved;
            ends.to_offset += moved;
            simplify(ends.loops);
            program.launches.push_back(copy_launch(in_units(ends, move.element_bytes), move.element_bytes, gpu));
            move.loops.back().length -= rest;
        }
    }
    program.launches.push_back(copy_launch(in_units(move, unit), unit, gpu));
    return program;
}

Program copy_program(CopyCall const& call, Gpu const& gpu) {
    if (call.region.empty()) return {};
    StridedMove move{call.from, call.to, 0, 0, {}, static_cast<Extent>(size_of(call.dtype))};
    Extent from = move.element_bytes, to = from;
    for (std::size_t axis = call.region.order(); axis-- > 0;) {
        graph::AxisMap const& map = call.axes[axis];
        Extent const begin = call.region.begin[axis];
        move.from_offset += (map.start + map.step * begin - call.from_box.begin[axis]) * from;
        move.to_offset += (begin - call.to_box.begin[axis]) * to;
        move.loops.push_back({call.region.length[axis], from * map.step, to});
        from *= call.from_box.length[axis];
        to *= call.to_box.length[axis];
    }
    std::reverse(move.loops.begin(), move.loops.end());
    return move_program(std::move(move), gpu);
}

Program fill_program(void* to, Extent elements, DType dtype, scalar::Scalar value, Gpu const& gpu) {
    std::uint64_t pattern[2] = {};
    value = scalar::convert(value, value.is_integer ? DType::i64 : DType::c128, dtype);
    store_element(value, pattern, dtype);
    auto const size = static_cast<Extent>(size_of(dtype));
    for (Extent at = size; at < 16; at += size)
        std::memcpy(reinterpret_cast<std::byte*>(pattern) + at, pattern, static_cast<std::size_t>(size));
    Program program;
    auto const fill = [&](Extent unit, Extent offset, Extent count) {
        if (count == 0) return;
        Launch launch = move_launch("fill", "FillArguments", "fill<Unit<" + std::to_string(unit) + ">>(a)");
        launch.operands.clear();
        launch.constants = {pattern[0], pattern[1], static_cast<std::uint64_t>(offset),
                            static_cast<std::uint64_t>(count)};
        launch.grid_x = move_blocks(count, gpu);
        program.launches.push_back(std::move(launch));
    };
    Extent const wide = address(to) % 16 == 0 ? elements * size / 16 : 0, filled = wide * 16 / size;
    fill(16, 0, wide);
    fill(size, filled, elements - filled);
    return program;
}

}  // namespace ein::executor::cuda
