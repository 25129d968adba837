#include "lib/tensor/sparse/compare_lists.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "lib/base/error.hpp"
#include "lib/tensor/sparse/files/sparse_files.hpp"
#include "lib/tensor/sparse/fill_value.hpp"
#include "lib/tensor/sparse/sort_keys.hpp"
#include "lib/tensor/sparse/sparse_reader.hpp"

namespace ein::tensor {

namespace fs = std::filesystem;

namespace {

/// What a file lists, by place: the C-order position in the tensor.
struct List {
    std::vector<std::uint64_t> places;
    std::vector<std::byte> values;
};

List list_of(SparseFile const& file) {
    FileContents const& contents = file.contents;
    auto const reader = open_sparse(ScipySource{file.file.string()}, file.file.stem().string(), contents.dtype,
                                    contents.shape, "", file.fill);
    ListedElements const elements = reader->elements(Box::whole(contents.shape));
    std::vector<Extent> const strides = row_major_strides(contents.shape);
    List out{std::vector<std::uint64_t>(static_cast<std::size_t>(elements.count(contents.dtype))), elements.values};
    for (std::size_t axis = 0; axis < strides.size(); ++axis)
        for (std::size_t e = 0; e < out.places.size(); ++e)
            out.places[e] += static_cast<std::uint64_t>(elements.coords[axis][e] * strides[axis]);
    std::vector<std::size_t> const order = sorted_order(out.places);
    if (order.empty()) return out;
    std::size_t const size = size_of(contents.dtype);
    List sorted{std::vector<std::uint64_t>(order.size()), std::vector<std::byte>(out.values.size())};
    for (std::size_t k = 0; k < order.size(); ++k) {
        sorted.places[k] = out.places[order[k]];
        std::memcpy(sorted.values.data() + k * size, out.values.data() + order[k] * size, size);
    }
    return sorted;
}

/// What a tensor has at these places, which are sorted.
HostTensor at_places(List const& list, SparseFile const& file, std::vector<std::uint64_t> const& places) {
    HostTensor out(file.contents.dtype, {static_cast<Extent>(places.size())});
    FillValue(file.contents.dtype, file.fill).fill(out.bytes());
    std::size_t const size = size_of(file.contents.dtype);
    std::size_t next = 0;
    for (std::size_t k = 0; k < places.size(); ++k) {
        if (next == list.places.size() || list.places[next] != places[k]) continue;
        std::memcpy(out.bytes().data() + k * size, list.values.data() + next++ * size, size);
    }
    return out;
}

/// Of all elements, from that of some and the number that all others are.
double rms_of_all(HostTensor const& some, scalar::Scalar const& fill, double elements) {
    double const listed = static_cast<double>(some.elements());
    double const size = fill.is_integer ? static_cast<double>(std::llabs(fill.integer)) : std::abs(fill.number);
    double const rms = some.elements() > 0 ? root_mean_square(some) : 0;
    if (elements == 0 || !std::isfinite(size)) return rms;
    return std::hypot(rms * std::sqrt(listed / elements), size * std::sqrt(1 - listed / elements));
}

}  // namespace

SparseFile sparse_file(fs::path const& file) {
    std::string const name = file.stem().string();
    fs::path const folder;
    ScipySource const source{file.string()};
    return {file, scipy_contents(source, {name, folder}), scipy_fill(source, {name, folder})};
}

HostTensor read_dense(SparseFile const& file) {
    return read_all(ScipySource{file.file.string()}, file.file.stem().string(), file.contents.dtype,
                    file.contents.shape, "", file.fill);
}

ListDifference compare_lists(SparseFile const& value, SparseFile const& reference, double tolerance) {
    promise(value.contents.shape == reference.contents.shape, "tensors of one shape are compared");
    List const a = list_of(value), b = list_of(reference);
    std::vector<std::uint64_t> places;
    std::set_union(a.places.begin(), a.places.end(), b.places.begin(), b.places.end(), std::back_inserter(places));
    HostTensor const here = at_places(a, value, places), there = at_places(b, reference, places);
    Extent const elements = element_count(value.contents.shape);
    Allowed const allowed{tolerance, rms_of_all(there, reference.fill, static_cast<double>(elements))};
    ListDifference out{compare(here, there, allowed), static_cast<Extent>(places.size()), false};
    if (out.difference.worst >= 0)
        out.difference.worst = static_cast<Extent>(places[static_cast<std::size_t>(out.difference.worst)]);
    if (out.places == elements) return out;
    HostTensor const fill = at_places({}, value, {0}), other = at_places({}, reference, {0});
    Difference const of_fills = compare(fill, other, allowed);
    out.fills_differ = of_fills.count > 0;
    if (out.fills_differ) out.difference.count += elements - out.places;
    out.difference.max_abs = std::max(out.difference.max_abs, of_fills.max_abs);
    out.difference.max_rel = std::max(out.difference.max_rel, of_fills.max_rel);
    return out;
}

}  // namespace ein::tensor
