#include "executor/engine/task_moves.hpp"

#include <map>
#include <utility>

namespace ein::executor {

using schedule::Block;
using schedule::Header;
using schedule::Section;
using schedule::Task;
using schedule::TaskKind;

namespace {

constexpr int most_told = 64;  // tasks of one kind and node: their lengths differ, hardly their kernels

Block const& block(Section const& section, std::int32_t id) { return section.blocks[static_cast<std::size_t>(id)]; }

/// As Section::box_of, into a box whose memory is reused.
void set_box(Box& box, std::vector<std::int64_t> const& coords, std::int64_t first, std::int32_t order) {
    auto const begin = coords.begin() + first;
    box.begin.assign(begin, begin + order);
    box.length.assign(begin + order, begin + 2 * std::ptrdiff_t{order});
}

}  // namespace

void describe_copy(Header const& header, Section const& section, Task const& task, CopyCall& call) {
    Block const &input = block(section, section.inputs_of(task)[0]), &output = block(section, task.output);
    set_box(call.from_box, section.coords, input.coords, input.order);
    set_box(call.to_box, section.coords, output.coords, output.order);
    set_box(call.region, section.coords, task.coords, task.order);
    call.axes = header.movements[static_cast<std::size_t>(task.spec)].axes;
    call.dtype = output.dtype;
}

ReshapeCall describe_reshape(Header const& header, Section const& section, Task const& task) {
    ReshapeCall call;
    call.spec = &header.reshapes[static_cast<std::size_t>(task.spec)];
    call.dtype = block(section, task.output).dtype;
    call.form = task.kind == TaskKind::pack     ? ReshapeCall::Form::pack
                : task.kind == TaskKind::unpack ? ReshapeCall::Form::unpack
                                                : ReshapeCall::Form::direct;
    call.from_box = task.kind == TaskKind::unpack ? section.region_of(task)
                                                  : section.box_of(block(section, section.inputs_of(task)[0]));
    call.to_box = task.kind == TaskKind::pack ? section.region_of(task) : section.box_of(block(section, task.output));
    return call;
}

void expect_moves(Header const& header, Section const& section, Accelerator& device) {
    std::map<std::pair<TaskKind, std::int32_t>, int> told;
    CopyCall copy;
    for (Task const& task : section.tasks) {
        bool const moves = task.kind == TaskKind::copy || task.kind == TaskKind::reshape ||
                           task.kind == TaskKind::pack || task.kind == TaskKind::unpack || task.kind == TaskKind::fill;
        if (!moves || ++told[{task.kind, task.spec}] > most_told) continue;
        if (task.kind == TaskKind::copy) {
            describe_copy(header, section, task, copy);
            device.expect_copy(copy);
        } else if (task.kind == TaskKind::fill) {
            Block const& output = block(section, task.output);
            device.expect_fill(section.elements_of(output), output.dtype,
                               header.fills[static_cast<std::size_t>(task.spec)].value);
        } else {
            device.expect_reshape(describe_reshape(header, section, task));
        }
    }
}

}  // namespace ein::executor
