#include "lib/tensor/sparse/files/scipy_arrays.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/tensor/convert.hpp"
#include "lib/tensor/sparse/files/text_format.hpp"

namespace ein::tensor {
namespace {

using File = std::shared_ptr<FileStorage const>;

constexpr char const* mend = "write the file again, for example with scipy.sparse.save_npz";

std::optional<NpzArray> find_array(File const& file, std::string const& name) {
    StoragePtr storage = npz_entry(file, name);
    if (!storage) return std::nullopt;
    return NpzArray(std::move(storage), file->name(), name);
}

NpzArray need_array(File const& file, std::string const& name) {
    if (auto found = find_array(file, name)) return std::move(*found);
    throw InputError(Fault{file->name(), "", "the array '" + name + "'", "an archive without it",
                           "give an archive that scipy.sparse.save_npz wrote, or name its entry with \"npz\""});
}

/// A text of one element: bytes, or four of them a letter. Its header has no dtype of ours.
std::optional<std::string> find_text(File const& file, std::string const& name) {
    constexpr std::uint64_t most = 64 << 10;  // bytes, header and all
    StoragePtr const storage = npz_entry(file, name);
    if (!storage) return std::nullopt;
    std::string bytes(static_cast<std::size_t>(std::min(storage->size(), most)), '\0');
    storage->read_at(0, std::as_writable_bytes(std::span(bytes)));
    std::size_t const end = bytes.find('\n');
    std::string text;
    if (end != std::string::npos)
        for (char c : bytes.substr(end + 1))
            if (c != '\0') text += c;
    return text;
}

Shape read_shape(File const& file) {
    NpzArray const array = need_array(file, "shape");
    if (array.shape().size() != 1 || array.shape()[0] > 64)
        array.fail("a list of at most 64 extents", "shape " + to_string(array.shape()));
    Shape shape = array.integers(0, array.shape()[0]);
    for (Extent extent : shape)
        if (extent < 0) array.fail("extents of 0 or more", to_string(shape));
    if (!checked_element_count(shape)) array.fail("fewer than 2^63 places", to_string(shape));
    return shape;
}

void need_length(NpzArray const& array, Shape const& wanted) {
    if (array.shape() != wanted) array.fail("shape " + to_string(wanted), to_string(array.shape()));
}

void open_compressed(File const& file, ScipyArrays& out) {
    if (out.shape.size() > 2 || out.shape.empty())
        throw InputError(
            Fault{file->name(), "array 'shape'", "two extents of a csr or csc matrix", to_string(out.shape), mend});
    std::size_t const major = out.format == SparseFormat::csr ? 0 : 1;
    Extent const rows = out.shape.size() == 1 ? 1 : out.shape[major];
    out.offsets = need_array(file, "indptr");
    out.minor = need_array(file, "indices");
    need_length(*out.offsets, {rows + 1});
    need_length(*out.minor, {out.entries()});
}

void open_coords(File const& file, ScipyArrays& out) {
    auto const order = static_cast<Extent>(out.shape.size());
    if (auto coords = find_array(file, "coords")) {
        need_length(*coords, {order, out.entries()});
        out.coords.push_back(std::move(*coords));
        return;
    }
    if (order != 2)
        throw InputError(Fault{file->name(), "array 'shape'", "two extents of a matrix, or an array 'coords'",
                               to_string(out.shape), mend});
    for (char const* name : {"row", "col"}) {
        out.coords.push_back(need_array(file, name));
        need_length(out.coords.back(), {out.entries()});
    }
}

}  // namespace

NpzArray::NpzArray(StoragePtr storage, std::string file, std::string name)
    : file_(std::move(file)), name_(std::move(name)), header_(read_npy_header(*storage)) {
    std::size_t const size = size_of(header_.dtype);
    array_ = {std::move(storage), header_.data_offset, header_.shape, size, is_complex(header_.dtype) ? size / 2 : size,
              header_.axis_order, header_.byte_order};
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(static_cast<std::uint64_t>(element_count(header_.shape)), size, &bytes) ||
        array_.storage->size() < header_.data_offset || array_.storage->size() - header_.data_offset != bytes)
        fail(to_string(header_.shape) + " elements of " + std::string(ein::name(header_.dtype)),
             std::to_string(array_.storage->size()) + " bytes with the header");
}

void NpzArray::fail(std::string expected, std::string found) const {
    throw InputError(Fault{file_, "array '" + name_ + "'", std::move(expected), std::move(found), mend});
}

std::vector<std::byte> NpzArray::bytes(Box const& box) const {
    std::vector<std::byte> out(static_cast<std::size_t>(box.elements()) * size_of(header_.dtype));
    read_box(array_, box, out);
    return out;
}

std::vector<std::byte> NpzArray::bytes(Extent begin, Extent count) const { return bytes(Box{{begin}, {count}}); }

std::vector<Extent> NpzArray::integers(Box const& box) const {
    if (!is_integer(header_.dtype)) fail("whole numbers", std::string(ein::name(header_.dtype)));
    std::vector<std::byte> const read = bytes(box);
    std::vector<Extent> out(static_cast<std::size_t>(box.elements()));
    convert(header_.dtype, read.data(), 1, DType::i64, out.data(), out.size());
    return out;
}

std::vector<Extent> NpzArray::integers(Extent begin, Extent count) const { return integers(Box{{begin}, {count}}); }

ScipyArrays open_arrays(std::shared_ptr<FileStorage const> const& file) {
    ScipyArrays out;
    std::optional<std::string> const format = find_text(file, "format");
    if (!format && !npz_entry(file, "coords")) need_array(file, "format");
    std::string const kind = format.value_or("coo");
    if (kind != "csr" && kind != "csc" && kind != "coo")
        throw InputError(Fault{file->name(), "array 'format'", "csr, csc or coo", quoted_word(kind),
                               "convert it before it is saved: scipy.sparse.save_npz(file, a.tocsr())"});
    out.format = kind == "csr" ? SparseFormat::csr : kind == "csc" ? SparseFormat::csc : SparseFormat::coo;
    out.shape = read_shape(file);
    out.data = need_array(file, "data");
    if (out.data->shape().size() != 1) out.data->fail("one axis", "shape " + to_string(out.data->shape()));
    if (out.format == SparseFormat::coo)
        open_coords(file, out);
    else
        open_compressed(file, out);
    if (auto fill = find_array(file, "fill_value")) {
        if (element_count(fill->shape()) != 1) fill->fail("one number", "shape " + to_string(fill->shape()));
        out.fill = std::move(fill);
    }
    return out;
}

}  // namespace ein::tensor
