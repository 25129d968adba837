#include "executor/device/cpu/sparse/listed_output.hpp"

#include <algorithm>
#include <cstring>

#include "executor/device/cpu/loops/tile_convert.hpp"
#include "lib/tensor/sparse/element_sort.hpp"

namespace ein::executor {
namespace {

template <class Index>
void append(tensor::ElementSort<Index>& sort, tensor::ListedElements& piece) {
    for (std::size_t axis = 0; axis < piece.coords.size(); ++axis) {
        std::vector<Index>& to = sort.coords(axis);
        to.reserve(to.size() + piece.coords[axis].size());
        for (Extent index : piece.coords[axis]) to.push_back(static_cast<Index>(index));
        std::vector<Extent>().swap(piece.coords[axis]);
    }
    sort.values().insert(sort.values().end(), piece.values.begin(), piece.values.end());
    std::vector<std::byte>().swap(piece.values);
}

/// Sorted elements of which neighbours may be equal: what was held, then what is new.
tensor::ListedElements combined(tensor::ListedElements const& both, KernelShape const& shape,
                                Aggregator const& aggregator, DType accumulate) {
    DType const type = shape.output_dtype, registers = scalar::own_register_dtype(accumulate);
    std::size_t const size = size_of(type);
    ResultStore store(aggregator, accumulate, type, true);
    tensor::ListedElements out;
    out.coords.resize(both.coords.size());
    auto const count = static_cast<std::size_t>(both.count(type));
    for (std::size_t e = 0; e < count; ++e) {
        std::byte const* const value = both.values.data() + e * size;
        bool const again = e > 0 && std::all_of(both.coords.begin(), both.coords.end(),
                                                [&](auto const& coords) { return coords[e] == coords[e - 1]; });
        if (again) {
            alignas(16) std::byte narrow[16], wide[16];
            tile_convert(type, value, 1, accumulate, narrow, 1);
            tile_convert(accumulate, narrow, 1, registers, wide, 1);
            store.store(wide, 1, out.values.data() + out.values.size() - size, static_cast<Extent>(size));
            continue;
        }
        for (std::size_t axis = 0; axis < out.coords.size(); ++axis) out.coords[axis].push_back(both.coords[axis][e]);
        out.values.insert(out.values.end(), value, value + size);
    }
    return out;
}

template <class Index>
void write(std::span<tensor::ListedElements> pieces, KernelShape const& shape, KernelCall const& call,
           Aggregator const& aggregator, DType accumulate) {
    SparseOperand const& output = *shape.sparse->output;
    DType const type = shape.output_dtype;
    std::span<std::byte> const room(static_cast<std::byte*>(call.output), call.room);
    tensor::ElementSort<Index> sort(output.lengths, size_of(type));
    if (!shape.accumulate) {
        for (tensor::ListedElements& piece : pieces) append(sort, piece);
        sort.write(output.layout, type, {}, room);
        return;
    }
    Box const box = Box::whole(output.lengths);
    tensor::ListedElements held = tensor::elements_of(room, type, box, output.layout);
    append(sort, held);
    for (tensor::ListedElements& piece : pieces) append(sort, piece);
    tensor::SparseLayout const listed{output.layout.axes, false};
    std::vector<std::byte> both(static_cast<std::size_t>(
        tensor::sparse_bytes(listed, output.lengths, type, static_cast<Extent>(sort.count()))));
    sort.write(listed, type, {}, both);
    tensor::ListedElements once = combined(tensor::elements_of(both, type, box, listed), shape, aggregator, accumulate);
    tensor::ElementSort<Index> sorted(output.lengths, size_of(type));
    append(sorted, once);
    sorted.write(output.layout, type, output.layout.axes, room);
}

}  // namespace

void write_listed(std::span<tensor::ListedElements> pieces, KernelShape const& shape, KernelCall const& call,
                  Aggregator const& aggregator, DType accumulate) {
    if (tensor::index_bytes(shape.sparse->output->lengths) == 4)
        write<std::uint32_t>(pieces, shape, call, aggregator, accumulate);
    else
        write<std::uint64_t>(pieces, shape, call, aggregator, accumulate);
}

ListedRows begin_rows(KernelShape const& shape, KernelCall const& call, std::span<std::uint64_t const> offsets) {
    SparseOperand const& output = *shape.sparse->output;
    auto const listed = static_cast<Extent>(offsets.back());
    tensor::SparseOffsets const at = tensor::sparse_offsets(output.layout, output.lengths, shape.output_dtype, listed);
    tensor::check_room(at, listed, call.room);
    auto* const block = static_cast<std::byte*>(call.output);
    tensor::set_listed(std::span(block, sizeof(std::uint64_t)), listed);
    std::memcpy(block + at.offsets, offsets.data(), offsets.size_bytes());
    auto const clear = [&](std::byte* array, std::size_t size) {  // what is between arrays
        for (std::size_t b = static_cast<std::size_t>(listed) * size; b % 8 != 0; ++b) array[b] = std::byte{0};
    };
    ListedRows rows{{nullptr}, block + at.values};
    for (std::size_t place = 1; place < at.coords.size(); ++place) {
        rows.coords.push_back(block + at.coords[place]);
        clear(rows.coords.back(), tensor::index_bytes(output.lengths));
    }
    clear(rows.values, size_of(shape.output_dtype));
    return rows;
}

}  // namespace ein::executor
