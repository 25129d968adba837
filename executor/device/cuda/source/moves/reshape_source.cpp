// Reshapes. Where the axes of both shapes are runs of the axes of a finer one, and both boxes are boxes of that too,
// what the blocks share is a box: a strided copy. Example: (6, 10) and (2, 3, 10) by (2, 3, 10). Else elements are
// tried one by one, and where they travel packed, they are counted first: the scratch has the counts.
#include <algorithm>
#include <functional>
#include <optional>

#include "executor/device/cuda/source/moves/move_source.hpp"
#include "executor/device/cuda/source/text.hpp"

namespace ein::executor::cuda {
namespace {

/// The lengths of the coarsest shape that refines both, or nothing when (as of (6, 10) and (4, 15)) there is none.
std::optional<Shape> refined(Shape const& a, Shape const& b) {
    std::vector<Extent> steps = row_major_strides(a);
    for (Extent step : row_major_strides(b)) steps.push_back(step);
    steps.push_back(element_count(a));
    steps.push_back(1);
    std::sort(steps.begin(), steps.end(), std::greater<>());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    Shape lengths;
    for (std::size_t k = 0; k + 1 < steps.size(); ++k) {
        if (steps[k] % steps[k + 1] != 0) return std::nullopt;
        lengths.push_back(steps[k] / steps[k + 1]);
    }
    return lengths;
}

/// A block of a tensor in terms of the finer shape: the box, and the elements of the block from one index to the next.
struct FineBlock {
    Box box;
    std::vector<Extent> steps;
};

/// An interval [begin, begin + length) of an axis of `fine` lengths, as an interval of each; false when it is no box.
bool cut_interval(Extent begin, Extent length, std::span<Extent const> fine, Box& box) {
    Extent inner = element_count(fine);
    for (Extent const axis : fine) {
        inner /= axis;
        Extent const first = begin / inner, last = (begin + length - 1) / inner;
        bool const aligned = begin % inner == 0 && length % inner == 0;
        if (!aligned && first != last) return false;
        box.begin.push_back(first);
        box.length.push_back(last - first + 1);
        begin = aligned ? 0 : begin - first * inner;
        length = aligned ? inner : length;
    }
    return true;
}

std::optional<FineBlock> fine_block(Shape const& shape, Box const& box, Shape const& fine) {
    FineBlock block;
    std::vector<Extent> const steps = row_major_strides(box.length);
    std::size_t next = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        std::size_t const first = next;
        for (Extent left = shape[axis]; left > 1; left /= fine[next++]) {
        }
        std::span<Extent const> const mine = std::span(fine).subspan(first, next - first);
        if (!cut_interval(box.begin[axis], box.length[axis], mine, block.box)) return std::nullopt;
        Extent step = steps[axis] * shape[axis];
        for (Extent const length : mine) block.steps.push_back(step /= length);
    }
    return block;
}

/// The elements from a block's first to that of `box`, which is inside it.
Extent offset_of(FineBlock const& block, Box const& box, Box const& whole, Shape const& shape, Shape const& fine) {
    Extent offset = 0;
    std::size_t next = 0;
    std::vector<Extent> const steps = row_major_strides(whole.length);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        offset -= whole.begin[axis] * steps[axis];
        for (Extent left = shape[axis]; left > 1; left /= fine[next++]) offset += box.begin[next] * block.steps[next];
    }
    return offset;
}

std::optional<Program> strided(ReshapeCall const& call, Gpu const& gpu) {
    std::optional<Shape> const fine = refined(call.spec->from, call.spec->to);
    if (!fine) return std::nullopt;
    auto const from = fine_block(call.spec->from, call.from_box, *fine),
               to = fine_block(call.spec->to, call.to_box, *fine);
    if (!from || !to) return std::nullopt;
    Box const shared = intersection(from->box, to->box);
    if (shared.empty()) return Program{};
    auto const size = static_cast<Extent>(size_of(call.dtype));
    bool const from_packed = call.form == ReshapeCall::Form::unpack, to_packed = call.form == ReshapeCall::Form::pack;
    std::vector<Extent> const packed = row_major_strides(shared.length);
    StridedMove move{call.from, call.to, 0, 0, {}, size};
    if (!from_packed) move.from_offset = offset_of(*from, shared, call.from_box, call.spec->from, *fine) * size;
    if (!to_packed) move.to_offset = offset_of(*to, shared, call.to_box, call.spec->to, *fine) * size;
    for (std::size_t axis = 0; axis < fine->size(); ++axis)
        move.loops.push_back({shared.length[axis], (from_packed ? packed : from->steps)[axis] * size,
                              (to_packed ? packed : to->steps)[axis] * size});
    return move_program(std::move(move), gpu);
}

constexpr Extent chunk_elements = 16 * 256;  // as in kernels/move.cuh

/// The words of struct ReshapeArguments.
std::vector<std::uint64_t> words_of(Shape const& walked, Box const& walked_box, Shape const& other,
                                    Box const& other_box) {
    Words words;
    auto const add_all = [&](std::vector<Extent> const& values) {
        for (Extent value : values) words.add(value);
        words.add(0);
    };
    auto const add_lengths = [&](Shape const& lengths) {
        for (Extent length : lengths) words.length(length);
        words.length(1);
    };
    add_lengths(walked_box.length);
    add_all(walked_box.begin);
    add_all(row_major_strides(walked));
    add_lengths(other);
    add_all(other_box.begin);
    add_all(other_box.length);
    Extent const count = walked_box.elements();
    return words.add(count).add((count + chunk_elements - 1) / chunk_elements).take();
}

Program one_by_one(ReshapeCall const& call) {
    bool const walks_from = call.from_box.elements() <= call.to_box.elements();
    Box const &walked = walks_from ? call.from_box : call.to_box, &other = walks_from ? call.to_box : call.from_box;
    Shape const &walked_shape = walks_from ? call.spec->from : call.spec->to,
                &other_shape = walks_from ? call.spec->to : call.spec->from;
    std::string const arguments =
        "ReshapeArguments<" + std::to_string(walked.order()) + ", " + std::to_string(other.order()) + ">";
    Extent const chunks = (walked.elements() + chunk_elements - 1) / chunk_elements;
    Program program;
    auto const add = [&](std::string const& stem, Extent blocks, std::string const& body) {
        Launch launch = move_launch(stem, arguments, body);
        launch.constants = words_of(walked_shape, walked, other_shape, other);
        launch.grid_x = static_cast<unsigned>(blocks);
        program.launches.push_back(std::move(launch));
    };
    bool const direct = call.form == ReshapeCall::Form::direct;
    if (!direct) {
        add("count", chunks, "count_shared(a)");
        add("sum", 1, "sum_chunks(a)");
        program.scratch_bytes = 8 * chunks;
    }
    std::string const form = direct ? "direct" : call.form == ReshapeCall::Form::pack ? "pack" : "unpack";
    add("reshape", chunks,
        "reshape<A, Unit<" + std::to_string(size_of(call.dtype)) + ">, " + form +
            (walks_from ? ", true>(a)" : ", false>(a)"));
    return program;
}

}  // namespace

Program reshape_program(ReshapeCall const& call, Gpu const& gpu) {
    if (call.from_box.empty() || call.to_box.empty()) return {};
    if (auto program = strided(call, gpu)) return *program;
    return one_by_one(call);
}

}  // namespace ein::executor::cuda
