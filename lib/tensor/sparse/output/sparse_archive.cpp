#include "lib/tensor/sparse/output/sparse_archive.hpp"

#include <algorithm>
#include <limits>

#include "lib/tensor/convert.hpp"
#include "lib/tensor/formats/npy_write.hpp"
#include "lib/tensor/sparse/fill_value.hpp"

namespace ein::tensor {
namespace {

constexpr Extent most_i32 = std::numeric_limits<std::int32_t>::max();

DType list_index(Shape const& shape) {
    return std::all_of(shape.begin(), shape.end(), [](Extent extent) { return extent <= most_i32; }) ? DType::i32
                                                                                                     : DType::i64;
}

/// SciPy wants one type for indices and offsets: the smaller one where all numbers fit.
DType index_type(SparseOutput const& output) {
    if (output.form == SparseForm::list) return list_index(output.shape);
    bool const small = output.shape.size() == 2 && output.shape[1] <= most_i32 && output.listed <= most_i32;
    return small ? DType::i32 : DType::i64;
}

std::string_view text_of(std::span<std::byte const> bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

}  // namespace

SparseArchive::SparseArchive(SparseOutput const& output)
    : order_(output.shape.size()),
      is_coo_(output.form == SparseForm::list && order_ == 2),
      listed_(output.listed),
      index_(index_type(output)),
      stored_(output.form == SparseForm::list ? output.dtype : npy_dtype(output.dtype)) {
    auto const order = static_cast<Extent>(order_);
    FillValue const fill(output.dtype, output.fill);
    bool const zero = FillValue(output.dtype, {}).count_others(fill.bytes()) == 0;
    if (order == 2) layout_.add_text("format", is_coo_ ? "coo" : "csr");
    layout_.add("shape", DType::i64, {order}, text_of(std::as_bytes(std::span(output.shape))));
    if (order != 2 || !zero || is_coo_) {
        std::vector<std::byte> element(size_of(stored_));
        convert(output.dtype, fill.bytes().data(), 1, stored_, element.data(), 1);
        layout_.add("fill_value", stored_, {}, text_of(element));
    }
    if (is_coo_) {
        entries_[offsets] = layout_.add("row", index_, {listed_});
        entries_[indices] = layout_.add("col", index_, {listed_});
    } else if (order == 2) {
        entries_[offsets] = layout_.add("indptr", index_, {output.shape[0] + 1});
        entries_[indices] = layout_.add("indices", index_, {listed_});
    } else {
        entries_[indices] = layout_.add("coords", index_, {order, listed_});
    }
    entries_[values] = layout_.add("data", stored_, {listed_});
}

SparseArchive::Array SparseArchive::array_of(std::size_t column) const {
    if (column == order_) return values;
    return is_coo_ && column == 0 ? offsets : indices;
}

std::uint64_t SparseArchive::place_in_array(std::size_t column, Extent element) const {
    Extent const before = column == order_ || is_coo_ ? 0 : static_cast<Extent>(column) * listed_;
    return static_cast<std::uint64_t>(before + element) * size_of(type(column));
}

std::uint64_t SparseArchive::place(std::size_t column, Extent element) const {
    return layout_.elements_begin(entry(array_of(column))) + place_in_array(column, element);
}

std::vector<std::vector<std::byte>> SparseArchive::columns_of(ListedElements elements) const {
    std::vector<std::vector<std::byte>> out;
    for (std::vector<Extent> const& coords : elements.coords) {
        std::vector<std::byte>& column = out.emplace_back(coords.size() * size_of(index_));
        convert(DType::i64, coords.data(), 1, index_, column.data(), coords.size());
    }
    out.push_back(std::move(elements.values));
    return out;
}

ListedElements SparseArchive::elements_of(std::vector<std::vector<std::byte>> columns) const {
    ListedElements out;
    out.values = std::move(columns.back());
    columns.pop_back();
    for (std::vector<std::byte> const& column : columns) {
        std::vector<Extent>& coords = out.coords.emplace_back(column.size() / size_of(index_));
        convert(index_, column.data(), 1, DType::i64, coords.data(), coords.size());
    }
    return out;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> SparseArchive::frame() const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> out;
    std::uint64_t at = 0;
    for (std::size_t e = 0; e < layout_.entries().size(); ++e) {
        bool const is_frame = e != entries_[values] && e != entries_[indices] && (e != entries_[offsets] || e == 0);
        if (is_frame) continue;
        out.emplace_back(at, layout_.elements_begin(e) - at);
        at = layout_.entries()[e].offset + layout_.entries()[e].bytes;
    }
    out.emplace_back(at, layout_.bytes() - at);
    return out;
}

std::uint64_t list_bytes(Shape const& shape, DType dtype, Extent listed) {
    return static_cast<std::uint64_t>(listed) * (shape.size() * size_of(list_index(shape)) + size_of(dtype));
}

}  // namespace ein::tensor
