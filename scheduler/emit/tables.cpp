#include "scheduler/emit/tables.hpp"

#include <algorithm>

namespace ein::scheduler {

schedule::MovementId Tables::identity_movement(std::string const& node, std::size_t order) {
    if (last_ != nullptr && last_->first.first == node && last_->first.second == order) return last_->second;
    auto const [at, added] = identities_.try_emplace({node, order});
    if (added) at->second = header_.movements.add({node, std::vector<graph::AxisMap>(order)});
    if (notes_ != nullptr) note_identity(node, order, at->second);
    last_ = &*at;
    return at->second;
}

void Tables::note_identity(std::string const& node, std::size_t order, schedule::MovementId id) {
    auto const is_this = [&](TableEntry const& note) {
        auto const* identity = std::get_if<TableEntry::Identity>(&note.what);
        return identity != nullptr && note.id == id.value();
    };
    if (std::none_of(notes_->begin(), notes_->end(), is_this))
        notes_->push_back({TableEntry::Identity{node, order}, id.value()});
}

}  // namespace ein::scheduler
