#include "lib/schedule/device/producer_fusion.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "lib/scalar/expression/walk.hpp"
#include "lib/schedule/device/device_memory.hpp"
#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/dispatch/iterations.hpp"

namespace ein::schedule {

namespace {

constexpr std::size_t most_operands = 6;  // of a kernel that takes others in
constexpr std::size_t most_readers = 3;   // that compute the same again
constexpr std::size_t most_operations = 256;

bool is_real(DType type) { return kind(type) == Kind::real; }

/// The element as it would have been stored, brought to the type that its reader computes in.
scalar::Expr as_stored(scalar::Expr join, DType stored, DType compute) {
    if (stored == compute) return join;
    return scalar::Expr::cast(compute, scalar::Expr::cast(stored, std::move(join)));
}

class Inlining {
public:
    /// @param one_kernel  bytes that a kernel's blocks may take
    Inlining(Header& header, Section const& section, std::int64_t one_kernel)
        : header_(header),
          section_(section),
          one_kernel_(one_kernel),
          tasks_(section.tasks),
          loop_of_(loops_of_tasks(section)) {
        readers_.resize(section.blocks.size());
        for (std::size_t t = 0; t < tasks_.size(); ++t) {
            auto const inputs = section.inputs_of(tasks_[t]);
            inputs_.emplace_back(inputs.begin(), inputs.end());
            for (std::int32_t input : inputs) add_reader(input, t);
        }
        gone_.resize(tasks_.size(), false);
    }

    bool run() {
        for (std::size_t t = 0; t < tasks_.size(); ++t)
            if (may_go(t)) put_into_readers(t);
        return std::find(gone_.begin(), gone_.end(), true) != gone_.end();
    }

    /// Without the tasks and blocks that are gone.
    Section section() const {
        Section out;
        out.coords = section_.coords;
        std::vector<std::int32_t> const block_at = keep_blocks(out), task_at = places_of_tasks();
        for (std::size_t t = 0; t < tasks_.size(); ++t) {
            if (gone_[t]) continue;
            Task task = tasks_[t];
            task.first_input = static_cast<std::int32_t>(out.inputs.size());
            task.inputs = static_cast<std::int32_t>(inputs_[t].size());
            for (std::int32_t input : inputs_[t]) {
                out.inputs.push_back(at(block_at, input));
                ++out.blocks[static_cast<std::size_t>(out.inputs.back())].readers;
            }
            if (task.output >= 0) task.output = at(block_at, task.output);
            if (task.after >= 0) task.after = at(task_at, task.after);
            out.tasks.push_back(task);
        }
        for (Loop loop : section_.loops) {
            loop.first = at(task_at, loop.first);
            loop.turn = at(task_at, loop.turn);
            if (loop.condition >= 0) loop.condition = at(block_at, loop.condition);
            for (Loop::Carry& carry : loop.carries) carry = {at(block_at, carry.inside), at(block_at, carry.next)};
            out.loops.push_back(std::move(loop));
        }
        return out;
    }

private:
    static std::int32_t at(std::vector<std::int32_t> const& places, std::int32_t old) {
        return places[static_cast<std::size_t>(old)];
    }
    Kernel const& kernel(std::size_t t) const { return header_.kernels[static_cast<std::size_t>(tasks_[t].spec)]; }
    Block const& block(std::int32_t id) const { return section_.blocks[static_cast<std::size_t>(id)]; }
    std::vector<std::size_t>& readers(std::int32_t id) { return readers_[static_cast<std::size_t>(id)]; }
    void add_reader(std::int32_t id, std::size_t t) {
        if (std::find(readers(id).begin(), readers(id).end(), t) == readers(id).end()) readers(id).push_back(t);
    }

    /// A kernel without aggregation that writes a block alone, all of whose readers can compute it at each of their points.
    bool may_go(std::size_t t) {
        Task const& task = tasks_[t];
        if (task.kind != TaskKind::apply || task.accumulate || block(task.output).writers != 1) return false;
        graph::EinSum const& einsum = kernel(t).einsum;
        if (einsum.operands() == 0 || !einsum.aggregated().empty() || einsum.output.size() != einsum.labels.size())
            return false;
        if (!is_real(kernel(t).compute) || !is_real(block(task.output).dtype)) return false;
        if (section_.region_of(task).elements() != section_.elements_of(block(task.output)) || is_carried(task.output))
            return false;
        std::vector<std::size_t> const& wanted = readers(task.output);
        if (wanted.empty() || wanted.size() > most_readers || !saves_memory_traffic(t)) return false;
        return std::all_of(wanted.begin(), wanted.end(), [&](std::size_t reader) { return may_take(reader, t); });
    }

    /// What a loop carries or asks for.
    bool is_carried(std::int32_t id) const {
        return std::any_of(section_.loops.begin(), section_.loops.end(), [&](Loop const& loop) {
            return loop.condition == id ||
                   std::any_of(loop.carries.begin(), loop.carries.end(),
                               [&](auto const& carry) { return carry.inside == id || carry.next == id; });
        });
    }

    bool saves_memory_traffic(std::size_t t) {
        std::int64_t in = 0;
        std::vector<std::int32_t> distinct = inputs_[t];
        std::sort(distinct.begin(), distinct.end());
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        for (std::int32_t input : distinct) in += section_.bytes_of(block(input));
        std::int64_t const out = section_.bytes_of(block(tasks_[t].output));
        auto const count = static_cast<std::int64_t>(readers(tasks_[t].output).size());
        return in + out + count * out > count * in;
    }

    bool may_take(std::size_t reader, std::size_t t) const {
        Task const& task = tasks_[reader];
        if (task.kind != TaskKind::apply || kernel(reader).compute != kernel(t).compute) return false;
        if (!loop_of_.empty() && loop_of_[reader] != loop_of_[t]) return false;
        graph::EinSum const& einsum = kernel(reader).einsum;
        if (is_rows_by_columns(einsum) || as_lookup(einsum) || as_scatter(einsum)) return false;
        std::size_t operands = 0;
        std::set<std::vector<int>> ways;  // in which it reads the task's output
        for (std::size_t k = 0; k < inputs_[reader].size(); ++k) {
            bool const here = inputs_[reader][k] == tasks_[t].output;
            operands += here ? kernel(t).einsum.operands() : 1;
            if (here) ways.insert(einsum.inputs[k]);
            for (int label = 0; here && label < static_cast<int>(einsum.labels.size()); ++label)
                if (std::count(einsum.inputs[k].begin(), einsum.inputs[k].end(), label) != 1) return false;
        }
        std::size_t const operations = scalar::arguments_first(einsum.join).size() +
                                       ways.size() * scalar::arguments_first(kernel(t).einsum.join).size();
        return operands <= most_operands && operations <= most_operations &&
               einsum.join.node().depth + kernel(t).einsum.join.node().depth < 100 &&
               bytes_with(reader, t) <= one_kernel_;
    }

    /// Of the blocks that the reader has on a device when it computes the task's output itself.
    std::int64_t bytes_with(std::size_t reader, std::size_t t) const {
        std::vector<std::int32_t> blocks = inputs_[reader];
        std::erase(blocks, tasks_[t].output);
        blocks.insert(blocks.end(), inputs_[t].begin(), inputs_[t].end());
        blocks.push_back(tasks_[reader].output);
        std::sort(blocks.begin(), blocks.end());
        blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
        std::int64_t sum = 0;
        for (std::int32_t id : blocks) sum += DeviceMemory::rounded(section_.bytes_of(block(id)));
        return sum;
    }

    void put_into_readers(std::size_t t) {
        for (std::size_t reader : readers(tasks_[t].output)) put_into(reader, t);
        for (std::int32_t input : inputs_[t]) std::erase(readers(input), t);
        gone_[t] = true;
    }

    /// The reader's kernel anew: operands that were this task's output become the task's own, each once.
    void put_into(std::size_t reader, std::size_t t) {
        Kernel changed = kernel(reader);
        graph::EinSum const outer = changed.einsum, inner = kernel(t).einsum;
        std::vector<std::int32_t> const old = std::exchange(inputs_[reader], {});
        changed.einsum.inputs.clear();
        auto const operand = [&](std::int32_t id, std::vector<int> const& labels) {
            for (std::size_t k = 0; k < inputs_[reader].size(); ++k)
                if (inputs_[reader][k] == id && changed.einsum.inputs[k] == labels)
                    return scalar::Expr::operand(static_cast<int>(k));
            inputs_[reader].push_back(id);
            changed.einsum.inputs.push_back(labels);
            return scalar::Expr::operand(static_cast<int>(inputs_[reader].size()) - 1);
        };
        std::vector<scalar::Expr> values;
        std::map<std::vector<int>, scalar::Expr> computed;  // by the labels with which the reader reads it
        for (std::size_t k = 0; k < old.size(); ++k) {
            if (old[k] != tasks_[t].output) {
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
                inside.push_back(operand(inputs_[t][i], labels));
            }
            values.push_back(
                as_stored(substitute(inner.join, inside, label_of), block(tasks_[t].output).dtype, changed.compute));
            computed.emplace(outer.inputs[k], values.back());
        }
        changed.einsum.join = substitute(outer.join, values);
        tasks_[reader].spec = static_cast<std::int32_t>(header_.kernels.size());
        header_.kernels.push_back(std::move(changed));
        for (std::int32_t input : inputs_[t]) add_reader(input, reader);
    }

    /// @return where each block is now; -1: gone
    std::vector<std::int32_t> keep_blocks(Section& out) const {
        std::vector<bool> gone(section_.blocks.size(), false);
        for (std::size_t t = 0; t < tasks_.size(); ++t)
            if (gone_[t]) gone[static_cast<std::size_t>(tasks_[t].output)] = true;
        std::vector<std::int32_t> places;
        for (std::size_t b = 0; b < gone.size(); ++b) {
            places.push_back(gone[b] ? -1 : static_cast<std::int32_t>(out.blocks.size()));
            if (gone[b]) continue;
            out.blocks.push_back(section_.blocks[b]);
            out.blocks.back().readers = 0;  // counted anew
        }
        return places;
    }

    /// Where each task is now; of one that is gone, the next one.
    std::vector<std::int32_t> places_of_tasks() const {
        std::vector<std::int32_t> places;
        std::int32_t next = 0;
        for (bool gone : gone_) {
            places.push_back(next);
            next += gone ? 0 : 1;
        }
        return places;
    }

    Header& header_;
    Section const& section_;
    std::int64_t one_kernel_;
    std::vector<Task> tasks_;
    std::vector<std::vector<std::int32_t>> inputs_;  // of each task
    std::vector<std::vector<std::size_t>> readers_;  // of each block, each once
    std::vector<std::int32_t> loop_of_;
    std::vector<bool> gone_;
};

}  // namespace

void inline_joins(Header& header, Section& section, ProducerFusionLimits const& limits) {
    std::size_t const kernels = header.kernels.size();
    Inlining producer_fusion(header, section, std::max(limits.one_kernel.value_or(0), largest_working_set(section).bytes));
    if (!producer_fusion.run()) return;
    Section changed = producer_fusion.section();
    std::int64_t const before = replay(section).peak, most = before + before / 4;
    if (replay(changed).peak <= std::max(before, std::min(most, limits.peak.value_or(most))))
        section = std::move(changed);
    else
        header.kernels.resize(kernels);
}

}  // namespace ein::schedule
