#include "lib/schedule/verify/verify.hpp"
#include "lib/schedule/dispatch/task_links.hpp"

#include <algorithm>
#include <unordered_set>

#include "lib/schedule/fusion/carry.hpp"
#include "lib/schedule/memory/take_over.hpp"
#include "lib/schedule/repeat/unrolled.hpp"
#include "lib/schedule/verify/fault_list.hpp"
#include "lib/schedule/verify/verify_fields.hpp"
#include "lib/schedule/verify/verify_task.hpp"

namespace ein::schedule {
namespace {

bool sound_einsum(graph::EinSum const& e, std::vector<int> const& looked_up) {
    auto label_exists = [&](int label) { return label >= 0 && static_cast<std::size_t>(label) < e.labels.size(); };
    if (e.extents.size() != e.labels.size() || e.join.empty()) return false;
    for (Extent extent : e.extents)
        if (extent < 0) return false;
    for (auto const& axes : e.inputs)
        if (!std::all_of(axes.begin(), axes.end(), label_exists)) return false;
    std::vector<int> output = e.output;
    std::sort(output.begin(), output.end());
    auto const operand_exists = [&](int k) { return k >= 0 && static_cast<std::size_t>(k) < e.operands(); };
    return std::all_of(output.begin(), output.end(), label_exists) &&
           std::all_of(looked_up.begin(), looked_up.end(), operand_exists) &&
           std::adjacent_find(output.begin(), output.end()) == output.end();
}

/// Whether members have the same axis under these labels, and what they reduce over it can be carried.
bool is_carried(Header const& header, FusionSpec const& spec, std::vector<std::int32_t> const& labels) {
    auto const first = std::find_if(labels.begin(), labels.end(), [](std::int32_t label) { return label >= 0; });
    return !header.reproducible && first != labels.end() &&
           labels_along(header, spec, static_cast<std::size_t>(first - labels.begin()), *first) == labels &&
           carried_members(header, spec, labels);
}

/// Members of kernels and tensors that there are, each reading what those before it make; cuts along labels that exist.
bool sound_fusion(Header const& header, FusionSpec const& spec) {
    if (spec.members.empty()) return false;
    for (std::size_t m = 0; m < spec.members.size(); ++m) {
        FusionSpec::Member const& member = spec.members[m];
        if (!header.kernels.has(member.kernel) || !header.tensors.has(member.tensor)) return false;
        graph::EinSum const& einsum = header.kernels[member.kernel].einsum;
        if (member.operands.size() != einsum.operands()) return false;
        for (std::size_t k = 0; k < member.operands.size(); ++k) {
            auto const [inside, place] = member.operands[k];
            if (place < 0 || (inside && static_cast<std::size_t>(place) >= m)) return false;
            if (inside && header.kernels[spec.members[static_cast<std::size_t>(place)].kernel].einsum.output.size() !=
                              einsum.inputs[k].size())
                return false;
        }
        for (FusionSpec::Axis const& axis : spec.axes)
            if (axis.labels.size() != spec.members.size() || axis.parts < 1 ||
                axis.labels[m] < (axis.is_carried ? -1 : 0) ||
                axis.labels[m] >= static_cast<std::int32_t>(einsum.labels.size()))
                return false;
    }
    return std::all_of(spec.axes.begin(), spec.axes.end(), [&](FusionSpec::Axis const& axis) {
        return !axis.is_carried || (&axis == &spec.axes.back() && is_carried(header, spec, axis.labels));
    });
}

constexpr Extent most_listed = Extent{1} << 56;  // bytes are counted without overflow

/// Checks one section: its blocks, then each task in order, with what the tasks before it have read and written.
class SectionCheck {
public:
    SectionCheck(Header const& header, Section const& section, Rank rank)
        : header_(header),
          section_(section),
          rank_(rank),
          readers_(section.blocks.size(), 0),
          writers_(section.blocks.size(), 0),
          fetches_(section.tasks.size()) {}

    std::vector<std::string> run() {
        for (BlockId b : section_.blocks.ids())
            if (!faults_.full()) check_block(b);
        if (!faults_.empty()) return faults_.take();
        for (TaskId t : section_.tasks.ids())
            if (!faults_.full()) check_task(t);
        for (BlockId b : section_.blocks.ids())
            faults_.check(readers_[b] == section_.blocks[b].readers && writers_[b] == section_.blocks[b].writers &&
                              writers_[b] > 0,
                          [&] { return name_of(b) + ": expected as many readers and writers as tasks name"; });
        for (TaskId t : section_.tasks.ids())
            faults_.check(fetches_[t] != 0, [&] { return name_of(t) + ": expected a fetch of what it writes"; });
        if (faults_.empty()) check_moments();
        return faults_.take();
    }

private:
    /// As many as the header has, in order, and before no load and behind no store.
    void check_moments() {
        TaskLinks const links(section_);
        TaskId last = links.loads_end();
        faults_.check(section_.moments_in_all() == static_cast<std::int64_t>(header_.moments.size()),
                      [&] { return "rank " + std::to_string(rank_.value()) + ": expected the moments of the header"; });
        for (TaskId task : section_.moments) {
            faults_.check(last <= task && task <= links.stores_begin(), [&] {
                return "rank " + std::to_string(rank_.value()) +
                       ": expected moments in order, between loads and stores";
            });
            last = task;
        }
    }

    std::string name_of(BlockId b) const {
        return "rank " + std::to_string(rank_.value()) + ": block " + std::to_string(b.value());
    }
    std::string name_of(TaskId t) const {
        return "rank " + std::to_string(rank_.value()) + ": task " + std::to_string(t.value()) + " (" +
               std::string(section_.tasks[t].traits().name) + ")";
    }

    void check_block(BlockId b) {
        Block const& block = section_.blocks[b];
        auto const pool = static_cast<std::int64_t>(section_.coords.size());
        bool const in_range = header_.tensors.has(block.tensor) && block.order >= 0 && block.coords >= 0 &&
                              block.coords <= pool && 2 * std::int64_t{block.order} <= pool - block.coords;
        if (!faults_.check(in_range, [&] { return name_of(b) + ": expected indices in range"; })) return;
        Box const box = section_.box_of(block);
        if (block.is<SparseBlock>() && !check_sparse(b)) return;
        bool const fits = visit_format(
            block.format, section_.coords_of(block),
            Overloaded{
                [&](DenseBlock const& dense) { return is_inside(dense.box, header_.tensors[block.tensor].shape); },
                [&](PackedBlock const&) {
                    return box.order() == 1 && box.begin[0] == 0 && is_possible_shape(box.length, block.dtype);
                },
                [&](SparseBlock const& sparse) {
                    return is_inside(sparse.box, header_.tensors[block.tensor].shape) &&
                           header_.tensors[block.tensor].fill.has_value();
                }});
        faults_.check(fits, [&] { return name_of(b) + ": expected a box inside its tensor"; });
    }

    /// What stands behind a sparse block's box: a layout of its axes, room for no more than can be.
    bool check_sparse(BlockId b) {
        Block const& block = section_.blocks[b];
        auto const pool = static_cast<std::int64_t>(section_.coords.size()) - block.coords;
        std::int64_t const order = block.order;
        auto const sound = [&] {
            if (2 * order + SparseBlock::more_coords(order) > pool) return false;
            SparseBlock const sparse = section_.sparse(block);
            std::vector<Extent> axes(sparse.axes.begin(), sparse.axes.end());
            std::sort(axes.begin(), axes.end());
            for (std::size_t k = 0; k < axes.size(); ++k)
                if (axes[k] != static_cast<Extent>(k)) return false;
            return sparse.most >= 0 && sparse.most <= most_listed && (!sparse.compressed || order > 0);
        };
        return faults_.check(sound(), [&] { return name_of(b) + ": expected the layout of a sparse block"; });
    }

    void check_task(TaskId t) {
        Task const& task = section_.tasks[t];
        if (!faults_.check(is_in_range(section_, task, t), [&] { return name_of(t) + ": expected indices in range"; }))
            return;
        bool const sound =
            faults_.check(has_its_fields(header_, rank_, task) && is_sound(header_, section_, task),
                          [&] { return name_of(t) + ": expected inputs, output and region that fit its kind"; });
        if (task.is<Spill>() && task.operands() == 1) fetches_[t] = 0;
        check_phase(t);
        for (BlockId input : section_.reads(task)) {
            ++readers_[input];
            faults_.check(writers_[input] == section_.blocks[input].writers && !task.writes(input), [&] {
                return name_of(t) + ": expected block " + std::to_string(input.value()) +
                       " to be written before it is read";
            });
        }
        if (task.result()) check_result(t, *task.result());
        if (task.over() && sound) check_taken_over(t);
    }

    /// By its last reader, which is the first writer of its own block.
    void check_taken_over(TaskId t) {
        Task const& task = section_.tasks[t];
        BlockId const taken = *section_.taken_over(task);
        faults_.check(
            readers_[taken] == section_.blocks[taken].readers && may_take_over(header_, section_, task, *task.over()),
            [&] {
                return name_of(t) +
                       ": expected to take over a block that it reads last and in the order in which it "
                       "writes, found block " +
                       std::to_string(taken.value());
            });
    }

    void check_phase(TaskId t) {
        TaskTraits const& traits = section_.tasks[t].traits();
        bool const only_loads = traits.stands.among_loads && !traits.stands.in_between;
        faults_.check(!(only_loads && works_) && !(stores_ && !traits.stands.among_stores),
                      [&] { return name_of(t) + ": expected loads first and stores last"; });
        works_ = works_ || !traits.stands.among_loads;
        stores_ = stores_ || (traits.stands.among_stores && !traits.stands.in_between);
    }

    void check_result(TaskId t, BlockId result) {
        Task const& task = section_.tasks[t];
        if (task.is<Fetch>())
            check_fetch(t, result);
        else if (task.after())
            faults_.check(section_.tasks[*task.after()].writes(result),
                          [&] { return name_of(t) + ": expected 'after' to write the same block"; });
        else
            faults_.check(!fetched_.contains(result),
                          [&] { return name_of(t) + ": expected to come after the fetch"; });
        faults_.check(!task.accumulates() || task.after().has_value(),
                      [&] { return name_of(t) + ": expected a task before one that accumulates"; });
        faults_.check(readers_[result] == 0,
                      [&] { return name_of(t) + ": expected no reader before the last writer"; });
        ++writers_[result];
    }

    /// It overwrites all of its block with what a block just like it held.
    void check_fetch(TaskId t, BlockId result) {
        OptionalId<TaskId> const spill = section_.tasks[t].after();
        bool sound = spill && writers_[result] == 0 && fetches_[*spill].has_value();
        if (sound) {
            sound = alike(section_.blocks[section_.reads(*spill)[0]], section_.blocks[result]);
            ++*fetches_[*spill];
        }
        faults_.check(sound, [&] {
            return name_of(t) + ": expected the first writer of a block like that of the spill before it";
        });
        fetched_.insert(result);
    }

    bool alike(Block const& a, Block const& b) const {
        return a.tensor == b.tensor && a.dtype == b.dtype && a.format == b.format &&
               section_.box_of(a) == section_.box_of(b) &&
               (!a.is<SparseBlock>() || alike(section_.sparse(a), section_.sparse(b)));
    }
    static bool alike(SparseBlock const& a, SparseBlock const& b) {
        return a.most == b.most && a.layout() == b.layout();
    }

    Header const& header_;
    Section const& section_;
    Rank rank_;
    Table<BlockId, std::int32_t> readers_, writers_;
    Table<TaskId, std::optional<std::int32_t>> fetches_;  // of spills: how many fetch what they write
    std::unordered_set<BlockId> fetched_;                 // blocks that a fetch has begun
    bool works_ = false, stores_ = false;                 // a task other than a load, a store has been seen
    FaultList faults_;
};

}  // namespace

/// Of each table either no successors are said, or one of each entry, which exists.
template <class... IdType>
bool sound_succession(Header const& header, KindList<IdType...>) {
    auto const is_sound = [](auto const& table, Succession::List const& next) {
        return next.empty() || (next.size() == table.size() && std::all_of(next.begin(), next.end(), [&](auto id) {
                                    return id >= 0 && static_cast<std::size_t>(id) < table.size();
                                }));
    };
    return (is_sound(table_of(header, IdType{0}), header.next.of<IdType>()) && ...);
}

std::vector<std::string> faults_of(Header const& header) {
    FaultList faults;
    auto const ranks = static_cast<std::size_t>(std::max(header.ranks, 0));
    faults.check(header.ranks >= 1, [&] { return std::string("expected at least one rank"); });
    for (Tensor const& tensor : header.tensors)
        faults.check(is_possible_shape(tensor.shape, tensor.dtype),
                     [&] { return "tensor '" + tensor.name + "': expected a shape that can be"; });
    for (Input const& input : header.inputs)
        faults.check(header.tensors.has(input.tensor),
                     [&] { return std::string("an input: expected a tensor of the schedule"); });
    for (Output const& output : header.outputs)
        faults.check(header.tensors.has(output.tensor),
                     [&] { return "output '" + output.name + "': expected a tensor of the schedule"; });
    for (Kernel const& kernel : header.kernels)
        faults.check(sound_einsum(kernel.einsum, kernel.looked_up),
                     [&] { return "a kernel of node '" + kernel.node + "': expected labels and operands that exist"; });
    for (Movement const& movement : header.movements)
        for (graph::AxisMap const& axis : movement.axes)
            faults.check(axis.step != 0,
                         [&] { return "a movement of node '" + movement.node + "': expected steps other than 0"; });
    for (ReshapeSpec const& reshape : header.reshapes)
        faults.check(is_possible_shape(reshape.from, DType::i8) && is_possible_shape(reshape.to, DType::i8) &&
                         element_count(reshape.from) == element_count(reshape.to),
                     [&] { return "a reshape of node '" + reshape.node + "': expected equal element counts"; });
    if (faults.empty())
        for (FusionSpec const& fusion : header.fusions)
            faults.check(sound_fusion(header, fusion), [&] {
                return std::string("a fused group: expected kernels, labels and operands that exist");
            });
    for (LoopSpecId loop : header.loops.ids())
        faults.check(
            !header.loops[loop].outer ||
                (*header.loops[loop].outer > loop && header.loops.has(*header.loops[loop].outer)),
            [&] { return "loop '" + header.loops[loop].name + "': expected to be in a loop that ends later"; });
    faults.check(sound_succession(header, NamedTables()),
                 [] { return std::string("what follows entries of a table: expected an entry of it for each"); });
    std::int32_t nodes = 0;
    for (MomentSpec const& moment : header.moments) {
        faults.check(moment.nodes >= nodes && (!moment.loop || header.loops.has(*moment.loop)),
                     [&] { return std::string("a moment: expected nodes in order and a loop that exists"); });
        nodes = moment.nodes;
    }
    Prediction const& p = header.prediction;
    faults.check(p.bytes_sent.size() == ranks && p.bytes_received.size() == ranks && p.messages_sent.size() == ranks &&
                     p.peak_bytes.size() == ranks,
                 [&] { return std::string("predictions: expected one for each rank"); });
    return faults.take();
}

std::vector<std::string> faults_of(Header const& header, Section const& section, Rank rank) {
    constexpr std::int64_t most_room = std::int64_t{1} << 60;  // sums with it stay numbers
    if (section.room < 0 || section.room > most_room)
        return {"rank " + std::to_string(rank.value()) + ": expected room of 0 bytes to 1 EiB, found " +
                std::to_string(section.room)};
    auto faults = faults_of_repeat(section, rank);
    if (faults.empty()) faults = SectionCheck(header, section, rank).run();
    return faults.empty() ? faults_of_loops(header, section, rank) : faults;
}

}  // namespace ein::schedule
