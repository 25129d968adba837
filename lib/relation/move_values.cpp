#include "lib/relation/move_values.hpp"

#include <algorithm>
#include <cstring>

#include "lib/base/error.hpp"
#include "lib/relation/demand.hpp"
#include "lib/relation/tuning.hpp"

namespace ein::relation {
namespace {

struct Run {
    Extent position = 0;  // in the set
    Extent begin = 0, length = 0;
};

/// Consecutive indices as runs; one run over all indices when `whole`.
std::vector<Run> runs_of(IndexSet const& set, bool whole) {
    if (set.size() == 0) return {};
    if (whole || set.is_all()) return {{0, set[0], set[set.size() - 1] - set[0] + 1}};
    std::vector<Run> runs;
    for (Extent k = 0; k < set.size(); ++k) {
        if (!runs.empty() && runs.back().begin + runs.back().length == set[k])
            ++runs.back().length;
        else
            runs.push_back({k, set[k], 1});
    }
    return runs;
}

bool lie_close(Sets const& sets) {
    Shape around;
    for (IndexSet const& set : sets) around.push_back(set.size() == 0 ? 0 : set[set.size() - 1] - set[0] + 1);
    Extent const elements = element_count(around);
    return elements <= tuning::most_read_together ||
           elements <= tuning::most_read_for_one * element_count(sizes_of(sets));
}

/// The elements of a box that are in the sets, to their places.
void scatter(Box const& box, std::vector<std::byte> const& bytes, std::vector<Run> const& at, Sampled& into) {
    std::vector<Extent> const to = row_major_strides(into.data.shape()), from = row_major_strides(box.length);
    std::vector<OffsetPairs> axes(box.order());
    for (std::size_t axis = 0; axis < box.order(); ++axis) {
        IndexSet const& set = into.sets[axis];
        for (Extent k = at[axis].position; k < set.size() && set[k] < box.end(axis); ++k)
            axes[axis].emplace_back(k * to[axis], (set[k] - box.begin[axis]) * from[axis]);
    }
    copy_elements(axes, size_of(into.data.dtype()), bytes.data(), into.data.bytes().data());
}

void fill_with(tensor::HostTensor& tensor, scalar::Scalar const& value) {
    if (tensor.elements() == 0) return;
    tensor.set(0, value);
    std::size_t const bytes = size_of(tensor.dtype());
    for (std::size_t done = bytes; done < tensor.bytes().size(); done += bytes)
        std::memcpy(tensor.bytes().data() + done, tensor.bytes().data(), bytes);
}

}  // namespace

Sampled read_sampled(graph::Leaf const& leaf, graph::Value const& value, Sets sets, ReadLeaf const& read) {
    Sampled out{std::move(sets), {}};
    out.data = tensor::HostTensor(value.dtype, sizes_of(out.sets));
    if (out.data.elements() == 0) return out;
    bool const whole = lie_close(out.sets);
    std::vector<std::vector<Run>> runs;
    Shape counts;
    for (IndexSet const& set : out.sets) {
        runs.push_back(runs_of(set, whole));
        counts.push_back(static_cast<Extent>(runs.back().size()));
    }
    std::vector<std::byte> bytes;
    for_each_index(counts, [&](std::vector<Extent> const& index) {
        Box box;
        std::vector<Run> at;
        for (std::size_t axis = 0; axis < index.size(); ++axis) {
            at.push_back(runs[axis][static_cast<std::size_t>(index[axis])]);
            box.begin.push_back(at.back().begin);
            box.length.push_back(at.back().length);
        }
        bytes.resize(static_cast<std::size_t>(box.elements()) * size_of(value.dtype));
        read(leaf, box, bytes);
        scatter(box, bytes, at, out);
    });
    return out;
}

Sampled move_sampled(graph::Move const& move, std::span<Sampled const* const> inputs, DType dtype, Sets sets) {
    Sampled out{std::move(sets), {}};
    out.data = tensor::HostTensor(dtype, sizes_of(out.sets));
    if (move.fill) fill_with(out.data, *move.fill);
    std::vector<Extent> const to = row_major_strides(out.data.shape());
    for (std::size_t k = 0; k < move.regions.size(); ++k) {
        if (!inputs[k]) continue;
        std::vector<Extent> const from = row_major_strides(inputs[k]->data.shape());
        std::vector<OffsetPairs> axes(out.sets.size());
        bool empty = false;
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            AxisReads const reads = reads_along(move.regions[k], axis, out.sets[axis]);
            empty = empty || reads.to.empty();
            if (empty) break;  // this region is not read here; its input may not have these elements
            for (std::size_t i = 0; i < reads.to.size(); ++i) axes[axis].emplace_back(reads.to[i], reads.from[i]);
        }
        if (empty) continue;
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            for (auto& [into, out_of] : axes[axis]) {
                into = out.sets[axis].position(into) * to[axis];
                out_of = inputs[k]->sets[axis].position(out_of) * from[axis];
            }
        }
        copy_elements(axes, size_of(dtype), inputs[k]->data.bytes().data(), out.data.bytes().data());
    }
    return out;
}

Sampled reshape_sampled(Shape const& from, Shape const& to, Sampled const* input, DType dtype, Sets sets) {
    Sampled out{std::move(sets), {}};
    out.data = tensor::HostTensor(dtype, sizes_of(out.sets));
    if (!input) return out;
    if (out.data.elements() == element_count(to)) {
        out.data.bytes() = input->data.bytes();
        return out;
    }
    std::size_t const bytes = size_of(dtype);
    std::vector<Extent> const strides = row_major_strides(to), have = row_major_strides(input->data.shape());
    std::byte* next = out.data.bytes().data();
    for_each_index(out.data.shape(), [&](std::vector<Extent> const& index) {
        Extent linear = 0, offset = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis) linear += out.sets[axis][index[axis]] * strides[axis];
        for (std::size_t axis = from.size(); axis-- > 0; linear /= from[axis])
            offset += input->sets[axis].position(linear % from[axis]) * have[axis];
        std::memcpy(next, input->data.bytes().data() + static_cast<std::size_t>(offset) * bytes, bytes);
        next += bytes;
    });
    return out;
}

}  // namespace ein::relation
