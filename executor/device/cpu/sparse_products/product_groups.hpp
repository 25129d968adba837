// The groups of a row, elements that share the first labels, and their sums of products: each element's term is
// computed for many at once, and those of a group are added. What a group's sum is follows from the group alone.
// Example: of "ijk,k->ij" a group is all that a row i lists at one j.
#pragma once

#include <array>

#include "executor/device/cpu/sparse_products/product_terms.hpp"

namespace ein::executor {

template <class T>
class ProductGroups {
public:
    /// @param places  labels that a group shares, the row's first  @param by_element  whether groups have one sum each
    ProductGroups(SparseSource const& source, RowLoops<T> const& loops, ProductSums<T>& sums, std::size_t places,
                  bool by_element)
        : source_(source), loops_(loops), sums_(sums), by_element_(by_element), index_(places) {}

    std::size_t count(Extent row) const {
        std::size_t groups = 0;
        for_each(row, [&](SparseSource::Range) { ++groups; });
        return groups;
    }
    /// visit(indices of the group's labels) for each, with its sums in `out`
    template <class Visit>
    void sum(Extent row, T* out, Visit&& visit) {
        index_[0] = row;
        std::size_t const row_end = source_.row(row).end;
        SparseSource::Range brought;  // in terms_
        for_each(row, [&](SparseSource::Range group) {
            for (std::size_t place = 1; place < index_.size(); ++place)
                index_[place] = source_.index(place, group.begin);
            std::size_t const size = group.end - group.begin;
            if (!by_element_ || size > ProductSums<T>::run) {
                sums_.sum(group, index_, out);
                return visit(index_);
            }
            if (group.end > brought.end) {
                brought = {group.begin, std::min(row_end, group.begin + ProductSums<T>::run)};
                sums_.each(brought, row, terms_.data());
            }
            T const* const terms = terms_.data() + (group.begin - brought.begin);
            *out = size == 1 ? *terms : loops_.sum(terms, size);
            visit(index_);
        });
    }

private:
    template <class Visit>
    void for_each(Extent row, Visit&& visit) const {
        SparseSource::Range range = source_.row(row);
        while (!range.empty()) {
            std::size_t end = range.begin + 1;
            while (end < range.end && is_same(range.begin, end)) ++end;
            visit(SparseSource::Range{range.begin, end});
            range.begin = end;
        }
    }
    bool is_same(std::size_t a, std::size_t b) const {
        for (std::size_t place = index_.size(); place-- > 1;)
            if (source_.narrow_indices(place)[a] != source_.narrow_indices(place)[b]) return false;
        return true;
    }

    SparseSource const& source_;
    RowLoops<T> const& loops_;
    ProductSums<T>& sums_;
    bool by_element_;
    std::vector<Extent> index_;
    std::array<T, ProductSums<T>::run> terms_;
};

}  // namespace ein::executor
