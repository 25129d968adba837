#include "lib/schedule/fusion/fold.hpp"

#include <algorithm>

#include "lib/schedule/fusion/members.hpp"

namespace ein::schedule {
namespace {

/// Writes down a section anew: some blocks and tasks are left out, others put in.
class Rewriting {
public:
    explicit Rewriting(Section const& from)
        : from_(from), block_(from.blocks.size()), before_(from.tasks.size() + 1, TaskId{0}) {
        out.blocks.reserve(from.blocks.size());
        out.tasks.reserve(from.tasks.size());
        out.operands.reserve(from.operands.size());
        out.coords = from.coords;  // boxes that are alike share a place there
    }

    void keep_block(BlockId id) {
        Block block = from_.blocks[id];
        block.readers = block.writers = 0;
        block_[id] = out.blocks.add(block);
    }
    BlockId block(BlockId id) const { return *block_[id]; }

    void reaches(TaskId id) { before_[id] = out.tasks.end_id(); }
    void keep_task(TaskId id) {
        Task::Record record = from_.tasks[id].record();
        std::size_t const first = out.operands.size();
        for (BlockId read : from_.reads(id)) out.operands.push_back(block(read));
        record.first_operand = static_cast<std::int32_t>(first);
        if (record.result) record.result = block(*record.result);
        if (record.after) record.after = last_of(*record.after);
        out.append(Task(record));
    }

    /// Loops and moments, when all tasks are there.
    Section finish() {
        before_[from_.tasks.end_id()] = out.tasks.end_id();
        for (Loop const& loop : from_.loops) {
            Loop moved{loop.spec, before_[loop.first], before_[loop.last], {}, {}};
            if (loop.condition) moved.condition = block(*loop.condition);
            for (Loop::Carry const& carry : loop.carries)
                moved.carries.push_back({block(carry.inside), block(carry.next)});
            out.loops.add(std::move(moved));
        }
        for (TaskId before : from_.moments) out.moments.add(before_[before]);
        return std::move(out);
    }

    Section out;

private:
    /// The task that stands for an earlier one: the last of those that were put in for it.
    TaskId last_of(TaskId id) const { return TaskId{before_[following(id)].value() - 1}; }

    Section const& from_;
    Table<BlockId, OptionalId<BlockId>> block_;  // in out; none: left out
    Table<TaskId, TaskId> before_;               // how many tasks of out stand before it, by task of from
};

/// Appends the regions of the tasks, one behind the other.
struct Regions {
    std::vector<Extent> begin, length;
    void add(BoxView const& region) {
        begin.insert(begin.end(), region.begin.begin(), region.begin.end());
        length.insert(length.end(), region.length.begin(), region.length.end());
    }
    BoxView view() const { return {begin, length}; }
};

/// Adds an apply for each member, and a block for what each but the last makes.
void add_members(Header const& header, Fused const& task, std::vector<BlockId> const& operands, BlockId result,
                 Section& out) {
    FusionSpec const& spec = header.fusions[task.fusion];
    std::vector<BlockId> made;
    for_each_member(header, task, [&](FusionSpec::Member const& member, BoxView region) {
        bool const is_last = made.size() + 1 == spec.members.size();
        if (is_last) {
            made.push_back(result);
        } else {
            Box const box = projected(region, header.kernels[member.kernel].einsum.output);
            Block block;
            block.tensor = member.tensor;
            block.dtype = member.dtype;
            block.order = static_cast<std::int32_t>(box.order());
            block.coords = out.add_box(view(box));
            made.push_back(out.blocks.add(block));
        }
        std::vector<BlockId> reads;
        for (FusionSpec::Operand const& operand : member.operands)
            reads.push_back((operand.is_inside ? made : operands)[static_cast<std::size_t>(operand.place)]);
        out.add(Apply{.kernel = member.kernel, .operands = reads, .result = made.back(), .region = region});
    });
}

}  // namespace

Section folded(Section const& section, std::vector<Folding> const& foldings) {
    if (foldings.empty()) return section;
    enum class Role : std::uint8_t { alone, member, last };
    Table<TaskId, Role> role(section.tasks.size(), Role::alone);
    Table<TaskId, std::int32_t> folding_of(section.tasks.size(), -1);
    Table<BlockId, std::uint8_t> inside(section.blocks.size(), 0);
    for (std::size_t f = 0; f < foldings.size(); ++f)
        for (TaskId task : foldings[f].tasks) {
            bool const is_last = task == foldings[f].tasks.back();
            role[task] = is_last ? Role::last : Role::member;
            folding_of[task] = static_cast<std::int32_t>(f);
            if (!is_last) inside[*section.tasks[task].result()] = 1;
        }
    Rewriting rewriting(section);
    for (BlockId block : section.blocks.ids())
        if (!inside[block]) rewriting.keep_block(block);
    for (TaskId id : section.tasks.ids()) {
        rewriting.reaches(id);
        if (role[id] == Role::alone) rewriting.keep_task(id);
        if (role[id] != Role::last) continue;
        Folding const& folding = foldings[static_cast<std::size_t>(folding_of[id])];
        Regions regions;
        for (TaskId member : folding.tasks) regions.add(section.region_of(section.tasks[member]));
        std::vector<BlockId> operands;
        for (BlockId operand : folding.operands) operands.push_back(rewriting.block(operand));
        rewriting.out.add(Fused{.fusion = folding.fusion,
                                .operands = operands,
                                .result = rewriting.block(*section.tasks[id].result()),
                                .regions = regions.view()});
    }
    return rewriting.finish();
}

Section unfolded(Header const& header, Section const& section, Fused const& task) {
    Section out;
    std::vector<BlockId> operands;
    auto const copied = [&](BlockId id) {
        Block block = section.blocks[id];
        block.readers = block.writers = 0;
        block.coords = out.add_box(section.view_of(block));
        return block;
    };
    for (BlockId operand : task.operands) operands.push_back(out.blocks.add(copied(operand)));
    BlockId const result = out.blocks.add(copied(task.result));
    add_members(header, task, operands, result, out);
    return out;
}

Section with_members_apart(Header const& header, Section const& section) {
    Rewriting rewriting(section);
    for (BlockId block : section.blocks.ids()) rewriting.keep_block(block);
    for (TaskId id : section.tasks.ids()) {
        rewriting.reaches(id);
        Task const& task = section.tasks[id];
        if (!task.is<Fused>()) {
            rewriting.keep_task(id);
            continue;
        }
        auto const fused = section.as<Fused>(task);
        std::vector<BlockId> operands;
        for (BlockId operand : fused.operands) operands.push_back(rewriting.block(operand));
        add_members(header, fused, operands, rewriting.block(fused.result), rewriting.out);
    }
    return rewriting.finish();
}

std::vector<std::string> nodes_of(Header const& header, Fused const& task) {
    std::vector<std::string> out;
    for (FusionSpec::Member const& member : header.fusions[task.fusion].members)
        out.push_back(header.kernels[member.kernel].node);
    return out;
}

}  // namespace ein::schedule
