#include "executor/checkpoint/folder/list_file.hpp"

#include <algorithm>

#include "executor/checkpoint/folder/value_file.hpp"
#include "executor/checkpoint/tuning.hpp"
#include "lib/base/error.hpp"
#include "lib/tensor/host_tensor.hpp"

namespace ein::executor {

namespace fs = std::filesystem;

namespace {

/// Moves those that lie in a box behind others.
void add_inside(tensor::ListedElements const& some, DType dtype, Box const& box, tensor::ListedElements& out) {
    std::size_t const size = size_of(dtype);
    for (std::size_t e = 0; e < static_cast<std::size_t>(some.count(dtype)); ++e) {
        bool inside = true;
        for (std::size_t axis = 0; axis < box.order() && inside; ++axis)
            inside = some.coords[axis][e] >= box.begin[axis] && some.coords[axis][e] < box.end(axis);
        if (!inside) continue;
        for (std::size_t axis = 0; axis < box.order(); ++axis) out.coords[axis].push_back(some.coords[axis][e]);
        auto const value = some.values.begin() + static_cast<std::ptrdiff_t>(e * size);
        out.values.insert(out.values.end(), value, value + static_cast<std::ptrdiff_t>(size));
    }
}

}  // namespace

tensor::SparseOutput list_of(SavedValue const& value) {
    tensor::HostTensor fill(value.dtype, {});
    fill.bytes() = value.fill;
    return {value.dtype, value.shape, fill.at(0), value.listed(), tensor::SparseForm::list};
}

Extent first_of(SavedValue const& value, std::size_t box) {
    Extent first = 0;
    for (std::size_t before = 0; before < box; ++before) first += value.boxes[before].listed;
    return first;
}

void ListHash::add(std::span<std::vector<std::byte> const> columns) {
    if (columns_.empty()) columns_ = std::vector<ElementHash>(columns.size());
    for (std::size_t column = 0; column < columns.size(); ++column) columns_[column].add(columns[column]);
}

std::uint64_t ListHash::value() const {
    ElementHash out;
    out.add(std::as_bytes(std::span(box_.begin)));
    out.add(std::as_bytes(std::span(box_.length)));
    for (ElementHash const& column : columns_) {
        std::uint64_t const hash = column.value();
        out.add(std::as_bytes(std::span(&hash, 1)));
    }
    return out.value();
}

ListFile::ListFile(fs::path const& folder, SavedValue const& value)
    : value_(value), archive_(list_of(value)), file_(std::make_shared<tensor::HeldFile const>(folder / value.file)) {
    check_length(*file_, file_bytes(value));
}

void ListFile::read_at(std::uint64_t offset, std::span<std::byte> into) const { file_->read_at(offset, into); }

/// The box's elements in parts that take little memory, as columns.
template <class Visit>
void ListFile::for_each_part(std::size_t box, Visit const& visit) const {
    Extent const begin = first_of(value_, box), end = begin + value_.boxes[box].listed;
    for (Extent first = begin; first < end; first += tuning::elements_at_once) {
        Extent const count = std::min<Extent>(tuning::elements_at_once, end - first);
        std::vector<std::vector<std::byte>> columns;
        for (std::size_t column = 0; column < archive_.columns(); ++column)
            read_at(archive_.place(column, first),
                    columns.emplace_back(static_cast<std::size_t>(count) * size_of(archive_.type(column))));
        visit(std::move(columns));
    }
}

std::uint64_t ListFile::frame() const {
    ElementHash hash;
    for (auto const& [offset, bytes] : archive_.frame()) {
        std::vector<std::byte> some(bytes);
        read_at(offset, some);
        hash.add(some);
    }
    return hash.value();
}

std::uint64_t ListFile::hash(std::size_t box) const {
    ListHash hash(value_.boxes[box].box);
    for_each_part(box, [&](std::vector<std::vector<std::byte>> const& columns) { hash.add(columns); });
    return hash.value();
}

void ListFile::read(Box const& box, tensor::SparseLayout const& layout, std::span<std::byte> out) const {
    tensor::ListedElements inside;
    inside.coords.resize(box.order());
    for (std::size_t b = 0; b < value_.boxes.size(); ++b) {
        if (intersection(value_.boxes[b].box, box).empty()) continue;
        for_each_part(b, [&](std::vector<std::vector<std::byte>> columns) {
            add_inside(archive_.elements_of(std::move(columns)), value_.dtype, box, inside);
        });
    }
    std::int64_t const bytes = tensor::sparse_bytes(layout, box.length, value_.dtype, inside.count(value_.dtype));
    if (bytes > static_cast<std::int64_t>(out.size()))
        throw InputError(Fault{file_->name(), "value '" + value_.name + "', box " + to_string(box),
                               "elements that take " + std::to_string(out.size()) + " bytes",
                               std::to_string(bytes) + " bytes", ""});
    tensor::write_sparse_block(inside, value_.dtype, box, layout, out);
}

}  // namespace ein::executor
