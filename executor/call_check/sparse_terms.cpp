#include "executor/call_check/sparse_terms.hpp"

#include <algorithm>

#include "executor/device/reference/element.hpp"
#include "lib/tensor/sparse/find_element.hpp"

namespace ein::executor {

using scalar::Scalar;

/// One element of a call.
struct SparseTerms::Walk {
    SparseTerms const& terms;
    KernelCall const& call;
    std::function<void(std::vector<Extent> const&, std::vector<Scalar> const&)> const& visit;
    std::vector<std::optional<tensor::SparseLook>> looks;  // of sparse operands
    std::vector<Extent> index;                             // of each label, from where the call begins

    Walk(SparseTerms const& of, KernelCall const& with, std::vector<Extent> const& place,
         std::function<void(std::vector<Extent> const&, std::vector<Scalar> const&)> const& visitor)
        : terms(of), call(with), visit(visitor), index(of.shape_.lengths.size(), 0) {
        for (std::size_t axis = 0; axis < place.size(); ++axis) index[at(terms.einsum_.output[axis])] = place[axis];
        for (std::size_t k = 0; k < terms.einsum_.operands(); ++k) {
            auto const& sparse = terms.shape_.sparse->operands[k];
            looks.emplace_back();
            if (sparse)
                looks.back().emplace(call.operands[k], sparse->layout, sparse->lengths, terms.shape_.operand_dtypes[k]);
        }
    }

    void all() {
        for_each_index(terms.rest_lengths_, [&](std::vector<Extent> const& rest) {
            for (std::size_t k = 0; k < rest.size(); ++k) index[at(terms.rest_[k])] = rest[k];
            point();
        });
    }

    /// The points of one element that the driver lists, if it has this element's indices.
    void listed(Extent element) {
        std::size_t const driver = at(terms.driver_);
        SparseOperand const& operand = *terms.shape_.sparse->operands[driver];
        std::vector<int> const& labels = terms.einsum_.inputs[driver];
        std::vector<bool> known(index.size(), false);
        for (int label : terms.einsum_.output) known[at(label)] = true;
        for (std::size_t axis = 0; axis < labels.size(); ++axis) {
            Extent const here = looks[driver]->coord(element, axis) - operand.begin[axis];
            std::size_t const label = at(labels[axis]);
            if (here < 0 || here >= terms.shape_.lengths[label] || (known[label] && index[label] != here)) return;
            index[label] = here, known[label] = true;
        }
        all();
    }

    void driven() {
        std::size_t const driver = at(terms.driver_);
        SparseOperand const& operand = *terms.shape_.sparse->operands[driver];
        std::vector<int> const& labels = terms.einsum_.inputs[driver];
        tensor::SparseLook const& look = *looks[driver];
        tensor::SparseLook::Run run{0, look.listed()};
        if (!labels.empty()) {
            std::size_t const axis = look.first_axis();
            auto const& output = terms.einsum_.output;
            if (std::find(output.begin(), output.end(), labels[axis]) != output.end())
                run = look.run(operand.begin[axis] + index[at(labels[axis])]);
        }
        std::vector<Extent> const before = index;
        for (Extent e = run.first; e < run.end; ++e) {
            listed(e);
            index = before;
        }
    }

    void point() {
        graph::EinSum const& einsum = terms.einsum_;
        std::vector<Scalar> values;
        std::vector<bool> is_listed(einsum.operands(), false);
        for (std::size_t k = 0; k < einsum.operands(); ++k) {
            DType const type = terms.shape_.operand_dtypes[k];
            if (looks[k]) {
                SparseOperand const& sparse = *terms.shape_.sparse->operands[k];
                std::vector<Extent> place;
                for (std::size_t axis = 0; axis < einsum.inputs[k].size(); ++axis)
                    place.push_back(sparse.begin[axis] + index[at(einsum.inputs[k][axis])]);
                Extent const found = looks[k]->find(place);
                is_listed[k] = found >= 0;
                values.push_back(is_listed[k] ? load_element(looks[k]->value(found), type) : sparse.fill);
                continue;
            }
            std::ptrdiff_t elements = 0;
            for (std::size_t axis = 0; axis < einsum.inputs[k].size(); ++axis)
                elements += terms.shape_.operand_strides[k][axis] * index[at(einsum.inputs[k][axis])];
            values.push_back(load_element(
                static_cast<std::byte const*>(call.operands[k]) + elements * static_cast<std::ptrdiff_t>(size_of(type)),
                type));
        }
        for (std::vector<int> const& set : terms.shape_.sparse->idle_sets)
            if (std::none_of(set.begin(), set.end(), [&](int k) { return is_listed[at(k)]; })) return;
        if (auto const& lookup = terms.lookup_; lookup) {
            std::size_t const label = at(lookup->label);
            if (values[at(lookup->positions)].integer != call.begin[label] + index[label]) return;
        }
        visit(index, values);
    }
};

SparseTerms::SparseTerms(KernelShape const& shape)
    : shape_(shape), einsum_(shape.kernel->einsum), lookup_(row_lookup(shape)) {
    for (std::vector<int> const& set : shape.sparse->idle_sets)
        if (set.size() == 1 && driver_ < 0) driver_ = set.front();
    for (int label : einsum_.aggregated()) {
        if (driver_ >= 0) {
            std::vector<int> const& labels = einsum_.inputs[at(driver_)];
            if (std::find(labels.begin(), labels.end(), label) != labels.end()) continue;
        }
        rest_.push_back(label);
        rest_lengths_.push_back(shape.lengths[at(label)]);
    }
}

void SparseTerms::for_each(
    KernelCall const& call, std::vector<Extent> const& place,
    std::function<void(std::vector<Extent> const&, std::vector<Scalar> const&)> const& visit) const {
    Walk walk(*this, call, place, visit);
    if (driver_ < 0)
        walk.all();
    else
        walk.driven();
}

}  // namespace ein::executor
