#include "executor/call_check/look.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "executor/device/reference/element.hpp"
#include "lib/tensor/compare.hpp"
#include "lib/tensor/element_text.hpp"

namespace ein::executor {

using scalar::Scalar;

namespace {

std::string text_of(Scalar const& value, DType dtype) {
    tensor::HostTensor one(dtype, {});
    one.set(0, value);
    return tensor::element_text(one, 0);
}

}  // namespace

void Look::at_kernel(CallAgain const& again, KernelCall const& call, std::vector<ElementPlace> const& places,
                     std::vector<Scalar> const& held) {
    DType const dtype = again.shape().output_dtype;
    std::vector<int> const& output = again.shape().kernel->einsum.output;
    for (std::size_t k = 0; k < places.size(); ++k) {
        ElementPlace const& place = places[k];
        std::optional<Scalar> const before = held.empty() ? std::nullopt : std::optional(held[k]);
        Scalar const found = again.found(call.output, place);
        CallAgain::Element const element = again.element(call, place, before, team_);
        std::vector<Extent> index;
        for (std::size_t axis = 0; axis < place.size(); ++axis)
            index.push_back(call.begin[at(output[axis])] + place[axis]);
        note(check_element(again, call, place, before, element, found, tf32_, team_), index, dtype,
             scalar::convert(element.value, again.types().accumulate, dtype), found);
    }
    tally_.calls = 1;
}

void Look::at_moved(DType dtype, void const* found, void const* expected, std::vector<Extent> const& index) {
    tally_.calls = 1;
    if (std::memcmp(found, expected, size_of(dtype)) == 0) return tally_.add(CheckedElement{});
    Scalar const a = load_element(found, dtype), b = load_element(expected, dtype);
    CheckedElement out{.verdict = CheckedElement::Verdict::wrong};
    double const apart = tensor::distance(a, b);
    out.relative = std::isfinite(apart) ? apart / std::max({magnitude_of(a), magnitude_of(b), 1e-300}) : apart;
    note(out, index, dtype, b, a);
}

void Look::note(CheckedElement const& element, std::vector<Extent> const& index, DType dtype, Scalar const& expected,
                Scalar const& found) {
    tally_.add(element);
    if (element.verdict != CheckedElement::Verdict::wrong || !mismatch_.empty()) return;
    char tail[96];
    std::snprintf(tail, sizeof tail, " (difference %.3g of the sum of its terms, tolerance %.3g)", element.relative,
                  element.tolerance);
    mismatch_ = where_() + ", element " + index_text(index) + ": expected " + text_of(expected, dtype) +
                " by the blocks that it read, found " + text_of(found, dtype) + tail;
}

}  // namespace ein::executor
