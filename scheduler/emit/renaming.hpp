// Other names for what tasks refer to: so the tasks of one node become those of another that is alike
// (lower/alike_nodes.hpp).
// Example: names.tensors = {{T3, T7}}; a block of tensor 3 becomes one of tensor 7.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/schedule/model/section.hpp"

namespace ein::scheduler {

/// Old and new, ascending by the old.
template <class IdType>
class Names {
public:
    void add(IdType from, IdType to) { list_.emplace_back(from, to); }
    /// Once all are there. @return whether each has one new name
    bool sort() {
        std::sort(list_.begin(), list_.end());
        list_.erase(std::unique(list_.begin(), list_.end()), list_.end());
        return std::adjacent_find(list_.begin(), list_.end(),
                                  [](auto const& a, auto const& b) { return a.first == b.first; }) == list_.end();
    }
    bool has(IdType from) const {
        auto const found = place_of(from);
        return found != list_.end() && found->first == from;
    }
    IdType of(IdType from) const {
        auto const found = place_of(from);
        promise(found != list_.end() && found->first == from, "a task refers to what has no other name");
        return found->second;
    }
    std::size_t size() const { return list_.size(); }
    /// Whether no two have one new name.
    bool are_distinct() const {
        std::vector<IdType> to;
        to.reserve(list_.size());
        for (auto const& [from, name] : list_) to.push_back(name);
        std::sort(to.begin(), to.end());
        return std::adjacent_find(to.begin(), to.end()) == to.end();
    }

private:
    auto place_of(IdType from) const {
        return std::lower_bound(list_.begin(), list_.end(), from,
                                [](auto const& each, IdType wanted) { return each.first < wanted; });
    }
    std::vector<std::pair<IdType, IdType>> list_;
};

/// Of blocks of one rank that were there before the tasks.
using BlockNames = Names<BlockId>;

/// The same on all ranks.
struct Renaming {
    Names<schedule::TensorId> tensors;
    Names<schedule::InputId> inputs;
    Names<schedule::KernelId> kernels;
    Names<schedule::MovementId> movements;
    Names<schedule::ReshapeId> reshapes;
    Names<schedule::FillId> fills;

    /// What a task's entry becomes, whatever table it is of.
    std::int32_t entry_of(schedule::Task const& task) const;
};

}  // namespace ein::scheduler
