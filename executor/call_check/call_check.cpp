#include "executor/call_check/call_check.hpp"

#include <algorithm>
#include <cstring>
#include <deque>

#include "executor/device/reference/element.hpp"
#include "executor/health/task_text.hpp"
#include "lib/schedule/fusion/members.hpp"
#include "lib/tensor/reshape_runs.hpp"
#include "lib/tensor/sparse/fill_value.hpp"
#include "lib/tensor/sparse/find_element.hpp"

namespace ein::executor {

using scalar::Scalar;
using schedule::Block;
using schedule::Section;
using schedule::Task;

namespace {

Shape output_lengths(KernelShape const& shape) {
    Shape out;
    for (int label : shape.kernel->einsum.output) out.push_back(shape.lengths[at(label)]);
    return out;
}

std::vector<ElementPlace> drawn_places(KernelShape const& shape, Draws draws, std::int64_t count) {
    return draws.places(output_lengths(shape), count);
}

/// Bytes from a block's first element to another of its box.
std::ptrdiff_t offset_in(BoxView const& box, std::vector<Extent> const& index, DType dtype) {
    std::ptrdiff_t elements = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis)
        elements = elements * box.length[axis] + index[axis] - box.begin[axis];
    return elements * static_cast<std::ptrdiff_t>(size_of(dtype));
}

/// The blocks of a task's kernel call in this process's memory, as a kernel takes them.
class HostCall {
public:
    HostCall(CallCheck::Parts const& parts, TaskId id, schedule::Apply const& call) {
        Task const& task = parts.section.tasks[id];
        for (std::size_t k = 0; k < call.operands.size(); ++k)
            operands_.push_back(parts.storage.in_host(call.operands[k], HostUse::read).data() +
                                parts.kernels.input_offset(task, static_cast<std::int32_t>(k)));
        call_.operands = operands_;
        call_.output = parts.storage.in_host(call.result, HostUse::read).data() + parts.kernels.output_offset(id);
        call_.begin = call.region.begin;
    }
    HostCall(HostCall const&) = delete;
    HostCall& operator=(HostCall const&) = delete;
    operator KernelCall const&() const { return call_; }
    void replace(std::size_t operand, void const* with) { operands_[operand] = with; }

private:
    std::vector<void const*> operands_;
    KernelCall call_;
};

/// Looks at what a task has made, for each kind that the device does.
struct AtTask {
    CallCheck::Parts const& parts;
    TaskId id;
    CallCheck::Sample const& sample;
    Look& look;

    void operator()(schedule::Apply const& call) const {
        KernelShape shape = kernel_shape(parts.header, parts.section, parts.section.tasks[id]);
        if (!sample.taken.empty()) return over_operand(call, shape);
        look.at_kernel(CallAgain(shape, parts.params), HostCall(parts, id, call),
                       drawn_places(shape, Draws(id, sample.run), sample.elements), sample.held);
    }
    void operator()(schedule::Reduce const& reduce) const { (*this)(call_of(reduce)); }
    void operator()(schedule::Copy const& copy) const {
        std::vector<graph::AxisMap> const& axes = parts.header.movements[copy.movement].axes;
        Draws draws(id, sample.run);
        Shape const lengths(copy.region.length.begin(), copy.region.length.end());
        for (std::vector<Extent> to : draws.places(lengths, sample.elements)) {
            std::vector<Extent> from(to.size());
            for (std::size_t axis = 0; axis < to.size(); ++axis) {
                to[axis] += copy.region.begin[axis];
                from[axis] = axes[axis].start + axes[axis].step * to[axis];
            }
            look.at_moved(block(copy.result).dtype, element(copy.result, to), element(copy.from, from), to);
        }
    }
    void operator()(schedule::Fill const& fill) const {
        Block const& result = block(fill.result);
        Scalar const value = parts.header.fills[fill.fill].value;
        std::byte expected[16];
        store_element(scalar::convert(value, value.is_integer ? DType::i64 : DType::c128, result.dtype), expected,
                      result.dtype);
        Draws draws(id, sample.run);
        BoxView const box = parts.section.view_of(result);
        for (std::vector<Extent> to : draws.places(Shape(box.length.begin(), box.length.end()), sample.elements)) {
            for (std::size_t axis = 0; axis < to.size(); ++axis) to[axis] += box.begin[axis];
            look.at_moved(result.dtype, element(fill.result, to), expected, to);
        }
    }
    void operator()(schedule::Reshape const& move) const {
        shared(move.reshape, move.from, box(move.from), move.result, box(move.result), ReshapeCall::Form::direct);
    }
    void operator()(schedule::Pack const& move) const {
        shared(move.reshape, move.from, box(move.from), move.result, move.unpacked.box(), ReshapeCall::Form::pack);
    }
    void operator()(schedule::Unpack const& move) const {
        shared(move.reshape, move.from, move.packed.box(), move.result, box(move.result), ReshapeCall::Form::unpack);
    }

    void operator()(schedule::Fused const&) const {}  // looked at piece by piece
    void operator()(schedule::Load const&) const {}
    void operator()(schedule::Send const&) const {}
    void operator()(schedule::Receive const&) const {}
    void operator()(schedule::Store const&) const {}
    void operator()(schedule::Spill const&) const {}
    void operator()(schedule::Fetch const&) const {}
    void operator()(schedule::Iterate const&) const {}
    void operator()(schedule::Assemble const&) const {}
    void operator()(schedule::Relocate const& task) const {
        std::vector<graph::AxisMap> const& axes = parts.header.movements[task.movement].axes;
        listed(task.result, task.parts, task.region.box(), [&](std::vector<Extent> const& to) {
            std::vector<Extent> from(to.size());
            for (std::size_t axis = 0; axis < to.size(); ++axis)
                from[axis] = axes[axis].start + axes[axis].step * to[axis];
            return from;
        });
    }
    void operator()(schedule::Refold const& task) const {
        schedule::ReshapeSpec const& spec = parts.header.reshapes[task.reshape];
        std::vector<Extent> const strides = row_major_strides(spec.to);
        listed(task.result, task.parts, box(task.result), [&](std::vector<Extent> const& to) {
            Extent rest = 0;
            for (std::size_t axis = 0; axis < to.size(); ++axis) rest += strides[axis] * to[axis];
            std::vector<Extent> from(spec.from.size());
            for (std::size_t axis = from.size(); axis-- > 0; rest /= spec.from[axis])
                from[axis] = rest % spec.from[axis];
            return from;
        });
    }

private:
    /// The operand was written over: of each element, what it was is another operand without axes.
    void over_operand(schedule::Apply const& call, KernelShape& shape) const {
        auto const is_taken = [&](std::size_t k) { return call.operands[k] == call.operands[at(shape.over)]; };
        for (std::size_t k = 0; k < call.operands.size(); ++k)
            if (is_taken(k)) std::fill(shape.operand_strides[k].begin(), shape.operand_strides[k].end(), 0);
        CallAgain const again(shape, parts.params);
        HostCall host(parts, id, call);
        auto taken = sample.taken.begin();
        for (ElementPlace const& place : drawn_places(shape, Draws(id, sample.run), sample.elements)) {
            for (std::size_t k = 0; k < call.operands.size(); ++k)
                if (is_taken(k)) host.replace(k, taken->bytes);
            ++taken;
            look.at_kernel(again, host, {place}, {});
        }
    }

    Block const& block(BlockId of) const { return parts.section.blocks[of]; }
    Box box(BlockId of) const { return parts.section.box_of(block(of)); }
    std::byte const* data(BlockId of) const { return parts.storage.in_host(of, HostUse::read).data(); }
    std::byte const* element(BlockId of, std::vector<Extent> const& index) const {
        return data(of) + offset_in(parts.section.view_of(block(of)), index, block(of).dtype);
    }

    /// Some of the elements that two boxes share under a reshape; packed ones lie in the order of the runs.
    void shared(schedule::ReshapeId id_of_spec, BlockId from, Box const& from_box, BlockId to, Box const& to_box,
                ReshapeCall::Form form) const {
        schedule::ReshapeSpec const& spec = parts.header.reshapes[id_of_spec];
        Shape const all{tensor::shared_elements(spec.from, from_box, spec.to, to_box)};
        Draws draws(id, sample.run);
        std::vector<Extent> wanted;
        for (ElementPlace const& place : draws.places(all, sample.elements)) wanted.push_back(place[0]);
        std::sort(wanted.begin(), wanted.end());
        auto next = wanted.begin();
        DType const dtype = block(to).dtype;
        std::byte const *const read = data(from), *const written = data(to);
        Extent packed = 0;
        tensor::for_each_shared_run(spec.from, from_box, spec.to, to_box, [&](Extent at, Extent there, Extent count) {
            for (; next != wanted.end() && *next < packed + count; ++next) {
                Extent const source = form == ReshapeCall::Form::unpack ? *next : at + *next - packed,
                             target = form == ReshapeCall::Form::pack ? *next : there + *next - packed;
                look.at_moved(dtype, written + bytes(target, dtype), read + bytes(source, dtype), {target});
            }
            packed += count;
        });
    }
    /// A sparse block, for looking elements up by their indices in the tensor.
    struct Listed {
        Box box;
        tensor::SparseLayout layout;
        tensor::SparseLook look;
        Listed(AtTask const& task, BlockId id)
            : box(task.box(id)),
              layout(task.parts.section.sparse(task.block(id)).layout()),
              look(task.data(id), layout, box.length, task.block(id).dtype) {}
        Listed(Listed const&) = delete;
        Listed& operator=(Listed const&) = delete;
        /// Where it is; nullptr: it is not listed.
        std::byte const* find(std::vector<Extent> const& index) const {
            std::vector<Extent> inside(index.size());
            for (std::size_t axis = 0; axis < index.size(); ++axis) {
                inside[axis] = index[axis] - box.begin[axis];
                if (inside[axis] < 0 || inside[axis] >= box.length[axis]) return nullptr;
            }
            Extent const element = look.find(inside);
            return element < 0 ? nullptr : look.value(element);
        }
    };
    /// In turn some place of a region, and one that is listed. @param from  where what is at an index was
    template <class From>
    void listed(BlockId result, std::span<BlockId const> sources, Box const& region, From const& from) const {
        if (region.empty()) return;
        Listed const made(*this, result);
        std::deque<Listed> read;
        for (BlockId source : sources) read.emplace_back(*this, source);
        DType const dtype = block(result).dtype;
        tensor::FillValue const fill(dtype, parts.header.tensors[block(result).tensor].fill.value());
        auto const or_fill = [&](std::byte const* element) { return element ? element : fill.bytes().data(); };
        Draws draws(id, sample.run);
        bool at_listed = false;
        for (std::vector<Extent> to : draws.places(region.length, sample.elements)) {
            for (std::size_t axis = 0; axis < to.size(); ++axis) to[axis] += region.begin[axis];
            at_listed = !at_listed && made.look.listed() > 0;
            if (at_listed) {
                auto const some = static_cast<Extent>(draws.next() % static_cast<std::uint64_t>(made.look.listed()));
                for (std::size_t axis = 0; axis < to.size(); ++axis)
                    to[axis] = made.box.begin[axis] + made.look.coord(some, axis);
            }
            std::vector<Extent> const source = from(to);
            std::byte const* expected = nullptr;
            for (Listed const& part : read)
                if (expected == nullptr) expected = part.find(source);
            look.at_moved(dtype, or_fill(made.find(to)), or_fill(expected), to);
        }
    }
    static std::ptrdiff_t bytes(Extent elements, DType dtype) {
        return elements * static_cast<std::ptrdiff_t>(size_of(dtype));
    }
};

}  // namespace

CallCheck::CallCheck(Parts parts)
    : parts_(std::move(parts)),
      samples_(call_samples(parts_.header, parts_.section, parts_.elements)),
      runs_(parts_.section.tasks.size()) {}

std::uint64_t CallCheck::count_run(TaskId task) { return runs_[at(task)].fetch_add(1, std::memory_order_relaxed); }

bool CallCheck::is_due(TaskId task, std::uint64_t run) const {
    CallSample const& sample = samples_[task];
    if (sample.elements == 0 || is_enough_.load(std::memory_order_relaxed)) return false;
    return (sample.is_first && run == 0) || Draws(task, ~run).next() % sample.period == 0;
}

CallCheck::Sample CallCheck::before(TaskId id) {
    if (!is_on_.load(std::memory_order_relaxed)) return {};
    Sample out;
    out.run = count_run(id);
    if (!is_due(id, out.run)) return out;
    out.elements = samples_[id].elements;
    Task const& task = parts_.section.tasks[id];
    bool const takes = task.over() && parts_.section.kernel_call(task);
    if (!task.accumulates() && !takes) return out;
    std::optional<MutexLock> alone;
    if (parts_.copies) alone.emplace(one_looks_);
    KernelShape const shape = kernel_shape(parts_.header, parts_.section, task);
    CallAgain const again(shape, parts_.params);
    std::byte const* const output =
        parts_.storage.in_host(*task.result(), HostUse::read).data() + parts_.kernels.output_offset(id);
    for (ElementPlace const& place : drawn_places(shape, Draws(id, out.run), out.elements)) {
        if (!takes) {
            out.held.push_back(again.found(output, place));
            continue;
        }
        Extent offset = 0;
        for (std::size_t axis = 0; axis < place.size(); ++axis) offset += place[axis] * shape.output_strides[axis];
        std::size_t const size = size_of(shape.output_dtype);
        std::memcpy(out.taken.emplace_back().bytes, output + offset * static_cast<Extent>(size), size);
    }
    return out;
}

void CallCheck::after(TaskId id, Sample const& sample, WorkerTeam& team) {
    if (sample.elements == 0) return;
    Look look(team, parts_.tf32, [&] { return place_text(owner(id), id); });
    {
        std::optional<MutexLock> alone;
        if (parts_.copies) alone.emplace(one_looks_);
        parts_.section.visit(parts_.section.tasks[id], AtTask{parts_, id, sample, look});
    }
    add(owner(id), look);
}

void CallCheck::add(std::string const& node, Look const& look) {
    tallies_.add(node, look.tally(), look.mismatch());
    if (!look.mismatch().empty() && tallies_.is_enough()) is_enough_ = true;
}

std::string CallCheck::owner(TaskId id) const {
    return owner_of(parts_.header, parts_.section, parts_.section.tasks[id]);
}

std::optional<std::int64_t> CallCheck::piece_to_see(TaskId task, std::int64_t pieces) {
    if (!is_on_.load(std::memory_order_relaxed)) return std::nullopt;
    std::uint64_t const run = count_run(task);
    if (!is_due(task, run)) return std::nullopt;
    return static_cast<std::int64_t>(Draws(task, run).next() % static_cast<std::uint64_t>(pieces));
}

void CallCheck::see(FusedStepCall const& step, WorkerTeam& team) {
    std::uint64_t const run = runs_[at(step.task)].load(std::memory_order_relaxed);
    auto const task = parts_.section.as<schedule::Fused>(parts_.section.tasks[step.task]);
    std::string const node = nodes_of(parts_.header, task)[step.member];
    Look look(team, parts_.tf32, [&] { return place_text(node, step.task) + ", in a fused group"; });
    std::int64_t const elements =
        std::min<std::int64_t>(samples_[step.task].elements, element_count(output_lengths(step.shape)));
    look.at_kernel(CallAgain(step.shape, parts_.params), step.call,
                   drawn_places(step.shape, Draws(step.task, run + (step.step << 32)), elements), {});
    add(node, look);
}

/// "node 'G' on rank 1, task 17 (apply of node 'G', block G[0:8]), iteration 3 of loop 'train'"
std::string CallCheck::place_text(std::string const& node, TaskId id) const {
    Section const& section = parts_.section;
    std::string out = "node '" + node + "' on rank " + std::to_string(parts_.self.value()) + ", " +
                      task_text(parts_.header, section, id);
    for (schedule::LoopId l : section.loops.ids())
        if (section.loops[l].contains(id))
            out += ", iteration " + std::to_string(parts_.iteration(l)) + " of loop '" +
                   parts_.header.loops[section.loops[l].spec].name + "'";
    return out;
}

/// Calls that were made, of nodes that none was looked at of too.
RankCalls CallCheck::found() const {
    RankCalls out = tallies_.so_far();
    for (TaskId t : parts_.section.tasks.ids()) {
        std::int64_t const runs = runs_[at(t)].load();
        if (samples_[t].elements == 0 || runs == 0) continue;
        Task const& task = parts_.section.tasks[t];
        if (!task.is<schedule::Fused>()) {
            out.nodes[owner(t)].made += runs;
            continue;
        }
        for (std::string const& node : nodes_of(parts_.header, parts_.section.as<schedule::Fused>(task)))
            out.nodes[node].made += runs;
    }
    return out;
}

}  // namespace ein::executor
