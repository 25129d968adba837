#include "lib/schedule/verify/verify.hpp"

#include <algorithm>
#include <unordered_set>

#include "lib/tensor/reshape_runs.hpp"

namespace ein::schedule {
namespace {

constexpr std::size_t most_faults = 20;

class FaultList {
public:
    void add(std::string text) {
        if (list_.size() < most_faults) list_.push_back(std::move(text));
    }
    /// @param text  makes the fault's text: millions of tasks have none
    template <class Text>
    bool check(bool holds, Text const& text) {
        if (!holds) add(text());
        return holds;
    }
    bool full() const { return list_.size() >= most_faults; }
    bool empty() const { return list_.empty(); }
    std::vector<std::string> take() { return std::move(list_); }

private:
    std::vector<std::string> list_;
};

bool in_range(std::int64_t index, std::size_t count) { return index >= 0 && static_cast<std::size_t>(index) < count; }

bool sound_shape(Shape const& shape, DType dtype) {
    Extent const most_elements = (Extent{1} << 62) / static_cast<Extent>(size_of(dtype));
    auto const count = checked_element_count(shape);
    return std::all_of(shape.begin(), shape.end(), [&](Extent e) { return e >= 0 && e <= most_elements; }) && count &&
           *count <= most_elements;
}

bool sound_einsum(graph::EinSum const& e) {
    auto label_exists = [&](int label) { return in_range(label, e.labels.size()); };
    if (e.extents.size() != e.labels.size() || e.join.empty()) return false;
    for (Extent extent : e.extents)
        if (extent < 0) return false;
    for (auto const& axes : e.inputs)
        if (!std::all_of(axes.begin(), axes.end(), label_exists)) return false;
    std::vector<int> output = e.output;
    std::sort(output.begin(), output.end());
    return std::all_of(output.begin(), output.end(), label_exists) &&
           std::adjacent_find(output.begin(), output.end()) == output.end();
}

/// Checks one section; one small function a kind of task.
class SectionCheck {
public:
    SectionCheck(Header const& header, Section const& section, Rank rank)
        : header_(header),
          section_(section),
          rank_(rank),
          readers_(section.blocks.size(), 0),
          writers_(section.blocks.size(), 0),
          fetches_(section.tasks.size(), no_spill) {}

    std::vector<std::string> run() {
        for (std::size_t b = 0; b < section_.blocks.size() && !faults_.full(); ++b) check_block(b);
        if (!faults_.empty()) return faults_.take();
        for (std::size_t t = 0; t < section_.tasks.size() && !faults_.full(); ++t) check_task(t);
        for (std::size_t b = 0; b < section_.blocks.size() && !faults_.full(); ++b)
            faults_.check(readers_[b] == section_.blocks[b].readers && writers_[b] == section_.blocks[b].writers &&
                              writers_[b] > 0,
                          [&] { return block_name(b) + ": expected as many readers and writers as tasks name"; });
        for (std::size_t t = 0; t < section_.tasks.size() && !faults_.full(); ++t)
            faults_.check(fetches_[t] != 0, [&] { return task_name(t) + ": expected a fetch of what it writes"; });
        return faults_.take();
    }

private:
    static constexpr std::int32_t no_spill = -1;

    std::string block_name(std::size_t b) const {
        return "rank " + std::to_string(rank_.value()) + ": block " + std::to_string(b);
    }
    std::string task_name(std::size_t t) const {
        return "rank " + std::to_string(rank_.value()) + ": task " + std::to_string(t) + " (" +
               std::string(name(section_.tasks[t].kind)) + ")";
    }
    bool sound_coords(std::int64_t first, std::int32_t order) const {
        auto const size = static_cast<std::int64_t>(section_.coords.size());
        return order >= 0 && first >= 0 && first <= size && 2 * std::int64_t{order} <= size - first;
    }

    void check_block(std::size_t b) {
        Block const& block = section_.blocks[b];
        if (!faults_.check(in_range(block.tensor, header_.tensors.size()) && sound_coords(block.coords, block.order),
                           [&] { return block_name(b) + ": expected indices in range"; }))
            return;
        Box const box = section_.box_of(block);
        Shape const& shape = header_.tensors[static_cast<std::size_t>(block.tensor)].shape;
        bool const fits = block.packed ? box.order() == 1 && box.begin[0] == 0 && sound_shape(box.length, block.dtype)
                                       : box.order() == shape.size() && inside(box, shape);
        faults_.check(fits, [&] { return block_name(b) + ": expected a box inside its tensor"; });
    }

    static bool inside(Box const& box, Shape const& shape) {
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            if (box.begin[axis] < 0 || box.length[axis] < 0 || box.begin[axis] > shape[axis] ||
                box.length[axis] > shape[axis] - box.begin[axis])
                return false;
        return true;
    }

    void check_task(std::size_t t) {
        Task const& task = section_.tasks[t];
        auto const first = static_cast<std::int64_t>(task.first_input), count = static_cast<std::int64_t>(task.inputs);
        bool sound = first >= 0 && count >= 0 && first + count <= static_cast<std::int64_t>(section_.inputs.size()) &&
                     sound_coords(task.coords, task.order) && task.after >= -1 &&
                     task.after < static_cast<std::int64_t>(t) &&
                     (task.output == -1 || in_range(task.output, section_.blocks.size()));
        if (sound)
            for (std::int32_t input : section_.inputs_of(task))
                sound = sound && in_range(input, section_.blocks.size());
        if (!faults_.check(sound, [&] { return task_name(t) + ": expected indices in range"; })) return;
        faults_.check(sound_kind(task),
                      [&] { return task_name(t) + ": expected inputs, output and region that fit its kind"; });
        if (task.kind == TaskKind::spill && task.inputs == 1) fetches_[t] = 0;
        check_order(t);
    }

    void check_order(std::size_t t) {
        Task const& task = section_.tasks[t];
        bool const load = task.kind == TaskKind::load, store = task.kind == TaskKind::store;
        bool const disk = task.kind == TaskKind::spill || task.kind == TaskKind::fetch;
        faults_.check(!(load && works_) && !(stores_ && !store && task.kind != TaskKind::fetch),
                      [&] { return task_name(t) + ": expected loads first and stores last"; });
        works_ = works_ || !(load || disk);
        stores_ = stores_ || store;
        for (std::int32_t input : section_.inputs_of(task)) {
            auto const b = static_cast<std::size_t>(input);
            ++readers_[b];
            faults_.check(writers_[b] == section_.blocks[b].writers && input != task.output, [&] {
                return task_name(t) + ": expected block " + std::to_string(b) + " to be written before it is read";
            });
        }
        if (task.output < 0) return;
        auto const b = static_cast<std::size_t>(task.output);
        if (task.kind == TaskKind::fetch)
            check_fetch(t);
        else if (task.after >= 0)
            faults_.check(section_.tasks[static_cast<std::size_t>(task.after)].output == task.output,
                          [&] { return task_name(t) + ": expected 'after' to write the same block"; });
        else
            faults_.check(!fetched_.contains(task.output),
                          [&] { return task_name(t) + ": expected to come after the fetch"; });
        faults_.check(!task.accumulate || task.after >= 0,
                      [&] { return task_name(t) + ": expected a task before one that accumulates"; });
        faults_.check(readers_[b] == 0, [&] { return task_name(t) + ": expected no reader before the last writer"; });
        ++writers_[b];
    }

    /// It overwrites all of its block with what a block just like it held.
    void check_fetch(std::size_t t) {
        Task const& task = section_.tasks[t];
        bool sound = task.after >= 0 && writers_[static_cast<std::size_t>(task.output)] == 0 &&
                     fetches_[static_cast<std::size_t>(task.after)] != no_spill;
        if (sound) {
            sound = alike(input(section_.tasks[static_cast<std::size_t>(task.after)], 0), output(task));
            ++fetches_[static_cast<std::size_t>(task.after)];
        }
        faults_.check(sound, [&] {
            return task_name(t) + ": expected the first writer of a block like that of the spill before it";
        });
        fetched_.insert(task.output);
    }

    bool alike(Block const& a, Block const& b) const {
        return a.tensor == b.tensor && a.dtype == b.dtype && a.packed == b.packed &&
               section_.box_of(a) == section_.box_of(b);
    }

    Block const& input(Task const& task, std::size_t k) const {
        return section_.blocks[static_cast<std::size_t>(section_.inputs_of(task)[k])];
    }
    Block const& output(Task const& task) const { return section_.blocks[static_cast<std::size_t>(task.output)]; }

    bool sound_kind(Task const& task) const {
        auto takes = [&](std::int32_t inputs, bool writes) {
            return task.inputs == inputs && (task.output >= 0) == writes;
        };
        auto spec_in = [&](std::size_t count) { return in_range(task.spec, count); };
        switch (task.kind) {
            case TaskKind::load: return takes(0, true) && spec_in(header_.inputs.size()) && sound_load(task);
            case TaskKind::apply:
            case TaskKind::reduce:
                return task.output >= 0 && spec_in(header_.kernels.size()) && sound_kernel_call(task);
            case TaskKind::fill: return takes(0, true) && spec_in(header_.fills.size());
            case TaskKind::copy: return takes(1, true) && spec_in(header_.movements.size()) && sound_copy(task);
            case TaskKind::reshape:
            case TaskKind::pack:
            case TaskKind::unpack: return takes(1, true) && spec_in(header_.reshapes.size()) && sound_reshape(task);
            case TaskKind::send: return takes(1, false) && sound_transfer(task, input(task, 0));
            case TaskKind::receive: return takes(0, true) && sound_transfer(task, output(task));
            case TaskKind::store: return takes(1, false) && spec_in(header_.outputs.size()) && sound_store(task);
            case TaskKind::spill: return takes(1, false);
            case TaskKind::fetch: return takes(0, true);
            case TaskKind::turn: return task.output < 0;
        }
        return false;
    }

    bool sound_transfer(Task const& task, Block const& block) const {
        return in_range(task.peer, static_cast<std::size_t>(header_.ranks)) && task.peer != rank_.value() &&
               task.tag >= 0 && (task.order == 0 || lies_together(section_.region_of(task), block));
    }

    bool lies_together(Box const& region, Block const& block) const {
        if (block.packed || region.order() != static_cast<std::size_t>(block.order)) return false;
        Box const box = section_.box_of(block);
        for (std::size_t axis = 0; axis < region.order(); ++axis)
            if (region.length[axis] < 0 || region.begin[axis] < box.begin[axis] ||
                region.length[axis] > box.end(axis) - region.begin[axis])
                return false;
        return is_one_run(region, box);
    }

    bool sound_load(Task const& task) const {
        std::int32_t const tensor = header_.inputs[static_cast<std::size_t>(task.spec)].tensor;
        Block const& block = output(task);
        return !block.packed && block.tensor == tensor &&
               block.dtype == header_.tensors[static_cast<std::size_t>(tensor)].dtype;
    }

    bool sound_store(Task const& task) const {
        Tensor const& tensor =
            header_.tensors[static_cast<std::size_t>(header_.outputs[static_cast<std::size_t>(task.spec)].tensor)];
        Block const& block = input(task, 0);  // of a tensor that equals it, maybe: a node that changes nothing has none
        return !block.packed && header_.tensors[static_cast<std::size_t>(block.tensor)].shape == tensor.shape &&
               block.dtype == tensor.dtype;
    }

    bool sound_kernel_call(Task const& task) const {
        graph::EinSum const& e = header_.kernels[static_cast<std::size_t>(task.spec)].einsum;
        Box const region = section_.region_of(task);
        if (static_cast<std::size_t>(task.inputs) != e.operands() || region.order() != e.labels.size() ||
            !inside(region, e.extents))
            return false;
        for (std::size_t k = 0; k < e.operands(); ++k)
            if (!covers(input(task, k), e.inputs[k], region)) return false;
        return covers(output(task), e.output, region);
    }

    /// The block holds the whole of region's projection on the labels of its axes.
    bool covers(Block const& block, std::vector<int> const& labels, Box const& region) const {
        if (block.packed || static_cast<std::size_t>(block.order) != labels.size()) return false;
        auto const coords = std::span(section_.coords).subspan(static_cast<std::size_t>(block.coords));
        bool inside = true;
        for (std::size_t axis = 0; axis < labels.size(); ++axis) {
            auto const label = static_cast<std::size_t>(labels[axis]);
            Extent const begin = coords[axis], end = begin + coords[labels.size() + axis];
            if (region.length[label] == 0) return true;
            inside = inside && region.begin[label] >= begin && region.end(label) <= end;
        }
        return inside;
    }

    bool sound_copy(Task const& task) const {
        auto const& axes = header_.movements[static_cast<std::size_t>(task.spec)].axes;
        Block const &from = input(task, 0), &to = output(task);
        Box const region = section_.region_of(task);
        if (from.packed || to.packed || from.dtype != to.dtype || region.order() != axes.size() ||
            static_cast<std::size_t>(from.order) != axes.size() || static_cast<std::size_t>(to.order) != axes.size())
            return false;
        Box const from_box = section_.box_of(from), to_box = section_.box_of(to);
        for (std::size_t axis = 0; axis < axes.size(); ++axis)
            if (region.length[axis] < 0 || !axis_fits(axes[axis], region, from_box, to_box, axis)) return false;
        return true;
    }

    static bool axis_fits(graph::AxisMap map, Box const& region, Box const& from, Box const& to, std::size_t axis) {
        if (region.empty()) return true;
        Extent const low = region.begin[axis], high = region.end(axis) - 1;
        if (low < to.begin[axis] || high >= to.end(axis)) return false;
        Extent step_low, step_high, first, last;
        if (__builtin_mul_overflow(map.step, low, &step_low) || __builtin_mul_overflow(map.step, high, &step_high) ||
            __builtin_add_overflow(map.start, step_low, &first) || __builtin_add_overflow(map.start, step_high, &last))
            return false;
        return std::min(first, last) >= from.begin[axis] && std::max(first, last) < from.end(axis);
    }

    bool sound_reshape(Task const& task) const {
        ReshapeSpec const& spec = header_.reshapes[static_cast<std::size_t>(task.spec)];
        Block const &from = input(task, 0), &to = output(task);
        bool const packs = task.kind == TaskKind::pack, unpacks = task.kind == TaskKind::unpack;
        if (from.dtype != to.dtype || from.packed != unpacks || to.packed != packs) return false;
        Box const from_box = unpacks ? section_.region_of(task) : section_.box_of(from);
        Box const to_box = packs ? section_.region_of(task) : section_.box_of(to);
        if (from_box.order() != spec.from.size() || to_box.order() != spec.to.size() || !inside(from_box, spec.from) ||
            !inside(to_box, spec.to))
            return false;
        if (!packs && !unpacks) return true;
        return section_.elements_of(packs ? to : from) == tensor::shared_elements(spec.from, from_box, spec.to, to_box);
    }

    Header const& header_;
    Section const& section_;
    Rank rank_;
    std::vector<std::int32_t> readers_, writers_;
    std::vector<std::int32_t> fetches_;         // by task: how many fetch what it spills, or no_spill
    std::unordered_set<std::int32_t> fetched_;  // blocks that a fetch has begun
    bool works_ = false, stores_ = false;       // a task other than a load, a store has been seen
    FaultList faults_;
};

}  // namespace

std::vector<std::string> faults_of(Header const& header) {
    FaultList faults;
    auto const ranks = static_cast<std::size_t>(std::max(header.ranks, 0));
    faults.check(header.ranks >= 1, [&] { return std::string("expected at least one rank"); });
    for (Tensor const& tensor : header.tensors)
        faults.check(sound_shape(tensor.shape, tensor.dtype),
                     [&] { return "tensor '" + tensor.name + "': expected a shape that can be"; });
    for (Input const& input : header.inputs)
        faults.check(in_range(input.tensor, header.tensors.size()),
                     [&] { return std::string("an input: expected a tensor of the schedule"); });
    for (Output const& output : header.outputs)
        faults.check(in_range(output.tensor, header.tensors.size()),
                     [&] { return "output '" + output.name + "': expected a tensor of the schedule"; });
    for (Kernel const& kernel : header.kernels)
        faults.check(sound_einsum(kernel.einsum),
                     [&] { return "a kernel of node '" + kernel.node + "': expected labels that exist"; });
    for (Movement const& movement : header.movements)
        for (graph::AxisMap const& axis : movement.axes)
            faults.check(axis.step != 0,
                         [&] { return "a movement of node '" + movement.node + "': expected steps other than 0"; });
    for (ReshapeSpec const& reshape : header.reshapes)
        faults.check(sound_shape(reshape.from, DType::i8) && sound_shape(reshape.to, DType::i8) &&
                         element_count(reshape.from) == element_count(reshape.to),
                     [&] { return "a reshape of node '" + reshape.node + "': expected equal element counts"; });
    Prediction const& p = header.prediction;
    faults.check(p.bytes_sent.size() == ranks && p.bytes_received.size() == ranks && p.messages_sent.size() == ranks &&
                     p.peak_bytes.size() == ranks,
                 [&] { return std::string("predictions: expected one for each rank"); });
    return faults.take();
}

std::vector<std::string> faults_of(Header const& header, Section const& section, Rank rank) {
    auto faults = SectionCheck(header, section, rank).run();
    return faults.empty() ? faults_of_loops(header, section, rank) : faults;
}

}  // namespace ein::schedule
