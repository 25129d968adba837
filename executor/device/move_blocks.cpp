// How the CPU device moves elements without computing: regions of blocks, reshapes, constants.
#include <cstring>

#include "executor/device/aggregator.hpp"
#include "executor/device/cpu_device.hpp"
#include "executor/device/element.hpp"
#include "executor/device/loop_kernel.hpp"
#include "lib/base/partition.hpp"
#include "lib/tensor/reshape_runs.hpp"

namespace ein::executor {
namespace {

constexpr std::size_t bytes_of_a_piece = std::size_t{1} << 20;
constexpr std::int64_t most_pieces = 64;

/// Runs move(first, last) over [0, count) in pieces worth a thread each.
template <class Move>
void in_pieces(Extent count, std::size_t bytes, Team& team, Move const& move) {
    std::int64_t const pieces = std::min<std::int64_t>({most_pieces, static_cast<std::int64_t>(bytes / bytes_of_a_piece), count});
    if (pieces < 2) return move(Extent{0}, count);
    team.run(pieces, [&](std::int64_t piece) { move(part_begin(count, pieces, piece), part_begin(count, pieces, piece + 1)); });
}

/// The loops of a region copy: a step of -1 is a negative stride.
Nest nest_of(CopyCall const& call) {
    Extent const size = static_cast<Extent>(size_of(call.dtype));
    std::vector<Extent> const from = row_major_strides(call.from_box.length), to = row_major_strides(call.to_box.length);
    Nest nest;
    for (std::size_t axis = 0; axis < from.size(); ++axis)
        nest.labels.push_back({call.region.length[axis], {from[axis] * call.axes[axis].step * size}, to[axis] * size, false, -1});
    nest.operand_dtypes = {call.dtype};
    nest.output_dtype = call.dtype;
    simplify(nest);
    return nest;
}

/// A type that compute types include, of the same size: copies need no meaning.
DType carrier(DType type) { return type == DType::f16 || type == DType::bf16 ? DType::i16 : type; }

}  // namespace

void CpuDevice::copy(CopyCall const& call, Team& team) {
    if (call.region.empty()) return;
    CopyCall carried = call;
    carried.dtype = carrier(call.dtype);
    std::vector<Extent> const from = row_major_strides(call.from_box.length), to = row_major_strides(call.to_box.length);
    Extent from_offset = 0, to_offset = 0;
    for (std::size_t axis = 0; axis < from.size(); ++axis) {
        graph::AxisMap const& map = call.axes[axis];
        from_offset += (map.start + map.step * call.region.begin[axis] - call.from_box.begin[axis]) * from[axis];
        to_offset += (call.region.begin[axis] - call.to_box.begin[axis]) * to[axis];
    }
    Extent const size = static_cast<Extent>(size_of(call.dtype));
    void const* const source = static_cast<std::byte const*>(call.from) + from_offset * size;
    LoopKernel::make(nest_of(carried), LoopBody::identity(carried.dtype))
        ->launch(std::span(&source, 1), static_cast<std::byte*>(call.to) + to_offset * size, {}, team);
}

void CpuDevice::reshape(ReshapeCall const& call, Team& team) {
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

void CpuDevice::fill(void* to, Extent elements, DType dtype, scalar::Scalar value, Team& team) {
    alignas(16) std::byte element[16] = {};
    store_element(scalar::convert(value, value.is_integer ? DType::i64 : DType::c128, dtype), element, dtype);
    std::size_t const size = size_of(dtype);
    in_pieces(elements, static_cast<std::size_t>(elements) * size, team, [&](Extent first, Extent last) {
        repeat_element(static_cast<std::byte*>(to) + static_cast<std::size_t>(first) * size, element, size,
                       static_cast<std::size_t>(last - first));
    });
}

}  // namespace ein::executor
