#include "lib/schedule/model/schedule.hpp"

#include <algorithm>
#include <array>

namespace ein::schedule {

std::string_view name(TaskKind kind) {
    static constexpr std::array<std::string_view, task_kinds> names{"load",    "apply", "reduce", "fill", "copy",
                                                                    "reshape", "pack",  "unpack", "send", "receive",
                                                                    "store",   "spill", "fetch",  "turn"};
    return names.at(static_cast<std::size_t>(kind));
}

std::span<std::int32_t const> Section::inputs_of(Task const& task) const {
    return std::span(inputs).subspan(static_cast<std::size_t>(task.first_input), static_cast<std::size_t>(task.inputs));
}

namespace {
Box box_at(std::vector<std::int64_t> const& coords, std::int64_t first, std::int32_t order) {
    auto const begin = coords.begin() + first;
    return {{begin, begin + order}, {begin + order, begin + 2 * std::int64_t{order}}};
}
}  // namespace

Box Section::box_of(Block const& block) const { return box_at(coords, block.coords, block.order); }
Box Section::region_of(Task const& task) const { return box_at(coords, task.coords, task.order); }

std::int64_t Section::elements_of(Block const& block) const {
    auto const lengths = std::span(coords).subspan(static_cast<std::size_t>(block.coords + block.order),
                                                   static_cast<std::size_t>(block.order));
    return element_count(lengths);
}

std::int64_t Section::bytes_of(Block const& block) const {
    return elements_of(block) * static_cast<std::int64_t>(size_of(block.dtype));
}

bool Section::idle() const {
    return std::all_of(tasks.begin(), tasks.end(),
                       [](Task const& task) { return task.kind == TaskKind::load || task.kind == TaskKind::send; });
}

BlockId Section::block_of_message(Task const& task) const {
    return BlockId{task.kind == TaskKind::send ? inputs_of(task)[0] : task.output};
}

ByteRange Section::message_of(Task const& task) const {
    Block const& block = blocks[static_cast<std::size_t>(block_of_message(task).value())];
    if (task.order == 0) return {0, bytes_of(block)};
    auto const size = static_cast<std::int64_t>(size_of(block.dtype));
    Box const region = region_of(task);
    return {offset_in(region, box_of(block)) * size, region.elements() * size};
}

}  // namespace ein::schedule
