#include "lib/graph/contract/order/label_sets.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ein::graph {
namespace {

/// Extents beyond these many share words: their labels are few each.
constexpr std::size_t most_extents = 12;

}  // namespace

LabelSets::LabelSets(Network const& network) : bit_of_label_(network.extents.size(), -1) {
    std::vector<bool> used(network.extents.size(), false);
    for (auto const& labels : network.operands)
        for (int label : labels) used[at(label)] = true;
    std::map<double, std::vector<int>> by_extent;
    for (std::size_t label = 0; label < used.size(); ++label)
        if (used[label]) by_extent[network.extents[label]].push_back(static_cast<int>(label));
    bool const apart = by_extent.size() <= most_extents;
    for (auto const& [extent, labels] : by_extent) {
        for (int label : labels) {
            bit_of_label_[at(label)] = static_cast<int>(label_of_bit_.size());
            label_of_bit_.push_back(label);
            log_of_bit_.push_back(std::log2(extent));
        }
        while (apart && label_of_bit_.size() % 64 != 0) label_of_bit_.push_back(-1), log_of_bit_.push_back(0);
    }
    while (label_of_bit_.size() % 64 != 0) label_of_bit_.push_back(-1), log_of_bit_.push_back(0);
    words_ = std::max<std::size_t>(1, label_of_bit_.size() / 64);
    label_of_bit_.resize(64 * words_, -1);
    log_of_bit_.resize(64 * words_, 0);
    for (std::size_t w = 0; w < words_; ++w) log_of_word_.push_back(apart ? log_of_bit_[64 * w] : 0);
    kept_.assign(words_, 0);
    for (std::size_t label = 0; label < used.size(); ++label)
        if (used[label] && network.kept[label]) insert(kept_.data(), static_cast<int>(label));
}

void LabelSets::insert(Word* row, int label) const {
    std::size_t const bit = at(bit_of_label_[at(label)]);
    row[bit / 64] |= Word{1} << (bit % 64);
}

std::vector<int> LabelSets::labels(Word const* row) const {
    std::vector<int> out;
    for (std::size_t w = 0; w < words_; ++w)
        for (Word bits = row[w]; bits != 0; bits &= bits - 1)
            out.push_back(label_of_bit_[64 * w + static_cast<std::size_t>(std::countr_zero(bits))]);
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace ein::graph
