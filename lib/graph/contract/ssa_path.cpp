#include "lib/graph/contract/ssa_path.hpp"

#include <algorithm>

namespace ein::graph {

LiveOperands::LiveOperands(std::size_t operands) {
    tree_.assign(2 * operands + 2, 0);
    for (std::size_t k = 0; k < operands; ++k) append(static_cast<int>(k));
}

void LiveOperands::add(std::size_t slot, int change) {
    for (std::size_t k = slot + 1; k < tree_.size(); k += k & (~k + 1)) tree_[k] += change;
}

std::size_t LiveOperands::before(std::size_t slot) const {
    int count = 0;
    for (std::size_t k = slot; k > 0; k -= k & (~k + 1)) count += tree_[k];
    return static_cast<std::size_t>(count);
}

/// More results than operands can only come from steps of one operand: rebuilt with twice the room.
void LiveOperands::grow() {
    std::vector<int> alive;
    for (std::size_t slot = 0; slot < number_.size(); ++slot)
        if (before(slot + 1) > before(slot)) alive.push_back(number_[slot]);
    tree_.assign(2 * tree_.size(), 0);
    number_.clear();
    live_ = 0;
    for (int number : alive) append(number);
}

void LiveOperands::append(int number) {
    if (number_.size() + 1 >= tree_.size()) grow();
    std::size_t const index = static_cast<std::size_t>(number);
    if (slot_of_.size() <= index) slot_of_.resize(index + 1);
    slot_of_[index] = number_.size();
    add(number_.size(), 1);
    number_.push_back(number);
    ++live_;
}

int LiveOperands::take(std::size_t position) {
    std::size_t slot = 0, step = 1;
    while (2 * step < tree_.size()) step *= 2;
    int wanted = static_cast<int>(position);
    for (; step > 0; step /= 2) {
        if (slot + step >= tree_.size() || tree_[slot + step] > wanted) continue;
        slot += step;
        wanted -= tree_[slot];
    }
    add(slot, -1);
    --live_;
    return number_[slot];
}

std::size_t LiveOperands::remove(int number) {
    std::size_t const slot = slot_of_[static_cast<std::size_t>(number)];
    std::size_t const position = before(slot);
    add(slot, -1);
    --live_;
    return position;
}

Path to_linear(SsaPath const& path, std::size_t operands) {
    LiveOperands live(operands);
    Path linear;
    for (std::size_t k = 0; k < path.size(); ++k) {
        auto const [a, b] = path[k];
        std::size_t const second = live.remove(std::max(a, b));  // the later one first: positions of the other stay
        std::size_t const first = live.remove(std::min(a, b));
        linear.emplace_back(static_cast<int>(std::min(first, second)), static_cast<int>(std::max(first, second)));
        live.append(static_cast<int>(operands + k));
    }
    return linear;
}

SsaPath to_ssa(Path const& path, std::size_t operands) {
    LiveOperands live(operands);
    SsaPath ssa;
    for (std::size_t k = 0; k < path.size(); ++k) {
        auto const [low, high] = std::minmax(path[k].first, path[k].second);
        int const b = live.take(static_cast<std::size_t>(high));
        int const a = live.take(static_cast<std::size_t>(low));
        ssa.emplace_back(a, b);
        live.append(static_cast<int>(operands + k));
    }
    return ssa;
}

}  // namespace ein::graph
