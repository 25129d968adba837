#include "lib/algebra/relation_type.hpp"

#include <algorithm>

namespace ein::tra {

double RelationType::frontier_floats() const {
    return static_cast<double>(element_count(frontier)) * static_cast<double>(element_count(bound));
}

bool RelationType::has(Key const& key) const {
    if (listed) return std::binary_search(listed->begin(), listed->end(), key);
    for (std::size_t d = 0; d < key.size(); ++d)
        if (key[d] < 0 || key[d] >= frontier[d]) return false;
    return key.size() == frontier.size();
}

void RelationType::for_each_key(std::function<void(Key const&)> const& visit) const {
    if (!listed) return for_each_index(frontier, visit);
    for (Key const& key : *listed) visit(key);
}

std::optional<Key> RelationType::first_hole() const {
    if (!listed) return std::nullopt;
    Key hole(frontier.size(), 0);  // walks as far as keys are there: a frontier may be far beyond what can be walked
    for (Key const& key : *listed) {
        if (key != hole) return hole;
        for (std::size_t d = hole.size(); d-- > 0 && ++hole[d] == frontier[d];) hole[d] = 0;
    }
    return hole;
}

RelationType type_of_keys(std::vector<Key> keys, int arity, Shape bound, std::string const& by) {
    std::sort(keys.begin(), keys.end());
    RelationType type{Shape(static_cast<std::size_t>(arity), 0), std::move(bound), std::nullopt, ""};
    for (Key const& key : keys)
        for (std::size_t d = 0; d < key.size(); ++d) type.frontier[d] = std::max(type.frontier[d], key[d] + 1);
    std::optional<Extent> const box = checked_element_count(type.frontier);
    if (box && *box == static_cast<Extent>(keys.size())) return type;
    type.listed = std::move(keys);
    type.holes_by = by;
    return type;
}

std::optional<Problem> holes_in(RelationType const& type) {
    std::optional<Key> const hole = type.first_hole();
    if (!hole) return std::nullopt;
    return Problem{"a relation without holes",
                   "no key " + text(*hole) + " below frontier " + to_string(type.frontier) + ", " +
                       (type.holes_by.empty() ? "no key at all being left" : "left by " + type.holes_by),
                   "rekey what is left to keys 0, 1, ... or keep every key"};
}

std::string text(RelationType const& type) {
    std::string const holes = type.listed ? ", " + std::to_string(type.keys()) + " keys" : "";
    return "frontier " + to_string(type.frontier) + ", bound " + to_string(type.bound) + holes;
}

}  // namespace ein::tra
