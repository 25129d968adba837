#include "executor/device/cpu/sparse/same_pattern.hpp"

namespace ein::executor {

std::optional<std::vector<int>> whole_output_labels(KernelShape const& shape) {
    if (!shape.sparse->output || shape.accumulate) return std::nullopt;
    SparseOperand const& output = *shape.sparse->output;
    std::vector<int> const& axes = shape.kernel->einsum.output;
    std::vector<int> labels;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        if (output.lengths[axis] != shape.lengths[static_cast<std::size_t>(axes[axis])]) return std::nullopt;
        labels.push_back(axes[static_cast<std::size_t>(output.layout.axes[axis])]);
    }
    return labels;
}

std::byte* copy_pattern(KernelShape const& shape, SparseSource const& source, KernelCall const& call) {
    SparseOperand const& output = *shape.sparse->output;
    SparseSource::Range const all = source.all();
    std::size_t const count = all.end - all.begin;
    tensor::SparseOffsets const at =
        tensor::sparse_offsets(output.layout, output.lengths, shape.output_dtype, static_cast<Extent>(count));
    tensor::check_room(at, static_cast<Extent>(count), call.room);
    auto* const block = static_cast<std::byte*>(call.output);
    tensor::set_listed(std::span(block, sizeof(std::uint64_t)), static_cast<Extent>(count));
    bool const narrow = tensor::index_bytes(output.lengths) == 4;
    auto const store = [&](std::byte* to, std::size_t e, Extent index) {
        if (narrow)
            reinterpret_cast<std::uint32_t*>(to)[e] = static_cast<std::uint32_t>(index);
        else
            reinterpret_cast<std::uint64_t*>(to)[e] = static_cast<std::uint64_t>(index);
    };
    for (std::size_t place = 0; place < output.layout.axes.size(); ++place) {
        Extent const length = output.lengths[static_cast<std::size_t>(output.layout.axes[place])];
        if (place == 0 && output.layout.compressed) {
            auto* const offsets = reinterpret_cast<std::uint64_t*>(block + at.offsets);
            for (Extent row = 0; row <= length; ++row) offsets[row] = source.before(row) - all.begin;
            continue;
        }
        std::byte* const to = block + at.coords[place];
        if (place > 0 && narrow && source.narrow_indices(place) != nullptr) {
            if (count > 0) std::memcpy(to, source.narrow_indices(place) + all.begin, count * 4);
        } else if (place > 0 || !source.compressed()) {
            for (std::size_t e = 0; e < count; ++e) store(to, e, source.index(place, all.begin + e));
        } else {
            for (Extent row = 0; row < length; ++row)
                for (std::size_t e = source.row(row).begin; e < source.row(row).end; ++e) store(to, e - all.begin, row);
        }
        for (std::size_t b = count * (narrow ? 4 : 8); b % 8 != 0; ++b) to[b] = std::byte{0};
    }
    std::byte* const values = block + at.values;
    for (std::size_t b = count * size_of(shape.output_dtype); b % 8 != 0; ++b) values[b] = std::byte{0};
    return values;
}

}  // namespace ein::executor
