#include "executor/device/cpu/sparse/point_walk.hpp"

#include <algorithm>

#include "executor/device/cpu/sparse/tuning.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {

PointWalk::PointWalk(WalkShape const& shape, std::span<SparseSource const> sources, KernelCall const& call,
                     WalkRegion const& region, JoinOfPoints const& join, Slots& slots, WorkerTeam& team)
    : shape_(shape),
      sources_(sources),
      call_(call),
      region_(region),
      slots_(slots),
      team_(team),
      batch_(join, slots, shape.joins_runs ? shape.longest_run : 0),
      tile_(join.tile),
      indexed_(join.has_indices()),
      index_(region.first),
      positions_(shape.operands.size(), SparseSource::nowhere),
      element_of_(shape.operands.size(), 0),
      hints_(sources.size(), SparseSource::nowhere),
      indices_(join.body.indices) {
    if (shape.plan.merged.empty()) return;
    merge_.emplace(sources, shape.sets, shape.lengths);
    points_.index.assign(shape.plan.merged.size() - 1, std::vector<Extent>(sources.size() * MergedRows::chunk));
    points_.values.resize(tile_ * 16);
}

void PointWalk::walk(Extent row, std::uint64_t first_key) {
    first_key_ = first_key;
    if (shape_.plan.row != SparsePlan::none) index_[static_cast<std::size_t>(shape_.plan.row)] = row;
    if (merge_) return walk_merged(row);
    for (Term const& term : shape_.plan.terms) {
        std::fill(positions_.begin(), positions_.end(), SparseSource::nowhere);
        step(term, 0);
    }
}

/// Whether points of several rows may be in one run: a row has one accumulator, and only what is walked has its label.
bool PointWalk::shares_runs() const {
    SparsePlan const& plan = shape_.plan;
    if (merge_ || plan.terms.size() != 1 || plan.terms[0].steps.size() != 1 || !is_last(plan.terms[0], 0)) return false;
    SparsePlan::Step const& walked = plan.terms[0].steps[0];
    SparseSource const& source = sources_[walked.source];
    return region_.keys == 1 && region_.run == 1 && walked.bound == 1 && source.compressed() &&
           std::all_of(shape_.used.begin(), shape_.used.end(), [&](std::size_t k) {
               return k == source.operand() || shape_.operands[k].stride_of(static_cast<std::size_t>(plan.row)) == 0;
           });
}

void PointWalk::walk_rows(Extent first, Extent last) {
    std::size_t const most = shares_runs() ? std::min(slots_.short_row(), tile_) : 0;
    if (most == 0) {
        for (Extent row = first; row < last; ++row) walk(row, static_cast<std::uint64_t>(row - first) * region_.keys);
        return;
    }
    SparseSource const& source = sources_[shape_.plan.terms[0].steps[0].source];
    SparseSource::Range together{source.row(first).begin, source.row(first).begin};
    for (Extent row = first; row < last; ++row) {
        SparseSource::Range const range = source.row(row);
        std::size_t const count = range.end - range.begin;
        if (count > most || slots_of_short_.size() + count > tile_) {
            add_short_rows(together);
            together.begin = range.begin;
        }
        together.end = range.end;
        if (count > most) {
            walk(row, static_cast<std::uint64_t>(row - first));
            together.begin = range.end;
        } else if (count > 0) {
            slots_of_short_.resize(slots_of_short_.size() + count,
                                   slots_.slot_of(static_cast<std::uint64_t>(row - first)));
        }
    }
    add_short_rows(together);
}

void PointWalk::add_short_rows(SparseSource::Range range) {
    if (range.empty()) return;
    Term const& term = shape_.plan.terms[0];
    batch_.begin_scattered_run(slots_of_short_);
    add_walked(sources_[term.steps[0].source], range, term.steps[0].bound);
    slots_of_short_.clear();
    if (++runs_ % sparse_tuning::runs_a_pause == 0) team_.pause();
}

void PointWalk::walk_share(std::int64_t shares, std::int64_t share) {
    shares_ = shares;
    share_ = share;
    walk(0, 0);
}

void PointWalk::walk_merged_rows(Extent first, Extent last) {
    for (Extent row = first; row < last; ++row) {
        index_[static_cast<std::size_t>(shape_.plan.merged[0])] = row;
        walk_merged(row);
    }
}

void PointWalk::walk_merged(Extent row) {
    merge_->begin(row, row + 1);
    while (std::size_t const merged = merge_->next()) {
        for (std::size_t place = 0; place < points_.index.size(); ++place)
            merge_->indices(place + 1, 0, merged, points_.index[place].data());
        for (std::size_t from = 0; from < merged; from += tile_) add_merged(from, std::min(tile_, merged - from));
    }
    if (++runs_ % sparse_tuning::runs_a_pause == 0) team_.pause();
}

/// Points that were merged, of one row.
void PointWalk::add_merged(std::size_t from, std::size_t count) {
    std::uint64_t const first = key();
    std::span<Extent const> const keys =
        merged_offsets(from, count, [&](std::size_t label) { return key_stride(label); });
    if (!keys.empty()) {
        slots_of_.resize(count);
        for (std::size_t i = 0; i < count; ++i)
            slots_of_[i] = slots_.slot_of(first + static_cast<std::uint64_t>(keys[i]));
        batch_.begin_scattered_run(slots_of_);
    } else if (std::size_t const part = batch_.begin_shared_run(slots_.slot_of(first), count); part < count) {
        add_operands(from, part);
        return add_merged(from + part, count - part);
    }
    add_operands(from, count);
}

void PointWalk::add_operands(std::size_t from, std::size_t count) {
    for (std::size_t k : shape_.used) {
        WalkShape::Operand const& operand = shape_.operands[k];
        if (operand.sparse) {
            std::size_t s = 0;
            while (sources_[s].operand() != k) ++s;
            std::byte* const room = batch_.room_of(k);
            std::byte const* const values =
                merge_->values(s, from, count, operand.fill, room != nullptr ? room : points_.values.data());
            if (values != room) batch_.operand(k, values, 1);
            continue;
        }
        std::span<Extent const> const offsets =
            merged_offsets(from, count, [&](std::size_t label) { return operand.stride_of(label); });
        if (offsets.empty())
            batch_.operand(k, operand_at(k), 0);
        else
            batch_.operand(k, operand_at(k), offsets);
    }
    batch_.end_run({});
}

Extent PointWalk::key_stride(std::size_t label) const {
    auto const at = std::find(shape_.key_labels.begin(), shape_.key_labels.end(), label);
    return at == shape_.key_labels.end() ? Extent{0} : region_.key_strides[at - shape_.key_labels.begin()];
}

/// Sums of merged points' indices, of all labels but the row's, times what their labels' strides are; empty where all
/// are 0.
template <class Strides>
std::span<Extent const> PointWalk::merged_offsets(std::size_t from, std::size_t count, Strides const& stride_of) {
    bool any = false;
    for (std::size_t place = 1; place < shape_.plan.merged.size(); ++place) {
        Extent const stride = stride_of(static_cast<std::size_t>(shape_.plan.merged[place]));
        if (stride == 0) continue;
        if (!any) offsets_.assign(count, 0);
        any = true;
        Extent const* const index = points_.index[place - 1].data() + from;
        for (std::size_t i = 0; i < count; ++i) offsets_[i] += index[i] * stride;
    }
    return any ? std::span<Extent const>(offsets_) : std::span<Extent const>();
}

void PointWalk::step(Term const& term, std::size_t level) {
    if (level == term.steps.size()) return leaf(term);
    SparsePlan::Step const& now = term.steps[level];
    SparseSource const& source = sources_[now.source];
    bool const rows = now.bound == 0 && source.compressed();
    SparseSource::Range range = rows ? source.all() : source.matching(index_, now.bound);
    if (level == 0 && shares_ > 1) {
        auto const count = static_cast<Extent>(range.end - range.begin);
        std::size_t const begin = range.begin;
        range.begin = begin + static_cast<std::size_t>(part_begin(count, shares_, share_));
        range.end = begin + static_cast<std::size_t>(part_begin(count, shares_, share_ + 1));
    }
    if (!rows) return walk_elements(term, level, range, now.bound);
    while (range.begin < range.end) {
        Extent const row = source.first_index(range.begin);
        index_[static_cast<std::size_t>(source.labels().front())] = row;
        std::size_t const end = std::min(range.end, source.row(row).end);
        walk_elements(term, level, {range.begin, end}, 1);
        range.begin = end;
    }
}

void PointWalk::walk_elements(Term const& term, std::size_t level, SparseSource::Range range, std::size_t from_place) {
    if (is_last(term, level)) return add_elements(term, level, range, from_place);
    SparseSource const& source = sources_[term.steps[level].source];
    std::vector<int> const& labels = source.labels();
    for (std::size_t e = range.begin; e < range.end; ++e) {
        for (std::size_t place = from_place; place < labels.size(); ++place)
            index_[static_cast<std::size_t>(labels[place])] = source.index(place, e);
        positions_[source.operand()] = e;
        element_of_[source.operand()] = term.steps[level].source;
        step(term, level + 1);
    }
}

/// Whether each element that is walked is a point: nothing is looked up, counted through or run along.
bool PointWalk::is_last(Term const& term, std::size_t level) const {
    return level + 1 == term.steps.size() && term.lookups.empty() && term.counted.empty() && !indexed_ &&
           shape_.plan.inner == SparsePlan::none;
}

/// Many points at once: their values lie side by side, what dense operands have there is gathered.
void PointWalk::add_elements(Term const& term, std::size_t level, SparseSource::Range range, std::size_t from_place) {
    if (range.empty()) return;
    SparseSource const& source = sources_[term.steps[level].source];
    std::vector<int> const& labels = source.labels();
    for (std::size_t place = from_place; place < labels.size(); ++place)
        index_[static_cast<std::size_t>(labels[place])] = 0;  // what follows from the others
    std::uint64_t const first = key();
    auto const key_strides = [&](std::size_t label) { return key_stride(label); };
    for (std::size_t e = range.begin; e < range.end;) {
        SparseSource::Range part{e, std::min(range.end, e + tile_)};
        if (std::span<Extent const> const keys = offsets_of(source, part, from_place, key_strides); !keys.empty()) {
            slots_of_.resize(keys.size());
            for (std::size_t i = 0; i < keys.size(); ++i)
                slots_of_[i] = slots_.slot_of(first + static_cast<std::uint64_t>(keys[i]));
            batch_.begin_scattered_run(slots_of_);
        } else {
            part.end = e + batch_.begin_shared_run(slots_.slot_of(first), part.end - e);
        }
        add_walked(source, part, from_place);
        e = part.end;
    }
    if (++runs_ % sparse_tuning::runs_a_pause == 0) team_.pause();
}

/// What operands have at elements that are walked, as a run.
void PointWalk::add_walked(SparseSource const& source, SparseSource::Range range, std::size_t from_place) {
    for (std::size_t k : shape_.used) {
        WalkShape::Operand const& operand = shape_.operands[k];
        if (k == source.operand()) {
            batch_.operand(k, source.value(range.begin), 1);
            continue;
        }
        std::span<Extent const> const offsets =
            offsets_of(source, range, from_place, [&](std::size_t label) { return operand.stride_of(label); });
        if (offsets.empty())
            batch_.operand(k, operand_at(k), 0);
        else
            batch_.operand(k, operand_at(k), offsets);
    }
    batch_.end_run({});
}

/// Sums of indices from a place on, times what their labels' strides are; empty where all are 0.
template <class Strides>
std::span<Extent const> PointWalk::offsets_of(SparseSource const& source, SparseSource::Range range,
                                              std::size_t from_place, Strides const& stride_of) {
    std::size_t const count = range.end - range.begin;
    bool any = false;
    for (std::size_t place = from_place; place < source.labels().size(); ++place) {
        Extent const stride = stride_of(static_cast<std::size_t>(source.labels()[place]));
        if (stride == 0) continue;
        if (!any) offsets_.assign(count, 0);
        any = true;
        if (std::uint32_t const* const narrow = source.narrow_indices(place); narrow != nullptr)
            for (std::size_t i = 0; i < count; ++i) offsets_[i] += Extent{narrow[range.begin + i]} * stride;
        else
            for (std::size_t i = 0; i < count; ++i) offsets_[i] += source.index(place, range.begin + i) * stride;
    }
    return any ? std::span<Extent const>(offsets_) : std::span<Extent const>();
}

void PointWalk::leaf(Term const& term) {
    if (!look_up(term, true)) return;
    count_through(term, 0);
}

/// @return whether the term's witnesses are the first of their sets, as far as is known
bool PointWalk::look_up(Term const& term, bool early) {
    if (term.lookups.empty()) return true;
    for (SparsePlan::Lookup const& lookup : term.lookups) {
        SparseSource const& source = sources_[lookup.source];
        if (lookup.early != early) {
            if (early) positions_[source.operand()] = SparseSource::nowhere;
            continue;
        }
        std::size_t const found = source.find(index_, hints_[lookup.source]);
        positions_[source.operand()] = found;
        element_of_[source.operand()] = lookup.source;
        if (found != SparseSource::nowhere) hints_[lookup.source] = found;
    }
    for (std::size_t set = 0; set < term.witnesses.size(); ++set)
        for (int k : shape_.plan.idle_sets[set]) {
            if (k == term.witnesses[set]) break;
            if (positions_[static_cast<std::size_t>(k)] != SparseSource::nowhere) return false;
        }
    return true;
}

void PointWalk::count_through(Term const& term, std::size_t number) {
    if (number == term.counted.size()) {
        if (!term.counted.empty() && !look_up(term, false)) return;
        return add_run();
    }
    auto const label = static_cast<std::size_t>(term.counted[number]);
    Extent const end = region_.first[label] + region_.length[label];
    for (index_[label] = region_.first[label]; index_[label] < end; ++index_[label]) count_through(term, number + 1);
}

/// Of the accumulators of the indices that are walked.
std::uint64_t PointWalk::key() const {
    std::uint64_t key = first_key_;
    for (std::size_t k = 0; k < shape_.key_labels.size(); ++k) {
        std::size_t const label = shape_.key_labels[k];
        key += static_cast<std::uint64_t>((index_[label] - region_.first[label]) * region_.key_strides[k]);
    }
    return key;
}

/// The element of an operand there, at the inner label's index 0.
std::byte const* PointWalk::operand_at(std::size_t k) const {
    WalkShape::Operand const& operand = shape_.operands[k];
    if (operand.sparse) {
        std::size_t const at = positions_[k];
        return at == SparseSource::nowhere ? operand.fill : sources_[element_of_[k]].value(at);
    }
    Extent offset = 0;
    for (WalkShape::Stride const& stride : operand.strides) offset += index_[stride.label] * stride.bytes;
    return static_cast<std::byte const*>(call_.operands[k]) + offset;
}

void PointWalk::add_run() {
    std::size_t const slot = slots_.slot_of(key());
    bool const each = shape_.inner_in_output, runs = shape_.plan.inner != SparsePlan::none;
    auto const inner = static_cast<std::size_t>(runs ? shape_.plan.inner : 0);
    Extent const first = runs ? region_.first[inner] : 0;
    std::size_t const length = runs ? static_cast<std::size_t>(region_.length[inner]) : 1;
    for (std::size_t done = 0; done < length;) {
        std::size_t const count = std::min(tile_, length - done);
        batch_.begin_run(each ? slot + done : slot, count, each);
        for (std::size_t k : shape_.used) {
            WalkShape::Operand const& operand = shape_.operands[k];
            Extent const along = operand.sparse ? 0 : (first + static_cast<Extent>(done)) * operand.inner_bytes;
            batch_.operand(k, operand_at(k) + along, operand.sparse ? 0 : operand.inner);
        }
        if (indexed_)
            for (std::size_t label = 0; label < indices_.size(); ++label)
                indices_[label] = runs && label == inner
                                      ? scalar::TileIndex{call_.begin[label] + first + static_cast<Extent>(done), 1}
                                      : scalar::TileIndex{call_.begin[label] + index_[label], 0};
        batch_.end_run(indices_);
        done += count;
    }
    if (++runs_ % sparse_tuning::runs_a_pause == 0) team_.pause();
}

}  // namespace ein::executor
