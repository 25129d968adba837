#include "lib/tensor/formats/other_form.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/tensor/formats/file_reader.hpp"
#include "lib/tensor/formats/npy_header.hpp"
#include "lib/tensor/formats/zip.hpp"

namespace ein::tensor {

namespace fs = std::filesystem;

namespace {

bool is_written_npy(fs::path const& file) {
    auto const storage = open_file(file);
    NpyHeader const header = read_npy_header(*storage);
    std::string const expected = npy_header(header.dtype, header.shape);
    if (storage->size() < expected.size()) return false;
    std::string found(expected.size(), '\0');
    storage->read_at(0, std::as_writable_bytes(std::span(found)));
    return found == expected;
}

/// SciPy and NumPy put other arrays first.
bool is_written_npz(fs::path const& file) {
    std::vector<ZipEntry> entries = read_zip_directory(*open_file(file));
    auto const has = [&](char const* name) {
        return std::any_of(entries.begin(), entries.end(), [&](ZipEntry const& entry) { return entry.name == name; });
    };
    if (entries.empty() || !has("data.npy") || !has("shape.npy")) return false;
    std::string const& first =
        std::min_element(entries.begin(), entries.end(), [](ZipEntry const& a, ZipEntry const& b) {
            return a.header_offset < b.header_offset;
        })->name;
    return first == "format.npy" || first == "shape.npy";
}

bool is_written_by_runs(fs::path const& file) {
    try {
        return file.extension() == ".npz" ? is_written_npz(file) : is_written_npy(file);
    } catch (Error const&) {  // it is something else
        return false;
    }
}

}  // namespace

fs::path other_form(fs::path const& file) {
    fs::path out = file;
    return out.replace_extension(file.extension() == ".npz" ? ".npy" : ".npz");
}

std::optional<fs::path> remove_other_form(fs::path const& file, std::span<fs::path const> inputs) {
    fs::path const other = other_form(file);
    std::error_code error;
    if (fs::symlink_status(other, error).type() != fs::file_type::regular) return std::nullopt;
    bool const is_input = std::any_of(inputs.begin(), inputs.end(), [&](fs::path const& input) {
        std::error_code ignored;
        return fs::equivalent(other, input, ignored);
    });
    if (is_input || !is_written_by_runs(other)) return std::nullopt;
    return fs::remove(other, error) ? std::optional(other) : std::nullopt;
}

}  // namespace ein::tensor
