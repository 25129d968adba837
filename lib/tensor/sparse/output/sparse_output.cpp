#include "lib/tensor/sparse/output/sparse_output.hpp"

#include <unistd.h>

#include <cstring>
#include <numeric>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/tensor/convert.hpp"
#include "lib/tensor/formats/whole_file.hpp"
#include "lib/tensor/sparse/sort_keys.hpp"

namespace ein::tensor {
namespace {

/// Elements in C order.
void sort_rows(ListedElements& elements, DType dtype, Box const& box) {
    std::vector<std::uint64_t> keys(static_cast<std::size_t>(elements.count(dtype)));
    for (std::size_t axis = 0; axis < box.order(); ++axis)
        for (std::size_t k = 0; k < keys.size(); ++k)
            keys[k] = keys[k] * static_cast<std::uint64_t>(box.length[axis]) +
                      static_cast<std::uint64_t>(elements.coords[axis][k] - box.begin[axis]);
    std::vector<std::size_t> const order = sorted_order(keys);
    if (order.empty()) return;
    ListedElements sorted;
    sorted.coords.resize(box.order());
    for (std::size_t axis = 0; axis < box.order(); ++axis)
        for (std::size_t k : order) sorted.coords[axis].push_back(elements.coords[axis][k]);
    std::size_t const size = size_of(dtype);
    sorted.values.resize(elements.values.size());
    for (std::size_t k = 0; k < order.size(); ++k)
        std::memcpy(sorted.values.data() + k * size, elements.values.data() + order[k] * size, size);
    elements = std::move(sorted);
}

std::vector<std::byte> converted(DType from, std::span<std::byte const> elements, DType to) {
    std::size_t const count = elements.size() / size_of(from);
    std::vector<std::byte> out(count * size_of(to));
    convert(from, elements.data(), 1, to, out.data(), count);
    return out;
}

}  // namespace

SparseWriter::SparseWriter(std::filesystem::path file, SparseOutput const& output, std::string option)
    : file_(std::move(file)), output_(output), option_(std::move(option)), archive_(output) {}

void SparseWriter::check(int error) const {
    if (error != 0) fail_write(file_, option_, std::to_string(archive_.layout().bytes()) + " bytes", error);
}

void SparseWriter::make() {
    check(written_.make(file_));
    try {
        check(written_.reserve(archive_.layout().bytes()));
        check(written_.set_length(archive_.layout().bytes()));
        for (ArchiveEntry const& entry : archive_.layout().entries())
            check(written_.write_at(entry.offset, std::as_bytes(std::span(entry.beginning))));
    } catch (RunError const&) {
        ::unlink(file_.c_str());
        throw;
    }
}

void SparseWriter::open_made() { check(written_.open_made(file_)); }
void SparseWriter::sync() { check(written_.sync()); }
void SparseWriter::close() { check(written_.close()); }

void SparseWriter::write_part(Array array, std::uint64_t place, std::span<std::byte const> part) {
    if (part.empty()) return;
    ArchiveEntry const& entry = archive_.layout().entries()[archive_.entry(array)];
    std::uint64_t const at = archive_.layout().elements_begin(archive_.entry(array)) + place;
    promise(at + part.size() <= entry.offset + entry.bytes, "what is written lies in its array");
    check(written_.write_at(at, part));
    sums_[array] ^= crc_part(part, entry.offset + entry.bytes - at - part.size());
}

void SparseWriter::write_numbers(Array array, Extent place, std::span<Extent const> numbers) {
    write_part(array, static_cast<std::uint64_t>(place) * size_of(archive_.index()),
               converted(DType::i64, std::as_bytes(numbers), archive_.index()));
}

void SparseWriter::write_row_ends(std::span<Extent const> ends, Extent first_row) {
    write_numbers(SparseArchive::offsets, first_row + 1, ends);
}

void SparseWriter::write_rows(ListedElements const& elements, std::span<std::byte const> data, Box const& box,
                              SparsePlaces const& places) {
    std::size_t const size = size_of(npy_dtype(output_.dtype)), count = data.size() / size;
    std::span<Extent const> const rows(elements.coords[0]), columns(elements.coords[1]);
    if (auto const ends = places.row_ends(box)) write_row_ends(*ends, box.begin[0]);
    if (places.is_one_run(box)) {
        Extent const begin = places.begin(box);
        std::vector<Extent> ends(static_cast<std::size_t>(box.length[0]));
        for (Extent row : rows) ++ends[static_cast<std::size_t>(row - box.begin[0])];
        std::partial_sum(ends.begin(), ends.end(), ends.begin());
        for (Extent& end : ends) end += begin;
        write_row_ends(ends, box.begin[0]);
        write_numbers(SparseArchive::indices, begin, columns);
        return write_part(SparseArchive::values, static_cast<std::uint64_t>(begin) * size, data);
    }
    std::vector<Extent> const begins = places.row_begins(box);
    for (std::size_t at = 0; at < count;) {
        std::size_t end = at;
        while (end < count && rows[end] == rows[at]) ++end;
        Extent const begin = begins[static_cast<std::size_t>(rows[at] - box.begin[0])];
        write_numbers(SparseArchive::indices, begin, columns.subspan(at, end - at));
        write_part(SparseArchive::values, static_cast<std::uint64_t>(begin) * size,
                   data.subspan(at * size, (end - at) * size));
        at = end;
    }
}

void SparseWriter::write(std::span<std::byte const> block, Box const& box, SparseLayout const& layout,
                         SparsePlaces const& places) {
    promise(places.listed() == output_.listed, "a sparse output has as many elements as its blocks list");
    if (std::find(box.length.begin(), box.length.end(), 0) != box.length.end()) return;
    ListedElements elements = elements_of(block, output_.dtype, box, layout);
    sort_rows(elements, output_.dtype, box);
    DType const stored = npy_dtype(output_.dtype);
    std::vector<std::byte> const data = converted(output_.dtype, elements.values, stored);
    if (output_.shape.size() == 2) return write_rows(elements, data, box, places);
    Extent const begin = places.begin(box);
    for (std::size_t axis = 0; axis < elements.coords.size(); ++axis)
        write_numbers(SparseArchive::indices, static_cast<Extent>(axis) * output_.listed + begin,
                      elements.coords[axis]);
    write_part(SparseArchive::values, static_cast<std::uint64_t>(begin) * size_of(stored), data);
}

SparseSums SparseWriter::write_list(Extent first, std::span<std::vector<std::byte> const> columns) {
    promise(output_.form == SparseForm::list && columns.size() == archive_.columns(), "a column each of a list");
    SparseSums const before = std::exchange(sums_, {});
    for (std::size_t column = 0; column < columns.size(); ++column)
        write_part(archive_.array_of(column), archive_.place_in_array(column, first), columns[column]);
    SparseSums const mine = sums_;
    for (std::size_t array = 0; array < sums_.size(); ++array) sums_[array] ^= before[array];
    return mine;
}

void SparseWriter::begin_sync(Extent first, Extent count) const {
    for (std::size_t column = 0; column < archive_.columns(); ++column)
        written_.begin_sync(archive_.place(column, first),
                            static_cast<std::uint64_t>(count) * size_of(archive_.type(column)));
}

void SparseWriter::finish(SparseSums const& sums) {
    std::vector<std::uint32_t> crcs;
    for (ArchiveEntry const& entry : archive_.layout().entries()) {
        std::size_t const at = crcs.size();
        std::uint32_t parts = crc_part(std::as_bytes(std::span(entry.beginning)), entry.bytes - entry.beginning.size());
        for (Array array : {SparseArchive::values, SparseArchive::indices, SparseArchive::offsets})
            if (archive_.entry(array) == at) parts ^= sums[array];
        crcs.push_back(whole_crc(parts, entry.bytes));
        std::string const header = archive_.layout().local_header(at, crcs.back());
        check(written_.write_at(entry.offset - header.size(), std::as_bytes(std::span(header))));
    }
    std::string const directory = archive_.layout().directory(crcs);
    check(written_.write_at(archive_.layout().bytes() - directory.size(), std::as_bytes(std::span(directory))));
}

void write_sparse(std::filesystem::path const& file, SparseReader const& reader, scalar::Scalar const& fill) {
    Box const whole = Box::whole(reader.shape());
    SparseLayout layout{std::vector<int>(whole.order()), false};
    std::iota(layout.axes.begin(), layout.axes.end(), 0);
    Extent const listed = reader.listed(whole);
    std::vector<std::byte> block(static_cast<std::size_t>(sparse_bytes(layout, whole.length, reader.dtype(), listed)));
    reader.read(whole, layout, block);
    SparsePlaces const places(reader.shape(), {counts_of(block, reader.dtype(), whole, layout, reader.shape())});
    std::optional<SparseWriter> writer;
    write_whole_file(
        file,
        [&](auto const& name) {
            writer.emplace(name, SparseOutput{reader.dtype(), reader.shape(), fill, places.listed()});
            writer->make();
        },
        [&](auto const&) {
            writer->write(block, whole, layout, places);
            writer->finish(writer->sums());
            writer->close();
        });
}

}  // namespace ein::tensor
