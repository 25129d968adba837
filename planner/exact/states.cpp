#include "planner/exact/states.hpp"

#include <algorithm>
#include <numeric>

namespace ein::planner {
namespace {

std::uint64_t hash_of(std::span<int const> row) {
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    for (int group : row) {
        hash = (hash ^ static_cast<std::uint64_t>(group)) * 0xff51afd7ed558ccd;
        hash ^= hash >> 32;
    }
    return hash;
}

}  // namespace

/// The slot of a row, or the free one where it belongs.
std::size_t States::find(std::span<int const> row_wanted) const {
    std::size_t const mask = slots_.size() - 1;
    std::size_t slot = hash_of(row_wanted) & mask;
    while (slots_[slot] >= 0) {
        auto const there = row(static_cast<std::size_t>(slots_[slot]));
        if (std::equal(there.begin(), there.end(), row_wanted.begin())) break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

void States::offer(std::span<int const> row, double cost, std::size_t parent, int value) {
    std::size_t const slot = find(row);
    if (slots_[slot] >= 0) {
        auto const known = static_cast<std::size_t>(slots_[slot]);
        if (cost >= costs_[known]) return;
        costs_[known] = cost;
        parents_[known] = static_cast<std::int32_t>(parent);
        values_[known] = value;
        return;
    }
    slots_[slot] = static_cast<std::int32_t>(size());
    rows_.insert(rows_.end(), row.begin(), row.end());
    costs_.push_back(cost);
    parents_.push_back(static_cast<std::int32_t>(parent));
    values_.push_back(value);
    if (size() * 2 > slots_.size()) grow();
}

void States::grow() {
    slots_.assign(slots_.size() * 4, -1);
    for (std::size_t state = 0; state < size(); ++state) slots_[find(row(state))] = static_cast<std::int32_t>(state);
}

double States::keep(std::size_t count) {
    std::vector<std::size_t> order(size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    auto const cheaper = [&](std::size_t a, std::size_t b) {
        return costs_[a] != costs_[b] ? costs_[a] < costs_[b] : a < b;
    };
    auto const end = order.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(order.begin(), end, order.end(), cheaper);
    double const dropped = costs_[*end];
    std::sort(order.begin(), end);
    States kept(width_);
    for (auto state = order.begin(); state != end; ++state) {
        kept.rows_.insert(kept.rows_.end(), row(*state).begin(), row(*state).end());
        kept.costs_.push_back(costs_[*state]);
        kept.parents_.push_back(parents_[*state]);
        kept.values_.push_back(values_[*state]);
    }
    *this = std::move(kept);  // the slots are empty now: nothing more is offered
    return dropped;
}

void States::forget_rows() {
    rows_ = {};
    slots_ = {};
    costs_ = {};
    parents_.shrink_to_fit();
    values_.shrink_to_fit();
}

}  // namespace ein::planner
