#include "lib/schedule/device/producer_fusion.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "lib/graph/indicator.hpp"
#include "lib/scalar/expression/walk.hpp"
#include "lib/schedule/device/device_memory.hpp"
#include "lib/schedule/dispatch/iterations.hpp"
#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/tuning.hpp"

namespace ein::schedule {

namespace {

bool is_real(DType type) { return kind(type) == Kind::real; }

/// The element as it would have been stored, brought to the type that its reader computes in.
scalar::Expr as_stored(scalar::Expr join, DType stored, DType compute) {
    if (stored == compute) return join;
    return scalar::Expr::cast(compute, scalar::Expr::cast(stored, std::move(join)));
}

class ProducerFusion {
public:
    /// @param one_kernel  bytes that a kernel's blocks may take
    ProducerFusion(Header& header, Section const& section, std::int64_t one_kernel)
        : header_(header),
          section_(section),
          one_kernel_(one_kernel),
          tasks_(section.tasks),
          readers_(section.blocks.size()),
          loop_of_(loops_of_tasks(section)),
          gone_(section.tasks.size(), 0) {
        for (TaskId t : tasks_.ids()) {
            auto const reads = section.reads(t);
            operands_.add({reads.begin(), reads.end()});
            for (BlockId block : reads) add_reader(block, t);
        }
    }

    bool run() {
        for (TaskId t : tasks_.ids())
            if (may_go(t)) put_into_readers(t);
        return std::find(gone_.begin(), gone_.end(), 1) != gone_.end();
    }

    /// Without the tasks and blocks that are gone.
    Section section() const {
        Section out;
        out.coords = section_.coords;
        Table<BlockId, OptionalId<BlockId>> const block_now = keep_blocks(out);
        Table<TaskId, TaskId> const task_now = new_ids_of_tasks();
        for (TaskId t : tasks_.ids()) {
            if (gone_[t]) continue;
            Task task = tasks_[t];
            std::size_t const first = out.operands.size();
            for (BlockId block : operands_[t]) out.operands.push_back(*block_now[block]);
            task.set_operands(first, operands_[t].size());
            if (task.result()) task.set_result(*block_now[*task.result()]);
            if (task.after()) task.set_after(task_now[*task.after()]);
            out.append(task);
        }
        for (Loop loop : section_.loops) {
            loop.first = task_now[loop.first];
            loop.last = task_now[loop.last];
            if (loop.condition) loop.condition = block_now[*loop.condition];
            for (Loop::Carry& carry : loop.carries) carry = {*block_now[carry.inside], *block_now[carry.next]};
            out.loops.add(std::move(loop));
        }
        for (TaskId task : section_.moments)
            out.moments.add(task < task_now.end_id() ? task_now[task] : out.tasks.end_id());
        return out;
    }

private:
    Apply call(TaskId t) const { return section_.as<Apply>(tasks_[t]); }
    Kernel const& kernel(TaskId t) const { return header_.kernels[call(t).kernel]; }
    Block const& block(BlockId id) const { return section_.blocks[id]; }
    BlockId result(TaskId t) const { return *tasks_[t].result(); }
    void add_reader(BlockId id, TaskId t) {
        if (std::find(readers_[id].begin(), readers_[id].end(), t) == readers_[id].end()) readers_[id].push_back(t);
    }

    /// A kernel without aggregation that writes a block alone, all of whose readers can compute it at each of their
    /// points.
    bool may_go(TaskId t) {
        Task const& task = tasks_[t];
        if (!task.is<Apply>() || task.accumulates() || block(result(t)).writers != 1) return false;
        graph::EinSum const& einsum = kernel(t).einsum;
        if (!are_boxes(t)) return false;
        if (einsum.operands() == 0 || !einsum.aggregated().empty() || einsum.output.size() != einsum.labels.size())
            return false;
        if (!is_real(kernel(t).compute) || !is_real(block(result(t)).dtype)) return false;
        if (call(t).region.elements() != section_.elements_of(block(result(t))) || is_carried(result(t))) return false;
        std::vector<TaskId> const& wanted = readers_[result(t)];
        if (wanted.empty() || wanted.size() > tuning::most_fused_readers || !saves_memory_traffic(t)) return false;
        return std::all_of(wanted.begin(), wanted.end(), [&](TaskId reader) { return may_take(reader, t); });
    }

    bool are_boxes(TaskId t) const {
        return block(result(t)).is_box() && std::all_of(operands_[t].begin(), operands_[t].end(),
                                                        [&](BlockId operand) { return block(operand).is_box(); });
    }

    /// What a loop carries or asks for.
    bool is_carried(BlockId id) const {
        return std::any_of(section_.loops.begin(), section_.loops.end(), [&](Loop const& loop) {
            return loop.condition == OptionalId(id) ||
                   std::any_of(loop.carries.begin(), loop.carries.end(),
                               [&](auto const& carry) { return carry.inside == id || carry.next == id; });
        });
    }

    bool saves_memory_traffic(TaskId t) {
        std::int64_t in = 0;
        std::vector<BlockId> distinct = operands_[t];
        std::sort(distinct.begin(), distinct.end());
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        for (BlockId id : distinct) in += section_.bytes_of(id);
        std::int64_t const out = section_.bytes_of(result(t));
        auto const count = static_cast<std::int64_t>(readers_[result(t)].size());
        return in + out + count * out > count * in;
    }

    bool may_take(TaskId reader, TaskId t) const {
        if (!tasks_[reader].is<Apply>() || !are_boxes(reader) || kernel(reader).compute != kernel(t).compute)
            return false;
        if (!loop_of_.empty() && loop_of_[reader] != loop_of_[t]) return false;
        graph::EinSum const& einsum = kernel(reader).einsum;
        if (is_rows_by_columns(einsum) || looks_up(einsum) || scatters(einsum)) return false;
        std::size_t operands = 0;
        std::set<std::vector<int>> ways;  // in which it reads the task's result
        for (std::size_t k = 0; k < operands_[reader].size(); ++k) {
            bool const here = operands_[reader][k] == result(t);
            operands += here ? kernel(t).einsum.operands() : 1;
            if (here) ways.insert(einsum.inputs[k]);
            for (int label = 0; here && label < static_cast<int>(einsum.labels.size()); ++label)
                if (std::count(einsum.inputs[k].begin(), einsum.inputs[k].end(), label) != 1) return false;
        }
        std::size_t const operations = scalar::arguments_first(einsum.join).size() +
                                       ways.size() * scalar::arguments_first(kernel(t).einsum.join).size();
        return operands <= tuning::most_fused_operands && operations <= tuning::most_fused_operations &&
               einsum.join.node().depth + kernel(t).einsum.join.node().depth < 100 &&
               bytes_with(reader, t) <= one_kernel_;
    }

    /// Of the blocks that the reader has on a device when it computes the task's result itself.
    std::int64_t bytes_with(TaskId reader, TaskId t) const {
        std::vector<BlockId> blocks = operands_[reader];
        std::erase(blocks, result(t));
        blocks.insert(blocks.end(), operands_[t].begin(), operands_[t].end());
        blocks.push_back(result(reader));
        std::sort(blocks.begin(), blocks.end());
        blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
        std::int64_t sum = 0;
        for (BlockId id : blocks) sum += DeviceMemory::rounded(section_.bytes_of(id));
        return sum;
    }

    void put_into_readers(TaskId t) {
        for (TaskId reader : readers_[result(t)]) put_into(reader, t);
        for (BlockId input : operands_[t]) std::erase(readers_[input], t);
        gone_[t] = 1;
    }

    /// The reader's kernel anew: operands that were this task's result become the task's own, each once.
    void put_into(TaskId reader, TaskId t) {
        Kernel changed = kernel(reader);
        graph::EinSum const outer = changed.einsum, inner = kernel(t).einsum;
        std::vector<BlockId> const old = std::exchange(operands_[reader], {});
        changed.einsum.inputs.clear();
        auto const operand = [&](BlockId id, std::vector<int> const& labels) {
            for (std::size_t k = 0; k < operands_[reader].size(); ++k)
                if (operands_[reader][k] == id && changed.einsum.inputs[k] == labels)
                    return scalar::Expr::operand(static_cast<int>(k));
            operands_[reader].push_back(id);
            changed.einsum.inputs.push_back(labels);
            return scalar::Expr::operand(static_cast<int>(operands_[reader].size()) - 1);
        };
        std::vector<scalar::Expr> values;
        std::map<std::vector<int>, scalar::Expr> computed;  // by the labels with which the reader reads it
        for (std::size_t k = 0; k < old.size(); ++k) {
            if (old[k] != result(t)) {
                values.push_back(operand(old[k], outer.inputs[k]));
                continue;
            }
            if (auto const known = computed.find(outer.inputs[k]); known != computed.end()) {
                values.push_back(known->second);
                continue;
            }
            std::vector<int> label_of(inner.labels.size());  // of the reader, for each of the task
            for (std::size_t axis = 0; axis < inner.output.size(); ++axis)
                label_of[static_cast<std::size_t>(inner.output[axis])] = outer.inputs[k][axis];
            std::vector<scalar::Expr> inside;
            for (std::size_t i = 0; i < inner.operands(); ++i) {
                std::vector<int> labels;
                for (int label : inner.inputs[i]) labels.push_back(label_of[static_cast<std::size_t>(label)]);
                inside.push_back(operand(operands_[t][i], labels));
            }
            values.push_back(
                as_stored(substitute(inner.join, inside, label_of), block(result(t)).dtype, changed.compute));
            computed.emplace(outer.inputs[k], values.back());
        }
        changed.einsum.join = substitute(outer.join, values);
        tasks_[reader].set_kernel(header_.kernels.add(std::move(changed)));
        for (BlockId input : operands_[t]) add_reader(input, reader);
    }

    /// @return what each block is now; none: gone
    Table<BlockId, OptionalId<BlockId>> keep_blocks(Section& out) const {
        Table<BlockId, std::uint8_t> gone(section_.blocks.size(), 0);
        for (TaskId t : tasks_.ids())
            if (gone_[t]) gone[result(t)] = 1;
        Table<BlockId, OptionalId<BlockId>> now(gone.size());
        for (BlockId b : gone.ids()) {
            if (gone[b]) continue;
            Block kept = section_.blocks[b];
            kept.readers = kept.writers = 0;  // counted anew
            now[b] = out.blocks.add(kept);
        }
        return now;
    }

    /// What each task is now; of one that is gone, the next one.
    Table<TaskId, TaskId> new_ids_of_tasks() const {
        Table<TaskId, TaskId> out;
        TaskId next{0};
        for (std::uint8_t gone : gone_) {
            out.add(next);
            if (!gone) next = following(next);
        }
        return out;
    }

    Header& header_;
    Section const& section_;
    std::int64_t one_kernel_;
    Table<TaskId, Task> tasks_;
    Table<TaskId, std::vector<BlockId>> operands_;
    Table<BlockId, std::vector<TaskId>> readers_;  // each once
    Table<TaskId, OptionalId<LoopId>> loop_of_;
    Table<TaskId, std::uint8_t> gone_;
};

}  // namespace

void fuse_producers(Header& header, Section& section, ProducerFusionLimits const& limits) {
    if (header.reproducible) return;  // a sum over what it computes again may run in another order
    std::size_t const kernels = header.kernels.size();
    ProducerFusion fusion(header, section, std::max(limits.one_kernel.value_or(0), largest_working_set(section).bytes));
    if (!fusion.run()) return;
    Section changed = fusion.section();
    std::int64_t const before = replay(section).peak, most = before + before / 4;
    if (replay(changed).peak <= std::max(before, std::min(most, limits.peak.value_or(most))))
        section = std::move(changed);
    else
        header.kernels.resize(kernels);
}

}  // namespace ein::schedule
