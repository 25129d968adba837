// Loops over labels that keep, for several tensors at once, the offset of the element at hand. Steps without
// allocating.
// Example: labels (i, k) of "ij,jk->ik": stepping k adds one element to B's offset, one to C's, and nothing to A's.
#pragma once

#include <vector>

#include "lib/base/box.hpp"

namespace ein::relation {

/// For one tensor and each label: what each iteration of the label's loop adds to the offset, in elements (empty:
/// nothing).
using LabelOffsets = std::vector<std::vector<Extent>>;

class LabelLoops {
public:
    /// @param labels   those to loop over, the last one fastest
    /// @param lengths  iterations of every label; none of these is 0
    LabelLoops(std::vector<int> labels, Shape const& lengths, std::vector<LabelOffsets> const& tensors)
        : labels_(std::move(labels)), iterations_(labels_.size(), 0), tensors_(&tensors), offsets_(tensors.size(), 0) {
        for (int label : labels_) lengths_.push_back(lengths[static_cast<std::size_t>(label)]);
        restart();
    }

    void restart() {
        for (Extent& iteration : iterations_) iteration = 0;
        for (std::size_t t = 0; t < offsets_.size(); ++t) {
            offsets_[t] = 0;
            for (int label : labels_) offsets_[t] += at(t, label, 0);
        }
    }

    /// Goes to the next element; false, and back at the first, after the last.
    bool next() {
        for (std::size_t k = labels_.size(); k-- > 0;) {
            Extent const before = iterations_[k];
            bool const wraps = ++iterations_[k] == lengths_[k];
            if (wraps) iterations_[k] = 0;
            for (std::size_t t = 0; t < offsets_.size(); ++t)
                offsets_[t] += at(t, labels_[k], iterations_[k]) - at(t, labels_[k], before);
            if (!wraps) return true;
        }
        return false;
    }

    std::vector<int> const& labels() const { return labels_; }
    Extent iteration(std::size_t k) const { return iterations_[k]; }  // of labels()[k]
    Extent offset(std::size_t tensor) const { return offsets_[tensor]; }

private:
    Extent at(std::size_t tensor, int label, Extent iteration) const {
        std::vector<Extent> const& table = (*tensors_)[tensor][static_cast<std::size_t>(label)];
        return table.empty() ? 0 : table[static_cast<std::size_t>(iteration)];
    }

    std::vector<int> labels_;
    Shape lengths_;
    std::vector<Extent> iterations_;
    std::vector<LabelOffsets> const* tensors_;
    std::vector<Extent> offsets_;
};

}  // namespace ein::relation
