// A tensor whose axes are labels, in memory: operands and results of pairwise contractions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lib/base/box.hpp"

namespace ein::relation {

template <class T>
struct Dense {
    std::vector<int> labels;  // distinct, the last one fastest
    std::vector<T> elements;
};

/// What a step from one index to the next moves, for each label of `labels`, in a tensor in C order.
inline std::vector<Extent> strides_of(std::vector<int> const& labels, Shape const& lengths) {
    std::vector<Extent> strides(labels.size(), 1);
    for (std::size_t k = labels.size(); k-- > 1;)
        strides[k - 1] = strides[k] * lengths[static_cast<std::size_t>(labels[k])];
    return strides;
}

/// How many index combinations the labels have.
inline std::size_t points_of(std::vector<int> const& labels, Shape const& lengths) {
    std::size_t size = 1;
    for (int label : labels) size *= static_cast<std::size_t>(lengths[static_cast<std::size_t>(label)]);
    return size;
}

/// A loop of `length` iterations that moves by `stride` elements.
struct Run {
    Extent length = 1, stride = 0;
};

/// For the axes of a new order, how to walk the old one; neighbours that follow one another in both are one run.
inline std::vector<Run> runs_of(std::vector<int> const& order, std::vector<int> const& labels, Shape const& lengths) {
    std::vector<Extent> const strides = strides_of(labels, lengths);
    std::vector<Run> runs;
    for (int label : order) {
        auto const at = static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
        Run const next{lengths[static_cast<std::size_t>(label)], strides[at]};
        if (!runs.empty() && runs.back().stride == next.stride * next.length)
            runs.back() = {runs.back().length * next.length, next.stride};
        else
            runs.push_back(next);
    }
    return runs;
}

/// The elements in another order of the axes.
/// @param order   labels of `from`; those that it lacks stay at one index  @param offset  where those indices are
template <class T>
std::vector<T> arranged(Dense<T> const& from, std::vector<int> const& order, Shape const& lengths, Extent offset = 0) {
    std::vector<T> out(points_of(order, lengths));
    std::vector<Run> const runs = runs_of(order, from.labels, lengths);
    Run const inner = runs.empty() ? Run{} : runs.back();
    std::vector<Extent> iterations(runs.empty() ? 0 : runs.size() - 1, 0);
    T const* source = from.elements.data() + offset;
    for (T* to = out.data(); to != out.data() + out.size();) {
        for (Extent k = 0; k < inner.length; ++k) *to++ = source[k * inner.stride];
        for (std::size_t axis = iterations.size(); axis-- > 0;) {
            source += runs[axis].stride;
            if (++iterations[axis] < runs[axis].length) break;
            source -= runs[axis].stride * runs[axis].length;
            iterations[axis] = 0;
        }
    }
    return out;
}

}  // namespace ein::relation
