// Small schedules by hand: tensors and blocks by name, tasks in an order that is right for all ranks together. Chains
// tasks that write one block, numbers messages, predicts bytes and peaks, and verifies the result.
// Example (Z = X + X over two ranks):
//          ScheduleBuilder b(2); b.tensor("X", {4}); b.load(0, "x", "X", {{0}, {4}}); b.transfer(0, "x", 1);
//          b.block(1, "z", "Z", {{0}, {4}}); b.apply(1, add, {{0}, {4}}, {"x", "x"}, "z"); b.store(1, "z"); b.finish();
#pragma once

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/model/schedule.hpp"
#include "lib/schedule/verify/verify.hpp"

namespace ein::test {

class ScheduleBuilder {
public:
    explicit ScheduleBuilder(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {
        schedule_.header.name = "by hand";
        schedule_.header.ranks = ranks;
    }

    void tensor(std::string const& name, Shape shape, DType dtype = DType::f64) {
        tensor_[name] = schedule_.header.tensors.add({name, std::move(shape), dtype});
    }
    schedule::KernelId kernel(std::string node, graph::EinSum einsum, DType compute = DType::f64) {
        return schedule_.header.kernels.add({std::move(node), std::move(einsum), compute});
    }
    schedule::MovementId movement(std::string node, std::vector<graph::AxisMap> axes) {
        return schedule_.header.movements.add({std::move(node), std::move(axes)});
    }
    schedule::ReshapeId reshape_spec(std::string node, Shape from, Shape to) {
        return schedule_.header.reshapes.add({std::move(node), std::move(from), std::move(to)});
    }

    /// A block of `tensor` on a rank; names are per rank.
    void block(int rank, std::string const& name, std::string const& tensor, Box const& box,
               schedule::BlockFormat format = schedule::format_of<schedule::DenseBlock>) {
        schedule::TensorId const of = tensor_.at(tensor);
        add_block(rank, name, box, {.tensor = of, .dtype = schedule_.header.tensors[of].dtype, .format = format});
    }

    void load(int rank, std::string const& name, std::string const& tensor, Box const& box,
              tensor::Source source = {}) {
        block(rank, name, tensor, box);
        schedule::TensorId const of = tensor_.at(tensor);
        auto [input, fresh] = input_.try_emplace(of, schedule_.header.inputs.end_id());
        if (fresh) schedule_.header.inputs.add({of, std::move(source)});
        add(rank, schedule::Load{input->second, id(rank, name)});
    }
    void apply(int rank, schedule::KernelId kernel, Box const& region, std::vector<std::string> const& operands,
               std::string const& result, bool accumulates = false) {
        call<schedule::Apply>(rank, kernel, region, operands, result, accumulates);
    }
    /// The result of the rank's last task takes over the memory of its k-th operand.
    void over(int rank, std::size_t k) { at(rank).section.tasks.back().set_over(k); }
    void reduce(int rank, schedule::KernelId kernel, Box const& region, std::string const& operand,
                std::string const& result, bool accumulates) {
        call<schedule::Reduce>(rank, kernel, region, {operand}, result, accumulates);
    }
    void fill(int rank, std::string const& result, double value) {
        schedule::FillId const fill =
            schedule_.header.fills.add({"fill", scalar::Scalar::of(std::complex<double>(value))});
        add(rank, schedule::Fill{fill, id(rank, result)});
    }
    /// Copies to one result may run in any order, as reshapes, packs and unpacks may: they are not chained.
    void copy(int rank, schedule::MovementId movement, Box const& region, std::string const& from,
              std::string const& result) {
        add(rank, schedule::Copy{movement, id(rank, from), id(rank, result), view(region)}, false);
    }
    void reshape(int rank, schedule::ReshapeId spec, std::string const& from, std::string const& result) {
        add(rank, schedule::Reshape{spec, id(rank, from), id(rank, result)}, false);
    }
    void pack(int rank, schedule::ReshapeId spec, Box const& unpacked, std::string const& from,
              std::string const& result) {
        add(rank, schedule::Pack{spec, id(rank, from), id(rank, result), view(unpacked)}, false);
    }
    void unpack(int rank, schedule::ReshapeId spec, Box const& packed, std::string const& from,
                std::string const& result) {
        add(rank, schedule::Unpack{spec, id(rank, from), id(rank, result), view(packed)}, false);
    }
    /// Sends a block; it has the same name there.
    void transfer(int from, std::string const& name, int to) {
        schedule::Section const& section = at(from).section;
        schedule::Block const& sent = section.blocks[id(from, name)];
        add_block(to, name, section.box_of(sent), {.tensor = sent.tensor, .dtype = sent.dtype, .format = sent.format});
        add_message(from, name, {}, to, name, {});
    }
    /// Sends a part of a block, which lies in one run there, into a part of another.
    void transfer_part(int from, std::string const& name, Box const& part, int to, std::string const& into) {
        add_message(from, name, view(part), to, into, view(part));
    }
    schedule::LoopSpecId loop(std::string const& name, std::int64_t iterations, bool conditional = false) {
        return schedule_.header.loops.add({name, iterations, conditional});
    }
    /// What follows on a rank is in a loop, to end_loop; a task other than a load comes next.
    void begin_loop(int rank, schedule::LoopSpecId spec) {
        at(rank).open.push_back(
            {.spec = spec, .first = at(rank).section.tasks.end_id(), .last = {}, .condition = {}, .carries = {}});
    }
    /// @param carries  inside and next, by name
    void end_loop(int rank, std::map<std::string, std::string> const& carries, std::string const& condition = "") {
        OfRank& of = at(rank);
        schedule::Loop loop = of.open.back();
        of.open.pop_back();
        std::set<BlockId> read, inside;
        for (auto const& [from, to] : carries) {
            loop.carries.push_back({id(rank, from), id(rank, to)});
            inside.insert(id(rank, from));
            read.insert(id(rank, to));
        }
        if (!condition.empty()) {
            loop.condition = id(rank, condition);
            read.insert(id(rank, condition));
        }
        for (TaskId t = loop.first; of.section.tasks.has(t); t = following(t))
            for (BlockId operand : of.section.reads(t))
                if (of.last_writer.at(operand) < loop.first && !inside.contains(operand)) read.insert(operand);
        loop.last = add(rank, schedule::Iterate{loop.spec, std::vector(read.begin(), read.end())});
        of.section.loops.add(std::move(loop));
    }
    void store(int rank, std::string const& name) {
        schedule::TensorId const of = at(rank).section.blocks[id(rank, name)].tensor;
        auto [output, fresh] = output_.try_emplace(of, schedule_.header.outputs.end_id());
        if (fresh) schedule_.header.outputs.add({of, schedule_.header.tensors[of].name});
        add(rank, schedule::Store{output->second, id(rank, name)});
    }

    /// @throws std::logic_error with what is wrong
    schedule::Schedule finish() {
        for (OfRank& of : ranks_) {
            put_loads_first_and_stores_last(of.section);
            predict(of.section);
            schedule_.sections.add(std::move(of.section));
        }
        std::string faults;
        for (std::string const& fault : schedule::faults_of(schedule_)) faults += fault + "\n";
        if (!faults.empty()) throw std::logic_error("the test's schedule is wrong: " + faults);
        return std::move(schedule_);
    }

private:
    struct OfRank {
        schedule::Section section;
        std::map<std::string, BlockId> block;
        std::map<BlockId, TaskId> last_writer;
        std::vector<schedule::Loop> open;
    };

    OfRank& at(int rank) { return ranks_.at(static_cast<std::size_t>(rank)); }
    BlockId id(int rank, std::string const& block) { return at(rank).block.at(block); }

    void add_block(int rank, std::string const& name, Box const& box, schedule::Block block) {
        OfRank& of = at(rank);
        block.order = static_cast<std::int32_t>(box.order());
        block.coords = of.section.add_box(view(box));
        of.block[name] = of.section.blocks.add(block);
    }

    template <class Call>
    void call(int rank, schedule::KernelId kernel, Box const& region, std::vector<std::string> const& operands,
              std::string const& result, bool accumulates) {
        std::vector<BlockId> read;
        for (std::string const& operand : operands) read.push_back(id(rank, operand));
        add(rank, Call{kernel, read, id(rank, result), view(region), accumulates});
    }

    /// The parts are nothing where all of the blocks is meant.
    void add_message(int from, std::string const& name, std::optional<BoxView> sent, int to, std::string const& into,
                     std::optional<BoxView> received) {
        schedule::MessageTag const tag{tags_[{from, to}]++};
        add(from, schedule::Send{id(from, name), Rank{to}, tag, sent});
        add(to, schedule::Receive{id(to, into), Rank{from}, tag, received}, !received);
    }

    /// @param chained  it comes after what has written its result last
    template <class T>
    TaskId add(int rank, T const& task, bool chained = true) {
        OfRank& of = at(rank);
        TaskId const added = of.section.add(task);
        if (auto const result = of.section.tasks[added].result()) {
            auto const [last, first] = of.last_writer.try_emplace(*result, added);
            if (!first && chained) of.section.tasks[added].set_after(last->second);
            last->second = added;
        }
        return added;
    }

    static int place_of(schedule::Task const& task) {
        return task.is<schedule::Load>() ? 0 : task.is<schedule::Store>() ? 2 : 1;
    }

    static void put_loads_first_and_stores_last(schedule::Section& section) {
        Table<TaskId, schedule::Task> ordered;
        Table<TaskId, TaskId> place(section.tasks.size());
        for (int part = 0; part < 3; ++part)
            for (TaskId t : section.tasks.ids())
                if (place_of(section.tasks[t]) == part) place[t] = ordered.add(section.tasks[t]);
        for (schedule::Task& task : ordered)
            if (task.after()) task.set_after(place[*task.after()]);
        for (schedule::Loop& loop : section.loops) {
            loop.first = place[loop.first];
            loop.last = place[loop.last];
        }
        section.tasks = std::move(ordered);
    }

    void predict(schedule::Section const& section) {
        schedule::Exchanged const moved =
            schedule::exchanged(section, schedule::predicted_iterations(schedule_.header, section));
        schedule::Prediction& p = schedule_.header.prediction;
        p.bytes_sent.push_back(moved.sent);
        p.bytes_received.push_back(moved.received);
        p.messages_sent.push_back(moved.messages_sent);
        p.peak_bytes.push_back(schedule::replay(section).peak);
    }

    schedule::Schedule schedule_;
    std::vector<OfRank> ranks_;
    std::map<std::string, schedule::TensorId> tensor_;
    std::map<schedule::TensorId, schedule::InputId> input_;
    std::map<schedule::TensorId, schedule::OutputId> output_;
    std::map<std::pair<int, int>, int> tags_;
};

/// "ij,jk->ik" over extents: the sum of products; labels are single letters in order of appearance.
inline graph::EinSum sum_of_products(std::string const& text, std::map<char, Extent> const& extents) {
    graph::EinSum einsum;
    auto label = [&](char letter) {
        for (std::size_t i = 0; i < einsum.labels.size(); ++i)
            if (einsum.labels[i][0] == letter) return static_cast<int>(i);
        einsum.labels.emplace_back(1, letter);
        einsum.extents.push_back(extents.at(letter));
        return static_cast<int>(einsum.labels.size()) - 1;
    };
    std::size_t const arrow = text.find("->");
    einsum.inputs.emplace_back();
    for (char letter : text.substr(0, arrow)) {
        if (letter == ',')
            einsum.inputs.emplace_back();
        else
            einsum.inputs.back().push_back(label(letter));
    }
    for (char letter : text.substr(arrow + 2)) einsum.output.push_back(label(letter));
    einsum.join = scalar::product(static_cast<int>(einsum.inputs.size()));
    return einsum;
}

}  // namespace ein::test
