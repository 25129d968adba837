#include "executor/device/cpu/sparse_products/product_terms.hpp"

#include <algorithm>
#include <cmath>

#include "executor/device/cpu/loops/tile_convert.hpp"

namespace ein::executor {
namespace {

/// Elements of a row from which on its sum is multiplied, not each of them.
constexpr std::size_t long_row = 16;

}  // namespace

template <class T>
ProductSums<T>::ProductSums(ProductShape const& shape, RowLoops<T> const& loops, SparseSource const& source,
                            DType values, std::span<void const* const> operands, std::size_t width, std::size_t dotted)
    : shape_(shape),
      loops_(loops),
      source_(source),
      places_(shape.source.labels.size()),
      width_(width),
      dotted_(dotted),
      levels_(places_),
      value_type_(values) {
    if (!shape.has_value) brought_.fill(T(1));
    for (std::size_t place = 0; place < places_; ++place)
        indices_.push_back(place == 0 && source.compressed() ? nullptr : source.narrow_indices(place));
    sums_rows_ = places_ > 0 && shape.group_places == 0 && source.compressed();
    reads_rows_ = sums_rows_ && std::any_of(shape.operands.begin(), shape.operands.end(),
                                            [](auto const& operand) { return operand.strides[0] != 0; });
    if (sums_rows_) rows_.fill(0);
    std::size_t const listed = source.all().end - source.all().begin;
    by_rows_ = reads_rows_ && places_ > 1 && listed / long_row >= static_cast<std::size_t>(source.rows()) &&
               std::all_of(shape.operands.begin(), shape.operands.end(), [](auto const& operand) {
                   return !operand.runs && (operand.depth == 0 || operand.strides[0] == 0);
               });
    for (std::size_t k = 0; k < shape.operands.size(); ++k) {
        ProductShape::Operand const& operand = shape.operands[k];
        base_.push_back(static_cast<T const*>(operands[k]));
        if (operand.depth < static_cast<int>(shape.group_places)) continue;
        Level& level = levels_[static_cast<std::size_t>(operand.depth)];
        (operand.runs ? level.vectors : level.scalars).push_back(k);
    }
    for (std::size_t place = places_; place-- > 0;) {
        bool const last = place + 1 == places_;
        levels_[place].runs_below = !last && (levels_[place + 1].runs_below || !levels_[place + 1].vectors.empty());
        levels_[place].below.resize(width);
    }
    entered_.assign(places_ + 1, std::vector<T const*>(base_.size()));
    at_ = base_;
    if (places_ >= 2 && places_ - 2 >= shape.group_places) {
        Level const &outer = levels_[places_ - 2], &inner = levels_[places_ - 1];
        fibres_ = shape.free != SparsePlan::none && outer.vectors.size() == 1 && outer.scalars.empty() &&
                  inner.vectors.size() == 1 && inner.scalars.empty() &&
                  shape.operands[inner.vectors[0]].strides[places_ - 2] == 0;
    }
    chunk_indices_.resize(places_);
    chunk_strides_.resize(places_);
    total_.resize(width);
    low_.resize(width);
    part_.resize(width);
}

template <class T>
void ProductSums<T>::enter(std::size_t place, std::uint32_t index) {
    for (std::size_t k = 0; k < at_.size(); ++k)
        at_[k] = entered_[place][k] + shape_.operands[k].strides[place] * static_cast<Extent>(index);
}

template <class T>
void ProductSums<T>::sum(SparseSource::Range range, std::span<Extent const> index, T* out) {
    if (range.empty()) {
        std::fill_n(out, width_, T(0));
        return;
    }
    sum_factored(range, index, out);
    if (!is_finite(loops_.sum(out, width_))) sum_plain(range, index, out);
}

/// Point by point: a factor that is infinite is not that of a sum.
template <class T>
void ProductSums<T>::sum_plain(SparseSource::Range range, std::span<Extent const> index, T* out) {
    std::size_t const dotted = shape_.dotted != SparsePlan::none ? dotted_ : 1;
    std::fill_n(out, width_, T(0));
    for (std::size_t e = range.begin; e < range.end; ++e) {
        if ((e - range.begin) % run == 0) bring({e, std::min(range.end, e + run)});
        for (std::size_t k = 0; k < base_.size(); ++k) {
            at_[k] = base_[k];
            for (std::size_t place = 0; place < places_; ++place)
                at_[k] += shape_.operands[k].strides[place] *
                          (place < shape_.group_places ? index[place] : Extent{this->index(place, e)});
        }
        for (std::size_t j = 0; j < width_; ++j)
            for (std::size_t d = 0; d < dotted; ++d) {
                T term = factor_of<T>(shape_.factor) * values_[e - first_];
                for (std::size_t k = 0; k < base_.size(); ++k) term *= at_[k][shape_.operands[k].runs ? j + d : 0];
                out[j] += term;
            }
    }
}

template <class T>
void ProductSums<T>::sum_factored(SparseSource::Range range, std::span<Extent const> index, T* out) {
    for (std::size_t k = 0; k < base_.size(); ++k) {
        at_[k] = base_[k];
        for (std::size_t place = 0; place < shape_.group_places; ++place)
            at_[k] += shape_.operands[k].strides[place] * index[place];
    }
    std::size_t const count = range.end - range.begin;
    std::fill_n(out, width_, T(0));
    if (count <= run) {
        add_chunk(range, out);
    } else {
        std::fill(low_.begin(), low_.end(), T(0));
        std::vector<T const*> const group = at_;
        for (std::size_t e = range.begin, end = e; e < range.end; e = end) {
            end = std::min(range.end, e + run);
            if (by_rows_) end = std::min(end, source_.row(row_of(e)).end);
            std::fill(part_.begin(), part_.end(), T(0));
            at_ = group;
            add_chunk({e, end}, part_.data());
            loops_.add_total(out, low_.data(), part_.data(), width_);
        }
        for (std::size_t j = 0; j < width_; ++j) out[j] += low_[j];
        at_ = group;
    }
    // Operands that only have labels of the group are constant in it.
    std::vector<T const*> vectors;
    T factor = factor_of<T>(shape_.factor);
    for (std::size_t k = 0; k < base_.size(); ++k) {
        if (shape_.operands[k].depth >= static_cast<int>(shape_.group_places)) continue;
        if (shape_.free != SparsePlan::none && shape_.operands[k].runs)
            vectors.push_back(at_[k]);
        else if (!shape_.operands[k].runs)
            factor *= *at_[k];
    }
    for (T const* vector : vectors)
        for (std::size_t j = 0; j < width_; ++j) out[j] *= vector[j];
    if (factor != T(1))
        for (std::size_t j = 0; j < width_; ++j) out[j] *= factor;
}

template <class T>
void ProductSums<T>::add_chunk(SparseSource::Range range, T* out) {
    bring(range, !by_rows_);
    if (shape_.dotted != SparsePlan::none) {
        *out += dots(range);
        return;
    }
    std::size_t const first = shape_.group_places;
    bool runs = false;
    for (std::size_t place = first; place < places_; ++place) runs = runs || !levels_[place].vectors.empty();
    if (runs) return add_level(first, range, out);
    T const value = first == places_ ? *values_of(range) : by_rows_ ? add_rows(range) : add_scalars(first, range);
    for (std::size_t j = 0; j < width_; ++j) out[j] += value;  // and times the group's vectors
}

template <class T>
SparseSource::Range ProductSums<T>::same(std::size_t place, SparseSource::Range range) const {
    std::uint32_t const* const at = indices_[place];
    std::size_t end = range.begin + 1;
    while (end < range.end && at[end] == at[range.begin]) ++end;
    return {range.begin, end};
}

template <class T>
T ProductSums<T>::scalar_product(Level const& level) const {
    T product = T(1);
    for (std::size_t k : level.scalars) product *= *at_[k];
    return product;
}

/// Adds sums of what has this place and further ones, along the free label.
template <class T>
void ProductSums<T>::add_level(std::size_t place, SparseSource::Range range, T* out) {
    if (place + 1 == places_) return add_leaf(range, out);
    Level& level = levels_[place];
    if (fibres_ && place + 2 == places_) {
        std::size_t const o = level.vectors[0], i = levels_[place + 1].vectors[0];
        loops_.add_fibres(out, width_, values_of(range), indices_[place] + range.begin,
                          indices_[place + 1] + range.begin, range.end - range.begin, at_[o],
                          shape_.operands[o].strides[place], at_[i], shape_.operands[i].strides[place + 1]);
        return;
    }
    std::vector<T const*>& before = entered_[place];
    before = at_;
    while (!range.empty()) {
        SparseSource::Range const part = same(place, range);
        enter(place, index(place, part.begin));
        T factor = scalar_product(level);
        T const* vectors[8];
        std::size_t count = 0;
        for (std::size_t k : level.vectors) vectors[count++] = at_[k];
        if (level.runs_below) {
            std::fill(level.below.begin(), level.below.end(), T(0));
            add_level(place + 1, part, level.below.data());
            vectors[count++] = level.below.data();
        } else {
            factor *= add_scalars(place + 1, part);
        }
        loops_.multiply_add(out, factor, vectors, count, width_);
        at_ = entered_[place];
        range.begin = part.end;
    }
}

/// The sum of what has this place and further ones, none of which runs: element by element, as fibres are short mostly.
template <class T>
T ProductSums<T>::add_scalars(std::size_t place, SparseSource::Range range) {
    std::size_t const count = range.end - range.begin;
    T const* values = values_of(range);
    std::size_t const none = shape_.operands.size();
    std::size_t last = none;
    for (std::size_t level = place; level < places_; ++level)
        for (std::size_t k : levels_[level].scalars) {
            if (last != none) values = times(last, place, range, values);
            last = k;
        }
    if (last == none) return shape_.has_value ? loops_.sum(values, count) : factor_of<T>(static_cast<double>(count));
    if (is_single(last, place)) {
        auto const depth = static_cast<std::size_t>(shape_.operands[last].depth);
        return loops_.dot_gathered(values, indices_[depth] + range.begin, count, at_[last],
                                   shape_.operands[last].strides[depth]);
    }
    return loops_.sum(times(last, place, range, values), count);
}

/// Whether an operand's last label is the only one that it has from a place on.
template <class T>
bool ProductSums<T>::is_single(std::size_t operand, std::size_t place) const {
    std::vector<Extent> const& strides = shape_.operands[operand].strides;
    return std::all_of(strides.begin() + static_cast<std::ptrdiff_t>(place),
                       strides.begin() + shape_.operands[operand].depth, [](Extent stride) { return stride == 0; });
}

/// Values of a chunk times what an operand has there, by its labels from a place on.
template <class T>
T const* ProductSums<T>::times(std::size_t operand, std::size_t place, SparseSource::Range range, T const* values) {
    std::size_t const end = static_cast<std::size_t>(shape_.operands[operand].depth) + 1;
    std::size_t const begin = is_single(operand, place) ? end - 1 : place;
    for (std::size_t p = begin; p < end; ++p) chunk_indices_[p] = indices_[p] + range.begin;
    loops_.multiply_gathered(scaled_.data(), values, range.end - range.begin, chunk_indices_.data() + begin,
                             shape_.operands[operand].strides.data() + begin, end - begin, at_[operand]);
    return scaled_.data();
}

/// Row by row: each one's sum is multiplied by what has the rows' label alone.
template <class T>
T ProductSums<T>::add_rows(SparseSource::Range range) {
    T total = T(0);
    while (!range.empty()) {
        Extent const row = row_of(range.begin);
        std::size_t const end = std::min(range.end, source_.row(row).end);
        T part = add_scalars(1, {range.begin, end});
        for (std::size_t k : levels_[0].scalars) part *= at_[k][shape_.operands[k].strides[0] * row];
        total += part;
        range.begin = end;
    }
    return total;
}

template <class T>
void ProductSums<T>::add_leaf(SparseSource::Range range, T* out) {
    std::size_t const place = places_ - 1, count = range.end - range.begin;
    Level const& level = levels_[place];
    T const* values = values_of(range);
    std::uint32_t const* const at = indices_[place] + range.begin;
    for (std::size_t k : level.scalars) values = times(k, place, range, values);
    if (level.vectors.size() == 1) {
        std::size_t const k = level.vectors[0];
        loops_.add_rows(out, width_, values, at, count, at_[k], shape_.operands[k].strides[place]);
        return;
    }
    for (std::size_t e = 0; e < count; ++e) {
        T const* vectors[8];
        std::size_t n = 0;
        for (std::size_t k : level.vectors) vectors[n++] = at_[k] + shape_.operands[k].strides[place] * Extent{at[e]};
        loops_.multiply_add(out, values[e], vectors, n, width_);
    }
}

/// Every element's inner product, times its value.
template <class T>
T ProductSums<T>::dots(SparseSource::Range range) {
    T sum = T(0);
    T const* const values = values_of(range);
    for (std::size_t e = range.begin; e < range.end; ++e) {
        T const* vectors[8];
        std::size_t n = 0;
        T factor = values[e - range.begin];
        for (std::size_t k = 0; k < at_.size(); ++k) {
            T const* from = at_[k];
            for (std::size_t place = shape_.group_places; place < places_; ++place)
                from += shape_.operands[k].strides[place] * Extent{index(place, e)};
            if (shape_.operands[k].runs)
                vectors[n++] = from;
            else if (shape_.operands[k].depth >= static_cast<int>(shape_.group_places))
                factor *= *from;
        }
        sum += factor * loops_.dot(vectors, n, dotted_);
    }
    return sum;
}

template <class T>
void ProductSums<T>::each(SparseSource::Range range, Extent row, T* out) {
    bring(range);
    std::size_t const count = range.end - range.begin;
    T const factor = factor_of<T>(shape_.factor);
    T const* values = values_;
    if (factor != T(1) || base_.empty()) {
        for (std::size_t i = 0; i < count; ++i) out[i] = factor * values_[i];
        values = out;
    }
    bool any_runs = false;
    for (std::size_t k = 0; k < base_.size(); ++k) {
        ProductShape::Operand const& operand = shape_.operands[k];
        any_runs = any_runs || operand.runs;
        if (operand.runs) continue;
        std::size_t places = 0;
        for (std::size_t place = 1; place < places_; ++place) {
            if (operand.strides[place] == 0) continue;
            chunk_indices_[places] = indices_[place] + range.begin;
            chunk_strides_[places++] = operand.strides[place];
        }
        loops_.multiply_gathered(out, values, count, chunk_indices_.data(), chunk_strides_.data(), places,
                                 base_[k] + (places_ > 0 ? operand.strides[0] * row : 0));
        values = out;
    }
    if (!any_runs) return;
    for (std::size_t i = 0; i < count; ++i) out[i] = times_dot(values[i], range.begin + i, row);
}

/// A value times the inner product of what runs along the dotted label there.
template <class T>
T ProductSums<T>::times_dot(T factor, std::size_t e, Extent row) {
    T const* vectors[8];
    std::size_t n = 0;
    for (std::size_t k = 0; k < base_.size(); ++k) {
        if (!shape_.operands[k].runs) continue;
        T const* from = base_[k] + (places_ > 0 ? shape_.operands[k].strides[0] * row : 0);
        for (std::size_t place = 1; place < places_; ++place)
            from += shape_.operands[k].strides[place] * Extent{index(place, e)};
        vectors[n++] = from;
    }
    T value = factor * loops_.dot(vectors, n, dotted_);
    if (is_finite(value)) return value;
    value = T(0);  // a factor that is infinite is not that of a sum
    for (std::size_t d = 0; d < dotted_; ++d) {
        T term = factor;
        for (std::size_t v = 0; v < n; ++v) term *= vectors[v][d];
        value += term;
    }
    return value;
}

template <class T>
void ProductSums<T>::bring(SparseSource::Range range, bool rows) {
    constexpr DType own = dtype_of_loops<T>;
    first_ = range.begin;
    if (sums_rows_ && rows) bring_rows(range);
    if (shape_.has_value && value_type_ == own) {
        values_ = reinterpret_cast<T const*>(source_.value(range.begin));
        return;
    }
    values_ = brought_.data();
    if (shape_.has_value)
        tile_convert(value_type_, source_.value(range.begin), 1, own, brought_.data(), range.end - range.begin);
}

template <class T>
void ProductSums<T>::bring_rows(SparseSource::Range range) {
    indices_[0] = rows_.data() - range.begin;
    if (!reads_rows_) return;
    std::uint32_t* to = rows_.data();
    for (std::size_t e = range.begin; e < range.end;) {
        Extent const row = row_of(e);
        std::size_t const end = std::min(range.end, source_.row(row).end);
        to = std::fill_n(to, end - e, static_cast<std::uint32_t>(row));
        e = end;
    }
}

template class ProductSums<float>;
template class ProductSums<double>;
template class ProductSums<std::uint64_t>;
template class ProductSums<Complex<float>>;
template class ProductSums<Complex<double>>;

}  // namespace ein::executor
