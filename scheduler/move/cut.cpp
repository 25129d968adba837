#include "scheduler/move/cut.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "scheduler/tuning.hpp"

namespace ein::scheduler {
namespace {

/// Calls visit(number, index) for the grid's cells that meet `region`, numbered in C order.
template <class Visit>
void for_cells_meeting(Shape const& shape, Parts const& parts, Box const& region, Visit const& visit) {
    Box const grid = ein::blocks_meeting(shape, parts, region);
    std::vector<Extent> index(grid.begin);
    for_each_index(grid.length, [&](std::vector<Extent> const& step) {
        Extent linear = 0;
        for (std::size_t axis = 0; axis < step.size(); ++axis) {
            index[axis] = step[axis] + grid.begin[axis];
            linear = linear * parts[axis] + index[axis];
        }
        visit(static_cast<std::size_t>(linear), index);
    });
}

std::vector<std::size_t> cells_meeting(Shape const& shape, Parts const& parts, Box const& region) {
    std::vector<std::size_t> out;
    for_cells_meeting(shape, parts, region, [&](std::size_t cell, std::vector<Extent> const&) { out.push_back(cell); });
    return out;
}

Box shifted(Box box, std::vector<Extent> const& by, Extent sign) {
    for (std::size_t axis = 0; axis < by.size(); ++axis) box.begin[axis] += sign * by[axis];
    return box;
}

}  // namespace

Cut::Cut(Shape shape, Parts parts) : shape_(std::move(shape)), parts_(std::move(parts)), whole_(shape_.size(), 1) {
    first_.resize(static_cast<std::size_t>(element_count(parts_)) + 1);
    std::iota(first_.begin(), first_.end(), std::size_t{0});
}

void Cut::merge(std::vector<Box> boxes) {
    boxes_ = std::move(boxes);
    first_.resize(boxes_.size() + 1);
    std::iota(first_.begin(), first_.end(), std::size_t{0});
}

void Cut::subdivide(std::vector<Parts> subblocks) {
    subblocks_ = std::move(subblocks);
    for (std::size_t part = 0; part < subblocks_.size(); ++part)
        first_[part + 1] = first_[part] + static_cast<std::size_t>(element_count(subblocks_[part]));
}

void Cut::describe(std::vector<Extent>& numbers) const {
    auto const append = [&](std::vector<Extent> const& list) {
        numbers.push_back(static_cast<Extent>(list.size()));
        numbers.insert(numbers.end(), list.begin(), list.end());
    };
    append(shape_), append(parts_);
    numbers.push_back(static_cast<Extent>(boxes_.size()));
    for (Box const& box : boxes_) append(box.begin), append(box.length);
    numbers.push_back(static_cast<Extent>(subblocks_.size()));
    for (Parts const& subblocks : subblocks_) append(subblocks);
}

std::optional<Parts> Cut::subblocks() const {
    if (subblocks_.empty()) return whole_;
    bool const alike =
        std::all_of(subblocks_.begin(), subblocks_.end(), [&](Parts const& s) { return s == subblocks_[0]; });
    return alike ? std::optional(subblocks_[0]) : std::nullopt;
}

Box Cut::part_box(std::size_t part) const {
    return merged() ? boxes_[part] : block_box(shape_, parts_, index_at(parts_, static_cast<Extent>(part)));
}

Box Cut::box(std::size_t index) const {
    auto const after = std::upper_bound(first_.begin(), first_.end(), index);
    auto const part = static_cast<std::size_t>(after - first_.begin()) - 1;
    Box const outer = part_box(part);
    Parts const& subblocks = subblocks_of(part);
    return shifted(block_box(outer.length, subblocks, index_at(subblocks, static_cast<Extent>(index - first_[part]))),
                   outer.begin, 1);
}

void Cut::append_meeting(std::size_t part, Box outer, Box const& region, std::vector<Block>& out) const {
    Parts const& subblocks = subblocks_of(part);
    if (subblocks == whole_) {
        out.push_back({first_[part], std::move(outer)});
        return;
    }
    Box const within = shifted(intersection(outer, region), outer.begin, -1);
    for_cells_meeting(outer.length, subblocks, within, [&](std::size_t cell, std::vector<Extent> const& index) {
        out.push_back({first_[part] + cell, shifted(block_box(outer.length, subblocks, index), outer.begin, 1)});
    });
}

std::vector<std::size_t> Cut::parts_meeting(Box const& region) const {
    if (region.empty()) return {};
    if (!merged()) return cells_meeting(shape_, parts_, region);
    std::vector<std::size_t> out;
    for (std::size_t part = 0; part < boxes_.size(); ++part)
        if (!intersection(boxes_[part], region).empty()) out.push_back(part);
    return out;
}

std::vector<Cut::Block> Cut::blocks_meeting(Box const& region) const {
    std::vector<Block> out;
    if (merged())
        for (std::size_t part : parts_meeting(region)) append_meeting(part, boxes_[part], region, out);
    else if (!region.empty())
        for_cells_meeting(shape_, parts_, region, [&](std::size_t part, std::vector<Extent> const& index) {
            append_meeting(part, block_box(shape_, parts_, index), region, out);
        });
    return out;
}

namespace {

/// Whether cutting `part` along `axis` in `subblocks` cuts where `wanted` does.
bool falls_together(Shape const& shape, Box const& part, std::size_t axis, std::int64_t subblocks,
                    Parts const& wanted) {
    for (std::int64_t i = 1; i < subblocks; ++i) {
        Extent const at = part.begin[axis] + part_begin(part.length[axis], subblocks, i);
        if (part_begin(shape[axis], wanted[axis], part_of(shape[axis], wanted[axis], at)) != at) return false;
    }
    return true;
}

}  // namespace

Parts subblocks_for(Shape const& shape, Box const& part, std::int64_t count, Parts const& wanted) {
    Parts subblocks(shape.size(), 1);
    auto left = [&](std::size_t axis) { return part.length[axis] / subblocks[axis]; };
    auto axis_for = [&](std::int64_t prime) {
        std::optional<std::size_t> roomy, longest;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            if (left(axis) < prime) continue;
            if (!wanted.empty() && falls_together(shape, part, axis, subblocks[axis] * prime, wanted)) return axis;
            if (!roomy && left(axis) >= tuning::rows_of_a_subblock * prime) roomy = axis;
            if (!longest || left(axis) > left(*longest)) longest = axis;
        }
        return roomy.value_or(longest.value_or(shape.size()));
    };
    std::vector<std::int64_t> const primes = prime_factors(count);
    for (std::size_t p = primes.size(); p-- > 0;)
        if (std::size_t const axis = axis_for(primes[p]); axis < shape.size()) subblocks[axis] *= primes[p];
    return subblocks;
}

}  // namespace ein::scheduler
