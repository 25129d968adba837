#include "lib/schedule/model/section.hpp"

#include <algorithm>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/schedule/model/header.hpp"

namespace ein::schedule {
namespace {

/// Where coordinates are appended.
CoordsPlace end_of(std::vector<Extent> const& coords) {
    promise(std::in_range<CoordsPlace>(coords.size()), "a section has more coordinates than can be numbered");
    return static_cast<CoordsPlace>(coords.size());
}

}  // namespace

std::optional<Apply> Section::kernel_call(Task const& task) const {
    if (task.is<Apply>()) return as<Apply>(task);
    if (task.is<Reduce>()) return call_of(as<Reduce>(task));
    return std::nullopt;
}

Message Section::message(Task const& task) const {
    if (task.is<Send>()) {
        auto const send = as<Send>(task);
        return {send.block, send.to, send.tag, send.part, true};
    }
    promise(task.is<Receive>(), "a message of a task that is no transfer");
    auto const receive = as<Receive>(task);
    return {receive.block, receive.from, receive.tag, receive.part, false};
}

Extent Section::elements_of(Block const& block) const {
    return visit_format(block.format, coords_of(block), [](auto const& format) { return format.elements(); });
}

std::int64_t Section::bytes_of(Block const& block) const {
    return visit_format(block.format, coords_of(block), [&](auto const& format) { return format.bytes(block.dtype); });
}

std::size_t Section::bytes_listed(BlockId block, std::span<std::byte const> bytes) const {
    SparseBlock const listed = sparse(blocks[block]);
    Extent const count = tensor::listed_in(bytes);
    promise(count >= 0 && count <= listed.most, "a sparse block lists more than it has room for");
    return static_cast<std::size_t>(
        tensor::sparse_bytes(listed.layout(), listed.box.length, blocks[block].dtype, count));
}

double Section::listed_share(Kernel const& kernel, Apply const& call) const {
    double share = 1;
    for (std::size_t k = 0; k < call.operands.size(); ++k) {
        Block const& block = blocks[call.operands[k]];
        if (!block.is<SparseBlock>() || kernel.is_looked_up(k)) continue;
        SparseBlock const listed = sparse(block);
        share = std::min(share,
                         static_cast<double>(listed.most) / std::max(1.0, static_cast<double>(listed.box.elements())));
    }
    return share;
}

double Section::listed_in(std::vector<int> const& labels, Apply const& call, std::size_t k) const {
    Block const& block = blocks[call.operands[k]];
    if (!block.is_listed()) return 0;
    auto places = static_cast<double>(elements_of(block));
    BoxView const box = view_of(block);
    for (std::size_t axis = 0; axis < labels.size(); ++axis)
        places *= static_cast<double>(call.region.length[static_cast<std::size_t>(labels[axis])]) /
                  std::max(1.0, static_cast<double>(box.length[axis]));
    return places;
}

ByteRange Section::range_of(Message const& message) const {
    Block const& block = blocks[message.block];
    if (!message.part) return {0, bytes_of(block)};
    auto const size = static_cast<std::int64_t>(size_of(block.dtype));
    return {offset_in(message.part->box(), box_of(block)) * size, message.part->elements() * size};
}

bool Section::idle() const {
    return std::all_of(tasks.begin(), tasks.end(), [](Task const& task) { return task.is<Load>() || task.is<Send>(); });
}

std::int32_t Section::add_operands(std::span<BlockId const> list) {
    auto const first = static_cast<std::int32_t>(operands.size());
    operands.insert(operands.end(), list.begin(), list.end());
    return first;
}

CoordsPlace Section::add_box(BoxView const& box) {
    if (box.order() == 0) return 0;
    CoordsPlace const first = end_of(coords);
    coords.insert(coords.end(), box.begin.begin(), box.begin.end());
    coords.insert(coords.end(), box.length.begin(), box.length.end());
    return first;
}

CoordsPlace Section::add_sparse(BoxView const& box, tensor::SparseLayout const& layout, Extent most) {
    CoordsPlace const first = end_of(coords);
    coords.insert(coords.end(), box.begin.begin(), box.begin.end());
    coords.insert(coords.end(), box.length.begin(), box.length.end());
    coords.push_back(most);
    coords.push_back(layout.compressed ? 1 : 0);
    coords.insert(coords.end(), layout.axes.begin(), layout.axes.end());
    return first;
}

TaskId Section::append(Task task) {
    for (BlockId block : reads(task)) ++blocks[block].readers;
    if (auto const result = task.result()) ++blocks[*result].writers;
    return tasks.add(task);
}

}  // namespace ein::schedule
