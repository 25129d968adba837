#include "lib/tensor/formats/raw_doubts.hpp"

#include <algorithm>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/tensor/formats/file_kind.hpp"
#include "lib/tensor/formats/file_reader.hpp"
#include "lib/tensor/formats/likely_dtype.hpp"
#include "lib/tensor/formats/npy_header.hpp"

namespace ein::tensor {
namespace {

std::vector<std::byte> first_bytes(Storage const& file, std::uint64_t offset, std::uint64_t bytes) {
    std::uint64_t const there = file.size() - std::min(file.size(), offset);
    std::vector<std::byte> out(std::min({bytes, there, std::uint64_t{likely_dtype_bytes}}));
    file.read_at(offset, out);
    return out;
}

/// A .npy file whose header is not what the offset leaves out.
std::optional<std::string> doubt_of_kind(Storage const& file, std::uint64_t offset, std::string const& begin) {
    auto const kind = file_kind(file);
    if (!kind || !kind->certain || kind->looks != "a .npy file") return std::nullopt;
    NpyHeader const header = read_npy_header(file);
    if (offset == header.data_offset) return std::nullopt;
    return begin + ", which is a .npy file whose elements begin at byte " + std::to_string(header.data_offset) +
           "; write {\"npy\": FILE} for \"raw\" and \"offset\"";
}

/// The key that goes with another dtype where the file is all that the tensor takes: it has other extents then.
std::string with_shape(std::uint64_t bytes, DType declared, DType other, Shape const& shape) {
    auto const fits = shape_of_length(bytes, other, shape);
    auto const elements = static_cast<std::uint64_t>(element_count(shape));
    if (!fits || bytes != elements * size_of(declared) || *fits == shape) return "";
    return " and \"shape\": " + index_text(*fits);
}

}  // namespace

std::optional<Shape> shape_of_length(std::uint64_t bytes, DType dtype, Shape shape) {
    if (shape.empty()) return std::nullopt;
    std::uint64_t row = size_of(dtype);
    for (std::size_t axis = 1; axis < shape.size(); ++axis) row *= static_cast<std::uint64_t>(shape[axis]);
    if (row == 0 || bytes == 0 || bytes % row != 0) return std::nullopt;
    shape.front() = static_cast<Extent>(bytes / row);
    return shape;
}

bool is_doubtful(Storage const& file, std::uint64_t offset, DType dtype, Shape const& shape) {
    auto const bytes = static_cast<std::uint64_t>(element_count(shape)) * size_of(dtype);
    return likely_dtype(first_bytes(file, offset, bytes), dtype, shape).has_value();
}

std::optional<std::string> doubt_of_raw(RawSource const& source, std::string const& name, DType dtype,
                                        Shape const& shape, std::filesystem::path const& folder) {
    try {
        auto const file = open_file(path_in(folder, source.file));
        auto const offset = static_cast<std::uint64_t>(std::max<std::int64_t>(0, source.offset.value_or(0)));
        std::string const begin = "'" + name + "' is read from '" + source.file + "'" +
                                  (offset > 0 ? " from byte " + std::to_string(offset) + " on" : "");
        if (auto doubt = doubt_of_kind(*file, offset, begin)) return doubt;
        auto const elements = static_cast<std::uint64_t>(element_count(shape));
        auto const likely = likely_dtype(first_bytes(*file, offset, elements * size_of(dtype)), dtype, shape);
        if (!likely) return std::nullopt;
        std::string const other(ein::name(likely->dtype));
        bool const complex = dtype == DType::f64 && likely->dtype == DType::f32 &&
                             file->size() - offset == elements * size_of(DType::c64);
        return begin + " as " + std::string(ein::name(dtype)) + ", numbers of " + likely->declared_numbers + "; " +
               (likely->other_byte_order
                    ? "with its bytes in the other order " + other + " of " + likely->numbers +
                          ", and it is read as little-endian: write it so, as numpy.asarray(A).astype(\"<" +
                          (is_complex(dtype)   ? "c"
                           : is_integer(dtype) ? "i"
                                               : "f") +
                          std::to_string(size_of(dtype)) + "\").tofile does"
                    : "as " + other + " they are " + likely->numbers + ": give the tensor \"dtype\": \"" + other +
                          "\"" + with_shape(file->size() - offset, dtype, likely->dtype, shape) +
                          (complex ? ", or \"dtype\": \"c64\"," : "") + " if that was written");
    } catch (Error const&) {  // told when it is needed
        return std::nullopt;
    }
}

}  // namespace ein::tensor
