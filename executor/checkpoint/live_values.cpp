#include "executor/checkpoint/live_values.hpp"

#include <algorithm>
#include <map>
#include <sstream>

#include "executor/checkpoint/folder/box_cover.hpp"
#include "lib/base/error.hpp"

namespace ein::executor {

namespace {

LiveBox live_box(schedule::Section const& section, schedule::Block const& block) {
    LiveBox out{block.tensor, section.box_of(block), {}, {}};
    if (block.is_listed()) out.layout = section.sparse(block).layout();
    return out;
}

/// What of a box is in none of those that are saved, as boxes of the same rank.
void add_rest(BoxToSave const& box, std::vector<BoxToSave>& out, std::size_t first) {
    std::vector<Box> left{box.box};
    for (std::size_t k = first; k < out.size() && !left.empty(); ++k) {
        std::vector<Box> still;
        for (Box const& part : left)
            for (Box& piece : without(part, out[k].box)) still.push_back(std::move(piece));
        left = std::move(still);
    }
    for (Box& part : left) out.push_back({box.tensor, std::move(part), box.rank});
}

}  // namespace

std::vector<LiveBox> live_boxes(schedule::Section const& section, std::vector<bool> const& held, TaskId before) {
    std::vector<LiveBox> out;
    for (BlockId id : section.blocks.ids()) {
        if (!held[at(id)]) continue;
        promise(section.blocks[id].is_box() || section.blocks[id].is_listed(),
                "a block at a moment is a part of a value");
        out.push_back(live_box(section, section.blocks[id]));
        out.back().block = id;
    }
    std::map<TaskId, bool> on_disk;  // by spill
    for (TaskId t : section.tasks.ids()) {
        if (!section.tasks[t].is<schedule::Fetch>() || t < before) continue;
        TaskId const spill = section.as<schedule::Fetch>(section.tasks[t]).spill;
        if (spill >= before || !on_disk.emplace(spill, true).second) continue;
        schedule::Block const& block = section.blocks[section.as<schedule::Spill>(section.tasks[spill]).block];
        out.push_back(live_box(section, block));
        out.back().spill = spill;
    }
    return out;
}

std::vector<BoxToSave> boxes_to_save(std::vector<std::vector<LiveBox>> const& by_rank,
                                     std::function<bool(schedule::TensorId)> const& is_sparse) {
    std::vector<BoxToSave> all;
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank)
        for (LiveBox const& live : by_rank[rank]) all.push_back({live.tensor, live.box, Rank{static_cast<int>(rank)}});
    std::stable_sort(all.begin(), all.end(), [](BoxToSave const& a, BoxToSave const& b) {
        if (a.tensor != b.tensor) return a.tensor < b.tensor;
        Extent const left = a.box.elements(), right = b.box.elements();
        return left != right ? left > right : a.box < b.box;
    });
    std::vector<BoxToSave> out;
    std::size_t first = 0;  // of the tensor
    for (BoxToSave& each : all) {
        if (first < out.size() && out[first].tensor != each.tensor) first = out.size();
        bool const inside = std::any_of(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                                        [&](BoxToSave const& other) { return other.box.contains(each.box); });
        if (inside) continue;
        if (is_sparse(each.tensor))
            add_rest(each, out, first);
        else
            out.push_back(std::move(each));
    }
    return out;
}

std::string to_text(std::vector<LiveBox> const& boxes) {
    std::ostringstream out;
    for (LiveBox const& live : boxes) {
        out << live.tensor.value() << ' ' << live.box.order();
        for (Extent begin : live.box.begin) out << ' ' << begin;
        for (Extent length : live.box.length) out << ' ' << length;
        out << '\n';
    }
    return out.str();
}

std::vector<LiveBox> boxes_from(std::string const& text) {
    std::istringstream in(text);
    std::vector<LiveBox> out;
    std::int32_t tensor = 0;
    std::size_t order = 0;
    while (in >> tensor >> order) {
        LiveBox live{schedule::TensorId{tensor}, Box::whole(Shape(order)), {}, {}};
        for (Extent& begin : live.box.begin) in >> begin;
        for (Extent& length : live.box.length) in >> length;
        out.push_back(std::move(live));
    }
    return out;
}

}  // namespace ein::executor
