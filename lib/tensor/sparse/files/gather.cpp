#include "lib/tensor/sparse/files/gather.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "lib/tensor/cast.hpp"
#include "lib/tensor/sparse/sort_keys.hpp"
#include "lib/tensor/tuning.hpp"

namespace ein::tensor {
namespace {

bool holds(Box const& box, ListedElements const& batch, std::size_t e) {
    for (std::size_t axis = 0; axis < box.order(); ++axis)
        if (batch.coords[axis][e] < box.begin[axis] || batch.coords[axis][e] >= box.end(axis)) return false;
    return true;
}

bool no_elements(Box const& box) {
    return std::any_of(box.length.begin(), box.length.end(), [](Extent length) { return length == 0; });
}

template <class T>
T sum(T a, T b) {
    if constexpr (std::is_same_v<T, BoolByte>)
        return {static_cast<std::uint8_t>(a.byte != 0 || b.byte != 0)};
    else if constexpr (is_half_type<T>)
        return cast<T>(cast<float>(a) + cast<float>(b));
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
        return a + b;
}

void put_in_order(Gathered& gathered, std::size_t size) {
    std::vector<std::size_t> const order = sorted_order(gathered.keys);
    if (order.empty()) return;
    std::vector<std::uint64_t> keys(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) keys[k] = gathered.keys[order[k]];
    gathered.keys.swap(keys);
    if (gathered.values.empty()) return;
    std::vector<std::byte> values(gathered.values.size());
    for (std::size_t k = 0; k < order.size(); ++k)
        std::memcpy(values.data() + k * size, gathered.values.data() + order[k] * size, size);
    gathered.values.swap(values);
}

/// Adds equal keys, which lie beside each other.
void add_up(Gathered& gathered, DType dtype) {
    std::vector<std::uint64_t>& keys = gathered.keys;
    if (std::adjacent_find(keys.begin(), keys.end()) == keys.end()) return;
    if (gathered.values.empty()) {
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        return;
    }
    std::size_t last = 0;
    with_type(dtype, [&]<class T>(T) {
        std::byte* const values = gathered.values.data();
        for (std::size_t k = 1; k < keys.size(); ++k) {
            T const value = load<T>(values + k * sizeof(T));
            bool const again = keys[k] == keys[last];
            if (!again) keys[++last] = keys[k];
            store(values + last * sizeof(T), again ? sum(load<T>(values + last * sizeof(T)), value) : value);
        }
    });
    keys.resize(last + 1);
    gathered.values.resize((last + 1) * size_of(dtype));
}

}  // namespace

Gatherer::Gatherer(std::span<Box const> boxes, DType dtype, Keep keep) : dtype_(dtype), keep_(keep) {
    for (Box const& box : boxes) boxes_.push_back({box, {}, {}});
    build_grid();
}

void Gatherer::build_grid() {
    std::size_t const order = boxes_.empty() ? 0 : boxes_.front().box.order();
    cuts_.resize(order);
    bool any = false;
    for (Gathered const& gathered : boxes_) {
        Box const& box = gathered.box;
        if (no_elements(box)) continue;
        if (!any) hull_ = box;
        any = true;
        for (std::size_t axis = 0; axis < order; ++axis) {
            Extent const begin = std::min(hull_.begin[axis], box.begin[axis]);
            hull_.length[axis] = std::max(hull_.end(axis), box.end(axis)) - begin;
            hull_.begin[axis] = begin;
            cuts_[axis].insert(cuts_[axis].end(), {box.begin[axis], box.end(axis)});
        }
    }
    if (!any) hull_ = {std::vector<Extent>(order, 0), Shape(order, 0)};
    Shape grid;
    for (std::vector<Extent>& cuts : cuts_) {
        std::sort(cuts.begin(), cuts.end());
        cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
        grid.push_back(static_cast<Extent>(cuts.size()));
    }
    auto const cells = checked_element_count(grid);
    if (boxes_.size() < 2 || !cells || *cells > tuning::most_gather_cells) return;
    strides_ = row_major_strides(grid);
    boxes_of_.resize(static_cast<std::size_t>(*cells));
    for (std::size_t b = 0; b < boxes_.size(); ++b) {
        Box const& box = boxes_[b].box;
        if (no_elements(box)) continue;
        Box inside{std::vector<Extent>(order), Shape(order)};
        for (std::size_t axis = 0; axis < order; ++axis) {
            auto const at = [&](Extent cut) {
                return std::lower_bound(cuts_[axis].begin(), cuts_[axis].end(), cut) - cuts_[axis].begin();
            };
            inside.begin[axis] = at(box.begin[axis]);
            inside.length[axis] = at(box.end(axis)) - inside.begin[axis];
        }
        for_each_index(inside.length, [&](std::vector<Extent> const& index) {
            Extent cell = 0;
            for (std::size_t axis = 0; axis < order; ++axis)
                cell += (inside.begin[axis] + index[axis]) * strides_[axis];
            boxes_of_[static_cast<std::size_t>(cell)].push_back(static_cast<std::uint32_t>(b));
        });
    }
}

void Gatherer::add_to(Gathered& gathered, ListedElements const& batch, std::size_t e) {
    std::uint64_t key = 0;
    Box const& box = gathered.box;
    for (std::size_t axis = 0; axis < box.order(); ++axis)
        key = key * static_cast<std::uint64_t>(box.length[axis]) +
              static_cast<std::uint64_t>(batch.coords[axis][e] - box.begin[axis]);
    gathered.keys.push_back(key);
    if (keep_ == Keep::places) return;
    std::size_t const size = size_of(dtype_);
    std::byte const* const value = batch.values.data() + e * size;
    gathered.values.insert(gathered.values.end(), value, value + size);
}

void Gatherer::add_anywhere(ListedElements const& batch, std::size_t e) {
    if (boxes_of_.empty()) {
        for (Gathered& gathered : boxes_)
            if (holds(gathered.box, batch, e)) add_to(gathered, batch, e);
        return;
    }
    Extent cell = 0;
    for (std::size_t axis = 0; axis < cuts_.size(); ++axis) {
        auto const after = std::upper_bound(cuts_[axis].begin(), cuts_[axis].end(), batch.coords[axis][e]);
        cell += (after - cuts_[axis].begin() - 1) * strides_[axis];  // in the hull, so that one cut is before it
    }
    for (std::uint32_t b : boxes_of_[static_cast<std::size_t>(cell)]) add_to(boxes_[b], batch, e);
}

void Gatherer::expect(std::span<Extent const> most) {
    Extent const all = std::accumulate(most.begin(), most.end(), Extent{0});
    Extent const largest = most.empty() ? 0 : *std::max_element(most.begin(), most.end());
    if (all > 2 * largest) return;  // chunks that touch many boxes say little
    for (std::size_t b = 0; b < boxes_.size(); ++b) {
        boxes_[b].keys.reserve(static_cast<std::size_t>(most[b]));
        if (keep_ == Keep::values) boxes_[b].values.reserve(static_cast<std::size_t>(most[b]) * size_of(dtype_));
    }
}

/// Of the only box: without a branch for each entry.
template <std::size_t Size>
void Gatherer::add_to_one(ListedElements const& batch, std::size_t count) {
    Gathered& gathered = boxes_.front();
    Box const& box = gathered.box;
    std::size_t at = gathered.keys.size();
    gathered.keys.resize(at + count);
    if (keep_ == Keep::values) gathered.values.resize((at + count) * Size);
    for (std::size_t e = 0; e < count; ++e) {
        std::uint64_t key = 0;
        bool inside = true;
        for (std::size_t axis = 0; axis < box.order(); ++axis) {
            auto const index = static_cast<std::uint64_t>(batch.coords[axis][e] - box.begin[axis]);
            auto const length = static_cast<std::uint64_t>(box.length[axis]);
            inside = inside && index < length;
            key = key * length + index;
        }
        gathered.keys[at] = key;
        if (keep_ == Keep::values)
            std::memcpy(gathered.values.data() + at * Size, batch.values.data() + e * Size, Size);
        at += inside;
    }
    gathered.keys.resize(at);
    if (keep_ == Keep::values) gathered.values.resize(at * Size);
}

void Gatherer::add(ListedElements const& batch) {
    auto const count = static_cast<std::size_t>(batch.count(dtype_));
    if (hull_.order() > 0 && no_elements(hull_)) return;
    if (boxes_.size() == 1) switch (size_of(dtype_)) {
            case 1: return add_to_one<1>(batch, count);
            case 2: return add_to_one<2>(batch, count);
            case 4: return add_to_one<4>(batch, count);
            case 8: return add_to_one<8>(batch, count);
            default: return add_to_one<16>(batch, count);
        }
    for (std::size_t e = 0; e < count; ++e)
        if (holds(hull_, batch, e)) add_anywhere(batch, e);
}

std::vector<Gathered> Gatherer::finish() {
    for (Gathered& gathered : boxes_) {
        put_in_order(gathered, size_of(dtype_));
        add_up(gathered, dtype_);
        if (gathered.keys.capacity() / 8 * 7 <= gathered.keys.size()) continue;  // a copy for little
        gathered.keys.shrink_to_fit();
        gathered.values.shrink_to_fit();
    }
    return std::move(boxes_);
}

}  // namespace ein::tensor
