// Small schedules by hand: tensors and blocks by name, tasks in an order that is right for all ranks together. Counts readers and writers, fused groups
// tasks that write one block, numbers messages, predicts bytes and peaks, and verifies the result.
// Example (Z = X + X over two ranks): ScheduleBuilder b(2); b.tensor("X", {4}); b.load(0, "x", "X", {{0}, {4}}); b.transfer(0, "x", 1);
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
        tensor_[name] = static_cast<std::int32_t>(schedule_.header.tensors.size());
        schedule_.header.tensors.push_back({name, std::move(shape), dtype});
    }
    std::int32_t kernel(std::string node, graph::EinSum einsum, DType compute = DType::f64) {
        schedule_.header.kernels.push_back({std::move(node), std::move(einsum), compute});
        return static_cast<std::int32_t>(schedule_.header.kernels.size()) - 1;
    }
    std::int32_t movement(std::string node, std::vector<graph::AxisMap> axes) {
        schedule_.header.movements.push_back({std::move(node), std::move(axes)});
        return static_cast<std::int32_t>(schedule_.header.movements.size()) - 1;
    }
    std::int32_t reshape_spec(std::string node, Shape from, Shape to) {
        schedule_.header.reshapes.push_back({std::move(node), std::move(from), std::move(to)});
        return static_cast<std::int32_t>(schedule_.header.reshapes.size()) - 1;
    }

    /// A block of `tensor` on a rank; names are per rank.
    void block(int rank, std::string const& name, std::string const& tensor, Box const& box, bool packed = false) {
        OfRank& of = at(rank);
        of.block[name] = static_cast<std::int32_t>(of.section.blocks.size());
        schedule::Block block;
        block.tensor = tensor_.at(tensor);
        block.dtype = schedule_.header.tensors[static_cast<std::size_t>(block.tensor)].dtype;
        block.packed = packed;
        block.order = static_cast<std::int32_t>(box.order());
        block.coords = pool(of, box);
        of.section.blocks.push_back(block);
    }

    void load(int rank, std::string const& name, std::string const& tensor, Box const& box,
              tensor::Source source = {}) {
        block(rank, name, tensor, box);
        std::int32_t const id = tensor_.at(tensor);
        auto [spec, fresh] = input_.try_emplace(id, static_cast<std::int32_t>(schedule_.header.inputs.size()));
        if (fresh) schedule_.header.inputs.push_back({id, std::move(source)});
        add(rank, schedule::TaskKind::load, spec->second, {}, name);
    }
    void apply(int rank, std::int32_t kernel, Box const& region, std::vector<std::string> const& inputs,
               std::string const& output, bool accumulate = false,
               schedule::TaskKind kind = schedule::TaskKind::apply) {
        schedule::Task& task = add(rank, kind, kernel, inputs, output);
        task.accumulate = accumulate;
        set_region(rank, task, region);
    }
    void reduce(int rank, std::int32_t kernel, Box const& region, std::string const& input, std::string const& output,
                bool accumulate) {
        apply(rank, kernel, region, {input}, output, accumulate, schedule::TaskKind::reduce);
    }
    void fill(int rank, std::string const& output, double value) {
        schedule_.header.fills.push_back({"fill", scalar::Scalar::of(std::complex<double>(value))});
        add(rank, schedule::TaskKind::fill, static_cast<std::int32_t>(schedule_.header.fills.size()) - 1, {}, output);
    }
    /// Copies to one output may run in any order: they are not chained.
    void copy(int rank, std::int32_t movement, Box const& region, std::string const& input, std::string const& output) {
        schedule::Task& task = add(rank, schedule::TaskKind::copy, movement, {input}, output, false);
        set_region(rank, task, region);
    }
    /// `kind` is reshape, pack or unpack; `region` as in schedule::Task.
    void reshape(int rank, schedule::TaskKind kind, std::int32_t spec, Box const& region, std::string const& input,
                 std::string const& output) {
        schedule::Task& task = add(rank, kind, spec, {input}, output, false);
        set_region(rank, task, region);
    }
    /// Sends a block; it has the same name there.
    void transfer(int from, std::string const& name, int to) {
        schedule::Block const sent = at(from).section.blocks[static_cast<std::size_t>(at(from).block.at(name))];
        block(to, name, schedule_.header.tensors[static_cast<std::size_t>(sent.tensor)].name,
              at(from).section.box_of(sent), sent.packed);
        at(to).section.blocks.back().dtype = sent.dtype;
        add_message(from, name, {}, to, name, {});
    }
    /// Sends a part of a block, which lies in one run there, into a part of another.
    void transfer_part(int from, std::string const& name, Box const& part, int to, std::string const& into) {
        add_message(from, name, part, to, into, part);
    }
    /// What follows on a rank is in a loop, to end_loop; a task other than a load comes next.
    std::int32_t loop(std::string const& name, std::int64_t turns, bool conditional = false) {
        schedule_.header.loops.push_back({name, turns, conditional});
        return static_cast<std::int32_t>(schedule_.header.loops.size()) - 1;
    }
    void begin_loop(int rank, std::int32_t spec) {
        at(rank).open.push_back({spec, static_cast<std::int32_t>(at(rank).section.tasks.size()), 0, -1, {}});
    }
    /// @param carries  inside and next, by name
    void end_loop(int rank, std::map<std::string, std::string> const& carries, std::string const& condition = "") {
        OfRank& of = at(rank);
        schedule::Loop loop = of.open.back();
        of.open.pop_back();
        loop.turn = static_cast<std::int32_t>(of.section.tasks.size());
        std::set<std::int32_t> read, inside;
        for (auto const& [from, to] : carries) {
            loop.carries.push_back({of.block.at(from), of.block.at(to)});
            inside.insert(of.block.at(from));
            read.insert(of.block.at(to));
        }
        if (!condition.empty()) read.insert(loop.condition = of.block.at(condition));
        for (std::int32_t t = loop.first; t < loop.turn; ++t)
            for (std::int32_t input : of.section.inputs_of(of.section.tasks[static_cast<std::size_t>(t)]))
                if (of.last_writer.at(input) < loop.first && !inside.contains(input)) read.insert(input);
        schedule::Task& turn = add(rank, schedule::TaskKind::turn, loop.spec, {}, "");
        turn.inputs = static_cast<std::int32_t>(read.size());
        for (std::int32_t block : read) {
            of.section.inputs.push_back(block);
            ++of.section.blocks[static_cast<std::size_t>(block)].readers;
        }
        of.section.loops.push_back(std::move(loop));
    }
    void store(int rank, std::string const& name) {
        std::int32_t const id = at(rank).section.blocks[static_cast<std::size_t>(at(rank).block.at(name))].tensor;
        auto [spec, fresh] = output_.try_emplace(id, static_cast<std::int32_t>(schedule_.header.outputs.size()));
        if (fresh)
            schedule_.header.outputs.push_back({id, schedule_.header.tensors[static_cast<std::size_t>(id)].name});
        add(rank, schedule::TaskKind::store, spec->second, {name}, "");
    }

    /// @throws std::logic_error with what is wrong
    schedule::Schedule finish() {
        for (OfRank& of : ranks_) {
            put_loads_first_and_stores_last(of);
            predict(of.section);
            schedule_.sections.push_back(std::move(of.section));
        }
        std::string faults;
        for (std::string const& fault : schedule::faults_of(schedule_)) faults += fault + "\n";
        if (!faults.empty()) throw std::logic_error("the test's schedule is wrong: " + faults);
        return std::move(schedule_);
    }

private:
    struct OfRank {
        schedule::Section section;
        std::map<std::string, std::int32_t> block;
        std::map<std::int32_t, std::int32_t> last_writer;  // by block: a task
        std::vector<schedule::Loop> open;
        std::int64_t bytes_sent = 0;
    };

    OfRank& at(int rank) { return ranks_.at(static_cast<std::size_t>(rank)); }

    /// The parts have no axes where all of the blocks is meant.
    void add_message(int from, std::string const& name, Box const& sent, int to, std::string const& into,
                     Box const& received) {
        int const tag = tags_[{from, to}]++;
        schedule::Task& send = add(from, schedule::TaskKind::send, -1, {name}, "");
        send.peer = to;
        send.tag = tag;
        set_region(from, send, sent);
        schedule::Task& receive = add(to, schedule::TaskKind::receive, -1, {}, into, sent.order() == 0);
        receive.peer = from;
        receive.tag = tag;
        set_region(to, receive, received);
    }

    static std::int64_t pool(OfRank& of, Box const& box) {
        auto& coords = of.section.coords;
        auto const first = static_cast<std::int64_t>(coords.size());
        coords.insert(coords.end(), box.begin.begin(), box.begin.end());
        coords.insert(coords.end(), box.length.begin(), box.length.end());
        return first;
    }

    void set_region(int rank, schedule::Task& task, Box const& region) {
        task.order = static_cast<std::int32_t>(region.order());
        task.coords = pool(at(rank), region);
    }

    schedule::Task& add(int rank, schedule::TaskKind kind, std::int32_t spec, std::vector<std::string> const& inputs,
                        std::string const& output, bool chained = true) {
        OfRank& of = at(rank);
        schedule::Task task;
        task.kind = kind;
        task.spec = spec;
        task.first_input = static_cast<std::int32_t>(of.section.inputs.size());
        task.inputs = static_cast<std::int32_t>(inputs.size());
        for (std::string const& input : inputs) {
            of.section.inputs.push_back(of.block.at(input));
            ++of.section.blocks[static_cast<std::size_t>(of.block.at(input))].readers;
        }
        if (!output.empty()) {
            task.output = of.block.at(output);
            ++of.section.blocks[static_cast<std::size_t>(task.output)].writers;
            auto const number = static_cast<std::int32_t>(of.section.tasks.size());
            if (auto const last = of.last_writer.find(task.output); last != of.last_writer.end() && chained)
                task.after = last->second;
            of.last_writer[task.output] = number;
        }
        of.section.tasks.push_back(task);
        return of.section.tasks.back();
    }

    static int rank_of(schedule::TaskKind kind) {
        return kind == schedule::TaskKind::load ? 0 : kind == schedule::TaskKind::store ? 2 : 1;
    }

    static void put_loads_first_and_stores_last(OfRank& of) {
        std::vector<schedule::Task> ordered;
        std::vector<std::int32_t> place(of.section.tasks.size());
        for (int part = 0; part < 3; ++part)
            for (std::size_t i = 0; i < of.section.tasks.size(); ++i)
                if (rank_of(of.section.tasks[i].kind) == part) {
                    place[i] = static_cast<std::int32_t>(ordered.size());
                    ordered.push_back(of.section.tasks[i]);
                }
        for (schedule::Task& task : ordered)
            if (task.after >= 0) task.after = place[static_cast<std::size_t>(task.after)];
        for (schedule::Loop& loop : of.section.loops) {
            loop.first = place[static_cast<std::size_t>(loop.first)];
            loop.turn = place[static_cast<std::size_t>(loop.turn)];
        }
        of.section.tasks = std::move(ordered);
    }

    void predict(schedule::Section const& section) {
        schedule::Exchanged const moved =
            schedule::exchanged(section, schedule::predicted_turns(schedule_.header, section));
        schedule::Prediction& p = schedule_.header.prediction;
        p.bytes_sent.push_back(moved.sent);
        p.bytes_received.push_back(moved.received);
        p.messages_sent.push_back(moved.messages_sent);
        p.peak_bytes.push_back(schedule::replay(section).peak);
    }

    schedule::Schedule schedule_;
    std::vector<OfRank> ranks_;
    std::map<std::string, std::int32_t> tensor_;
    std::map<std::int32_t, std::int32_t> input_, output_;  // tensor -> spec
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
