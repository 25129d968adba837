#include "scheduler/loaded_again.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace ein::scheduler {
namespace {

struct Loads {
    std::vector<double> bytes;    // by rank
    std::set<Box> boxes;          // each once
    double places = 0, once = 0;  // of those boxes: elements of their shape, and bytes
};

}  // namespace

std::vector<std::int64_t> loaded_again(schedule::Schedule const& schedule) {
    std::map<schedule::InputId, Loads> inputs;
    std::map<schedule::InputId, double> whole;
    std::size_t const ranks = schedule.sections.size();
    bool const any_sparse = std::any_of(
        schedule.header.inputs.begin(), schedule.header.inputs.end(),
        [&](schedule::Input const& input) { return schedule.header.tensors[input.tensor].fill.has_value(); });
    if (!any_sparse) return std::vector<std::int64_t>(ranks, 0);
    for (Rank rank : schedule.sections.ids()) {
        schedule::Section const& section = schedule.sections[rank];
        for (schedule::Task const& task : section.tasks) {
            if (!task.is<schedule::Load>()) continue;
            auto const load = section.as<schedule::Load>(task);
            schedule::Block const& block = section.blocks[load.result];
            if (!block.is_listed()) continue;
            Loads& of = inputs[load.input];
            of.bytes.resize(ranks);
            auto const bytes = static_cast<double>(section.bytes_of(block));
            of.bytes[static_cast<std::size_t>(rank.value())] += bytes;
            Box box = load.around ? load.around->box() : section.box_of(block);
            auto const places = static_cast<double>(box.elements());
            if (!of.boxes.insert(std::move(box)).second) continue;
            of.places += places;
            of.once += bytes;
            whole[load.input] = static_cast<double>(element_count(schedule.header.tensors[block.tensor].shape));
        }
    }
    std::vector<double> again(ranks, 0);
    for (auto const& [input, of] : inputs) {
        double all = 0;
        for (double bytes : of.bytes) all += bytes;
        // Boxes of several cuts have every element more than once.
        double const cuts = whole[input] > 0 ? std::max(1.0, of.places / whole[input]) : 1;
        double const share = all > 0 ? 1 - of.once / cuts / all : 0;
        for (std::size_t rank = 0; rank < ranks; ++rank) again[rank] += share * of.bytes[rank];
    }
    return {again.begin(), again.end()};
}

}  // namespace ein::scheduler
