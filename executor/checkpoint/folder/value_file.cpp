#include "executor/checkpoint/folder/value_file.hpp"

#include "executor/checkpoint/folder/box_cover.hpp"
#include "executor/checkpoint/folder/element_hash.hpp"
#include "executor/checkpoint/folder/list_file.hpp"
#include "lib/base/error.hpp"
#include "lib/base/limits.hpp"
#include "lib/tensor/formats/npy_header.hpp"
#include "lib/tensor/storage/stored_array.hpp"

namespace ein::executor {

namespace fs = std::filesystem;

namespace {

constexpr Extent bytes_at_once = Extent{8} << 20;

std::string what_is(fs::file_type type) {
    switch (type) {
        case fs::file_type::regular: return "a file";
        case fs::file_type::directory: return "a folder";
        case fs::file_type::symlink: return "a link";
        case fs::file_type::not_found: return "none";
        default: return "a special file";
    }
}

[[noreturn]] void fail_length(std::string const& file, std::uint64_t expected, std::uint64_t found) {
    throw InputError(Fault{file, "", std::to_string(expected) + " bytes", std::to_string(found) + " bytes", ""});
}

std::string header_of(SavedValue const& value) { return tensor::npy_header(value.dtype, value.shape); }

}  // namespace

std::uint64_t file_bytes(SavedValue const& value) {
    if (value.is_sparse()) return tensor::SparseArchive(list_of(value)).layout().bytes();
    return header_of(value).size() +
           static_cast<std::uint64_t>(element_count(value.shape)) * static_cast<std::uint64_t>(size_of(value.dtype));
}

void check_file(fs::path const& file, std::uint64_t bytes) {
    std::error_code error;
    fs::file_type const type = fs::symlink_status(file, error).type();
    if (type != fs::file_type::regular) throw InputError(Fault{file.string(), "", "a file", what_is(type), ""});
    std::uintmax_t const found = fs::file_size(file, error);
    if (error) throw InputError(Fault{file.string(), "", "a file that can be read", error.message(), ""});
    if (found != bytes) fail_length(file.string(), bytes, found);
}

void check_length(tensor::HeldFile const& file, std::uint64_t bytes) {
    if (file.size() != bytes) fail_length(file.name(), bytes, file.size());
}

ValueFile::ValueFile(fs::path const& folder, SavedValue const& value)
    : value_(value), header_(header_of(value)), file_(std::make_shared<tensor::HeldFile const>(folder / value.file)) {
    check_length(*file_, file_bytes(value));
    std::string found(header_.size(), '\0');
    file_->read_at(0, std::as_writable_bytes(std::span(found)));
    if (found != header_)
        throw InputError(Fault{
            file_->name(), "header",
            "that of value '" + value.name + "', " + std::string(name(value.dtype)) + " " + to_string(value.shape),
            "another", ""});
}

void ValueFile::read(Box const& box, std::span<std::byte> into) const {
    std::size_t const size = size_of(value_.dtype);
    tensor::read_box({file_, header_.size(), value_.shape, size, size}, box, into);
}

std::uint64_t ValueFile::hash(Box const& box) const {
    auto const size = static_cast<Extent>(size_of(value_.dtype));
    ElementHash hash;
    std::vector<std::byte> bytes;
    for_each_part(box, std::max<Extent>(1, bytes_at_once / size), [&](Box const& part) {
        bytes.resize(static_cast<std::size_t>(part.elements() * size));
        read(part, bytes);
        hash.add(bytes);
    });
    return hash.value();
}

std::uint64_t hash_of_piece(tensor::Storage const& file, SavedCopy const& copy, std::size_t piece) {
    std::uint64_t const begin = piece * copied_piece, size = piece_bytes(copy, piece);
    ElementHash hash;
    std::vector<std::byte> bytes;
    for (std::uint64_t done = 0; done < size; done += bytes.size()) {
        bytes.resize(std::min<std::uint64_t>(bytes_at_once, size - done));
        file.read_at(begin + done, bytes);
        hash.add(bytes);
    }
    return hash.value();
}

std::string text_of_file(fs::path const& file) {
    tensor::HeldFile const held(file);
    if (held.size() > static_cast<std::uint64_t>(most(Limit::text)))
        throw InputError(Fault{file.string(), "", "a text of " + at_most(Limit::text),
                               amount_text(Limit::text, held.size()), how_to_allow(Limit::text, held.size())});
    std::string text(held.size(), '\0');
    held.read_at(0, std::as_writable_bytes(std::span(text)));
    return text;
}

}  // namespace ein::executor
